"""One decision of one seat: ask, read the declared action, apply the illegal-action policy; and its terms in words.

substitute            the first fault is replaced by a random legal action from the sealed seed
retry_then_forfeit    the rejection is explained, up to three more attempts, then the game is lost
"""

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import partial
from typing import Any, Generic, Protocol, assert_never

import msgspec

from ..core.questions import REPLY, Chat, Message, NoReply, Reply
from ..core.script import Script, ask, of_another_kind
from ..memory.career_memory import CareerMemory
from ..memory.tool_calls import Conversation, Toolbox
from .declared import Accepted, Action, Fault, FaultKind

RETRIES_MAX = 3
FIRST_ATTEMPT = 0
"""In the label of a substitute, whatever a seat was asked before its decision, so that arms draw the same ones."""


class IllegalPolicy(StrEnum):
    """The consequence when a seat gives no legal action (SPEC S7)."""

    SUBSTITUTE = "substitute"
    RETRY_THEN_FORFEIT = "retry_then_forfeit"


class Forfeit(msgspec.Struct, frozen=True):
    """Every attempt failed, and the policy says that the game is lost."""


class ActionReader(msgspec.Struct, Generic[Action], frozen=True):
    """The knowledge of a game about one decision.

    - `read`: the action of an answer, or the fault; call `declared.read_declared` in it.
    - `substitute`: a random legal action, drawn from the dice; its argument is the attempt, for the label of the draw.
    - `reminder`: the form of a declaration in one sentence, without full stop; a retry ends with it.
    - `tag`: what a declared line starts with; where a game has none, replies are compared whole.
    - `spelled`: one spelling of a declared action, for comparing two replies without the position.
    """

    read: Callable[[Reply | NoReply], Accepted[Action] | Fault]
    substitute: Callable[[int], Action]
    reminder: str
    tag: str = ""
    spelled: Callable[[str], str] = str.strip


class AfterDecisions(Protocol):
    """Questions that are asked after a seat's decisions and change nothing in the game: `planted`."""

    def decided(self, question: Chat, answer: Reply | NoReply, rules: ActionReader[Any], *, has_tools: bool) -> bool:
        """Take a decision's first attempt; whether something is due. `has_tools`: its model could call tools."""
        ...

    def ask_due(self) -> Script[None]:
        """Ask what is due."""
        ...


class Tally(msgspec.Struct, gc=False):
    """Counts for one seat in one game: decisions, calls, classes of its replies, tokens.

    The fields that begin with `first` count first attempts by class and add up to `decisions`; those that begin with
    `final` count the last attempt of each decision that came to no legal action.
    """

    decisions: int = 0
    calls: int = 0
    failed_attempts: int = 0
    substituted: int = 0
    forfeited: int = 0
    first_exact: int = 0
    first_normalised: int = 0
    first_no_action: int = 0
    first_ambiguous: int = 0
    first_illegal: int = 0
    first_cut: int = 0
    first_no_reply: int = 0
    final_no_action: int = 0
    final_ambiguous: int = 0
    final_illegal: int = 0
    final_cut: int = 0
    final_no_reply: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    replies: int = 0
    replies_without_tokens: int = 0
    text_characters: int = 0

    def add(self, other: "Tally") -> None:
        for name, count in zip(self.__struct_fields__, msgspec.structs.astuple(other), strict=True):
            setattr(self, name, getattr(self, name) + count)

    @property
    def unread(self) -> int:
        """Decisions whose first attempt declared no action that can be read."""
        return self.first_no_action + self.first_ambiguous + self.first_cut + self.first_no_reply

    @property
    def faults(self) -> int:
        """Decisions whose first attempt gave no legal action."""
        return self.unread + self.first_illegal


def added(parts: Iterable[Sequence[Tally]], seats: int = 2) -> tuple[Tally, ...]:
    """The totals of each of `seats` seats; every part has their tallies in the same order."""
    rows: tuple[list[tuple[int, ...]], ...] = tuple([msgspec.structs.astuple(Tally())] for _ in range(seats))
    for part in parts:
        for row, tally in zip(rows, part, strict=True):
            row.append(msgspec.structs.astuple(tally))
    return tuple(Tally(*map(sum, zip(*row, strict=True))) for row in rows)


def fault_classes(tallies: Iterable[Tally]) -> tuple[str, ...]:
    """The classes of faults that occurred among first attempts."""
    rows = list(tallies)
    return tuple(kind.value for kind in FaultKind if any(getattr(row, f"first_{kind.value}") for row in rows))


def decide(
    question: Chat,
    rules: ActionReader[Action],
    policy: IllegalPolicy,
    tally: Tally,
    memory: CareerMemory | None = None,
    toolbox: Toolbox | None = None,
    planted: AfterDecisions | None = None,
) -> Script[Action | Forfeit]:
    """The seat's action, a substitute, or Forfeit. Adds to `tally`, which is the seat's own.

    `question` is the first attempt; retries are made from it. `memory`: the seat's, whose tools it may call
    before each of its answers. `toolbox`: other tools that it may call then. `planted`: the player's.
    """
    tally.decisions += 1
    offered = toolbox or (memory.toolbox if memory else None)
    talk, last = None, question
    if offered is None:  # as in most runs: be quick
        answer = yield question
        if not isinstance(answer, REPLY.types):
            raise of_another_kind(question, REPLY, answer)
        count_call(answer, tally)
    else:
        talk = Conversation(offered, partial(count_call, tally=tally))
        last, answer = yield from talk.ask(question)
    read = rules.read(answer)
    if not isinstance(read, Fault):
        if read.exact:
            tally.first_exact += 1
        else:
            tally.first_normalised += 1
        action: Action | Forfeit = read.action
    else:
        _count_fault(read.kind, tally, "first")
        if policy is IllegalPolicy.SUBSTITUTE:
            _count_fault(read.kind, tally, "final")
            tally.substituted += 1
            action = rules.substitute(FIRST_ATTEMPT)
        else:
            talk = talk or Conversation(None, partial(count_call, tally=tally))
            action = yield from _retry(talk, last, answer, read, rules, tally)
    if planted and planted.decided(question, answer, rules, has_tools=offered is not None):
        yield from planted.ask_due()
    return action


def ask_before(question: Chat, tally: Tally) -> Script[Reply | NoReply]:
    """Ask a seat a question that is no decision, before one; the call is added to `tally`."""
    answer = yield from ask(question, REPLY)
    count_call(answer, tally)
    return answer


def _retry(
    talk: Conversation,
    question: Chat,
    answer: Reply | NoReply,
    fault: Fault,
    rules: ActionReader[Action],
    tally: Tally,
) -> Script[Action | Forfeit]:
    for _ in range(RETRIES_MAX):
        messages = _rejected(question.messages, answer, f"Rejected: {fault.why}. {rules.reminder}")
        question = msgspec.structs.replace(question, attempt=question.attempt + 1, messages=messages)
        question, answer = yield from talk.ask(question)
        action = rules.read(answer)
        if not isinstance(action, Fault):
            return action.action
        fault = action
    _count_fault(fault.kind, tally, "final")
    tally.forfeited += 1
    return Forfeit()


def _rejected(asked: tuple[Message, ...], answer: Reply | NoReply, why: str) -> tuple[Message, ...]:
    """The messages of a retry: users and assistants alternate, as chat templates demand.

    A reply without words cannot stand between two user messages, so the rejection joins the one before it.
    """
    if isinstance(answer, Reply) and answer.text.strip():
        return (*asked, Message(answer.text, "assistant"), Message(why, "user"))
    *before, last = asked
    if last.role == "tool":
        return (*asked, Message(why, "user"))
    return (*before, msgspec.structs.replace(last, content=f"{last.content}\n\n{why}"))


def count_call(answer: Reply | NoReply, tally: Tally) -> None:
    """Add a call and its answer to a tally."""
    tally.calls += 1
    if answer.attempts:
        tally.failed_attempts += len(answer.attempts)
    if isinstance(answer, Reply):
        tally.replies += 1
        tally.text_characters += len(answer.text)
        tally.prompt_tokens += answer.prompt_tokens
        if completion_tokens := answer.completion_tokens:
            tally.completion_tokens += completion_tokens
        else:
            tally.replies_without_tokens += 1
        if answer.cached_tokens or answer.reasoning_tokens:  # few servers tell of any
            tally.cached_tokens += answer.cached_tokens
            tally.reasoning_tokens += answer.reasoning_tokens


def _count_fault(kind: FaultKind, tally: Tally, when: str) -> None:
    name = f"{when}_{kind.value}"
    setattr(tally, name, getattr(tally, name) + 1)


LIMITED = "Your answer, thoughts included, may have at most {tokens_max} tokens. "
CUT = "An answer that is cut off counts as no {action}."
SUBSTITUTED = "If your answer holds no legal {action}, a random legal {action} is played for you."
RETRIED = (
    "If your answer holds no legal {action}, you are told why and asked again, {retries} times at most; "
    "after that you lose the {game}."
)

TEMPLATES = {
    "terms/limited": LIMITED,
    "terms/cut": CUT,
    "terms/substituted": SUBSTITUTED,
    "terms/retried": RETRIED,
}


def answer_terms(illegal: IllegalPolicy, tokens_max: int, action: str, game: str) -> str:
    """The sentences for a seat with this token limit (0: none); `action` and `game` are the game's own words."""
    limited = LIMITED.format(tokens_max=tokens_max) if tokens_max else ""
    match illegal:
        case IllegalPolicy.SUBSTITUTE:
            consequence = SUBSTITUTED.format(action=action)
        case IllegalPolicy.RETRY_THEN_FORFEIT:
            consequence = RETRIED.format(action=action, retries=RETRIES_MAX, game=game)
        case _:
            assert_never(illegal)
    return f"{limited}{CUT.format(action=action)} {consequence}"
