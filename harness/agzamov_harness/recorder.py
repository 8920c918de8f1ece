"""The recorder: answers a script from the journal first, then from the world, and keeps every answer.

A line is written before its answer reaches the script, past any buffer, so a killed process loses
nothing but the call in flight, and a full disk leaves nothing that is written later. The file is
synced to disk at the end of each game (in hold'em: each session) and of the stream; answer times, at
the end of the stream alone. After a crash, a torn last line is cut off, the script is driven again
from the journal, and only then is the world asked: nothing is lost but the call in flight.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from agzamov_verify.journal import SEGMENT_BYTES_MAX, VERSION, Chain, Entry, asked, encode, line_digest
from agzamov_verify.questions import Answer, Question
from agzamov_verify.scoring.timing import Lap
from agzamov_verify.script import Divergence, different

from .ports import Clock

NANOSECONDS_PER_US = 1000
JOURNAL_SUFFIX, TIMING_SUFFIX = ".jsonl", ".timing"


class Recorder:
    """The journal of one stream on disk: `<folder>/<stream>/000000.jsonl` and on, and a timing file."""

    def __init__(
        self,
        folder: Path,
        run: str,
        stream: str,
        world: Callable[[Question], Answer],
        clock: Clock,
        durable_unit: Callable[[str], str] = str,
    ) -> None:
        self._folder = folder / stream
        self._folder.mkdir(parents=True, exist_ok=True)
        self._run, self._stream, self._world, self._clock = run, stream, world, clock
        self._durable_unit, self._unit = durable_unit, ""
        self._chain = Chain(run, stream)
        self._recorded = self._read_back()
        self._next = 0
        self._prev, self._seq = self._chain.head, self._chain.entries
        self._journal = _open_append(self._segments()[-1])
        self._segment_bytes = self._journal.tell()
        self._timing = _open_append(self._folder / f"laps{TIMING_SUFFIX}")

    def __call__(self, question: Question) -> Answer:
        if self._next < len(self._recorded):
            entry = self._recorded[self._next]
            if entry.question != asked(question):
                raise different(f"{self._stream} entry {self._next}", entry, question)
            self._next += 1
            return entry.answer
        unit = self._durable_unit(question.game)
        if unit != self._unit:
            if self._unit:
                os.fsync(self._journal.fileno())
            self._unit = unit
        start = self._clock()
        answer = self._world(question)
        self._append(question, answer, self._clock() - start)
        return answer

    def finish(self) -> None:
        """Call when the script has ended. Raises Divergence when recorded entries are left over."""
        if self._next < len(self._recorded):
            place = f"{self._stream} entry {self._next}"
            raise Divergence(place, "the journal's end", "an entry that no question asks for")

    def sync(self) -> None:
        """Force everything so far to disk."""
        for file in (self._timing, self._journal):
            os.fsync(file.fileno())

    def close(self) -> None:
        with self._timing, self._journal:
            self.sync()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _append(self, question: Question, answer: Answer, elapsed_ns: int) -> None:
        short = asked(question)
        line = encode(Entry(answer, self._prev, short, self._run, self._seq, self._stream, VERSION))
        if self._segment_bytes and self._segment_bytes + len(line) + 1 > SEGMENT_BYTES_MAX:
            self._start_segment()
        _write_line(self._timing, msgspec.json.encode(Lap(short.to, max(0, elapsed_ns) // NANOSECONDS_PER_US)))
        _write_line(self._journal, line)
        self._segment_bytes += len(line) + 1
        self._prev, self._seq = line_digest(line), self._seq + 1

    def _start_segment(self) -> None:
        self.sync()
        self._journal.close()
        self._journal = _open_append(self._folder / f"{len(self._segments()):06d}{JOURNAL_SUFFIX}")
        self._segment_bytes = 0

    def _segments(self) -> list[Path]:
        found = sorted(self._folder.glob(f"*{JOURNAL_SUFFIX}"))
        return found or [self._folder / f"000000{JOURNAL_SUFFIX}"]

    def _read_back(self) -> list[Entry]:
        """The entries of an earlier process, after cutting off what its crash tore."""
        entries: list[Entry] = []
        for segment in self._segments():
            if segment.exists():
                _cut_torn_line(segment)
                entries += self._chain.read_all(segment.read_bytes().splitlines())
        timing = self._folder / f"laps{TIMING_SUFFIX}"
        if timing.exists():
            _cut_torn_line(timing)
        _match_laps(timing, entries)
        return entries


def recorded(folder: Path) -> Iterator[Entry]:
    """Every entry of every stream below a folder, unchecked. A torn line is left to the stream's recorder."""
    for path in sorted(folder.glob(f"*/*{JOURNAL_SUFFIX}")):
        for line in path.read_bytes().splitlines():
            with suppress(msgspec.MsgspecError, UnicodeDecodeError):
                yield msgspec.json.decode(line, type=Entry)


def _open_append(path: Path) -> FileIO:
    return path.open("ab", buffering=0)


def _write_line(file: FileIO, line: bytes) -> None:
    left = line + b"\n"
    while left:
        left = left[file.write(left) :]


def _cut_torn_line(path: Path) -> None:
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    if whole != len(data):
        os.truncate(path, whole)


def _match_laps(timing: Path, entries: list[Entry]) -> None:
    """As many laps as entries: a lap without its entry is cut, one that was lost is given as 0 us."""
    laps = timing.read_bytes().splitlines() if timing.exists() else []
    if len(laps) == len(entries):
        return
    laps = laps[: len(entries)]
    laps += [msgspec.json.encode(Lap(entry.question.to, 0)) for entry in entries[len(laps) :]]
    timing.write_bytes(b"".join(lap + b"\n" for lap in laps))
