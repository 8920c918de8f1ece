"""Calls that do not wait for each other, made at once in threads.

    lanes = [[0], [1, 3], [2]]      0, 1 and 2 begin at once, 3 begins when 1 is answered

After a fault no further call begins; those in flight come to their end, and their results are kept.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from threading import Event
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Outcome(NamedTuple, Generic[T]):
    """The end of call number `at`: its result, or its fault."""

    at: int
    given: T | None
    fault: BaseException | None = None


class CallSlots:
    """Slots for at most so many calls at once; to enter is to wait for one. A queue costs a fifth of a semaphore."""

    def __init__(self, calls_max: int) -> None:
        self._free: SimpleQueue[None] = SimpleQueue()
        for _ in range(calls_max):
            self._free.put(None)

    def __enter__(self) -> None:
        self._free.get()

    def __exit__(self, *_: object) -> None:
        self._free.put(None)


def side_by_side(lanes: Sequence[Sequence[int]], call: Callable[[int], T]) -> Iterator[Outcome[T]]:
    """Make every call by its number, each lane in a thread of its own, and give the outcomes as they come."""
    faulty = Event()
    if len(lanes) < 2:
        yield from (outcome for lane in lanes for outcome in _outcomes(lane, call, faulty))
        return
    ended: SimpleQueue[Outcome[T] | None] = SimpleQueue()

    def run(lane: Sequence[int]) -> None:
        for outcome in _outcomes(lane, call, faulty):
            ended.put(outcome)
        ended.put(None)

    with ThreadPoolExecutor(len(lanes), "question") as pool:
        for lane in lanes:
            pool.submit(run, lane)
        running = len(lanes)
        while running:
            outcome = ended.get()
            if outcome is None:
                running -= 1
            else:
                yield outcome


def _outcomes(lane: Sequence[int], call: Callable[[int], T], faulty: Event) -> Iterator[Outcome[T]]:
    """The outcomes of one lane, up to the first fault of any."""
    for at in lane:
        if faulty.is_set():
            return
        try:
            yield Outcome(at, call(at))
        except BaseException as error:  # noqa: BLE001 - whoever waits for the outcome raises it again
            faulty.set()
            yield Outcome(at, None, error)


def in_lanes(keys: Sequence[str | None]) -> list[list[int]]:
    """The places of `keys` in lanes: those of one key in one lane, in their order; each None in a lane of its own."""
    lanes: dict[object, list[int]] = {}
    for at, key in enumerate(keys):
        lanes.setdefault(at if key is None else key, []).append(at)
    return list(lanes.values())
