"""One decision of one seat: ask, read the declared action, and apply the illegal-action policy.

substitute            the first fault is replaced by a random legal action from the sealed seed
retry_then_forfeit    the rejection is explained, up to three more attempts, then the game is lost
"""

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import Generic, TypeVar

import msgspec

from ..questions import Chat, Message, NoReply, Reply
from ..script import Script, ask_seat
from .declared import Fault, FaultKind

Action = TypeVar("Action")

RETRIES_MAX = 3


class IllegalPolicy(StrEnum):
    """What happens when a seat gives no legal action (SPEC S7)."""

    SUBSTITUTE = "substitute"
    RETRY_THEN_FORFEIT = "retry_then_forfeit"


class Forfeit(msgspec.Struct, frozen=True):
    """Every attempt failed, and the policy says that the game is lost."""


class Rules(msgspec.Struct, Generic[Action], frozen=True):
    """How one game reads and replaces an action at this point."""

    read: Callable[[Reply | NoReply], Action | Fault]
    substitute: Callable[[int], Action]
    reminder: str


class Tally(msgspec.Struct, gc=False):
    """What one seat did in one game: decisions, calls, faults by class, tokens."""

    decisions: int = 0
    calls: int = 0
    failed_attempts: int = 0
    substituted: int = 0
    forfeited: int = 0
    first_no_action: int = 0
    first_illegal: int = 0
    first_no_reply: int = 0
    final_no_action: int = 0
    final_illegal: int = 0
    final_no_reply: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0

    def add(self, other: "Tally") -> None:
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def faults(self) -> int:
        """Decisions whose first attempt gave no legal action."""
        return self.first_no_action + self.first_illegal + self.first_no_reply

    @property
    def final_faults(self) -> int:
        """Decisions that had no legal action even after every attempt."""
        return self.final_no_action + self.final_illegal + self.final_no_reply


def added(pairs: Iterable[Sequence[Tally]]) -> tuple[Tally, Tally]:
    """What two seats did in all, from what both did in each part."""
    totals = (Tally(), Tally())
    for pair in pairs:
        for total, tally in zip(totals, pair, strict=True):
            total.add(tally)
    return totals


def decide(question: Chat, rules: Rules[Action], policy: IllegalPolicy, tally: Tally) -> Script[Action | Forfeit]:
    """The seat's action, a substitute, or Forfeit; counted in `tally`."""
    tally.decisions += 1
    answer = yield from ask_seat(question)
    _count_call(answer, tally)
    action = rules.read(answer)
    if not isinstance(action, Fault):
        return action
    _count_fault(action.kind, tally, "first")
    if policy is IllegalPolicy.SUBSTITUTE:
        _count_fault(action.kind, tally, "final")
        tally.substituted += 1
        return rules.substitute(question.attempt)
    return (yield from _retry(question, answer, action, rules, tally))


def _retry(
    question: Chat, answer: Reply | NoReply, fault: Fault, rules: Rules[Action], tally: Tally
) -> Script[Action | Forfeit]:
    for attempt in range(1, RETRIES_MAX + 1):
        said = (Message(answer.text, "assistant"),) if isinstance(answer, Reply) and answer.text else ()
        rejection = Message(f"Rejected: {fault.why}. {rules.reminder}", "user")
        messages = (*question.messages, *said, rejection)
        question = Chat(attempt, question.game, messages, question.seat, question.seed, question.turn)
        answer = yield from ask_seat(question)
        _count_call(answer, tally)
        action = rules.read(answer)
        if not isinstance(action, Fault):
            return action
        fault = action
    _count_fault(fault.kind, tally, "final")
    tally.forfeited += 1
    return Forfeit()


def _count_call(answer: Reply | NoReply, tally: Tally) -> None:
    tally.calls += 1
    tally.failed_attempts += len(answer.attempts)
    if isinstance(answer, Reply):
        tally.prompt_tokens += answer.prompt_tokens
        tally.cached_tokens += answer.cached_tokens
        tally.completion_tokens += answer.completion_tokens
        tally.reasoning_tokens += answer.reasoning_tokens


def _count_fault(kind: FaultKind, tally: Tally, when: str) -> None:
    name = f"{when}_{kind.value}"
    setattr(tally, name, getattr(tally, name) + 1)
