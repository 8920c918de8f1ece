"""`agzamov report`, which is also `agzamov-verify report`: a bundle as pages that a browser opens from a file.

Exit codes are those of `check`: 0 the bundle reached V1, with --policy V2; 1 a check failed, and nothing was written,
or the registration is wrong, which the pages say; 2 the command was used wrongly; 3 written, but that level was not
reached only because something could not be checked.
"""

import shlex
import sys
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import click

from ..bundle import MANIFEST_FILE
from ..checks.check_log import CheckLog
from ..checks.exhibition import check_exhibition, is_exhibition
from ..checks.opened_bundle import open_bundle
from ..checks.steps import Options, Verdict, verify
from ..core.untrusted_input import HostileBundle, open_source, read_small, show_name
from ..core.waiting import shown
from ..core.workers import cores
from ..engines.uci_engine import engine_or_why
from ..plan.manifest import ManifestError, load_manifest
from ..show import exhibition_pages
from ..show.html_report.site import not_writable, write_report
from ..show.text import verdict_report
from .bundle_argument import EXIT_FAILED, EXIT_USAGE, bounded, fail, limits_of
from .check_command import EXIT_NOT_CHECKED, BundlePath, exit_code, refuse_what_is_no_bundle
from .trust_options import trust_of, trust_options, trust_words

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
@trust_options
def report(
    bundle: Path,
    out: Path | None,
    engine: str | None,
    jobs: int | None,
    policy: Path | None,
    log_folder: Path | None,
    attestations: tuple[Path, ...],
    **limits: Any,
) -> None:
    """Verify BUNDLE, and write a report that a browser opens: its figures, and a replay of every game.

    It needs no server and no network, and names the level that the check reached.

    Example: agzamov-verify report BUNDLE

    Exit code 0: written, level V1 reached, with --policy level V2. 1: a check failed, nothing was written; or the
    registration is wrong, written. 2: wrong use. 3: written, but not everything was checked, or V2 lacks something.
    """
    if is_exhibition(bundle):
        _report_exhibition(bundle, out)
    refuse_what_is_no_bundle(bundle)
    engine_path, missing = engine_or_why(engine)
    where = out or Path(FOLDER.format(run=_run_of(bundle)))
    if why := not_writable(where):  # found before the check, which may take long
        fail(why, EXIT_USAGE)
    workers = jobs or cores()
    trust = trust_of(policy, log_folder, attestations)
    options = Options(
        engine_path, missing, workers, limits=limits_of(limits), say=partial(click.echo, err=True), trust=trust
    )
    with shown(quiet=False):
        verdict = verify(bundle, options)
        if verdict.failed:
            fail(_findings(verdict), EXIT_FAILED)
        if verdict.results is None:
            fail(UNFINISHED, EXIT_NOT_CHECKED)
        command = f"agzamov-verify check {shlex.quote(bundle.name)} --key KEY.pub{trust_words(trust)}"
        try:
            page = write_report(open_bundle(bundle, CheckLog()), verdict, where, command, workers)
        except OSError as error:
            fail(f"{show_name(str(error.filename or where))}: {error.strerror or error}", EXIT_USAGE)
    click.echo(f"report: {page}")
    sys.exit(exit_code(verdict))


def _report_exhibition(path: Path, out: Path | None) -> NoReturn:
    """Write the page of an exhibition that holds."""
    checked = check_exhibition(path)
    if checked.problem:
        fail(f"{checked.problem}; no report is written of what does not hold", EXIT_FAILED)
    where = out or Path(FOLDER.format(run=checked.run))
    page = where if where.suffix == ".html" else where / "index.html"
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(exhibition_pages.page(checked), "utf-8")
    except OSError as error:
        fail(f"{show_name(str(error.filename or where))}: {error.strerror}", EXIT_USAGE)
    click.echo(f"report: {page}")
    sys.exit(0)


def _run_of(bundle: Path) -> str:
    """The id of a bundle's run, before anything is checked; one that cannot be read fails its check."""
    try:
        return load_manifest(read_small(open_source(bundle), MANIFEST_FILE)).run_id
    except (HostileBundle, ManifestError, OSError):
        return "unknown"


def _findings(verdict: Verdict) -> str:
    first = verdict_report.finding_line(verdict.findings[0]) if verdict.findings else "a check failed"
    return f"{first}; no report is written of what does not hold"
