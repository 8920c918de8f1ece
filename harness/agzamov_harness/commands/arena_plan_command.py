"""The command `agzamov arena plan`: the forecast of an arena, before anything of it is played."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from agzamov_verify.core.waiting import busy, shown
from agzamov_verify.experiment.matches import SeatAt
from agzamov_verify.plan.manifest import Plan

from ..arena.arena_file import Arena, Bout, read_arena
from ..arena.house_limits import require_house_rules
from ..arena.schedule import rounds_to_seal
from ..planning.arena_forecast import arena_forecast, forecast_bytes, forecast_text
from ..run.assumptions import ASKED, Assumptions
from ..run.exit_status import faults
from .plan_command import CorrelationOption, Positive, assumed_options

ROUNDS_MAX: Final = 1_000
"""Rounds that are laid out one by one; a schedule repeats itself long before."""


@click.command("plan")
@click.argument("arena_path", metavar="ARENA", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--draws", type=CorrelationOption(), help="Assume: share of games drawn. Default: 0.35.")
@click.option("--session-sd", type=Positive(), help="Assume: standard deviation of 100 hands, in bb/100. Default: 182.")
@assumed_options
@click.option("--rounds", type=click.IntRange(1, ROUNDS_MAX), help="So many rounds in the place of the file's.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def plan(
    arena_path: Path,
    *,
    draws: Fraction | None,
    session_sd: Fraction | None,
    rounds: int | None,
    as_json: bool,
    **assumed: Any,
) -> None:
    """Forecast ARENA (a YAML file): calls, tokens, price and time, and the differences of strength that it can show.

    All of its rounds are counted, as if none were played. Nothing is sealed, and no server is asked.

    Example: agzamov arena plan manifests/arena/eight_models.yaml

    Exit code 0: printed. 2: the arena or an option is wrong.
    """
    with faults(), shown(quiet=as_json):
        found = read_arena(arena_path)
        require_house_rules(arena_path, found.whole)
        if rounds is not None:
            found = found._replace(wished={**found.wished, "rounds": rounds})
        with busy("computing what the arena can show"):
            plans = [_round(found, bouts) for bouts in islice(rounds_to_seal(found, []), ROUNDS_MAX)]
            given = {name: value for name, value in (("draws", draws), ("session_sd", session_sd)) if value is not None}
            assumptions = Assumptions(**{name: assumed[name] for name in ASKED})
            made = arena_forecast(found.whole, plans, assumptions, given)
    if Fraction(usd := found.whole.budget.cost_usd_max):
        total = float(len(plans) * Fraction(usd))
        click.echo(f"note: the budget of {usd} USD is for each round: {total:,.2f} USD for {len(plans):,}", err=True)
    click.echo(forecast_bytes(made).decode() if as_json else forecast_text(made), nl=False)


def _round(found: Arena, bouts: Sequence[Bout]) -> Plan:
    """The plan of a round, made of the checked one of every pairing: `Arena.plan_of` would check each anew."""
    whole = found.whole
    by_game = {match.game: match for match in whole.matches}
    matches = []
    for bout in bouts:
        a, b, *others = bout.seats
        at_table = tuple(SeatAt(name) for name in others)
        matches.append(msgspec.structs.replace(by_game[bout.game], a=a, b=b, others=at_table))
    return msgspec.structs.replace(whole, matches=tuple(matches))
