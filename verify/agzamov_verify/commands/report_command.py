"""`agzamov report`, which is also `agzamov-verify report`: a bundle as pages that a browser opens from a file.

Exit codes are those of `check`: 0 the bundle reached V1; 1 a check failed, and nothing was written; 2 the command was
used wrongly; 3 written, but not everything could be checked.
"""

import shlex
import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from ..checks.check_log import CheckLog
from ..checks.opened_bundle import open_bundle
from ..checks.steps import Options, Verdict, verify
from ..core.untrusted_input import show_name
from ..core.waiting import shown
from ..core.workers import cores
from ..engines.uci_engine import engine_or_why
from ..show.html_report.site import not_writable, write_report
from ..show.text import verdict_report
from .bundle_argument import EXIT_FAILED, EXIT_USAGE, bounded, fail, limits_of
from .check_command import EXIT_NOT_CHECKED, BundlePath, exit_code, refuse_what_is_no_bundle

FOLDER = "report-{run}"
UNFINISHED = "the check ended before figures were computed; allow it more by --time-max or --memory-max"


@click.command()
@click.argument("bundle", type=BundlePath)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=None,
    help="Folder to write, or one file if its name ends with .html; default: report-RUN here.",
)
@click.option("--engine", metavar="PATH", help="Stockfish 15.1, to repeat its evaluations; found on PATH if not given.")
@click.option("--jobs", type=click.IntRange(1, 256), default=None, help="Worker processes; default: one per core.")
@bounded
def report(bundle: Path, out: Path | None, engine: str | None, jobs: int | None, **limits: Any) -> None:
    """Verify BUNDLE, and write a report that a browser opens: its figures, and a replay of every game.

    It needs no server and no network, and names the level that the check reached.

    Exit code 0: written, level V1 reached. 1: a check failed, nothing was written. 2: wrong use. 3: written, but not
    everything could be checked.
    """
    refuse_what_is_no_bundle(bundle)
    engine_path, missing = engine_or_why(engine)
    if out and (why := not_writable(out)):
        fail(why, EXIT_USAGE)
    workers = jobs or cores()
    options = Options(engine_path, missing, workers, limits=limits_of(limits), say=partial(click.echo, err=True))
    with shown(quiet=False):
        verdict = verify(bundle, options)
        if verdict.failed:
            fail(_findings(verdict), EXIT_FAILED)
        if verdict.results is None:
            fail(UNFINISHED, EXIT_NOT_CHECKED)
        where = out or Path(FOLDER.format(run=verdict.run))
        command = f"agzamov-verify check {shlex.quote(bundle.name)} --key KEY.pub"
        try:
            page = write_report(open_bundle(bundle, CheckLog()), verdict, where, command, workers)
        except OSError as error:
            fail(f"{show_name(str(error.filename or where))}: {error.strerror or error}", EXIT_USAGE)
    click.echo(f"report: {page}")
    sys.exit(exit_code(verdict))


def _findings(verdict: Verdict) -> str:
    first = verdict_report.finding_line(verdict.findings[0]) if verdict.findings else "a check failed"
    return f"{first}; no report is written of what does not hold"
