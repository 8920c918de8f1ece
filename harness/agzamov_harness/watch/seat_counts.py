"""Counts of each seat's calls and answers, taken from a journal entry by entry."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final

import msgspec

from agzamov_verify.core.questions import Answer, Chat, NoReply, Question, Reply
from agzamov_verify.plan.manifest import Plan, Price
from agzamov_verify.scoring.seat_stats import cost_usd
from agzamov_verify.table.decision import Tally
from agzamov_verify.table.declared import FaultKind

FAULT_WORDS: Final[Mapping[FaultKind, str]] = {
    FaultKind.NO_ACTION: "names no move",
    FaultKind.AMBIGUOUS: "names two moves",
    FaultKind.ILLEGAL: "not legal",
    FaultKind.CUT: "cut",
    FaultKind.NO_REPLY: "no reply",
}


class SeatCounts(msgspec.Struct, gc=False):
    """One seat so far. `answers`: a model's first ones at its decisions; `unusable`: those without a legal action.

    `cut`: of these, those without an end, as at a limit of tokens. `no_reply`: calls that its server answered with a
    refusal, or not at all; `retries`: calls that failed and were made again.
    """

    calls: int = 0
    answers: int = 0
    unusable: int = 0
    cut: int = 0
    no_reply: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0

    def answered(self, answer: Reply | NoReply) -> None:
        """Count a call and its answer."""
        self.calls += 1
        self.retries += len(answer.attempts)
        if isinstance(answer, NoReply):
            self.no_reply += 1
        else:
            self.prompt_tokens += answer.prompt_tokens
            self.cached_tokens += answer.cached_tokens
            self.completion_tokens += answer.completion_tokens

    def decided(self, fault: FaultKind | None) -> None:
        """Count the first answer at a decision."""
        self.answers += 1
        self.unusable += fault is not None
        self.cut += fault is FaultKind.CUT

    def add(self, other: "SeatCounts") -> None:
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def cost_usd(self, price: Price | None) -> Fraction:
        """Tokens times price; 0 where none is known."""
        tokens = Tally(
            prompt_tokens=self.prompt_tokens,
            cached_tokens=self.cached_tokens,
            completion_tokens=self.completion_tokens,
        )
        return cost_usd(tokens, price) if price else Fraction(0)


class CountsBySeat(dict[str, SeatCounts]):
    """Counts by the names of seats."""

    def of(self, seat: str) -> SeatCounts:
        return self.setdefault(seat, SeatCounts())

    def answered(self, question: Question, answer: Answer) -> None:
        """Count an entry of a journal."""
        if isinstance(question, Chat) and isinstance(answer, Reply | NoReply):
            self.of(question.to).answered(answer)

    def decided(self, seat: str, fault: FaultKind | None) -> None:
        """Count the first answer at a decision."""
        self.of(seat).decided(fault)

    def calls(self, seats: Iterable[str]) -> int:
        """The calls of some seats together."""
        return sum(self[seat].calls for seat in seats if seat in self)


def summed(parts: Iterable[CountsBySeat]) -> CountsBySeat:
    """The counts of several streams together."""
    total = CountsBySeat()
    for part in parts:
        for seat, counts in part.items():
            total.of(seat).add(counts)
    return total


def seats_of(plan: Plan) -> tuple[str, ...]:
    """The seats that a plan's matches name, in their order."""
    return tuple(dict.fromkeys(name for match in plan.matches for name in match.seats))


def models_of(plan: Plan) -> tuple[str, ...]:
    """The models among them."""
    return tuple(name for name in seats_of(plan) if plan.seats[name].is_model)
