"""Asks engines a long list of questions in random order, within a budget, and stops after a few wrong answers.

In random order, so that fraud shows early wherever in a run it is. After `WRONG_MAX` wrong answers there is nothing
more to learn. The time for all of it is estimated after the first question that an engine had to be asked now.
"""

import secrets
import threading
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing, suppress
from functools import partial
from itertools import islice
from queue import Empty, SimpleQueue
from typing import TypeAlias, TypeVar

import msgspec

from ..core.waiting import counted
from ..engines.engine_group import EngineGroup
from ..engines.uci_engine import UciEngine
from .check_log import Finding
from .limits import Budget

T = TypeVar("T")
A = TypeVar("A")
E = TypeVar("E", bound=UciEngine)

WRONG_MAX = 5
WAITING_PER_ENGINE = 32
"""Questions in the queue for each engine: twice what is handed over together, so that no engine runs out of them."""
HANDED_OVER_MAX = 16
"""Stored answers that a thread hands over together: to wake the thread that takes them costs more than one of them."""
WORTH_AN_ENGINE_S = 0.5
"""Seconds of work that are worth a further engine, which takes some 0.1 s of CPU and 10 to 50 MB to start."""
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
    engines: EngineGroup[E],
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
            if not is_told and engines.searched > 0:  # not where all answers are of an earlier check
                say(estimate(len(order), nodes_each, engines.most, time.monotonic() - started))
                is_told = True
            if finding:
                asked.wrong.append(finding)
            if len(asked.wrong) >= WRONG_MAX:
                break
            if budget.is_over and asked.done < len(order):
                asked.stopped = budget.time_is_up
                break
    asked.stored = engines.stored
    return asked


def estimate(questions: int, nodes_each: int, engines: int, first_s: float) -> str:
    """Number of questions and expected duration at the speed of the first answer, in words."""
    minutes = questions * first_s / engines / 60
    about = f"about {round(minutes)}" if minutes >= 1 else "less than 1"
    asked = "1 question" if questions == 1 else f"{questions:,} questions"
    by = "1 engine" if engines == 1 else f"{engines} engines side by side"
    return f"{asked} to the engine at up to {nodes_each:,} nodes each, {by}: {about} min at the speed of the first"


def side_by_side(
    questions: Iterable[T], engines: EngineGroup[E], ask: Callable[[E, T], A]
) -> Generator[tuple[T, A], None, None]:
    """Each question with its answer, as they come. Close the generator to stop early. Raises EngineFault.

    The first engine begins. Others join it once it had to search, as many as the work that is left is worth.
    """
    todo: SimpleQueue[tuple[T] | None] = SimpleQueue()
    answers: SimpleQueue[list[tuple[T, A]] | BaseException] = SimpleQueue()
    threads = list[threading.Thread]()
    left, waiting, room = iter(questions), 0, WAITING_PER_ENGINE * engines.most
    searched, began = engines.searched, time.monotonic()
    try:
        while True:
            for question in islice(left, room - waiting):
                todo.put((question,))
                waiting += 1
            if not waiting:
                return
            worth = _engines_worth(waiting, room, engines.searched - searched, time.monotonic() - began)
            for index in range(len(threads), min(engines.most, max(engines.started, worth))):
                threads.append(_thread(partial(_answer, partial(engines.running, index), ask, todo, answers)))
            several = answers.get()
            if isinstance(several, BaseException):
                raise several
            waiting -= len(several)
            yield from several
    finally:
        with suppress(Empty):
            while True:
                todo.get_nowait()
        for _ in threads:
            todo.put(None)
        for thread in threads:
            thread.join()


def _engines_worth(waiting: int, room: int, searched: int, elapsed_s: float) -> int:
    """How many engines the work is worth, by the searches so far: none before the first.

    Where as many questions wait as there is room for, more may be left: any number.
    """
    if searched <= 0:
        return 0
    work_s = waiting * elapsed_s / searched
    return room if waiting == room else int(work_s / WORTH_AN_ENGINE_S)


def _thread(run: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def _answer(
    start: Callable[[], E],
    ask: Callable[[E, T], A],
    todo: "SimpleQueue[tuple[T] | None]",
    answers: "SimpleQueue[list[tuple[T, A]] | BaseException]",
) -> None:
    """Answer questions until there is None. With queues and not futures: a stored answer takes less than a future.

    Stored answers are handed over together. One that was searched for is handed over at once, and so is whatever there
    is when no question waits.
    """
    try:
        engine = start()
    except BaseException as error:  # noqa: BLE001 - raised where the answers are taken
        answers.put(error)
        return
    done: list[tuple[T, A]] = []
    searches = engine.searches
    while True:
        if done and (todo.empty() or len(done) == HANDED_OVER_MAX or engine.searches > searches):
            answers.put(done)
            done, searches = [], engine.searches
        try:
            waited = todo.get_nowait() if done else todo.get()
        except Empty:  # another engine has taken it
            continue
        if waited is None:
            return
        try:
            done.append((waited[0], ask(engine, waited[0])))
        except BaseException as error:  # noqa: BLE001 - raised where the answers are taken
            answers.put(error)
