"""What `agzamov plan` does: the forecast of a plan as text or JSON."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from agzamov_verify.checks.steps import Options
from agzamov_verify.commands.bundle_argument import no_bundle
from agzamov_verify.commands.command_line import typed, typed_words
from agzamov_verify.core import canon
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.core.waiting import busy, shown
from agzamov_verify.core.workers import cores
from agzamov_verify.engines.uci_engine import EngineFault, find_engine
from agzamov_verify.scores.collected_bundles import CannotCombine
from agzamov_verify.scoring.plannings import PLANNINGS
from agzamov_verify.show.text.first_screen import NextStep, next_lines

from ..planning.forecast import Forecast
from ..planning.forecast_text import lines, needed_lines
from ..planning.pilot_bundles import Pilot, pilot_of
from ..planning.plan_summary import nothing_to_show, summary_lines
from ..planning.spreads import assumed_spreads
from ..run.assumptions import ASKED, Assumptions
from ..run.exit_status import EXIT_FAILED, EXIT_USAGE, fail, faults
from .plan_files import plan_file


def forecast_plan(
    path: Path,
    *,
    small: bool,
    effects: tuple[tuple[str, Fraction], ...],
    pilots: tuple[Path, ...],
    icc: Fraction | None,
    details: bool,
    as_json: bool,
    **assumed: Any,
) -> None:
    """Print the forecast of a plan."""
    with faults(), shown(quiet=as_json):
        plan = plan_file(path, small=small).plan
        pilot = _pilot(pilots)
        with busy("computing what the plan can detect"):
            spreads = assumed_spreads(plan, _given(assumed, icc), pilot)
            assumptions = Assumptions(**{name: assumed[name] for name in ASKED})
            forecast = Forecast(plan, spreads, effects, assumptions, pilot)
    if as_json:
        click.echo(canon.ascii_text(forecast.plain()))
        return
    for line in _shown(forecast, details=details):
        click.echo(printable(line))
    if not details:
        for line in next_lines(_next(path, forecast, small=small)):
            click.echo(line)


def _next(path: Path, forecast: Forecast, *, small: bool) -> list[NextStep]:
    """The commands to type next; of a plan that can show nothing, none that plays it."""
    profile = ["--small"] if small else []
    tables = NextStep(typed("plan", path, *typed_words(path), "--details"), "all tables of this forecast")
    if nothing_to_show(forecast):
        return [tables]
    command, what = ["run"], "plays it"
    if forecast.plan.seed.origin == "beacon":
        command, what = ["register", "run"], "registers it, waits for its round, plays it"
    return [tables, NextStep(typed(*command, path, *profile), what)]


def _shown(forecast: Forecast, *, details: bool) -> Iterator[str]:
    """The first screen, with the tables that were asked for."""
    yield from summary_lines(forecast)
    if details:
        yield ""
        yield from lines(forecast)
        return
    for sizes in forecast.needed:
        yield ""
        yield from needed_lines(sizes, forecast)


def _given(options: Mapping[str, Any], icc: Fraction | None) -> dict[str, Fraction]:
    """The numbers that a user assumes in the place of the games' own."""
    names = [option.name for planning in PLANNINGS.values() for option in planning.options.assumed]
    given = {**{name: options[name] for name in names}, "icc": icc}
    return {name: value for name, value in given.items() if value is not None}


def _pilot(paths: tuple[Path, ...]) -> Pilot | None:
    """The figures of the pilot bundles, after their check; None without any."""
    if not paths:
        return None
    for path in paths:
        if why := no_bundle(path):
            fail(why, EXIT_USAGE)
    try:
        engine, missing = find_engine(None), ""
    except EngineFault as error:
        engine, missing = None, str(error)
    try:
        return pilot_of(paths, Options(engine, missing, cores()))
    except CannotCombine as error:
        fail(str(error), EXIT_FAILED)
