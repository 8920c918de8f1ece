"""The command `agzamov export`: the games of a bundle in open formats."""

import csv
import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, closing, nullcontext
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import Opened, open_bundle
from agzamov_verify.checks.replay_all import on_all_cores
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.commands.bundle_argument import EXIT_FAILED, EXIT_USAGE, fail, faults_told, no_bundle
from agzamov_verify.commands.command_line import filled
from agzamov_verify.core.waiting import counted
from agzamov_verify.core.workers import cores
from agzamov_verify.engines.uci_engine import engine_or_why
from agzamov_verify.experiment.matches import MEASURED, Match
from agzamov_verify.seats import ModelSeat
from agzamov_verify.show.games_of_bundle import outcome, played_streams, stream_told, streams_played
from agzamov_verify.show.replayed_game import PlayedGame
from agzamov_verify.show.views import VIEWS
from agzamov_verify.table.game import StreamPlan

from ..exports.every_eval_ever import records
from ..exports.in_toto import statement
from ..exports.table_rows import StreamRows, run_rows
from ..exports.table_schema import TableRow
from ..foundation.first_use import imported_at_first_use
from ..foundation.program_and_machine import source_version
from ..foundation.written_whole import written_whole
from ..run.exit_status import os_error_words

if TYPE_CHECKING:
    from ..exports import parquet_files, sqlite_file
else:
    parquet_files = imported_at_first_use("agzamov_harness.exports.parquet_files")
    sqlite_file = imported_at_first_use("agzamov_harness.exports.sqlite_file")

CSV, SQLITE, PARQUET = "csv", "sqlite", "parquet"
EVERY_EVAL_EVER, IN_TOTO = "every-eval-ever", "in-toto"
NOTATIONS: Final = {view.notation: view.notation_words for _, view in sorted(VIEWS.items()) if view.notation}
"""Formats of one game's results, and what each holds."""
OF_TABLES: Final = (SQLITE, PARQUET)
OF_FIGURES: Final = (EVERY_EVAL_EVER, IN_TOTO)
FORMATS: Final = (*NOTATIONS, CSV, *OF_TABLES, *OF_FIGURES)
"""Those of one game, those of every game, and those of the signed figures."""
OWN_STREAM: Final = re.compile(r"/dev/(stdout|stderr)|(?:/dev|/proc/self)/fd/([0-9]{1,4})")
STREAMS: Final = {"stdout": 1, "stderr": 2}
COLUMNS: Final = (
    *("game", "match", "number", "phase", "kind", "augmentation", "arm", "system", "measured", "opponents"),
    *("seats", "outcome", "ended", "questions", "points"),
)


@click.command()
@click.argument("bundle", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--to",
    "notation",
    type=click.Choice(FORMATS),
    required=True,
    help="".join(f"{name}: {words}. " for name, words in NOTATIONS.items()) + "csv: a line for each game or hand. "
    "sqlite: one file with games, prompts, replies, memories and tool calls. parquet: the same tables, in a folder. "
    "every-eval-ever: a line of JSON for each model. in-toto: a summary, after the bundle was verified.",
)
@click.option("--match", "only", default="", callback=filled, metavar="ID", help="Only the games of one match.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="The file to write, of parquet the folder; default: standard output, but for sqlite and parquet.",
)
def export(bundle: Path, notation: str, only: str, out: Path | None) -> None:
    """Write the games of BUNDLE in an open format: PGN, PHH, CSV, SQLite or Parquet; or its figures as records.

    The games are replayed from the journals, whose signature and digests are checked. Whether the bundle holds is what
    `agzamov verify` says; for in-toto it is verified first, and refused where a step fails. A file that --out names is
    written over.

    Example: agzamov export BUNDLE --to pgn --out games.pgn

    Exit code 0: written. 1: the bundle is broken. 2: wrong use, or no game that the format is for.
    """
    if why := no_bundle(bundle):
        fail(why, EXIT_USAGE)
    if notation in OF_TABLES and out is None:
        fail(f"--to {notation} needs --out: what to write", EXIT_USAGE)
    if out and notation == PARQUET and out.exists():
        fail(f"{out}: it exists already; name another folder, or remove it", EXIT_USAGE)
    log = CheckLog()
    with faults_told(log):
        opened = open_bundle(bundle, log)
        matches = _matches(opened, notation, only)
        if out and notation in OF_TABLES:
            _write_tables(notation, out, _rows(opened, matches))
            return
        texts = _texts(opened, matches, notation, bundle)
        if out is None:
            for text in texts:
                click.echo(text, nl=False)
        else:
            _write(out, texts)


def _matches(opened: Opened, notation: str, only: str) -> list[Match]:
    """The matches whose games the format is for."""
    every = opened.manifest.plan.matches
    if only and only not in {match.id for match in every}:
        fail(f"no match {only!a}; there are {', '.join(match.id for match in every)}", EXIT_USAGE)
    fitting = [match for match in every if notation not in NOTATIONS or notation == VIEWS[match.game].notation]
    chosen = [match for match in fitting if only in ("", match.id)]
    if not chosen:
        fail(f"no game here that {notation} is for; --to csv takes every game", EXIT_USAGE)
    return chosen


def _texts(opened: Opened, matches: list[Match], notation: str, bundle: Path) -> Iterator[str]:
    """The export as text, piece by piece."""
    match notation:
        case "csv":
            return _table(opened, matches)
        case "every-eval-ever":
            return _records(opened, matches)
        case "in-toto":
            return iter([_statement(opened, matches, bundle)])
    return _notated(opened, matches, notation)


def _records(opened: Opened, matches: list[Match]) -> Iterator[str]:
    found = list(records(opened, matches, int(time.time())))  # noqa: TID251 - a record says when it was made
    if not found:
        of_models = any(isinstance(opened.manifest.plan.seats[match.measured], ModelSeat) for match in matches)
        why = "no match of a language model has a result here" if of_models else "no language model in seat A here"
        fail(f"{why}: a record is of a model's result; --to csv takes every game", EXIT_USAGE)
    yield from (f"{json.dumps(record, allow_nan=False)}\n" for record in found)


def _statement(opened: Opened, matches: list[Match], bundle: Path) -> str:
    """Verify the bundle as `agzamov verify` does, as far as this machine can, and sum it up."""
    verdict = verify(bundle, Options(*engine_or_why(), cores()))
    if verdict.failed:
        fail("the bundle fails verification; `agzamov verify` says where", EXIT_FAILED)
    return f"{json.dumps(statement(opened, verdict, matches, source_version()), allow_nan=False)}\n"


def _rows(opened: Opened, matches: list[Match]) -> Iterator[TableRow]:
    """The rows of every table. The tables of the run have all of its matches."""
    yield from run_rows(opened)
    rows = StreamRows(opened)
    for match in counted("matches", matches, len(matches)):
        for stream in played_streams(opened, match):
            yield from rows.of(stream)


def _write_tables(notation: str, out: Path, rows: Iterator[TableRow]) -> None:
    """Write by a library that not every installation has."""
    try:
        write: Callable[[Path, Iterable[TableRow]], None] = (
            sqlite_file.write_sqlite if notation == SQLITE else parquet_files.write_parquet
        )
    except ImportError as error:
        fail(f"--to {notation}: {error.name} is not installed; type: make exports (in a clone)", EXIT_USAGE)
    try:
        write(out, rows)
    except OSError as error:
        fail(os_error_words(error), EXIT_USAGE)


class _StreamTexts:
    """The games of a bundle's streams as text, each stream in any process."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened

    def notated(self, stream: StreamPlan) -> list[str]:
        """Each game in the notation of its own."""
        view, plan = VIEWS[stream.match.game], self._opened.manifest.plan
        return [part for played in stream_told(self._opened, stream) for part in view.notated(played, plan)]

    def rows(self, stream: StreamPlan) -> list[str]:
        """A line of CSV for each game."""
        return [_row(_columns(played)) for played in stream_told(self._opened, stream)]


def _of_streams(
    opened: Opened, matches: list[Match], texts: Callable[[_StreamTexts, StreamPlan], list[str]]
) -> Iterator[str]:
    """The texts of all streams of some matches, in order, made on all cores."""
    streams = [stream for match in matches for stream in streams_played(opened, match)]
    with closing(on_all_cores(_StreamTexts(opened), texts, streams, opened.workers(cores()))) as made:
        for of_stream in counted("streams", made, len(streams)):
            yield from of_stream


def _notated(opened: Opened, matches: list[Match], notation: str) -> Iterator[str]:
    for number, part in enumerate(_of_streams(opened, matches, _StreamTexts.notated), start=1):
        header = f"[{number}]\n" if notation == "phh" else ""
        yield header + part


def _table(opened: Opened, matches: list[Match]) -> Iterator[str]:
    yield _row(COLUMNS)
    yield from _of_streams(opened, matches, _StreamTexts.rows)


def _columns(played: PlayedGame) -> tuple[object, ...]:
    """The values of `COLUMNS` for a game."""
    match, condition = played.match, played.match.condition
    return (
        played.record.game,
        match.id,
        played.number,
        int(match.phase),
        match.game,
        condition.augmentation.value,
        condition.arm.value,
        condition.system,
        match.measured,
        ", ".join(at.seat for at in match.opponents),
        ", ".join(played.placed),
        outcome(played),
        VIEWS[match.game].ended(played.record),
        len(played.asked),
        played.record.outcomes[played.order.index(MEASURED)],
    )


def _row(values: tuple[object, ...]) -> str:
    """A line of RFC 4180."""
    line = StringIO()
    csv.writer(line).writerow(values)
    return line.getvalue()


def _write(path: Path, texts: Iterator[str]) -> None:
    """Write a file whole or not at all; to a device, a pipe or a stream of this process, such as /dev/stdout, as it
    comes: behind what is there already, where that is a file.
    """
    try:
        with _place(path) as place, open(place, "w", encoding="ascii", newline="") as file:
            file.writelines(texts)
    except OSError as error:
        fail(f"{path}: {error.strerror}", EXIT_USAGE)


def _place(path: Path) -> AbstractContextManager[Path | int]:
    """Where to write what is to be at a path: in a stream of this process by a second descriptor of it."""
    if named := OWN_STREAM.fullmatch(str(path)):
        return nullcontext(os.dup(STREAMS.get(named[1]) or int(named[2])))
    is_stream = path.exists() and not path.is_file() and not path.is_dir()
    return nullcontext(path) if is_stream else written_whole(path)
