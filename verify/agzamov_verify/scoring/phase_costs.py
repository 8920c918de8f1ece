"""Cost of each phase (paper section 9.6; S30): counts and prices, which need no interval; times are elsewhere."""

from collections.abc import Mapping
from fractions import Fraction

import msgspec

from ..manifest import Plan, Price
from .cells import Cell
from .exact import Figure, figure
from .seat_stats import cost_usd


class PhaseCosts(msgspec.Struct, frozen=True):
    """All seats of all matches of one phase together. `tokens` are of prompts and completions."""

    phase: int
    matches: int
    decisions: int
    calls: int
    tokens: int
    cost_usd: Figure


def costs_by_phase(plan: Plan, cells: Mapping[str, Cell]) -> tuple[PhaseCosts, ...]:
    """One row for each phase that was played, from the cells by match id."""
    played = [match for match in plan.matches if match.id in cells]
    return tuple(_spent(phase, plan, cells) for phase in sorted({match.phase for match in played}))


def _spent(phase: int, plan: Plan, cells: Mapping[str, Cell]) -> PhaseCosts:
    matches = [match for match in plan.matches if match.phase == phase and match.id in cells]
    seats = [
        (plan.prices.get(name, Price()), tally)
        for match in matches
        for name, tally in zip(match.seats, cells[match.id].tallies, strict=True)
    ]
    tallies = [tally for _, tally in seats]
    return PhaseCosts(
        phase,
        len(matches),
        sum(tally.decisions for tally in tallies),
        sum(tally.calls for tally in tallies),
        sum(tally.prompt_tokens + tally.completion_tokens for tally in tallies),
        figure(sum((cost_usd(tally, price) for price, tally in seats), Fraction(0))),
    )
