"""What `agzamov pilot` does: bundles are verified, and the engine's strength for a half is printed."""

from pathlib import Path

import click

from agzamov_verify.checks.check_log import Status
from agzamov_verify.checks.steps import Options, Verdict
from agzamov_verify.commands.bundle_argument import no_bundle
from agzamov_verify.commands.command_line import PROGRAM, typed
from agzamov_verify.core import canon
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.core.waiting import busy, counted, shown
from agzamov_verify.core.workers import cores
from agzamov_verify.engines.uci_engine import engine_or_why
from agzamov_verify.scores.collected_bundles import CannotCombine, passed_once
from agzamov_verify.show.text.first_screen import NextStep, next_lines

from ..planning.engine_pilot import NoPilot, engine_pilot, pilot_matches
from ..planning.engine_pilot_text import PilotBundle, pilot_lines, pilot_plain
from ..run.exit_status import EXIT_FAILED, EXIT_USAGE, fail, faults


def tell_pilot(
    bundles: tuple[Path, ...], *, engine: str | None, programs: tuple[Path, ...], jobs: int | None, as_json: bool
) -> None:
    """Print the strength, or end the program where the games do not say it."""
    for path in bundles:
        if why := no_bundle(path):
            fail(why, EXIT_USAGE)
    found, missing = engine_or_why(engine)
    options = Options(found, missing, jobs or cores(), programs=programs)
    with faults(), shown(quiet=as_json):
        verdicts = _verified(bundles, options)
        with busy("fitting the curve"):
            try:
                pilot = engine_pilot([match for verdict in verdicts for match in pilot_matches(verdict)])
            except NoPilot as error:
                fail(str(error), EXIT_FAILED)
    sources = [_source(verdict) for verdict in verdicts]
    if as_json:
        click.echo(canon.ascii_text(pilot_plain(pilot, sources)))
    else:
        for line in pilot_lines(pilot, sources):
            click.echo(printable(line))
    if pilot.half is None:
        fail(pilot.advice, EXIT_FAILED)
    if not as_json:
        with_pilot = [word for path in bundles for word in ("--from", path)]
        step = NextStep(typed("plan", "STUDY.yaml", *with_pilot, name=PROGRAM), "warns by these games")
        for line in next_lines([step]):
            click.echo(line)


def _verified(bundles: tuple[Path, ...], options: Options) -> list[Verdict]:
    """The verdicts of bundles that pass their check, each run once."""
    try:
        return list(passed_once(counted("bundles", bundles, len(bundles)), options))
    except CannotCombine as error:
        fail(str(error), EXIT_FAILED)


def _source(verdict: Verdict) -> PilotBundle:
    missing = tuple(step.name for step in verdict.steps if step.status is Status.NOT_CHECKED)
    return PilotBundle(verdict.run, verdict.submitter, missing)
