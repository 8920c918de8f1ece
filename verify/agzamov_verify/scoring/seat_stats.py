"""Statistics of a seat: faults by class, tokens, time, cost (paper sections 9.4 and 9.6)."""

from fractions import Fraction
from typing import Final

import msgspec

from ..games.decision import Tally
from ..manifest import Price
from .exact import Figure, figure
from .signals import Signals, signals

TOKENS_PRICED = 1_000_000
FREE: Final = Price()


class Faults(msgspec.Struct, frozen=True):
    """Decisions that had no legal action at the first attempt, and after all attempts, by class.

    no_action: nothing declared, or no action that can be read. ambiguous: it may mean two things. illegal: not legal
    there. cut: the server did not finish the reply. no_reply: there was none.
    """

    first_no_action: int
    first_ambiguous: int
    first_illegal: int
    first_cut: int
    first_no_reply: int
    final_no_action: int
    final_ambiguous: int
    final_illegal: int
    final_cut: int
    final_no_reply: int
    flagged: bool

    @property
    def final(self) -> int:
        """Decisions without a legal action after all attempts."""
        unread = self.final_no_action + self.final_ambiguous + self.final_cut + self.final_no_reply
        return unread + self.final_illegal


class SeatStats(msgspec.Struct, frozen=True):
    """One seat in one match.

    Of first attempts, `first_exact` were spelled as the prompt asks and `first_normalised` in another accepted way;
    with the first classes of `faults` they add up to `decisions`.
    """

    seat: str
    decisions: int
    first_exact: int
    first_normalised: int
    calls: int
    failed_attempts: int
    substituted: int
    forfeited: int
    faults: Faults
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    reasoning_tokens: int
    cost_usd: Figure
    signals: Signals

    @property
    def error_rate(self) -> float:
        """Share of decisions whose first attempt was no legal action."""
        return share(self.decisions - self.first_exact - self.first_normalised, self.decisions)


def seat_stats(seat: str, tally: Tally, price: Price, flag_percent: int) -> SeatStats:
    """Statistics of a seat over all games. Above `flag_percent` first-attempt faults it is flagged."""
    return SeatStats(
        seat,
        tally.decisions,
        tally.first_exact,
        tally.first_normalised,
        tally.calls,
        tally.failed_attempts,
        tally.substituted,
        tally.forfeited,
        _faults(tally, flag_percent),
        tally.prompt_tokens,
        tally.cached_tokens,
        tally.completion_tokens,
        tally.reasoning_tokens,
        figure(cost_usd(tally, price)),
        signals(tally),
    )


def cost_usd(tally: Tally, price: Price) -> Fraction:
    """Tokens times price; cached tokens are part of the prompt, reasoning tokens of the completion."""
    fresh = max(0, tally.prompt_tokens - tally.cached_tokens)
    return (
        fresh * Fraction(price.input_usd)
        + tally.cached_tokens * Fraction(price.cached_usd)
        + tally.completion_tokens * Fraction(price.output_usd)
    ) / TOKENS_PRICED


def _faults(tally: Tally, flag_percent: int) -> Faults:
    return Faults(
        tally.first_no_action,
        tally.first_ambiguous,
        tally.first_illegal,
        tally.first_cut,
        tally.first_no_reply,
        tally.final_no_action,
        tally.final_ambiguous,
        tally.final_illegal,
        tally.final_cut,
        tally.final_no_reply,
        100 * tally.faults > flag_percent * tally.decisions,
    )


def share(amount: float, of: int) -> float:
    """amount / of; 0 if `of` is 0."""
    return amount / of if of else 0.0
