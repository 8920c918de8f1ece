"""The command `agzamov plan`, and options of forecasts."""

from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import click

from agzamov_verify.commands.command_line import done_by
from agzamov_verify.scoring.plan_options import OptionKind

from ..planning.game_options import options_of_games
from ..run.assumptions import ASKED, Assumptions, option_of
from .shared_options import small_option

BY_EFFECT: Final = {game.effect_name: game for game in options_of_games()}
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
        return BY_EFFECT[game].game, effect


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


def assumed_options(command: Any) -> Any:
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
    for game in reversed(BY_EFFECT.values()):
        for option in reversed(game.assumed):
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
@assumed_options
@small_option
@click.option(
    "--details", is_flag=True, help="Also the tables: declared tests, each match's effects, loads, assumptions."
)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@done_by("agzamov_harness.commands.plan_action:forecast_plan")
def plan_command() -> None:
    """Forecast a run of PLAN (YAML): calls, tokens, cost and time, and the effects that it can show.

    With --details, all tables.

    With --effect, also how many games or hands that effect needs. With --from, spreads are a pilot's, whose bundle is
    verified first. Nothing is sealed or played.

    Exit code 0: printed. 1: a pilot's bundle fails its check. 2: the plan, a bundle or an option is wrong.
    """
