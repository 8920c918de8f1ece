"""Failed answers of a seat that did not pass Phase 0, or whose actions the harness drew: of form, or of play.

A first attempt goes two ways wrong, and what helps differs:

    cannot format   no declaration can be read: no line declares one, it may mean two things, or the reply was cut
    cannot play     an action is declared, and it is not legal there

With n decisions, r of them without a reply, u unread and i illegal: the rate of form is u / (n - r), of all answers,
and that of play is i / (n - r - u), of those answers that declare something; where none does, nothing is known of play.
A rate counts from the protocol's bound on errors in Phase 0 (`GateNorm.error_percent_below`; paper, section 4.1).
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum

import msgspec

from ..protocols.norms import load_protocol
from .own_actions import is_mostly_drawn
from .results import MatchResult, Results
from .seat_stats import SeatStats


class Cannot(StrEnum):
    """An inability that failed answers show."""

    FORMAT = "format"
    PLAY = "play"


class FailedAnswers(msgspec.Struct, frozen=True, kw_only=True):
    """First attempts of one seat in one game, in decisions: all, those without a declaration by class, illegal ones.

    `cannot`: what they show; empty where neither rate reaches the bound. `tokens_max`: the plan's limit of one reply,
    where it may have cut those that were cut; else 0.
    """

    seat: str
    game: str
    decisions: int
    no_action: int
    ambiguous: int
    cut: int
    no_reply: int
    illegal: int
    cannot: tuple[Cannot, ...]
    tokens_max: int

    @property
    def answers(self) -> int:
        """Decisions with a reply."""
        return self.decisions - self.no_reply

    @property
    def unread(self) -> int:
        """Replies without a declaration that can be read."""
        return self.no_action + self.ambiguous + self.cut

    @property
    def declared(self) -> int:
        """Replies that declare one action, legal or not."""
        return self.answers - self.unread


def failed_answers(results: Results) -> tuple[FailedAnswers, ...]:
    """One row for each seat and game with a failed Phase 0 or drawn actions, over the matches in which it was so."""
    found: dict[tuple[str, str], list[SeatStats]] = {}
    seen = set[tuple[str, int]]()
    for match in results.matches:
        for seat_index in _failing(match, results.protocol):
            if (match.match, seat_index) not in seen:
                seen.add((match.match, seat_index))
                stats = match.seat_stats[seat_index]
                found.setdefault((stats.seat, match.game), []).append(stats)
    bound_percent = load_protocol(results.protocol).phase0.error_percent_below
    return tuple(added(seat, game, stats, bound_percent) for (seat, game), stats in found.items())


def _failing(match: MatchResult, protocol: str) -> Iterator[int]:
    for seat_index, stats in enumerate(match.seat_stats):
        is_stopped = match.gate is not None and not match.gate.passed and seat_index == match.seat_index
        if is_stopped or is_mostly_drawn(stats, protocol):
            yield seat_index


def added(seat: str, game: str, stats: Iterable[SeatStats], bound_percent: int) -> FailedAnswers:
    """The totals of a seat's matches in a game. A rate of `bound_percent` or more shows that it cannot."""
    rows = list(stats)
    faults = [row.faults for row in rows]
    answers = FailedAnswers(
        seat=seat,
        game=game,
        decisions=sum(row.decisions for row in rows),
        no_action=sum(row.first_no_action for row in faults),
        ambiguous=sum(row.first_ambiguous for row in faults),
        cut=sum(row.first_cut for row in faults),
        no_reply=sum(row.first_no_reply for row in faults),
        illegal=sum(row.first_illegal for row in faults),
        cannot=(),
        tokens_max=max((row.reply_tokens_max for row in rows if row.is_cut_at_limit), default=0),
    )
    rates = {Cannot.FORMAT: (answers.unread, answers.answers), Cannot.PLAY: (answers.illegal, answers.declared)}
    cannot = tuple(one for one, (failed, of) in rates.items() if failed and 100 * failed >= bound_percent * of)
    return msgspec.structs.replace(answers, cannot=cannot)
