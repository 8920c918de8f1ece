"""How a seat behaved: faults by class, tokens, time, cost (paper sections 9.4 and 9.6)."""

from fractions import Fraction

import msgspec

from ..games.decision import Tally
from ..manifest import Price
from .exact import Figure, figure

TOKENS_PRICED = 1_000_000


class Faults(msgspec.Struct, frozen=True):
    """Decisions that had no legal action at the first attempt, and after all attempts, by class."""

    first_no_action: int
    first_illegal: int
    first_no_reply: int
    final_no_action: int
    final_illegal: int
    final_no_reply: int
    first_rate: Figure
    final_rate: Figure
    flagged: bool


class Conduct(msgspec.Struct, frozen=True):
    """One seat in one match."""

    seat: str
    decisions: int
    calls: int
    failed_attempts: int
    substituted: int
    forfeited: int
    faults: Faults
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    reasoning_tokens: int
    tokens_per_decision: Figure
    cost_usd: Figure
    cost_usd_per_decision: Figure
    cost_usd_per_game: Figure


def conduct(seat: str, tally: Tally, games: int, price: Price, flag_percent: int) -> Conduct:
    """The seat's conduct over `games` games. Above `flag_percent` first-attempt faults it is flagged."""
    cost = cost_usd(tally, price)
    tokens = tally.prompt_tokens + tally.completion_tokens
    return Conduct(
        seat,
        tally.decisions,
        tally.calls,
        tally.failed_attempts,
        tally.substituted,
        tally.forfeited,
        _faults(tally, flag_percent),
        tally.prompt_tokens,
        tally.cached_tokens,
        tally.completion_tokens,
        tally.reasoning_tokens,
        _per(tokens, tally.decisions),
        figure(cost),
        _per(cost, tally.decisions),
        _per(cost, games),
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
        tally.first_illegal,
        tally.first_no_reply,
        tally.final_no_action,
        tally.final_illegal,
        tally.final_no_reply,
        _per(tally.faults, tally.decisions),
        _per(tally.final_faults, tally.decisions),
        100 * tally.faults > flag_percent * tally.decisions,
    )


def _per(amount: int | Fraction, of: int) -> Figure:
    return figure(Fraction(amount) / of if of else Fraction(0))
