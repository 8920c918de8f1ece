"""Questions that are asked together: their calls at once in threads, and answers that wait on disk for their turn.

    lanes = [[0], [1, 3], [2]]      0, 1 and 2 begin at once, 3 begins when 1 is answered

After a fault no further call begins; those in flight come to their end, and what they give is not lost.

    {"call":{"to":"agent","us":1234},"entry":{"answer":{…},"prev":"","question":{…},"run":"…","seq":17,…}}

A journal has answers in the order of their questions. One that comes earlier is written to a file at once, past any
buffer, so that a killed process loses none; its turn come, it is written to the journal. The file is no part of a
bundle.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from io import FileIO
from pathlib import Path
from queue import SimpleQueue
from threading import Event
from typing import Generic, NamedTuple, TypeVar

import msgspec

from agzamov_verify.core.journal import BrokenJournal, Entry
from agzamov_verify.scoring.call_records import CallRecord

from ..foundation.append_only import cut_torn_line, open_append, write_line

T = TypeVar("T")


class CallOutcome(NamedTuple, Generic[T]):
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


def side_by_side(
    lanes: Sequence[Sequence[int]], call: Callable[[int], T], slot: AbstractContextManager[object]
) -> Iterator[CallOutcome[T]]:
    """Make every call by its number, each lane in a thread of its own, and give the outcomes as they come.

    `slot` is entered for each call, which may wait for it.
    """
    faulty = Event()
    if len(lanes) < 2:
        yield from (outcome for lane in lanes for outcome in _outcomes(lane, call, slot, faulty))
        return
    ended: SimpleQueue[CallOutcome[T] | None] = SimpleQueue()

    def run(lane: Sequence[int]) -> None:
        for outcome in _outcomes(lane, call, slot, faulty):
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


def _outcomes(
    lane: Sequence[int], call: Callable[[int], T], slot: AbstractContextManager[object], faulty: Event
) -> Iterator[CallOutcome[T]]:
    """The outcomes of one lane, up to the first fault of any: what waited for its slot meanwhile does not begin."""
    for at in lane:
        with slot:
            if faulty.is_set():
                return
            outcome = _outcome(at, call, faulty)
        yield outcome


def _outcome(at: int, call: Callable[[int], T], faulty: Event) -> CallOutcome[T]:
    try:
        return CallOutcome(at, call(at))
    except BaseException as error:  # noqa: BLE001 - whoever waits for the outcome raises it again
        faulty.set()
        return CallOutcome(at, None, error)


def in_lanes(keys: Sequence[str | None]) -> list[list[int]]:
    """The places of `keys` in lanes: those of one key in one lane, in their order; each None in a lane of its own."""
    lanes: dict[object, list[int]] = {}
    for at, key in enumerate(keys):
        lanes.setdefault(at if key is None else key, []).append(at)
    return list(lanes.values())


FILE = "waiting.ndjson"


class WaitingAnswer(msgspec.Struct, frozen=True):
    """An entry whose `prev` is not known yet, and the record of its call."""

    call: CallRecord
    entry: Entry


_decoder = msgspec.json.Decoder(WaitingAnswer)


class WaitingAnswers:
    """The file of one stream. Answers before entry `first` are in the journal already, and are passed over."""

    def __init__(self, folder: Path, first: int) -> None:
        self._path = folder / FILE
        self._file: FileIO | None = None
        self._recorded: dict[int, WaitingAnswer] = {}
        if self._path.exists():
            cut_torn_line(self._path)
            self._recorded = {one.entry.seq: one for one in _read(self._path) if one.entry.seq >= first}
        self._last = max(self._recorded, default=-1)

    def take(self, seq: int) -> WaitingAnswer | None:
        """The answer that an earlier process was given for entry `seq`."""
        return self._recorded.pop(seq, None)

    def put(self, waiting: WaitingAnswer) -> None:
        """Keep an answer until it is its turn."""
        self._file = self._file or open_append(self._path)
        write_line(self._file, msgspec.json.encode(waiting))
        self._last = max(self._last, waiting.entry.seq)

    def clear(self, entries: int) -> None:
        """Forget all, if the journal's first `entries` entries are past every answer that waits."""
        if entries > self._last and (self._file or self._path.exists()):
            self._file = self._file or open_append(self._path)
            self._file.truncate(0)

    def sync(self) -> None:
        """Force everything so far to disk."""
        if self._file:
            os.fsync(self._file.fileno())

    def close(self) -> None:
        if self._file:
            self._file.close()


def waiting_entries(folder: Path, first: int) -> Iterator[Entry]:
    """The entries that wait in a stream's folder, from `first` on. A torn line is left to the stream's recorder."""
    path = folder / FILE
    if path.exists():
        for line in path.read_bytes().splitlines():
            with suppress(msgspec.MsgspecError, UnicodeDecodeError):
                entry = _decoder.decode(line).entry
                if entry.seq >= first:
                    yield entry


def _read(path: Path) -> Iterator[WaitingAnswer]:
    for number, line in enumerate(path.read_bytes().splitlines()):
        try:
            yield _decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            place = f"{path.parent.name} {FILE} line {number}"
            raise BrokenJournal(place, "an answer that waits", str(error)) from error
