"""A random sample of the recorded answers of tools, drawn while streams are replayed: see tool_check."""

from collections.abc import Iterator
from typing import Final, Self

import msgspec

from ..core.dice import Stream
from ..core.questions import Answer, Calculate, Calculated, Chat, Examine, Examined, Planted, Question
from ..table.decision import FIRST_ATTEMPT
from ..table.prompt_lines import read_page
from ..table.registry import TOOLS
from .random_sample import RandomSample

NOTHING_ASKED: Final = frozenset(tool.nothing_asked for tool in TOOLS.values()) - {""}
"""What prompts tell where the seat named nothing that its tool could be asked."""
AFTER_CANDIDATES: Final = FIRST_ATTEMPT + 1
"""The attempt of a decision before which candidates were asked for."""
UNNAMED_PERCENT_ABOVE: Final = 5
"""A warning from here on: a tool that is hardly asked is worth nothing, whatever it is."""


class ToolAnswer(msgspec.Struct, frozen=True):
    """An answer of a tool, and its place."""

    place: str
    question: Examine | Calculate
    answer: Examined | Calculated


OF_TOOLS: Final = "tools: "
"""The beginning of a warning that a tool had nothing to do."""


class ToolSample(msgspec.Struct):
    """Random samples of the answers of each tool.

    `unnamed`: decisions before which the engine was asked nothing, because the seat named no legal move.
    """

    calculated: RandomSample[ToolAnswer]
    examined: RandomSample[ToolAnswer]
    unnamed: int = 0

    @classmethod
    def of(cls, most: int) -> Self:
        """An empty sample of at most so many answers of each tool."""
        return cls(RandomSample(most), RandomSample(most))

    def add(self, other: Self) -> None:
        """Take the sample of another stream."""
        self.calculated.add(other.calculated)
        self.examined.add(other.examined)
        self.unnamed += other.unnamed


def unnamed_warnings(sample: ToolSample) -> Iterator[str]:
    """A warning where the engine was often asked nothing."""
    decisions = sample.examined.total + sample.unnamed
    if 100 * sample.unnamed > UNNAMED_PERCENT_ABOVE * decisions:
        yield (
            f"{OF_TOOLS}at {sample.unnamed:,} of {decisions:,} decisions of chess the seat proposed no legal move for"
            " the engine to examine, so the tool had no effect there"
        )


class ToolAnswers:
    """Keeps, while a stream is replayed, a random sample of at most `most` answers of each tool, drawn by `draws`."""

    def __init__(self, stream: str, most: int, draws: Stream) -> None:
        self._stream, self._draws, self._entries = stream, draws, 0
        self.sample = ToolSample.of(most)

    def note(self, question: Question, answer: Answer) -> None:
        """Take one answer; those of others are no matter."""
        entry, self._entries = self._entries, self._entries + 1
        if isinstance(question, Chat):
            if question.attempt == AFTER_CANDIDATES and not isinstance(question, Planted):
                self.sample.unnamed += read_page(question.messages).tool in NOTHING_ASKED
            return
        if not isinstance(question, Calculate | Examine) or not isinstance(answer, Calculated | Examined):
            return
        sample = self.sample.calculated if isinstance(question, Calculate) else self.sample.examined
        place = f"{self._stream} entry {entry}, game {question.game} turn {question.turn}"
        sample.offer(self._draws.wide(), ToolAnswer(place, question, answer))
