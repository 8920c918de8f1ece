"""What a memory told while a stream is replayed: decisions with its text in their prompt, and a sample to ask again.

Delivered is text of the memory (in an arm of other text, that text) in the prompt of a decision, or in what its calls
of tools were answered before it declared. Used is a decision that is another one without that text: of a scripted seat
it is computed, by asking it the same prompt without the text.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from ..core.dice import Stream
from ..core.questions import Answer, Called, CallTool, Chat, Planted, Question, Reply, Search
from ..core.seat_letters import memory_name
from ..memory.native_tools import delivered
from ..memory.tool_calls import closing_observation, told_by_calls
from ..plan.manifest import Plan
from ..plan.streams import nothing_told
from ..seats import AnswerCheck, Seat
from ..systems import MemorySystem
from ..table.game import StreamPlan
from ..table.prompt_lines import forgotten, read_page
from .random_sample import RandomSample

COMPUTED: Final = (AnswerCheck.EVERY, AnswerCheck.SAMPLED)
"""Checks of seats whose answers are computed here, so that they can be asked another prompt."""


SHARE_OF_REPLIES: Final = 8
"""For so many replies that a verification computes again at most, one decision is computed without what it was told."""


class Recall(msgspec.Struct, frozen=True):
    """A decision whose prompt held text of a memory: its question, and the line that was declared.

    `unlearned`: the profile of its prompt where nothing is remembered.
    """

    question: Chat
    declared: str
    unlearned: str = ""


class Told(msgspec.Struct, frozen=True):
    """Decisions of a seat with a memory, those that held text of it, and its bytes in all of them together.

    `recalls`: a random sample of those that can be computed again; None where none can.
    """

    decisions: int = 0
    delivered: int = 0
    bytes: int = 0
    recalls: RandomSample[Recall] | None = None

    def plus(self, other: "Told") -> "Told":
        """Both together; the sample is no larger than that of either."""
        sample = self.recalls or (other.recalls and RandomSample[Recall](other.recalls.most))
        if sample is not None and other.recalls is not None:
            sample.add(other.recalls)
        counts = self.decisions + other.decisions, self.delivered + other.delivered, self.bytes + other.bytes
        return Told(*counts, sample)


def recalls_max(plan: Plan, replies_max: int) -> int:
    """Decisions of each memory to compute again without what it told, all memories alike. `replies_max`: of replies."""
    memories = sum(bool(name) for match in plan.memory_matches for name in plan.memories_of(match))
    return max(1, replies_max // SHARE_OF_REPLIES // max(1, memories))


class ToldCounts:
    """Counts what the memories of one stream told. `recalls_max`: decisions to keep of each; `draws`: for each."""

    def __init__(self, stream: StreamPlan, plan: Plan, recalls_max: int, draws: Stream) -> None:
        self._by_memory = dict[str, _SeatCounts]()
        for seat_index, name in enumerate(plan.memories_of(stream.match)):
            system = plan.systems.get(name)
            if isinstance(system, MemorySystem):
                seat, tool = stream.match.seats[seat_index], plan.tool_of(stream.match, seat_index)
                is_known = plan.seats[seat].check in COMPUTED and not (tool and tool.is_steered)
                sample = RandomSample[Recall](recalls_max) if is_known else None
                unlearned = plan.seats[seat].briefing, nothing_told(plan, stream.match, seat_index)
                counts = _SeatCounts(seat, system, unlearned, sample, draws)
                self._by_memory[memory_name(seat_index)] = counts

    def note(self, question: Question, answer: Answer) -> None:
        """Take one question and its answer."""
        for memory, counts in self._by_memory.items():
            counts.note(memory, question, answer)

    @property
    def told(self) -> dict[str, Told]:
        """The counts of each memory, by its name in the journal."""
        return {memory: counts.told for memory, counts in self._by_memory.items()}


class _SeatCounts:
    """The counts of one seat. A model that plays itself is asked by one name for both seats: see `_is_own`."""

    def __init__(
        self,
        name: str,
        system: MemorySystem,
        unlearned: tuple[str, str],
        recalls: RandomSample[Recall] | None,
        draws: Stream,
    ) -> None:
        self._name, self._system, self._draws = name, system, draws
        self._briefing, self._nothing_told = unlearned
        self._recalls = recalls
        self._searched: tuple[str, int] | None = None
        self._decisions = self._delivered = self._bytes = 0
        self._of_decision = 0

    @property
    def told(self) -> Told:
        self._end_decision()
        return Told(self._decisions, self._delivered, self._bytes, self._recalls)

    def note(self, memory: str, question: Question, answer: Answer) -> None:
        if self._system.needs_tool_calls:
            self._note_calls(memory, question, answer)
        elif isinstance(question, Search) and question.to == memory:
            self._searched = question.game, question.turn
        elif isinstance(question, Chat) and not isinstance(question, Planted) and question.to == self._name:
            self._note_prompt(question, answer)

    def _note_prompt(self, question: Chat, answer: Answer) -> None:
        """Take the first question after a search; others of the same decision repeat what was told."""
        if self._searched != (question.game, question.turn):
            return
        self._searched = None
        self._decisions += 1
        profile = read_page(question.messages).profile
        text = profile.removeprefix(self._briefing).removeprefix("\n")
        if text in ("", self._nothing_told):
            return
        self._delivered += 1
        self._bytes += len(text.encode())
        if self._recalls is not None and isinstance(answer, Reply):
            unlearned = "\n".join(filter(None, (self._briefing, self._nothing_told)))
            self._recalls.offer(self._draws.wide(), Recall(question, declared_in(answer.text), unlearned))

    def _note_calls(self, memory: str, question: Question, answer: Answer) -> None:
        """Take what the calls of a decision were answered: each of its questions holds all of that so far."""
        match question, answer:
            case CallTool(to=to), Called() if to == memory and answer.hits:
                self._of_decision += len(delivered(answer.text, self._system.bytes_max).encode())
            case Chat(to=to, with_tools=(_, *_)), _ if to == self._name:
                if closing_observation(question.messages) is not None:
                    self._end_decision()
                    return
                if not question.attempt:
                    self._end_decision()
                    self._decisions += 1
                if not self._system.offers_native_tools:
                    self._of_decision = len("\n".join(told_by_calls(question.messages)).encode())

    def _end_decision(self) -> None:
        self._delivered += bool(self._of_decision)
        self._bytes += self._of_decision
        self._of_decision = 0


def declared_in(text: str) -> str:
    """The last line of an answer, which declares the action."""
    return text.strip().rpartition("\n")[2]


def is_used(recall: Recall, seats: Mapping[str, Seat]) -> bool | None:
    """Whether a scripted seat declares something else when the text of its memory is taken out of its prompt.

    None where it cannot play what is left, since the words that stand before a profile were in the text themselves.
    """
    question, seat = recall.question, seats[recall.question.to]
    try:
        without = seat.reply_text(forgotten(question.messages, recall.unlearned), question.seed)
    except ValueError:
        return None
    return declared_in(without) != recall.declared
