"""The core: a script is a pure generator that yields questions and receives answers.

    asks                        answers from
    script ----------> harness: recorder    the world, through ports      -> journal
    (pure)             resume:  recorder    the journal, then the world
                       verify:  replay      the journal
                       tests:   scripted    a list

A script has no clock, dice, disk, network, environment or thread in it. A replay ends only when
the script is done *and* the journal is empty.

Questions that do not wait for each other's answers (a round of votes) are asked together: the script yields them as one
value and gets the answers in the same order. Whoever answers may do so at once or one after another; the journal has
them in the order of the questions in either case, as if they had been asked one by one.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Generic, TypeAlias, TypeVar

import msgspec

from .journal import Entry, asked, is_asked
from .questions import Answer, AnswerTypes, Question

T = TypeVar("T")
A = TypeVar("A", bound=msgspec.Struct)


class Together(msgspec.Struct, frozen=True):
    """Questions that are asked together. Each has a name of its own: whom it asks, game, turn and attempt."""

    questions: tuple[Question, ...]

    def __post_init__(self) -> None:
        names = {(one.to, one.game, one.turn, one.attempt) for one in self.questions}
        if not names or len(names) < len(self.questions):
            raise ValueError("expected questions that differ in whom they ask, game, turn or attempt, and one at least")


Step: TypeAlias = Question | Together
"""A question, or several that are asked together."""
Told: TypeAlias = Answer | tuple[Answer, ...]
"""The answer to a step: of questions that are asked together, one each in their order."""
Script: TypeAlias = Generator[Step, Told, T]
Answerer: TypeAlias = Callable[[Question], Answer]
AnswererTogether: TypeAlias = Callable[[Sequence[Question]], tuple[Answer, ...]]
"""Answers questions that are asked together, in their order."""


class Divergence(Exception):
    """A journal whose entries are not those that the script asks for."""

    def __init__(self, place: str, expected: str, found: str) -> None:
        super().__init__(place, expected, found)  # all of them, so that it can come from another process
        self.place, self.expected, self.found = place, expected, found

    def __str__(self) -> str:
        return f"{self.place}: expected {self.expected}, found {self.found}"


def ask(question: Question, expected: AnswerTypes[A]) -> Script[A]:
    """Ask, and take an answer of the expected types. Raises Divergence when the journal holds another."""
    answer = yield question
    if not isinstance(answer, expected.types):
        raise of_another_kind(question, expected, answer)
    return answer


def ask_together(questions: Sequence[Question], expected: AnswerTypes[A]) -> Script[tuple[A, ...]]:
    """Ask several questions together, and take answers of the expected types in the same order, as `ask` does."""
    return (yield from together([ask(question, expected) for question in questions]))


def together(scripts: Sequence[Script[T]]) -> Script[tuple[T, ...]]:
    """Advance several scripts side by side, and return their values in the same order.

    In each round the next question of every script that has not ended is asked together with those of the others, in
    the order of the scripts. None of them gets an answer before all have asked, so what one seat answers in a round can
    stand in no other's prompt of that round.
    """
    values: list[T | None] = [None] * len(scripts)
    steps: dict[int, Step] = {}

    def advance(at: int, told: Told | None) -> None:
        try:
            steps[at] = scripts[at].send(told)  # type: ignore[arg-type]  # None starts a script
        except StopIteration as stop:
            steps.pop(at, None)
            values[at] = stop.value

    try:
        for at in range(len(scripts)):
            advance(at, None)
        while steps:
            rounds = {at: questions_of(step) for at, step in sorted(steps.items())}
            answers = yield Together(tuple(question for questions in rounds.values() for question in questions))
            assert isinstance(answers, tuple)
            left = iter(answers)
            for at, questions in rounds.items():
                told = tuple(next(left) for _ in questions)
                advance(at, told if isinstance(steps[at], Together) else told[0])
    finally:
        for script in scripts:
            script.close()
    return tuple(values)  # type: ignore[arg-type]  # each script has ended


def questions_of(step: Step) -> tuple[Question, ...]:
    """The questions of a step."""
    return step.questions if isinstance(step, Together) else (step,)


def drive(script: Script[T], answer: Answerer) -> T:
    """Run `script` to its end, asking `answer` each question in order, and return its value."""
    try:
        step = next(script)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]
    while True:
        told = tuple(map(answer, step.questions)) if isinstance(step, Together) else answer(step)
        try:
            step = script.send(told)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]


class Exchanges(Generic[T]):
    """Drives a script and gives each question with its answer, in order; `value` is the script's once it has ended.

    `widest`: the most questions that were asked together.
    `answer_together` is asked for questions that are asked together; without it, `answer` is asked one after another.
    Whoever wants to see what passes (progress, checks, a transcript) reads it here, and the script never knows.
    """

    value: T

    def __init__(self, script: Script[T], answer: Answerer, answer_together: AnswererTogether | None = None) -> None:
        self._script, self._answer, self._answer_together = script, answer, answer_together
        self.widest = 1

    def __iter__(self) -> Iterator[tuple[Question, Answer]]:
        try:
            step = next(self._script)
            while True:
                if isinstance(step, Together):
                    answers = yield from self._together(step)
                    step = self._script.send(answers)
                else:
                    answer = self._answer(step)
                    yield step, answer
                    step = self._script.send(answer)
        except StopIteration as stop:
            self.value = stop.value
        finally:
            self._script.close()

    def _together(self, step: Together) -> Generator[tuple[Question, Answer], None, tuple[Answer, ...]]:
        self.widest = max(self.widest, len(step.questions))
        if self._answer_together:
            answers = self._answer_together(step.questions)
            yield from zip(step.questions, answers, strict=True)
            return answers
        given = []
        for question in step.questions:
            given.append(self._answer(question))
            yield question, given[-1]
        return tuple(given)


class Following(Generic[T]):
    """A script that takes one answer at a time, as they come; `question`: the open one, None once it ended.

    `value` is the script's once it has ended. For whoever does not answer, but reads what another was answered.
    """

    value: T

    def __init__(self, script: Script[T]) -> None:
        self._script = script
        self._step: Step | None = None
        self._answers: list[Answer] = []
        self.question: Question | None = None
        self._advance(None)

    def take(self, answer: Answer) -> None:
        """Take the answer to the open question."""
        assert self._step is not None
        self._answers.append(answer)
        questions = questions_of(self._step)
        if len(self._answers) < len(questions):
            self.question = questions[len(self._answers)]
        else:
            self._advance(tuple(self._answers) if isinstance(self._step, Together) else answer)

    def _advance(self, told: Told | None) -> None:
        self._answers = []
        try:
            self._step = self._script.send(told)  # type: ignore[arg-type]  # None starts a script
            self.question = questions_of(self._step)[0]
        except StopIteration as stop:
            self.value, self._step, self.question = stop.value, None, None


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
        if not is_asked(entry.question, question):
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


def of_another_kind(question: Question, expected: AnswerTypes[A], answer: Told) -> Divergence:
    """The divergence of an answer that is of none of the expected types."""
    place = f"game {question.game} turn {question.turn}"
    tag = "several answers" if isinstance(answer, tuple) else str(answer.__struct_config__.tag)
    return Divergence(place, f"an answer of kind {expected.names}", tag)
