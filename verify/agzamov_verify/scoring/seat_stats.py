"""Statistics of a seat: faults by class, tokens, time, cost; signals that are printed and not judged; costs of phases.

Signals beside a seat's figures: counts that an odd server or a doctored record would move. Printed, not judged.

Failed tries can hide draws of better replies; replies without tokens, or with more text than their tokens can hold,
were not counted by who wrote them; a model whose moves are the engine's may be the engine. All have honest causes too.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import starmap
from typing import Any, Final

import msgspec

from ..plan.manifest import Plan, Price
from ..protocols.norms import load_protocol
from ..table.decision import Tally
from ..table.seating import alternating
from .game_scoring import Played
from .inference.exact import Figure, figure
from .planted_replies import planted_tally
from .quality.judged_moves import JudgedMoves
from .quality.quality_questions import Answers


class Signals(msgspec.Struct, frozen=True):
    """Signals of one seat in one match: replies, those without a completion token, and characters of text."""

    replies: int
    replies_without_tokens: int
    text_characters: int


class EngineMatch(msgspec.Struct, frozen=True):
    """A seat's own moves in judged games, and how many of them were the engine's first choice."""

    moves: int
    matched: int


def signals(tally: Tally) -> Signals:
    """The signals that a tally holds."""
    return Signals(tally.replies, tally.replies_without_tokens, tally.text_characters)


def engine_match(judged: JudgedMoves, records: Sequence[Any], answers: Answers) -> tuple[EngineMatch, ...]:
    """Numbers of judged moves of each of two seats, and of those equal to the engine's.

    Substituted moves are excluded.
    """
    moves, matched = [0, 0], [0, 0]
    for index, record in enumerate(records):
        substituted, order = judged.substituted(record), alternating(index)
        for position, answer in zip(judged.positions(record), answers.get(record.game, ()), strict=False):
            if position.played and position.ply not in substituted:
                seat_index = order[position.ply % len(order)]
                moves[seat_index] += 1
                matched[seat_index] += position.played == answer.best
    return tuple(starmap(EngineMatch, zip(moves, matched, strict=True)))


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
    with the first classes of `faults` they add up to `decisions`. `reply_tokens_max`: the plan's limit of one reply, in
    tokens; 0 for none.
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
    reply_tokens_max: int = 0

    @property
    def error_rate(self) -> float:
        """Share of decisions whose first attempt was no legal action."""
        return share(self.decisions - self.first_exact - self.first_normalised, self.decisions)

    @property
    def is_cut_at_limit(self) -> bool:
        """Whether the plan's limit of one reply may have cut the replies that were cut.

        They could all be so long: a server that counts fewer tokens, or none, ended them for another reason.
        """
        return 0 < self.reply_tokens_max * self.faults.first_cut <= self.completion_tokens


def stats_of(played: Played) -> tuple[SeatStats, ...]:
    """Statistics of all seats of a match, in the order of `Match.seats`."""
    plan, flag_percent = played.plan, load_protocol(played.plan.protocol).error_flag_percent
    return tuple(
        seat_stats(name, tally, plan.prices.get(name, FREE), flag_percent, plan.seats[name].tokens_limit)
        for name, tally in zip(played.match.seats, played.tallies, strict=True)
    )


def seat_stats(seat: str, tally: Tally, price: Price, flag_percent: int, reply_tokens_max: int = 0) -> SeatStats:
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
        reply_tokens_max,
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


class PhaseCosts(msgspec.Struct, frozen=True):
    """All seats of all matches of one phase together. `tokens` are of prompts and completions.

    Calls, tokens and cost are with those of planted questions, which are no decisions.
    """

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
        for seat_index, (name, of_games) in enumerate(zip(one.match.seats, one.tallies, strict=True))
        for tally in (of_games, planted_tally(seat_index, one.blocks))
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
