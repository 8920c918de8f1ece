"""The command `agzamov plan`: its options, and the forecast of a plan as text or JSON."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import click

from agzamov_verify.checks.steps import Options
from agzamov_verify.commands.bundle_argument import no_bundle
from agzamov_verify.core import canon
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.core.waiting import busy, shown
from agzamov_verify.core.workers import cores
from agzamov_verify.engines.uci_engine import EngineFault, find_engine
from agzamov_verify.scores.collected_bundles import CannotCombine
from agzamov_verify.scoring.game_planning import OptionKind
from agzamov_verify.scoring.plannings import PLANNINGS

from ..planning.forecast import Forecast
from ..planning.forecast_text import lines, option_of
from ..planning.pilot_bundles import Pilot, pilot_of
from ..planning.spreads import assumed_spreads
from ..planning.workload import ASKED, Assumptions
from ..run.exit_status import EXIT_FAILED, EXIT_USAGE, fail, faults
from .shared_options import plan_file, small_option

BY_EFFECT: Final = {planning.effect_name: planning for planning in PLANNINGS.values()}
EXAMPLES: Final = " or ".join(
    f"{name}={number} ({unit})" for name, (number, unit) in ((one, BY_EFFECT[one].effect_example) for one in BY_EFFECT)
)


class EffectOption(click.ParamType[tuple[str, Fraction]]):
    """A game by the name that its planning gives it, and a positive number in its unit: `chess=0.05`."""

    name = "GAME=NUMBER"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Fraction]:
        game, _, number = str(value).partition("=")
        if game not in BY_EFFECT:
            self.fail(f"expected {' or '.join(f'{name}=NUMBER' for name in BY_EFFECT)}, found {value!r}", param, ctx)
        effect, most = _positive(number), BY_EFFECT[game].effect_max
        if effect is None or effect > most:
            self.fail(
                f"expected a number above 0 and at most {float(most):g} after {game}=, found {number!r}", param, ctx
            )
        return BY_EFFECT[game].game.name, effect


class Positive(click.ParamType[Fraction]):
    """A positive decimal number, exactly."""

    name = "NUMBER"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Fraction:
        number = value if isinstance(value, Fraction) else _positive(str(value))
        if number is None:
            self.fail(f"expected a number above 0, found {value!r}", param, ctx)
        return number


class CorrelationOption(Positive):
    """A decimal number from 0 to below 1, exactly."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Fraction:
        share = value if isinstance(value, Fraction) else Fraction(0) if str(value) == "0" else _positive(str(value))
        if share is None or share >= 1:
            self.fail(f"expected a share from 0 to below 1, found {value!r}", param, ctx)
        return share


class ProportionOption(Positive):
    """A decimal number between 0 and 1, exactly, and neither of them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Fraction:
        part = super().convert(value, param, ctx)
        if part >= 1:
            self.fail(f"expected a share between 0 and 1, found {value!r}", param, ctx)
        return part


def _positive(text: str) -> Fraction | None:
    try:
        number = Fraction(text) if len(text) <= 20 else None
    except (ValueError, ZeroDivisionError):
        return None
    return number if number and number > 0 else None


def _assumed(command: Any) -> Any:
    """An option for each assumption; counts are whole."""
    for name, meaning in reversed(ASKED.items()):
        default = getattr(Assumptions(), name)
        kind = click.IntRange(1, 10**9) if isinstance(default, int) else Positive()
        command = click.option(
            option_of(name), type=kind, default=f"{float(default):.10g}", show_default=True, help=f"Assume: {meaning}."
        )(command)
    return command


def _of_games(command: Any) -> Any:
    """An option for each number that a game lets a user assume."""
    kinds = {
        OptionKind.POSITIVE: Positive(),
        OptionKind.SHARE: CorrelationOption(),
        OptionKind.PART: ProportionOption(),
    }
    for planning in reversed(tuple(PLANNINGS.values())):
        for option in reversed(planning.options):
            meaning = f"Assume: {option.meaning}. Default: a range."
            command = click.option(option_of(option.name), type=kinds[option.kind], help=meaning)(command)
    return command


@click.command("plan")
@click.argument("path", metavar="PLAN", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--effect",
    "effects",
    type=EffectOption(),
    multiple=True,
    help=f"An effect to detect: {EXAMPLES}. Repeatable.",
)
@click.option(
    "--from",
    "pilots",
    metavar="BUNDLE",
    type=click.Path(exists=True, path_type=Path),
    multiple=True,
    help="Take standard deviations, draws and the correlation of careers from a pilot's bundle. Repeatable.",
)
@click.option(
    "--icc",
    type=CorrelationOption(),
    help="Assume: intraclass correlation of a career's start pairs or sessions. Default: 0.011.",
)
@_of_games
@_assumed
@small_option
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def plan_command(
    path: Path,
    *,
    small: bool,
    effects: tuple[tuple[str, Fraction], ...],
    pilots: tuple[Path, ...],
    icc: Fraction | None,
    as_json: bool,
    **assumed: Any,
) -> None:
    """Forecast a run of PLAN (YAML): detectable effects, calls, cost and time.

    With --effect, also how many games or hands that effect needs. With --from, spreads are a pilot's, whose bundle is
    verified first. Nothing is sealed or played.

    Exit code 0: printed. 1: a pilot's bundle fails its check. 2: the plan, a bundle or an option is wrong.
    """
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
    for line in lines(forecast):
        click.echo(printable(line))


def _given(options: Mapping[str, Any], icc: Fraction | None) -> dict[str, Fraction]:
    """The numbers that a user assumes in the place of the games' own."""
    names = [option.name for planning in PLANNINGS.values() for option in planning.options]
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
