"""Planted questions of a model's seat: bare prompts that are asked beside a game and change nothing in it.

Two kinds, put after decisions that the sealed seed draws. Their bytes are those of a decision; who keeps a record of
all requests can tell most of them all the same, by what was asked before:

    common   one of a few spots that the seed makes for a game and a seat, the same bytes in every phase, arm and
             career; some are asked twice close together, the baseline of a server that varies by itself
    again    an earlier decision of the same stream, drawn after it was played, without what a memory, a tool or
             documents added to its prompt: as the naked arm has it. It is asked twice, the second time as long after
             the first as that after the decision, so that a server that keeps replies for a while repeats both alike

Beside them decisions are noted whose own prompt is bare: those that are asked again, and of a seat's first ones in a
result those of one in `NATURAL` prompts by a keyed checksum, since equal ones (as in hold'em) compare by themselves.

The law: no draw, tally or memory of the game knows of them. What they cost is in a tally of their own.
"""

import hashlib
from collections.abc import Callable, Sequence
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final, NamedTuple, Self
from zlib import crc32

import msgspec

from ..core.dice import Stream
from ..core.questions import REPLY, Chat, Message, NoReply, Planted, Reply
from ..core.script import Script, ask
from ..documents.library import DOCUMENTS
from .decision import ActionReader, Tally, count_call
from .declared import Accepted, Fault, FaultKind, read_declared
from .prompt_lines import PROFILE, TOOL, forgotten, without_form

NATURAL: Final = 16
"""Of so many prompts that are bare one is noted, by its checksum with a key of the run: equal ones are together."""
PROMPT_DIGITS: Final = 16
ACTION_CHARACTERS_MAX: Final = 80
PER_MILLE, PERCENT = 1000, 100
NO_DECISION: Final = -1
NEVER: Final = 2**62


class PlantedNorm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How often planted questions are asked, and when a difference between their answers is told.

    `spots`: common ones of a game and a seat. `common_permille`: one after so many of a thousand decisions, and
    `twice_percent` of these twice. `again_permille`: of decisions, within the next `again_within` of the seat, and once
    more within as many.
    `common_min`, `again_min`: of each seat in each match, at least, however small it is.
    `level`: of all tests of a run together. `difference_percent_min`: points between two shares of equal replies, below
    which a difference stands in the details alone.
    """

    spots: int
    common_permille: int
    twice_percent: int
    again_permille: int
    again_within: int
    common_min: int
    again_min: int
    level: Decimal
    difference_percent_min: int


class Role(StrEnum):
    """The part that a reply plays: in the game, a common spot, a decision asked again."""

    COUNTED = "counted"
    COMMON = "common"
    AGAIN = "again"


class Spot(NamedTuple):
    """A bare prompt with its digest and its sampling seed."""

    messages: tuple[Message, ...]
    seed: int
    prompt: str

    @classmethod
    def of(cls, messages: tuple[Message, ...], seed: int) -> Self:
        """The spot of a prompt."""
        return cls(messages, seed, digest(messages))


class PlantedReply(msgspec.Struct, frozen=True, gc=False):
    """A reply, reduced to the action that it declares or to its fault.

    `prompt`: digest of its messages. `result`: the number in the match of the result during which it was asked.
    `decision`: the number in the stream of the seat's decision that it is of, or NO_DECISION. `copy`: 1 for the second
    of two. `is_bare`: its prompt is that of a seat without memory, tool and documents. `is_early`: the stream ended
    before it was due, and it was asked then.
    """

    role: Role
    prompt: str
    action: str
    result: int
    decision: int = NO_DECISION
    copy: int = 0
    is_bare: bool = True
    is_early: bool = False


class PlantedReplies(msgspec.Struct, frozen=True):
    """Replies of one seat in one stream, and what the planted ones cost."""

    replies: tuple[PlantedReply, ...]
    tally: Tally


class Due(NamedTuple):
    """A question to ask once so many decisions were made."""

    after: int
    spot: Spot
    role: Role
    decision: int
    copy: int


class Quota(NamedTuple):
    """Results after whose beginning a question is asked in any case, the last one first."""

    common: list[int]
    again: list[int]


class PlantedQuestions:
    """The planted questions of one seat in one stream.

    `spot`: each of the common ones by its number, made when it is first needed. `natural_key`: of the run, 32 bits.
    `unlearned`: the profile in the prompts of a seat that remembers nothing.
    """

    def __init__(
        self,
        norm: PlantedNorm,
        draws: Stream,
        spot: Callable[[int], Spot],
        quota: Quota,
        number_in: Callable[[str], int],
        natural_key: int,
        unlearned: str = "",
    ) -> None:
        self._norm, self._draws, self._spot, self._quota, self._number_in = norm, draws, spot, quota, number_in
        self._unlearned, self._natural_key = unlearned, natural_key
        self._common_least = len(quota.common)
        self._decisions = self._asked = 0
        self._is_over = False
        self._result = ""
        self._common_at, self._again_at = frozenset[int](), frozenset[int]()
        self._moments = frozenset[int]()
        self._due: list[Due] = []
        self._next_due = NEVER
        self._noted: list[PlantedReply] = []
        self._tally = Tally()
        self._last: Chat | None = None
        self._rules: ActionReader[Any] | None = None

    @property
    def replies(self) -> PlantedReplies:
        """What was noted so far."""
        return PlantedReplies(tuple(self._noted), self._tally)

    def decided(self, question: Chat, answer: Reply | NoReply, rules: ActionReader[Any], *, has_tools: bool) -> bool:
        """Take a decision's first attempt; whether something is due. `has_tools`: its model could call tools."""
        number = self._decisions
        if not number % PER_MILLE:
            self._draw_moments()
        self._decisions = number + 1
        self._last, self._rules = question, rules
        if question.game != self._result or number in self._moments:
            self._take(question, answer, rules, is_bare=not has_tools)
        return self._next_due <= number + 1

    def ask_due(self) -> Script[None]:
        """Ask what is due."""
        yield from self._ask_until(self._decisions)

    def finish(self) -> Script[None]:
        """Ask what is left when the stream has ended, and what the quota of common ones lacks."""
        asked = sum(one.role is Role.COMMON and not one.copy for one in self._noted)
        due = sum(one.role is Role.COMMON and not one.copy for one in self._due)
        for _ in range(self._common_least - asked - due if self._last else 0):
            self._put_common()
        self._is_over = True
        while self._due and self._last:
            yield from self._ask_until(max(due.after for due in self._due))

    def _draw_moments(self) -> None:
        """Draw the decisions among the next thousand after which something is asked; several drawn alike are one."""
        self._common_at, self._again_at = (
            frozenset(self._decisions + self._draws.below(PER_MILLE) for _ in range(permille))
            for permille in (self._norm.common_permille, self._norm.again_permille)
        )
        self._moments = self._common_at | self._again_at

    def _take(self, question: Chat, answer: Reply | NoReply, rules: ActionReader[Any], *, is_bare: bool) -> None:
        """Take the first decision of a result, or one at a drawn moment: note it, and what is to be asked."""
        number = self._decisions - 1
        is_first, self._result = question.game != self._result, question.game
        if is_first and (self._quota.again or self._quota.common):
            self._again_at |= self._begun(self._quota.again)
            self._common_at |= self._begun(self._quota.common)
            self._moments = self._common_at | self._again_at
        is_again = number in self._again_at
        if is_again or (is_first and is_compared(question, self._natural_key)):
            self._note_counted(question, answer, rules, NO_DECISION if not is_again else number, is_bare=is_bare)
        if is_again:
            after = number + 2 + self._draws.below(self._norm.again_within)
            spot = Spot.of(bare(question.messages, self._unlearned), question.seed)
            self._put(Due(after, spot, Role.AGAIN, number, 0))
        if number in self._common_at:
            self._put_common()

    def _put_common(self) -> None:
        spot = self._spot(self._draws.below(self._norm.spots))
        self._put(Due(self._decisions, spot, Role.COMMON, NO_DECISION, 0))

    def _put(self, due: Due) -> None:
        self._due.append(due)
        self._next_due = min(self._next_due, due.after)

    def _begun(self, results: list[int]) -> frozenset[int]:
        """One decision from this on for each result of a quota that has begun; these are used up then."""
        now, begun = self._number_in(self._result), 0
        while results and results[-1] <= now:
            results.pop()
            begun += 1
        return frozenset(range(self._decisions - 1, self._decisions - 1 + begun))

    def _note_counted(
        self, question: Chat, answer: Reply | NoReply, rules: ActionReader[Any], number: int, *, is_bare: bool
    ) -> None:
        """Note a decision that is asked again, or whose bare prompt is one of those compared."""
        messages = bare(question.messages, self._unlearned)
        is_bare = is_bare and messages == question.messages
        if is_bare or number != NO_DECISION:
            noted = Role.COUNTED, digest(messages), reduced(answer, rules), self._number_in(question.game), number
            self._noted.append(PlantedReply(*noted, is_bare=is_bare))

    def _ask_until(self, now: int) -> Script[None]:
        due, self._due = [one for one in self._due if one.after <= now], [one for one in self._due if one.after > now]
        self._next_due = min((one.after for one in self._due), default=NEVER)
        for one in due:
            yield from self._ask(one, now)

    def _ask(self, due: Due, now: int) -> Script[None]:
        last, rules = self._last, self._rules
        assert last is not None
        assert rules is not None
        question = Planted(self._asked, last.game, due.spot.messages, due.spot.seed, last.to, last.turn)
        self._asked += 1
        answer = yield from ask(question, REPLY)
        count_call(answer, self._tally)
        self._noted.append(
            PlantedReply(
                due.role,
                due.spot.prompt,
                reduced(answer, rules),
                self._number_in(last.game),
                due.decision,
                due.copy,
                is_early=self._is_over,
            )
        )
        if due.copy:
            return
        if due.role is Role.AGAIN:
            self._put(due._replace(after=now + 1 + self._draws.below(self._norm.again_within), copy=1))
        elif self._draws.below(PERCENT) < self._norm.twice_percent:
            self._put(due._replace(after=now + 1, copy=1))


def is_compared(question: Chat, key: int) -> bool:
    """Whether a decision's prompt is one of those that are noted wherever they occur. `key`: of the run, 32 bits."""
    return not crc32(question.messages[-1].content.encode() + key.to_bytes(4, "big")) % NATURAL


def bare(messages: tuple[Message, ...], unlearned: str = "") -> tuple[Message, ...]:
    """The messages of a decision without passages and a tool's answer, with the profile of who remembers nothing."""
    return forgotten([_without_tools(message) for message in messages], unlearned)


def _without_tools(message: Message) -> Message:
    if message.role != "user":
        return message
    told, form = without_form(message.content)
    asked, heading, profile = told.partition(PROFILE)
    for before in (TOOL, DOCUMENTS):
        asked = asked.partition(before)[0]
    return msgspec.structs.replace(message, content=asked + heading + profile + form)


def digest(messages: Sequence[Message]) -> str:
    """The first digits of the SHA-256 of some messages, roles and the digests of pictures included."""
    told = "\0".join(
        "\0".join((message.role, message.content, *(shown.sha256 for shown in message.shown))) for message in messages
    )
    return hashlib.sha256(told.encode()).hexdigest()[:PROMPT_DIGITS]


def reduced(answer: Reply | NoReply, rules: ActionReader[Any]) -> str:
    """The action that a reply declares in one spelling, legal or not; or the class of its fault."""
    if not rules.tag:
        return answer.text.strip()[:ACTION_CHARACTERS_MAX] if isinstance(answer, Reply) else FaultKind.NO_REPLY.value
    read = read_declared(answer, rules.tag, lambda text: Accepted(rules.spelled(text), exact=True))
    return read.kind.value if isinstance(read, Fault) else read.action[:ACTION_CHARACTERS_MAX]
