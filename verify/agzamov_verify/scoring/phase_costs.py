"""Cost of each phase (paper section 9.6; S30): counts and prices, which need no interval; times are elsewhere."""

from collections.abc import Sequence
from fractions import Fraction

import msgspec

from ..manifest import Plan, Price
from .exact import Figure, figure
from .game_scoring import Played
from .seat_stats import cost_usd


class PhaseCosts(msgspec.Struct, frozen=True):
    """All seats of all matches of one phase together. `tokens` are of prompts and completions."""

    phase: int
    matches: int
    decisions: int
    calls: int
    tokens: int
    cost_usd: Figure


def costs_by_phase(plan: Plan, played: Sequence[Played]) -> tuple[PhaseCosts, ...]:
    """One row for each phase that was played, from its matches, each once."""
    phases = sorted({one.match.phase for one in played})
    return tuple(_spent(phase, plan, [one for one in played if one.match.phase == phase]) for phase in phases)


def _spent(phase: int, plan: Plan, played: Sequence[Played]) -> PhaseCosts:
    seats = [
        (plan.prices.get(name, Price()), tally)
        for one in played
        for name, tally in zip(one.match.seats, one.tallies, strict=True)
    ]
    tallies = [tally for _, tally in seats]
    return PhaseCosts(
        phase,
        len(played),
        sum(tally.decisions for tally in tallies),
        sum(tally.calls for tally in tallies),
        sum(tally.prompt_tokens + tally.completion_tokens for tally in tallies),
        figure(sum((cost_usd(tally, price) for price, tally in seats), Fraction(0))),
    )
