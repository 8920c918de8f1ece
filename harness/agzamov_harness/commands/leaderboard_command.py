"""`agzamov leaderboard`: static pages from a folder of submitted bundles, which are verified here."""

import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from agzamov_verify.checks.steps import Options
from agzamov_verify.commands.bundle_argument import EXIT_FAILED, EXIT_USAGE, bounded, fail, limits_of
from agzamov_verify.core.waiting import shown
from agzamov_verify.core.workers import cores
from agzamov_verify.engines.uci_engine import engine_or_why
from agzamov_verify.plan.manifest import ManifestError

from ..leaderboard.site import build as build_pages
from ..leaderboard.submissions import load_policy


@click.group()
def leaderboard() -> None:
    """Leaderboards: static pages from bundles that are verified when the pages are built."""


@leaderboard.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--policy",
    "policy_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    help="What is taken (YAML): title, keys, level, departures, bundle_mib_max.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("leaderboard"),
    show_default=True,
    help="The folder to write.",
)
@click.option("--engine", metavar="PATH", help="Stockfish 15.1, to repeat its evaluations; found on PATH if not given.")
@click.option("--jobs", type=click.IntRange(1, 256), default=None, help="Worker processes; default: one per core.")
@bounded
def build(folder: Path, policy_file: Path, out: Path, engine: str | None, jobs: int | None, **limits: Any) -> None:
    """Verify every bundle in FOLDER and write a leaderboard: ranks, reports, and refused submissions with reasons.

    Nothing of a bundle is run, and nothing is fetched. FOLDER/record.jsonl keeps a line for every bundle that was ever
    submitted. Pages of an earlier build are replaced, and nothing else is. --time-max and the other limits are of each
    bundle.

    Exit code 0: written. 1: written, and a bundle is refused or gone that was not so before. 2: wrong use.
    """
    try:
        policy = load_policy(policy_file)
    except ManifestError as error:
        fail(str(error), EXIT_USAGE)
    engine_path, missing = engine_or_why(engine)
    options = Options(
        engine_path, missing, jobs or cores(), limits=limits_of(limits), say=partial(click.echo, err=True)
    )
    try:
        with shown(quiet=False):
            built = build_pages(folder, policy, out, options)
    except ManifestError as error:
        fail(str(error), EXIT_USAGE)
    except OSError as error:
        fail(f"{error.filename or out}: {error.strerror or error}", EXIT_USAGE)
    for entry in built.worse:
        click.echo(f"{'refused' if entry.present else 'gone'}: {entry.name}: {entry.reason or entry.run}")
    click.echo(f"leaderboard: {built.page}, {built.accepted} accepted")
    sys.exit(EXIT_FAILED if built.worse else 0)
