"""The commands `agzamov arena rank` and `export`: results that others published, and an arena's in their formats."""

import json
import shutil
from pathlib import Path
from typing import Any, Final

import click

from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.commands.bundle_argument import bounded, faults_told
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.core.waiting import counted
from agzamov_verify.plan.manifest import ManifestError

from ..arena.arena_export import episodes, pair_rows
from ..arena.game_arena_episodes import read_episodes
from ..arena.imported_table import imported_bytes, imported_table, imported_text
from ..arena.pair_tables import pair_lines, read_pairs
from ..arena.verified_bundles import Collected
from ..run.exit_status import EXIT_FAILED, EXIT_USAGE, fail, faults
from .arena_bundles import checked_arena
from .shared_options import engine_option

READERS: Final = {"pairs": read_pairs, "episodes": read_episodes}
"""Formats of results, in and out."""


@click.command()
@click.argument("place", metavar="FILE|FOLDER", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--from",
    "form",
    type=click.Choice(tuple(READERS)),
    required=True,
    help="pairs: a table model_a, model_b, winner (CSV or lines of JSON), as LMArena has it. episodes: replays of"
    " Kaggle's Game Arena (JSON), one or a folder.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the table as JSON.")
def rank(place: Path, form: str, *, as_json: bool) -> None:
    """Print the table of results that others published: ratings, intervals and rank sets, as of an arena of our own.

    Nothing of it was verified, and the table says so first. It is never mixed with bundles.

    Example: agzamov arena rank battles.csv --from pairs

    Exit code 0: printed. 2: the file is wrong; the error names the line.
    """
    with faults():
        table = imported_table(READERS[form](place))
        click.echo(imported_bytes(table).decode() if as_json else imported_text(table), nl=False)


@click.command()
@click.argument("place", metavar="ARENA|FOLDER", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--to",
    "form",
    type=click.Choice(tuple(READERS)),
    required=True,
    help="pairs: one table model_a, model_b, winner (CSV) with the games and their clusters. episodes: a file for each"
    " game, with the fields of Kaggle's Game Arena.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="The file to write, of episodes the folder."
)
@engine_option
@bounded
def export(place: Path, form: str, out: Path, engine: str | None, **limits: Any) -> None:
    """Write the results of an arena in the format of another: a table of pairs, or episodes.

    The bundles of ARENA (its file) or of a FOLDER are verified first, and those count that count in `arena table`.
    Single bundles are written in more formats by `agzamov export`.

    Example: agzamov arena export arena.yaml --to pairs --out pairs.csv

    Exit code 0: written, and every bundle counts. 1: something was left out; where nothing counts, nothing is
    written. 2: wrong use.
    """
    with faults():
        if out.exists():
            fail(f"{out}: it exists already; name another one, or remove it", EXIT_USAGE)
        _, checked, found, _ = checked_arena(place, engine, limits)
        # Of nothing nothing is written: an empty table would stand in the way of the next try.
        if found.counted and form == "pairs":
            out.write_text("".join(pair_lines(pair_rows(found))), encoding="utf-8", newline="")
        elif found.counted:
            _write_episodes(out, [path for path, _ in checked.taken], found)
    for one in found.left_out:
        click.echo(f"left out {printable(one.bundle)}: {printable(one.reason)}", err=True)
    if not found.counted:
        fail(f"{place}: no bundle counts; nothing was written", EXIT_FAILED)
    if found.left_out:
        raise SystemExit(EXIT_FAILED)


def _write_episodes(out: Path, bundles: list[Path], found: Collected) -> None:
    """A file for each, in a new folder, which is there whole or not at all. Raises ManifestError."""
    making = out.with_name(f".{out.name}.making")
    shutil.rmtree(making, ignore_errors=True)
    log = CheckLog()
    with faults_told(log):
        try:
            making.mkdir()
            _fill(making, bundles, found, log)
            making.rename(out)
        except OSError as error:
            raise ManifestError(f"{error.filename or out}: {error.strerror or error}") from error
        finally:
            shutil.rmtree(making, ignore_errors=True)


def _fill(folder: Path, bundles: list[Path], found: Collected, log: CheckLog) -> None:
    wanted = {one.run for one in found.counted}
    for path in counted("bundles", bundles, len(bundles)):
        opened = open_bundle(path, log)
        if opened.manifest.run_id in wanted:
            wanted.remove(opened.manifest.run_id)
            for name, episode in episodes(opened, found):
                text = json.dumps(episode, allow_nan=False)
                (folder / f"{name}.json").write_text(text, encoding="ascii")
