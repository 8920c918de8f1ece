"""Asks engines a long list of questions in random order, within a budget, and stops after a few wrong answers.

In random order, so that fraud shows early wherever in a run it is. After `WRONG_MAX` wrong answers there is nothing
more to learn. The time for all of it is estimated after the first question that an engine had to be asked now.
"""

import secrets
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from queue import SimpleQueue
from typing import TypeAlias, TypeVar

import msgspec

from ..core.waiting import counted
from ..engines.uci_engine import UciEngine
from .check_log import Finding
from .limits import Budget

T = TypeVar("T")
A = TypeVar("A")
E = TypeVar("E", bound=UciEngine)

WRONG_MAX = 5
WAITING_PER_ENGINE = 2
SHUFFLE_BYTES = 8

Say: TypeAlias = Callable[[str], object]


class AskingOutcome(msgspec.Struct):
    """Outcome of asking: number in all, number asked, findings, and the reason that not all were asked ("" if all).

    `stored`: searches whose result came from the store of answers.
    """

    of: int
    done: int = 0
    stored: int = 0
    wrong: list[Finding] = msgspec.field(default_factory=list)
    stopped: str = ""

    @property
    def remark(self) -> str:
        """Number asked and number in all, for the step's remark."""
        return f"{self.done} of {self.of}"

    @property
    def stored_remark(self) -> str:
        """How many results the engine had given before, for the end of the step's remark; empty for none."""
        return f"; {self.stored:,} of the answers are from this user's store of engine answers" if self.stored else ""


def shuffled(items: Iterable[T]) -> list[T]:
    """The items in an order that nobody could foresee."""
    return sorted(items, key=lambda _: secrets.token_bytes(SHUFFLE_BYTES))


def ask_all(
    questions: Sequence[T],
    engines: Sequence[E],
    nodes_each: int,
    ask: Callable[[E, T], Finding | None],
    budget: Budget,
    say: Say,
) -> AskingOutcome:
    """Ask every question, if the budget allows. Raises EngineFault."""
    asked, is_told = AskingOutcome(len(questions)), False
    order = shuffled(questions)
    affordable = budget.affordable(nodes_each)
    if affordable < len(order):
        asked.stopped = f"more than --engine-nodes-max {budget.limits.engine_nodes_max:,} nodes in all"
    started = time.monotonic()
    with closing(side_by_side(order[:affordable], engines, ask)) as answers:
        for _, finding in counted("questions to the engine", answers, len(order)):
            asked.done += 1
            budget.nodes_left -= nodes_each
            searched = sum(engine.searches for engine in engines) - max(engine.stored_again for engine in engines)
            if not is_told and searched > 0:  # not where all answers are of an earlier check
                say(estimate(len(order), nodes_each, len(engines), time.monotonic() - started))
                is_told = True
            if finding:
                asked.wrong.append(finding)
            if len(asked.wrong) >= WRONG_MAX:
                break
            if budget.is_over and asked.done < len(order):
                asked.stopped = budget.time_is_up
                break
    asked.stored = max(engine.stored for engine in engines)
    return asked


def estimate(questions: int, nodes_each: int, engines: int, first_s: float) -> str:
    """Number of questions and expected duration at the speed of the first answer, in words."""
    minutes = questions * first_s / engines / 60
    return (
        f"{questions:,} questions to the engine at up to {nodes_each:,} nodes each, {engines} engines side by side:"
        f" about {max(1, round(minutes))} min at the speed of the first"
    )


def side_by_side(
    questions: Iterable[T], engines: Sequence[E], ask: Callable[[E, T], A]
) -> Generator[tuple[T, A], None, None]:
    """Each question with its answer, as they come. Close the generator to stop early. Raises EngineFault."""
    idle: SimpleQueue[E] = SimpleQueue()
    for engine in engines:
        idle.put(engine)

    def answered(question: T) -> tuple[T, A]:
        engine = idle.get()
        try:
            return question, ask(engine, question)
        finally:
            idle.put(engine)

    waiting: set[Future[tuple[T, A]]] = set()
    with ThreadPoolExecutor(len(engines), "engine") as pool:
        try:
            for question in questions:
                waiting.add(pool.submit(answered, question))
                if len(waiting) >= WAITING_PER_ENGINE * len(engines):
                    done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in done)
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        finally:
            for future in waiting:
                future.cancel()
