"""What an answer cost: tokens a decision beside those of the control, and dollars where the plan has prices."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from ...experiment.matches import Arm, Phase
from ...scoring.results import MatchResult
from ...scoring.seat_stats import SeatStats, share
from .answers import Answer, Played

LITTLE: Final = 10.0
"""Below so many tokens a figure has a decimal place."""


class Cost(NamedTuple):
    """Tokens of prompts and replies and decisions of the measured seat; those of its control without the system.

    `without_tokens`, `without_decisions`: 0 where there is no control.
    """

    tokens: int
    decisions: int
    without_tokens: int
    without_decisions: int
    usd: float

    @property
    def each(self) -> float:
        """Tokens a decision."""
        return share(self.tokens, self.decisions)

    @property
    def without_each(self) -> float:
        """Tokens a decision of the control."""
        return share(self.without_tokens, self.without_decisions)

    @property
    def times(self) -> float:
        """How many times the control's tokens a decision takes; 0 where there is no control."""
        return self.each / self.without_each if self.without_each else 0.0

    @property
    def words(self) -> str:
        """Tokens a decision, and how many times those of the control; dollars where there are prices."""
        told = [f"{_count(self.each)} tokens a decision, prompt and reply"]
        if self.without_each:
            each, without = _count(self.each), _count(self.without_each)
            told = [f"{self.times:.1f} times the tokens: {each} a decision, {without} without"]
        return "; ".join((*told, *([f"{self.usd:.2f} USD"] if self.usd else [])))


def cost_words(answer: Answer, played: Played) -> str:
    """The cost of the measured seat; empty where it is no model, has no tokens, or was not played.

    Of an effect: tokens a decision with the system, and how many times those of its control without it.
    """
    cost = cost_of(answer, played)
    return cost.words if cost else ""


def cost_of(answer: Answer, played: Played) -> Cost | None:
    """The cost of the measured seat; None where it has no tokens, or was not played."""
    row = answer.result
    if row is None or not played.manifest.plan.seats[row.measured].is_model or not _tokens(row.stats):
        return None
    control = _control(answer, played) if answer.setting else None
    without = (_tokens(control.stats), control.stats.decisions) if control else (0, 0)
    return Cost(_tokens(row.stats), row.stats.decisions, *without, float(row.stats.cost_usd.decimal))


def total_cost(costs: Iterable[Cost | None]) -> Cost | None:
    """The cost of several runs together; None where none of them has one."""
    known = [cost for cost in costs if cost]
    return Cost(*map(sum, zip(*known, strict=True))) if known else None


def _control(answer: Answer, played: Played) -> MatchResult | None:
    """The naked arm of an effect."""
    for row in played.results.matches:
        alike = row.phase == Phase.ASYMMETRIC and answer.setting == (row.game, row.condition.augmentation, row.measured)
        if alike and row.condition.arm is Arm.NAKED and row.condition.system in ("", answer.system):
            return row
    return None


def _tokens(stats: SeatStats) -> int:
    return stats.prompt_tokens + stats.completion_tokens


def _count(tokens: float) -> str:
    return f"{tokens:,.1f}" if tokens < LITTLE else f"{tokens:,.0f}"
