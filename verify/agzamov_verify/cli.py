"""The light command: `agzamov-verify check` and `agzamov-verify show`.

Exit codes: 0 the bundle reached V1; 1 a check failed; 2 the command was used wrongly or the path is
no bundle; 3 V1 was not reached only because something could not be checked.
"""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import click

from . import canon, report
from .bundle import ANALYSIS_FILE, RESULTS_FILE, TIMING_FILE
from .checks import Options, Verdict, verify
from .checks.ledger import Ledger, StepFailed
from .checks.opening import Opened, open_bundle
from .checks.replaying import journal_lines, segments_of
from .envelope import BadEnvelope, key_id, load_public_key
from .journal import BrokenJournal, Chain
from .quality.cli import check_quality
from .reading import HostileBundle, show_name
from .scores.cli import COMMANDS
from .scoring.analysis import Analysis
from .scoring.results import Results
from .scoring.timing import Timing
from .script import Divergence
from .show import NoSuchGame, first_game, stream_of, transcript
from .stockfish import EngineFault, find_engine
from .workers import cores

EXIT_FAILED, EXIT_USAGE, EXIT_NOT_CHECKED = 1, 2, 3

BundlePath = click.Path(exists=True, path_type=Path)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="agzamov-verify")
def main() -> None:
    """Check and show result bundles of the Agzamov test."""


@main.command()
@click.argument("bundle", type=BundlePath)
@click.option("--engine", metavar="PATH", help="Stockfish 15.1 to ask again; found on PATH if not given.")
@click.option(
    "--key",
    "key_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Public key (PEM) that must have signed.",
)
@click.option("--jobs", type=click.IntRange(1, 256), default=None, help="Worker processes; default: one a core.")
@click.option(
    "--sample",
    "sample_permille",
    type=click.IntRange(0, 1000),
    default=10,
    show_default=True,
    help="Of 1000 engine scores that decided nothing, how many are asked again.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as canonical JSON.")
def check(
    bundle: Path, engine: str | None, key_file: Path | None, jobs: int | None, sample_permille: int, as_json: bool
) -> None:
    """Check BUNDLE, a folder or plain tar, without trusting who made it.

    Exit code 0: level V1 reached. 1: a check failed. 2: wrong use. 3: not everything could be checked.
    """
    try:
        engine_path, missing = find_engine(engine), ""
    except EngineFault as error:
        engine_path, missing = None, str(error)
    options = Options(engine_path, missing, jobs or cores(), sample_permille, _key_id(key_file))
    with _progress(as_json) as tick:
        verdict = verify(bundle, options, tick)
    click.echo(report.json(verdict).decode() if as_json else report.text(verdict), nl=as_json)
    sys.exit(exit_code(verdict))


@main.command()
@click.argument("bundle", type=BundlePath)
@click.option("--game", help="The game or hand to show, as its seats saw it.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as canonical JSON.")
def show(bundle: Path, game: str | None, as_json: bool) -> None:
    """Show what BUNDLE holds: its figures, or one game by replay.

    Exit code 0: shown. 1: the bundle is broken. 2: wrong use.
    """
    ledger = Ledger()
    try:
        opened = open_bundle(bundle, ledger)
        lines = _game_lines(opened, game) if game else _overview(opened, as_json)
        for line in lines:
            click.echo(line)
    except StepFailed:
        _fail(report.finding_line(ledger.findings[0]))
    except (HostileBundle, BrokenJournal, Divergence) as error:
        _fail(show_name(str(error)))
    except NoSuchGame as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(EXIT_USAGE)


main.add_command(check_quality)
for command in COMMANDS:
    main.add_command(command)


def exit_code(verdict: Verdict) -> int:
    """The documented exit code of a verdict."""
    if verdict.failed:
        return EXIT_FAILED
    return 0 if verdict.level == "V1" else EXIT_NOT_CHECKED


def _overview(opened: Opened, as_json: bool) -> Iterator[str]:
    data = opened.payload(RESULTS_FILE)
    try:
        results = canon.loads_as(data, Results)
        timing = canon.loads_as(opened.payload(TIMING_FILE), Timing)
        analysis = _analysis(opened)
    except canon.NotCanonical as error:
        raise HostileBundle(RESULTS_FILE, "results", str(error)) from error
    if as_json:
        yield json.dumps(json.loads(data), separators=(",", ":"))  # ASCII: nothing that a terminal acts on
        return
    plan = opened.manifest.plan
    yield f"{show_name(plan.title)}: run {opened.manifest.run_id}, {plan.protocol}, isolation {plan.isolation}"
    yield "as claimed by the submitter; `check` recomputes every figure"
    yield ""
    try:
        lines = list(report.printable_results(results, timing, analysis))
    except (ArithmeticError, LookupError, ValueError) as error:
        raise HostileBundle(RESULTS_FILE, "results and an analysis that can be shown", str(error)) from error
    yield from lines
    yield ""
    yield f"one game: show BUNDLE --game {first_game(plan.matches[0])}"


def _analysis(opened: Opened) -> Analysis | None:
    """What is claimed; the first format of a manifest has none. Raises NotCanonical."""
    there = ANALYSIS_FILE in opened.digests
    return canon.loads_as(opened.payload(ANALYSIS_FILE), Analysis) if there else None


def _game_lines(opened: Opened, game: str) -> Iterator[str]:
    stream = stream_of(opened.manifest, game)
    if not segments_of(opened.digests, stream.id):
        raise NoSuchGame(f"no game {show_name(game)!r} in this bundle: Phase 0 failed, so its match was not played")
    lines = journal_lines(opened.source, opened.digests, stream.id)
    chain = Chain(opened.manifest.run_id, stream.id)
    return transcript(opened.manifest, opened.dice, stream, chain.read_all(lines), game)


def _key_id(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return key_id(load_public_key(path.read_bytes()))
    except BadEnvelope as error:
        raise click.BadParameter(f"{path}: {error}", param_hint="--key") from error


@contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[str], None]]:
    """Counts replayed streams on a terminal; silent elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    count = 0

    def tick(stream: str) -> None:
        nonlocal count
        count += 1
        click.echo(f"\rreplayed {count} streams, last {stream:<60}", nl=False, err=True)

    yield tick
    click.echo("\r" + " " * 90 + "\r", nl=False, err=True)


def _fail(message: str) -> NoReturn:
    click.echo(f"error: {message}", err=True)
    sys.exit(EXIT_FAILED)
