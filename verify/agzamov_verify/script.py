"""The core: a script is a pure generator that yields questions and receives answers.

    asks                        answers from
    script ----------> harness: recorder    the world, through ports      -> journal
    (pure)             resume:  recorder    the journal, then the world
                       verify:  replay      the journal
                       tests:   scripted    a list

A script has no clock, dice, disk, network, environment or thread in it. A replay ends only when
the script is done *and* the journal is empty.
"""

from collections.abc import Callable, Generator, Iterator
from typing import Generic, TypeAlias, TypeVar

import msgspec

from .journal import Entry, asked
from .questions import Answer, AnswerTypes, Question

T = TypeVar("T")
A = TypeVar("A", bound=msgspec.Struct)
Script: TypeAlias = Generator[Question, Answer, T]
Answerer: TypeAlias = Callable[[Question], Answer]


class Divergence(Exception):
    """A journal does not tell the story that the script tells."""

    def __init__(self, place: str, expected: str, found: str) -> None:
        super().__init__(f"{place}: expected {expected}, found {found}")
        self.place, self.expected, self.found = place, expected, found


def ask(question: Question, expected: AnswerTypes[A]) -> Script[A]:
    """Ask, and take an answer of the expected types. Raises Divergence when the journal holds another."""
    answer = yield question
    if not isinstance(answer, expected.types):
        place = f"game {question.game} turn {question.turn}"
        raise Divergence(place, f"an answer of kind {expected.names}", str(answer.__struct_config__.tag))
    return answer


def drive(script: Script[T], answer: Answerer) -> T:
    """Run `script` to its end, asking `answer` each question, and return its value."""
    try:
        question = next(script)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]
    while True:
        reply = answer(question)
        try:
            question = script.send(reply)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]


class Exchanges(Generic[T]):
    """Drives a script and gives each question with its answer, in order; `value` is the script's once it has ended.

    Whoever wants to see what passes (progress, checks, a transcript) reads it here, and the script never knows.
    """

    value: T

    def __init__(self, script: Script[T], answer: Answerer) -> None:
        self._script, self._answer = script, answer

    def __iter__(self) -> Iterator[tuple[Question, Answer]]:
        try:
            question = next(self._script)
            while True:
                answer = self._answer(question)
                yield question, answer
                question = self._script.send(answer)
        except StopIteration as stop:
            self.value = stop.value
        finally:
            self._script.close()


class Replay:
    """Answers questions from journal entries and refuses the first that does not match."""

    def __init__(self, stream: str, entries: Iterator[Entry]) -> None:
        self.stream = stream
        self._entries = entries
        self.answered = 0

    def __call__(self, question: Question) -> Answer:
        entry = next(self._entries, None)
        if entry is None:
            raise Divergence(self._place(), "an entry for " + describe(question), "the journal's end")
        if entry.question != asked(question):
            raise different(self._place(), entry, question)
        self.answered += 1
        return entry.answer

    def finish(self) -> None:
        """Raises Divergence when entries are left over after the script's end."""
        if next(self._entries, None) is not None:
            raise Divergence(self._place(), "the journal's end", "an entry that no question asks for")

    def _place(self) -> str:
        return f"{self.stream} entry {self.answered}"


def different(place: str, entry: Entry, question: Question) -> Divergence:
    """The divergence of an entry that does not record `question`."""
    digest = asked(question).digest[:16]
    return Divergence(place, f"{describe(question)} digest {digest}", _found(entry))


def describe(question: Question) -> str:
    """One line that names a question for a person."""
    return f"a question to {question.to} in game {question.game} turn {question.turn} attempt {question.attempt}"


def _found(entry: Entry) -> str:
    was = entry.question
    return f"a question to {was.to} in game {was.game} turn {was.turn} attempt {was.attempt} digest {was.digest[:16]}"
