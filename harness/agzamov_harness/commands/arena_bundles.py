"""The bundles of an arena's file or of a folder, verified, and what counts of them."""

import shlex
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import click

from agzamov_verify.checks.steps import Options
from agzamov_verify.commands.bundle_argument import limits_of, one_bundle
from agzamov_verify.core.waiting import shown
from agzamov_verify.core.workers import cores
from agzamov_verify.engines.uci_engine import engine_or_why
from agzamov_verify.plan.manifest import ManifestError

from ..arena.arena_file import read_arena
from ..arena.arena_folder import BUNDLES, RUNS
from ..arena.house_limits import require_one_limit
from ..arena.schedule import RoundsHere, rounds_here
from ..arena.verified_bundles import Collected, Verified, counted, verified


class CheckedArena(NamedTuple):
    """`checked`: the bundles with their verdicts. `found`: what counts of them. `title` for a person.

    `rounds`: how much of an arena's file that is.
    """

    title: str
    checked: Verified
    found: Collected
    rounds: RoundsHere | None = None


def bundles_of(place: Path) -> list[Path]:
    """The bundles of an arena's file or of a folder. Raises ManifestError where there are none."""
    folder = place.parent / BUNDLES if place.is_file() else place
    inside = sorted(folder.glob("[!.]*")) if folder.is_dir() else []
    bundles = [path for path in inside if path.is_dir() or path.suffix == ".tar"]
    if why := one_bundle(folder):
        raise ManifestError(why)
    if place.is_dir() and (place / BUNDLES).is_dir() and (place / RUNS).is_dir():
        raise ManifestError(f"{place}: this is the folder of an arena; give its file, or {place / BUNDLES}")
    if not bundles:
        arena = shlex.quote(str(place)) if place.is_file() else "ARENA"
        raise ManifestError(f"{folder}: expected bundles, found none; play some with: agzamov arena run {arena}")
    return bundles


def checked_arena(place: Path, engine: str | None, limits: dict[str, Any]) -> CheckedArena:
    """The bundles of an arena's file, counted by its rules, or of a folder, by those of most of them.

    Raises ManifestError for a wrong file, and where there is nothing to count.
    """
    arena = read_arena(place) if place.is_file() else None
    if arena:
        require_one_limit(place, arena.whole)
    bundles = bundles_of(place)
    engine_path, missing = engine_or_why(engine)
    options = Options(engine_path, missing, cores(), limits=limits_of(limits), say=partial(click.echo, err=True))
    with shown(quiet=False):
        try:
            checked = verified(bundles, options)
            found = counted(checked, arena.whole if arena else None)
        except ValueError as error:
            raise ManifestError(f"{place}: {error}") from error
    rounds = rounds_here(arena, found.plans) if arena else None
    return CheckedArena(arena.title if arena else place.resolve().name, checked, found, rounds)
