"""The recorder: answers a script from the journal first, then from the world, and keeps every answer.

What the journal answers is told to the world too (`restore`), so that a port with a state is whole again.

A line is written before its answer reaches the script, past any buffer, so a killed process loses
nothing but the call in flight, and a full disk leaves nothing that is written later. The file is
synced to disk at the end of each game (in hold'em: each session) and of the stream; the file of calls,
at the end of the stream alone. After a crash, a torn last line is cut off, the script is driven again
from the journal, and only then is the world asked: nothing is lost but the call in flight.
Questions that are asked together are answered at once where their ports allow it, and recorded in their order, whoever
answers first; an answer that comes early waits on disk beside the journal (questions_together).
A recorder holds its stream by a lock on the file of calls, which ends with its process.

A journal that another process is writing is read by a `Follower`.
"""

import fcntl
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

import msgspec

from agzamov_verify.core.journal import VERSION, Asked, Chain, Entry, asked, encode, line_digest
from agzamov_verify.core.limits import JOURNAL_SEGMENT_BYTES_MAX
from agzamov_verify.core.questions import Answer, Question
from agzamov_verify.core.script import Divergence, different
from agzamov_verify.scoring.call_records import CallRecord
from agzamov_verify.scoring.call_records import decode as decode_call
from agzamov_verify.scoring.call_records import encode as encode_call

from ..foundation.append_only import cut_torn_line, open_append, write_line, write_over
from ..ports import Clock, Completion, PortFault, Wait
from .questions_together import WaitingAnswer, WaitingAnswers, in_lanes, side_by_side, waiting_entries

NANOSECONDS_PER_US, NANOSECONDS_PER_S = 1000, 10**9
JOURNAL_SUFFIX, CALLS_FILE = ".jsonl", "calls.ndjson"
_UNLIMITED: AbstractContextManager[object] = nullcontext()


class StreamInUse(PortFault):
    """Another process is playing the stream: two that write one journal would break its chain."""


class Answers(Protocol):
    """Source of the answers that the journal does not hold."""

    def __call__(self, question: Question) -> Answer:
        """The answer to a question. Raises PortFault."""
        ...

    def restore(self, question: Question, recorded: Answer) -> None:
        """Take up a recorded question and its answer. Raises PortFault."""
        ...

    def is_shared(self, question: Question) -> bool:
        """True if whoever answers it can be asked several questions at once, because it has no state."""
        ...


class AnsweredCall(msgspec.Struct, gc=False):
    """An answer as it is recorded, with the short form of its question and the record of its call."""

    question: Asked
    answer: Answer
    call: CallRecord


class Recorder:
    """The journal of one stream on disk: `<folder>/<stream>/000000.jsonl` and on, and its file of calls.

    `in_flight` is entered for each call of the world: CallSlots, where a run limits them."""

    def __init__(
        self,
        folder: Path,
        run: str,
        stream: str,
        world: Answers,
        clock: Clock,
        durable_unit: Callable[[str], str] = str,
        in_flight: AbstractContextManager[object] = _UNLIMITED,
    ) -> None:
        self._folder, self._second = folder / stream, 0
        self._folder.mkdir(parents=True, exist_ok=True)
        if self._folder.is_symlink():
            raise PortFault(f"{self._folder}: expected a folder, found a link; inspect it and remove it")
        self._run, self._stream, self._world, self._clock = run, stream, world, clock
        self._durable_unit, self._unit = durable_unit, ""
        self._in_flight = in_flight
        self._chain = Chain(run, stream)
        self._calls = self._locked(open_append(self._folder / CALLS_FILE))
        self._recorded = self._read_back()
        self._next = 0
        self._prev, self._seq = self._chain.head, self._chain.entries
        self._journal = open_append(self._segments()[-1])
        self._segment_bytes = self._journal.tell()
        self._waiting = WaitingAnswers(self._folder, self._seq)

    def __call__(self, question: Question) -> Answer:
        if self._next < len(self._recorded):
            return self._from_journal(question)
        self._begin(question.game)
        with self._in_flight:
            answered = self._ask(question)
        return self._append(answered)

    def together(self, questions: Sequence[Question]) -> tuple[Answer, ...]:
        """The answers to questions that are asked together, in their order.

        What is recorded is not asked again. Where a question fails, the others' answers are kept, and its fault is
        raised.
        """
        first = self._next if self._next < len(self._recorded) else self._seq
        answers = [self._from_journal(question) for question in questions[: len(self._recorded) - self._next]]
        answered = self._from_waiting(questions, first, len(answers))
        missing = [at for at in range(len(answers), len(questions)) if at not in answered]
        faults = {}
        answers += self._append_ready(answered, len(answers))
        lanes = self._lanes(questions, missing)
        for at, given, fault in side_by_side(lanes, lambda at: self._ask(questions[at]), self._in_flight):
            if given is None:
                faults[at] = fault
                continue
            answered[at] = given
            if at > len(answers):
                self._put_aside(given, first + at)
            answers += self._append_ready(answered, len(answers))
        if faults:
            raise faults[min(faults)] or AssertionError
        self._waiting.clear(self._seq)
        return tuple(answers)

    def finish(self) -> None:
        """Call when the script has ended. Raises Divergence when recorded entries are left over."""
        if self._next < len(self._recorded):
            place = f"{self._stream} entry {self._next}"
            raise Divergence(place, "the journal's end", "an entry that no question asks for")

    @property
    def recorded_left(self) -> int:
        """Number of recorded answers that the script has yet to pass."""
        return len(self._recorded) - self._next

    @property
    def head(self) -> tuple[int, str]:
        """The number of entries, and the digest of the last one."""
        return self._seq, self._prev

    def sync(self) -> None:
        """Force everything so far to disk."""
        for file in (self._calls, self._journal):
            os.fsync(file.fileno())
        self._waiting.sync()

    def close(self) -> None:
        with self._calls, self._journal, closing(self._waiting):
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

    def _from_journal(self, question: Question) -> Answer:
        """The recorded answer that is next. Raises Divergence where it answers another question."""
        entry = self._recorded[self._next]
        self._restore(entry, self._next, question)
        self._next += 1
        return entry.answer

    def _from_waiting(self, questions: Sequence[Question], first: int, start: int) -> dict[int, AnsweredCall]:
        """Answers to an earlier process from place `start` on, by place; `first`: the entry of place 0.

        A port with a state is asked in order: once an answer of one is lost, its later ones are asked for again.
        """
        answered, lost = {}, set[str]()
        for at in range(start, len(questions)):
            to, waiting = questions[at].to, self._waiting.take(first + at)
            if waiting and to not in lost:
                self._restore(waiting.entry, first + at, questions[at])
                answered[at] = AnsweredCall(waiting.entry.question, waiting.entry.answer, waiting.call)
            elif not self._world.is_shared(questions[at]):
                lost.add(to)
        return answered

    def _restore(self, entry: Entry, seq: int, question: Question) -> None:
        if entry.question != asked(question):
            raise different(f"{self._stream} entry {seq}", entry, question)
        self._world.restore(question, entry.answer)

    def _lanes(self, questions: Sequence[Question], missing: Sequence[int]) -> list[list[int]]:
        """The places of the questions to ask, by lanes: those to one port with a state stand in one lane."""
        keys = [None if self._world.is_shared(questions[at]) else questions[at].to for at in missing]
        return [[missing[place] for place in lane] for lane in in_lanes(keys)]

    def _begin(self, game: str) -> None:
        """Force the unit before to disk where a call of this game begins another."""
        unit = self._durable_unit(game)
        if unit != self._unit:
            if self._unit:
                os.fsync(self._journal.fileno())
            self._unit = unit

    def _ask(self, question: Question) -> AnsweredCall:
        """Ask the world, in any thread."""
        start = self._clock()
        answer = self._world(question)
        elapsed_ns = self._clock() - start
        short, us, at = asked(question), max(0, elapsed_ns) // NANOSECONDS_PER_US, start // NANOSECONDS_PER_S
        if isinstance(answer, Completion):
            call = CallRecord(
                at=start // NANOSECONDS_PER_S, fingerprint=answer.fingerprint, id=answer.id, to=short.to, us=us
            )
            return AnsweredCall(short, answer.reply, call)
        return AnsweredCall(short, answer, CallRecord(at=at, to=short.to, us=us))

    def _append_ready(self, answered: dict[int, AnsweredCall], start: int) -> Iterator[Answer]:
        """Write down what is answered of the questions from place `start` on, up to the first that is not."""
        while one := answered.pop(start, None):
            self._begin(one.question.game)
            yield self._append(one)
            start += 1

    def _put_aside(self, one: AnsweredCall, seq: int) -> None:
        entry = Entry(one.answer, "", one.question, self._run, seq, self._stream, VERSION)
        self._waiting.put(WaitingAnswer(one.call, entry))

    def _append(self, one: AnsweredCall) -> Answer:
        """Write an answer to the journal and return it as written, since a resumed script will see that."""
        line = encode(Entry(one.answer, self._prev, one.question, self._run, self._seq, self._stream, VERSION))
        if self._segment_bytes and self._segment_bytes + len(line) + 1 > JOURNAL_SEGMENT_BYTES_MAX:
            self._start_segment()
        call = one.call if one.call.at != self._second else msgspec.structs.replace(one.call, at=0)
        self._second = one.call.at
        write_line(self._calls, encode_call(call))
        write_line(self._journal, line)
        self._segment_bytes += len(line) + 1
        self._prev, self._seq = line_digest(line), self._seq + 1
        return one.answer

    def _start_segment(self) -> None:
        self.sync()
        self._journal.close()
        self._journal = open_append(self._folder / f"{len(self._segments()):06d}{JOURNAL_SUFFIX}")
        self._segment_bytes = 0

    def _segments(self) -> list[Path]:
        paths = sorted(self._folder.glob(f"*{JOURNAL_SUFFIX}"))
        return paths or [self._folder / f"000000{JOURNAL_SUFFIX}"]

    def _read_back(self) -> list[Entry]:
        """The entries of an earlier process, after cutting off a torn last line."""
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
    """Every entry of every stream below a folder, unchecked, and those that wait to be one.

    A torn line is left to the stream's recorder.
    """
    for stream in sorted(path for path in folder.glob("*") if path.is_dir()):
        entries = 0
        for path in sorted(stream.glob(f"*{JOURNAL_SUFFIX}")):
            for line in path.read_bytes().splitlines():
                with suppress(msgspec.MsgspecError, UnicodeDecodeError):
                    yield msgspec.json.decode(line, type=Entry)
                    entries += 1
        yield from waiting_entries(stream, entries)


def last_recorded(folder: Path, stream: str) -> str:
    """The name of the last result in a stream's journal, unchecked; empty where there is none."""
    for path in sorted((folder / stream).glob(f"*{JOURNAL_SUFFIX}"), reverse=True):
        for line in reversed(path.read_bytes().splitlines()):
            with suppress(msgspec.MsgspecError, UnicodeDecodeError):
                return msgspec.json.decode(line, type=Entry).question.game
    return ""


def _match_calls(path: Path, entries: list[Entry]) -> None:
    """Make the call records match the entries: cut those without an entry, fill in lost ones with 0 us."""
    recorded = path.read_bytes().splitlines() if path.exists() else []
    padded = [*recorded, *[b""] * len(entries)][: len(entries)]
    matched = [
        line if _is_call_to(line, entry.question.to) else encode_call(CallRecord(to=entry.question.to, us=0))
        for line, entry in zip(padded, entries, strict=True)
    ]
    if matched != recorded:
        write_over(path, b"".join(line + b"\n" for line in matched))


def _is_call_to(line: bytes, seat: str) -> bool:
    try:
        return decode_call(line).to == seat
    except (msgspec.MsgspecError, ValueError):
        return False


LOOK_S = 0.5


class Follower:
    """The journal of one stream as far as it has been written."""

    def __init__(self, journal: Path, run: str, stream: str) -> None:
        self._journal, self._stream = journal, stream
        self._chain, self._segment, self._offset = Chain(run, stream), 0, 0

    def look(self) -> Iterator[Entry]:
        """The entries that came since the last look. A torn last line is left for the next. Raises BrokenJournal."""
        while True:
            data = _from(_segment(self._journal, self._stream, self._segment), self._offset)
            whole = data.rfind(b"\n") + 1
            for line in data[:whole].splitlines(keepends=True):
                self._offset += len(line)
                yield self._chain.read(line[:-1])
            if not whole and not self._goes_on():
                return

    def _goes_on(self) -> bool:
        """Turn to the next segment, if there is one and nothing came to this one before it was begun."""
        here, following = (_segment(self._journal, self._stream, self._segment + more) for more in (0, 1))
        if not following.exists() or _from(here, self._offset):
            return False
        self._segment, self._offset = self._segment + 1, 0
        return True


def followed(journal: Path, run: str, stream: str, wait: Wait) -> Iterator[Entry]:
    """The entries of a stream, as they come, without end; `wait` sleeps between looks, and may raise to stop.

    Raises BrokenJournal.
    """
    follower = Follower(journal, run, stream)
    while True:
        yield from follower.look()
        wait(LOOK_S)


def _segment(journal: Path, stream: str, number: int) -> Path:
    return journal / stream / f"{number:06d}{JOURNAL_SUFFIX}"


def _from(path: Path, offset: int) -> bytes:
    """The bytes of a file from an offset on; none while it is not there. Opened anew, so that a network file system
    looks at what the writer has closed or synced.
    """
    try:
        with path.open("rb") as file:
            file.seek(offset)
            return file.read()
    except FileNotFoundError:
        return b""
