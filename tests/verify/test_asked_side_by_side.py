"""Questions that several engines answer side by side: each once, in any order, until somebody stops or one fails."""

import threading
import time
from collections.abc import Iterator
from contextlib import closing
from typing import cast

import pytest

from agzamov_verify.checks.asking_engines import HANDED_OVER_MAX, WAITING_PER_ENGINE, side_by_side
from agzamov_verify.engines.uci_engine import EngineFault, UciEngine

WAIT_S = 60


class NoEngine:
    """Stands for an engine, and counts the questions that it was asked."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.searches = 0


def engines(count: int) -> tuple[list[NoEngine], list[UciEngine]]:
    found = [NoEngine() for _ in range(count)]
    return found, cast("list[UciEngine]", found)


def doubled(engine: UciEngine, question: int) -> int:
    cast("NoEngine", engine).asked.append(question)
    return 2 * question


@pytest.mark.parametrize("count", [1, 2, 3])
def test_each_question_is_answered_once(count: int) -> None:
    ours, theirs = engines(count)
    answers = list(side_by_side(range(200), theirs, doubled))
    assert sorted(answers) == [(question, 2 * question) for question in range(200)]
    assert sorted(number for engine in ours for number in engine.asked) == list(range(200))


def test_no_question_has_no_answer() -> None:
    assert list(side_by_side([], engines(2)[1], doubled)) == []


def test_two_engines_answer_at_the_same_time() -> None:
    both = threading.Barrier(2)

    def ask(engine: UciEngine, question: int) -> int:
        both.wait(WAIT_S)
        return question

    assert sorted(side_by_side([1, 2], engines(2)[1], ask)) == [(1, 1), (2, 2)]


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
    (ours,), theirs = engines(1)
    is_there = threading.Event()

    def ask(engine: UciEngine, question: int) -> int:
        ours.searches += 1
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
