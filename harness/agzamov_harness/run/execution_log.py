"""Writes a run's log of executions (agzamov_verify.core.execution_log): its journals' heads at each start and stop.

At a start the journals on disk are compared with what the log knows of them. A journal that lost an entry was deleted
or changed by hand: its answers would be asked again, so the run does not go on.

A run that is played in shares has a log for each share, of its own streams alone, since two writers would break one
chain. Whoever plays or packs the whole run next takes them into the one log, each execution as one of its own.
"""

import os
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock

import msgspec

from agzamov_verify.core import canon
from agzamov_verify.core.execution_log import (
    BrokenLog,
    Event,
    ExecutionHistory,
    ExecutionOutcome,
    Finished,
    Head,
    Start,
    Stop,
    encoded,
)
from agzamov_verify.core.journal import BrokenJournal, line_digest

from ..foundation.append_only import cut_torn_line, open_append, write_line
from .recorder import JOURNAL_SUFFIX
from .stop import Stopped, go_on_words

FILE = "executions.jsonl"
SHARE_PREFIX, SHARE_SUFFIX = "executions-", ".jsonl"


@contextmanager
def execution(journal: Path) -> Iterator["ExecutionLog"]:
    """Log one execution over the journals in a folder. Raises BrokenJournal if they do not fit the log."""
    gather_shares(journal)
    with logged(ExecutionLog(journal)) as log:
        yield log


@contextmanager
def logged(log: "ExecutionLog") -> Iterator["ExecutionLog"]:
    """Log one execution. Raises BrokenJournal if the journals do not fit the log."""
    log.start()
    try:
        yield log
    except BaseException:
        with suppress(OSError):  # a full disk must not hide why the run stopped
            log.stop(ExecutionOutcome.STOPPED)
        raise
    log.stop(ExecutionOutcome.DONE)


class ExecutionLog:
    """The log in a folder of journals: of all streams, or of one share's."""

    def __init__(self, journal: Path, file: str = FILE, streams: Container[str] | None = None) -> None:
        self._journal, self._path, self._streams = journal, journal / file, streams
        self._history = _read_back(self._path)
        self._before = _read_back(journal / FILE) if streams is not None else ExecutionHistory()
        self._lock = RLock()  # a signal may come while its thread holds it
        self._stop_begun = self._stop_written = False

    def start(self) -> None:
        """Begin an execution."""
        self._stop_begun = self._stop_written = False
        heads = self._heads()
        if heads and self._history.execution < 0 and self._before.execution < 0:
            raise BrokenJournal(self._path.name, "the log of the executions that left these journals", "nothing there")
        for stream, known in {**self._before.heads, **self._history.heads}.items():
            if self._is_mine(stream):
                _require(self._journal, stream, known, heads.get(stream))
        self._append(Start(self._history.execution + 1, self._history.prev, self._changed(heads)))

    def finished(self, stream: str, entries: int, head: str) -> None:
        """Note that a stream was played to its end, unless the log knows that already. Thread-safe."""
        with self._lock:
            if entries and self._history.heads.get(stream) != Head(entries, head):
                history = self._history
                self._append(Finished(entries, history.execution, head, history.prev, stream))

    def stop(self, outcome: ExecutionOutcome) -> None:
        """End the execution, with the journals' present heads. Thread-safe; the first call alone is written."""
        with self._lock:
            if self._stop_begun:
                return
            self._stop_begun = True
            changed = self._changed(self._heads())
            self._append(Stop(self._history.execution, outcome, self._history.prev, changed))
            self._stop_written = True

    def leave(self) -> bool:
        """Record a stop, since the process is to end at once. False while one is being written, which must be whole."""
        with self._lock:
            if self._stop_begun:
                return self._stop_written
            with suppress(OSError):  # a full disk must not keep the process
                self.stop(ExecutionOutcome.STOPPED)
            return True

    def take_in(self, history: Iterable[Event]) -> None:
        """Append another log's executions as executions of this one, but for what this one knows already."""
        for event in history:
            prev, execution = self._history.prev, self._history.execution
            match event:
                case Start():
                    self._append(Start(execution + 1, prev, self._new(event.streams)))
                case Finished() if self._new({event.stream: Head(event.entries, event.head)}):
                    self._append(msgspec.structs.replace(event, execution=execution, prev=prev))
                case Stop():
                    self._append(Stop(execution, event.outcome, prev, self._new(event.streams)))

    def _new(self, heads: dict[str, Head]) -> dict[str, Head]:
        known = self._history.heads
        return {name: head for name, head in heads.items() if name not in known or head.entries > known[name].entries}

    def _heads(self) -> dict[str, Head]:
        return {stream: head for stream, head in heads_on_disk(self._journal).items() if self._is_mine(stream)}

    def _is_mine(self, stream: str) -> bool:
        return self._streams is None or stream in self._streams

    def _changed(self, heads: dict[str, Head]) -> dict[str, Head]:
        return {stream: head for stream, head in heads.items() if self._history.heads.get(stream) != head}

    def _append(self, event: Event) -> None:
        line = encoded(event)
        self._history.read(line)
        with open_append(self._path) as file:
            write_line(file, line)
            if not isinstance(event, Finished):
                os.fsync(file.fileno())


def share_log(journal: Path, share: str, streams: Container[str]) -> ExecutionLog:
    """The log of one share: `share` is its name, `streams` are its own. Raises BrokenJournal."""
    return ExecutionLog(journal, f"{SHARE_PREFIX}{share}{SHARE_SUFFIX}", streams)


def gather_shares(journal: Path) -> None:
    """Take the logs of shares into the one log, last those that ended as they should.

    One that was stopped may be of no share that plays: 2/3 beside 0/2 and 1/2. Killed on the way, it is done again: no
    journal's head is taken in twice, though an execution may count twice. Raises BrokenJournal for a log that breaks a
    rule.
    """
    is_done = {path: _read_back(path).summary.done for path in journal.glob(f"{SHARE_PREFIX}*{SHARE_SUFFIX}")}
    for path in sorted(is_done, key=lambda path: (is_done[path], path.name)):
        lines = path.read_bytes().splitlines()
        ExecutionLog(journal).take_in([canon.loads_as(line, Event) for line in lines])  # type: ignore[arg-type]
        path.unlink()


def require_done(directory: Path, journal: Path) -> None:
    """Raises Stopped for a run whose last execution was stopped or killed, whatever it had played by then."""
    if not _read_back(journal / FILE).summary.done:
        raise Stopped(f"{directory}: its last execution was stopped or killed before its end; {go_on_words(directory)}")


def shares_of_another_count(journal: Path, count: int) -> list[str]:
    """Names of shares that were begun of another number than `count`, such as "2/3"."""
    names = (
        path.name[len(SHARE_PREFIX) : -len(SHARE_SUFFIX)] for path in journal.glob(f"{SHARE_PREFIX}*{SHARE_SUFFIX}")
    )
    return sorted(name.replace("-of-", "/") for name in names if not name.endswith(f"-of-{count}"))


def heads_on_disk(journal: Path) -> dict[str, Head]:
    """The number of entries and the last line's digest of every stream that has an entry, by name."""
    heads = {}
    for folder in sorted(path for path in journal.iterdir() if path.is_dir()):
        lines = stream_lines(folder)
        if lines:
            heads[folder.name] = Head(len(lines), line_digest(lines[-1]))
    return heads


def stream_lines(folder: Path) -> list[bytes]:
    """The whole lines of one stream's journal; a torn last line is not one."""
    lines: list[bytes] = []
    for segment in sorted(folder.glob(f"*{JOURNAL_SUFFIX}")):
        data = segment.read_bytes()
        lines += data[: data.rfind(b"\n") + 1].splitlines()
    return lines


def _require(journal: Path, stream: str, known: Head, current: Head | None) -> None:
    """Raises BrokenJournal unless the journal still holds the entries that the log knows of it."""
    if current == known:
        return
    expected = f"the {known.entries} entries that the log of executions knows"
    lines = stream_lines(journal / stream) if current else []
    if len(lines) < known.entries:
        raise BrokenJournal(stream, expected, f"{len(lines)}: answers that were recorded are missing")
    if line_digest(lines[known.entries - 1]) != known.head:
        raise BrokenJournal(stream, expected, "other entries")


def _read_back(path: Path) -> ExecutionHistory:
    history = ExecutionHistory()
    if path.exists():
        cut_torn_line(path)
        try:
            history.read_all(path.read_bytes())
        except BrokenLog as error:
            raise BrokenJournal(f"{FILE} line {error.line}", error.expected, error.found) from error
    return history
