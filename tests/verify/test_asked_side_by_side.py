"""Questions that several engines answer side by side: each once, in any order, until somebody stops or one fails."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import cast

import pytest

from agzamov_verify.checks import asking_engines
from agzamov_verify.checks.asking_engines import (
    HANDED_OVER_MAX,
    WAITING_PER_ENGINE,
    WORTH_AN_ENGINE_S,
    side_by_side,
)
from agzamov_verify.engines.engine_group import EngineGroup
from agzamov_verify.engines.uci_engine import EngineFault, UciEngine

WAIT_S = 60


class NoEngine:
    """Stands for an engine, and counts the questions that it was asked."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.searches = self.stored_again = 0
        self.answers = None


def engines(count: int) -> tuple[list[NoEngine], EngineGroup[UciEngine]]:
    """Up to so many engines, and those of them that were started."""
    started = list[NoEngine]()

    def start() -> UciEngine:
        started.append(NoEngine())
        return cast("UciEngine", started[-1])

    return started, EngineGroup(start, count)


def doubled(engine: UciEngine, question: int) -> int:
    """The answer of an engine that has it from earlier."""
    cast("NoEngine", engine).asked.append(question)
    return 2 * question


def searching(engine: UciEngine, question: int) -> int:
    """The answer of an engine that searches for it."""
    engine.searches += 1
    return doubled(engine, question)


def searching_long(engine: UciEngine, question: int) -> int:
    """The answer of a search that alone would be worth an engine."""
    time.sleep(2 * WORTH_AN_ENGINE_S)
    return searching(engine, question)


@pytest.mark.parametrize("ask", [doubled, searching])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_each_question_is_answered_once(count: int, ask: Callable[[UciEngine, int], int]) -> None:
    ours, theirs = engines(count)
    answers = list(side_by_side(range(200), theirs, ask))
    assert sorted(answers) == [(question, 2 * question) for question in range(200)]
    assert sorted(number for engine in ours for number in engine.asked) == list(range(200))


def test_no_question_has_no_answer() -> None:
    assert list(side_by_side([], engines(2)[1], doubled)) == []


def test_engines_answer_at_the_same_time_once_the_first_had_to_search() -> None:
    ours, theirs = engines(2)
    both = threading.Barrier(2)

    def ask(engine: UciEngine, question: int) -> int:
        if question:
            both.wait(WAIT_S)
        return searching_long(engine, question)

    assert sorted(side_by_side([0, 1, 2], theirs, ask)) == [(0, 0), (1, 2), (2, 4)]
    assert len(ours) == 2


def test_another_engine_joins_where_many_questions_are_left_however_short_the_search() -> None:
    ours, theirs = engines(2)
    assert len(list(side_by_side(range(1_000), theirs, searching))) == 1_000
    assert len(ours) == 2


@pytest.mark.parametrize(("questions", "ask"), [(1_000, doubled), (1, searching_long), (50, searching)])
def test_one_engine_is_enough_where_answers_are_there_or_little_is_left(
    questions: int, ask: Callable[[UciEngine, int], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    if ask is searching:  # however long a busy machine takes for a search of no time
        monkeypatch.setattr(asking_engines, "WORTH_AN_ENGINE_S", 3_600)
    ours, theirs = engines(8)
    assert len(list(side_by_side(range(questions), theirs, ask))) == questions
    assert len(ours) == 1


def test_an_answer_that_is_asked_again_is_no_reason_for_another_engine() -> None:
    ours, theirs = engines(2)

    def ask(engine: UciEngine, question: int) -> int:
        cast("NoEngine", engine).stored_again += 1
        return searching_long(engine, question)

    assert len(list(side_by_side(range(3), theirs, ask))) == 3
    assert len(ours) == 1


def test_an_engine_that_cannot_be_started_is_a_fault_and_no_thread_is_left() -> None:
    before, started = threading.active_count(), list[NoEngine]()

    def start() -> UciEngine:
        if started:
            raise EngineFault("cannot start it again")
        started.append(NoEngine())
        return cast("UciEngine", started[-1])

    with pytest.raises(EngineFault, match="cannot start it again"):
        list(side_by_side(range(1_000), EngineGroup(start, 2), searching))
    assert threading.active_count() == before


def test_engines_that_run_already_begin_together() -> None:
    ours, theirs = engines(2)
    theirs.running(1)
    both = threading.Barrier(2)

    def ask(engine: UciEngine, question: int) -> int:
        both.wait(WAIT_S)
        return doubled(engine, question)

    assert sorted(side_by_side([1, 2], theirs, ask)) == [(1, 2), (2, 4)]
    assert [engine.asked for engine in ours].count([]) == 0


def test_questions_are_taken_a_few_at_a_time() -> None:
    taken = []

    def questions() -> Iterator[int]:
        for question in range(1_000):
            taken.append(question)
            yield question

    with closing(side_by_side(questions(), engines(2)[1], doubled)) as answers:
        next(answers)
        assert len(taken) <= 2 * WAITING_PER_ENGINE


def test_an_answer_that_was_searched_for_is_handed_over_before_the_next_question_is_asked() -> None:
    _, theirs = engines(1)
    is_there = threading.Event()

    def ask(engine: UciEngine, question: int) -> int:
        engine.searches += 1
        assert question == 1 or is_there.wait(WAIT_S)
        return question

    with closing(side_by_side([1, 2], theirs, ask)) as answers:
        assert next(answers) == (1, 1)
        is_there.set()
        assert list(answers) == [(2, 2)]


def test_stored_answers_are_handed_over_a_few_at_a_time() -> None:
    (ours,), theirs = engines(1)

    def ask(engine: UciEngine, question: int) -> int:
        time.sleep(0.2 if question == HANDED_OVER_MAX - 1 else 0)
        return doubled(engine, question)

    with closing(side_by_side(range(WAITING_PER_ENGINE), theirs, ask)) as answers:
        next(answers)
        assert len(ours.asked) >= HANDED_OVER_MAX


def test_who_stops_early_leaves_no_thread_and_no_engine_at_work() -> None:
    before, (ours, theirs) = threading.active_count(), engines(2)
    with closing(side_by_side(range(1_000), theirs, doubled)) as answers:
        next(answers)
    asked = sum(len(engine.asked) for engine in ours)
    assert asked <= 2 * WAITING_PER_ENGINE
    assert threading.active_count() == before


def test_a_fault_of_an_engine_is_raised_where_answers_are_taken() -> None:
    before = threading.active_count()

    def ask(engine: UciEngine, question: int) -> int:
        if question == 50:
            raise EngineFault("the engine process has ended")
        return question

    with pytest.raises(EngineFault, match="has ended"):
        list(side_by_side(range(1_000), engines(2)[1], ask))
    assert threading.active_count() == before
