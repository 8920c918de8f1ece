"""A random sample of the recorded answers of tools, drawn while streams are replayed: see tool_check.

Each answer gets a random number, and those with the greatest are kept. So the answers that several streams have kept
make up one uniform sample of all.
"""

import secrets
from collections.abc import Iterable, Iterator
from heapq import heappush, heapreplace
from typing import Final, TypeAlias

import msgspec

from ..games.chess960.tool import NO_CANDIDATES
from ..games.decision import FIRST_ATTEMPT
from ..games.page import read_page
from ..questions import Answer, Calculate, Calculated, Chat, Examine, Examined, Question

PRIORITY_BITS: Final = 64
AFTER_CANDIDATES: Final = FIRST_ATTEMPT + 1
"""The attempt of a decision before which candidates were asked for."""
UNNAMED_PERCENT_ABOVE: Final = 5
"""A warning from here on: a tool that is hardly asked is worth nothing, whatever it is."""


class ToolAnswer(msgspec.Struct, frozen=True):
    """An answer of a tool, and its place. `priority`: a random number; those with the greatest are computed again."""

    priority: int
    place: str
    question: Examine | Calculate
    answer: Examined | Calculated


class ToolSample(msgspec.Struct):
    """Number of answers of each tool, and a uniform random sample of them without replacement.

    `unnamed`: decisions before which the engine was asked nothing, because the seat named no legal move.
    """

    calculations: int = 0
    examinations: int = 0
    unnamed: int = 0
    calculated: tuple[ToolAnswer, ...] = ()
    examined: tuple[ToolAnswer, ...] = ()

    def add(self, other: "ToolSample", most: int) -> None:
        """Take the sample of another stream: of both together, the `most` that have the greatest priorities."""
        self.calculations += other.calculations
        self.examinations += other.examinations
        self.unnamed += other.unnamed
        self.calculated = _greatest((*self.calculated, *other.calculated), most)
        self.examined = _greatest((*self.examined, *other.examined), most)


def unnamed_warnings(sample: ToolSample) -> Iterator[str]:
    """A warning where the engine was often asked nothing."""
    decisions = sample.examinations + sample.unnamed
    if 100 * sample.unnamed > UNNAMED_PERCENT_ABOVE * decisions:
        yield (
            f"tools: at {sample.unnamed:,} of {decisions:,} decisions in chess the seat named no legal move, so the"
            " engine had nothing to examine"
        )


def _greatest(answers: Iterable[ToolAnswer], most: int) -> tuple[ToolAnswer, ...]:
    return tuple(sorted(answers, key=lambda answer: answer.priority, reverse=True)[:most])


_Heap: TypeAlias = list[tuple[int, int, ToolAnswer]]


class ToolAnswers:
    """Keeps, while a stream is replayed, a random sample of at most `most` answers of each tool."""

    def __init__(self, stream: str, most: int) -> None:
        self._stream, self._most = stream, most
        self._entries = self._unnamed = 0
        self._counts = {Calculate: 0, Examine: 0}
        self._heaps: dict[type[Calculate | Examine], _Heap] = {Calculate: [], Examine: []}

    def note(self, question: Question, answer: Answer) -> None:
        """Take one answer; those of others are no matter."""
        entry, self._entries = self._entries, self._entries + 1
        if isinstance(question, Chat) and question.attempt == AFTER_CANDIDATES:
            self._unnamed += read_page(question.messages).tool == NO_CANDIDATES
        if not isinstance(question, Calculate | Examine) or not isinstance(answer, Calculated | Examined):
            return
        self._counts[type(question)] += 1
        priority, heap = secrets.randbits(PRIORITY_BITS), self._heaps[type(question)]
        if len(heap) >= self._most and (not heap or priority <= heap[0][0]):
            return
        place = f"{self._stream} entry {entry}, game {question.game} turn {question.turn}"
        item = (priority, entry, ToolAnswer(priority, place, question, answer))
        if len(heap) < self._most:
            heappush(heap, item)
        else:
            heapreplace(heap, item)

    @property
    def sample(self) -> ToolSample:
        """The sample so far."""
        calculated, examined = (tuple(answer for *_, answer in self._heaps[kind]) for kind in (Calculate, Examine))
        counts = self._counts
        return ToolSample(counts[Calculate], counts[Examine], self._unnamed, calculated, examined)
