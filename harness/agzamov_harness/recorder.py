"""The recorder: answers a script from the journal first, then from the world, and keeps every answer.

What the journal answers is told to the world too (`restore`), so that a port with a state is whole again.

A line is written before its answer reaches the script, past any buffer, so a killed process loses
nothing but the call in flight, and a full disk leaves nothing that is written later. The file is
synced to disk at the end of each game (in hold'em: each session) and of the stream; the file of calls,
at the end of the stream alone. After a crash, a torn last line is cut off, the script is driven again
from the journal, and only then is the world asked: nothing is lost but the call in flight.
A recorder holds its stream by a lock on the file of calls, which ends with its process.
"""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

import msgspec

from agzamov_verify.journal import SEGMENT_BYTES_MAX, VERSION, Chain, Entry, asked, encode, line_digest
from agzamov_verify.questions import Answer, Question
from agzamov_verify.scoring.call_records import CallRecord
from agzamov_verify.scoring.call_records import decode as decode_call
from agzamov_verify.scoring.call_records import encode as encode_call
from agzamov_verify.script import Divergence, different

from .append_only import cut_torn_line, open_append, write_line
from .ports import Clock, Completion, PortFault

NANOSECONDS_PER_US = 1000
JOURNAL_SUFFIX, CALLS_FILE = ".jsonl", "calls.ndjson"


class StreamInUse(PortFault):
    """Another process is playing the stream: two that write one journal would break its chain."""


class Answers(Protocol):
    """Whom the recorder asks what the journal does not hold."""

    def __call__(self, question: Question) -> Answer:
        """The answer to a question. Raises PortFault."""
        ...

    def restore(self, question: Question, recorded: Answer) -> None:
        """Take up a recorded question and its answer. Raises PortFault."""
        ...


class Recorder:
    """The journal of one stream on disk: `<folder>/<stream>/000000.jsonl` and on, and its file of calls."""

    def __init__(
        self,
        folder: Path,
        run: str,
        stream: str,
        world: Answers,
        clock: Clock,
        durable_unit: Callable[[str], str] = str,
    ) -> None:
        self._folder = folder / stream
        self._folder.mkdir(parents=True, exist_ok=True)
        self._run, self._stream, self._world, self._clock = run, stream, world, clock
        self._durable_unit, self._unit = durable_unit, ""
        self._chain = Chain(run, stream)
        self._calls = self._locked(open_append(self._folder / CALLS_FILE))
        self._recorded = self._read_back()
        self._next = 0
        self._prev, self._seq = self._chain.head, self._chain.entries
        self._journal = open_append(self._segments()[-1])
        self._segment_bytes = self._journal.tell()

    def __call__(self, question: Question) -> Answer:
        if self._next < len(self._recorded):
            entry = self._recorded[self._next]
            if entry.question != asked(question):
                raise different(f"{self._stream} entry {self._next}", entry, question)
            self._next += 1
            self._world.restore(question, entry.answer)
            return entry.answer
        unit = self._durable_unit(question.game)
        if unit != self._unit:
            if self._unit:
                os.fsync(self._journal.fileno())
            self._unit = unit
        start = self._clock()
        answer = self._world(question)
        return self._append(question, answer, self._clock() - start)

    def finish(self) -> None:
        """Call when the script has ended. Raises Divergence when recorded entries are left over."""
        if self._next < len(self._recorded):
            place = f"{self._stream} entry {self._next}"
            raise Divergence(place, "the journal's end", "an entry that no question asks for")

    @property
    def head(self) -> tuple[int, str]:
        """The number of entries, and the digest of the last one."""
        return self._seq, self._prev

    def sync(self) -> None:
        """Force everything so far to disk."""
        for file in (self._calls, self._journal):
            os.fsync(file.fileno())

    def close(self) -> None:
        with self._calls, self._journal:
            self.sync()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _locked(self, calls: FileIO) -> FileIO:
        """Hold the stream for this recorder alone, as long as its file of calls is open."""
        try:
            fcntl.flock(calls, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            calls.close()
            raise StreamInUse(f"{self._folder}: another process is playing this stream") from error
        return calls

    def _append(self, question: Question, answer: Answer, elapsed_ns: int) -> Answer:
        """Write an answer down and return what was written, which is what a resumed script will see."""
        short, us = asked(question), max(0, elapsed_ns) // NANOSECONDS_PER_US
        call = CallRecord(to=short.to, us=us)
        if isinstance(answer, Completion):
            call = CallRecord(fingerprint=answer.fingerprint, id=answer.id, to=short.to, us=us)
            answer = answer.reply
        line = encode(Entry(answer, self._prev, short, self._run, self._seq, self._stream, VERSION))
        if self._segment_bytes and self._segment_bytes + len(line) + 1 > SEGMENT_BYTES_MAX:
            self._start_segment()
        write_line(self._calls, encode_call(call))
        write_line(self._journal, line)
        self._segment_bytes += len(line) + 1
        self._prev, self._seq = line_digest(line), self._seq + 1
        return answer

    def _start_segment(self) -> None:
        self.sync()
        self._journal.close()
        self._journal = open_append(self._folder / f"{len(self._segments()):06d}{JOURNAL_SUFFIX}")
        self._segment_bytes = 0

    def _segments(self) -> list[Path]:
        paths = sorted(self._folder.glob(f"*{JOURNAL_SUFFIX}"))
        return paths or [self._folder / f"000000{JOURNAL_SUFFIX}"]

    def _read_back(self) -> list[Entry]:
        """The entries of an earlier process, after cutting off what its crash tore."""
        entries: list[Entry] = []
        for segment in self._segments():
            if segment.exists():
                cut_torn_line(segment)
                entries += self._chain.read_all(segment.read_bytes().splitlines())
        calls = self._folder / CALLS_FILE
        if calls.exists():
            cut_torn_line(calls)
        _match_calls(calls, entries)
        return entries


def recorded(folder: Path) -> Iterator[Entry]:
    """Every entry of every stream below a folder, unchecked. A torn line is left to the stream's recorder."""
    for path in sorted(folder.glob(f"*/*{JOURNAL_SUFFIX}")):
        for line in path.read_bytes().splitlines():
            with suppress(msgspec.MsgspecError, UnicodeDecodeError):
                yield msgspec.json.decode(line, type=Entry)


def _match_calls(path: Path, entries: list[Entry]) -> None:
    """Make the call records match the entries: cut those without an entry, fill in lost ones with 0 us."""
    recorded = path.read_bytes().splitlines() if path.exists() else []
    padded = [*recorded, *[b""] * len(entries)][: len(entries)]
    matched = [
        line if _is_call_to(line, entry.question.to) else encode_call(CallRecord(to=entry.question.to, us=0))
        for line, entry in zip(padded, entries, strict=True)
    ]
    if matched != recorded:
        path.write_bytes(b"".join(line + b"\n" for line in matched))


def _is_call_to(line: bytes, seat: str) -> bool:
    try:
        return decode_call(line).to == seat
    except (msgspec.MsgspecError, ValueError):
        return False
