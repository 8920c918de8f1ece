"""Writes a run's log of executions (agzamov_verify.executions): what its journals held at each start and stop.

At a start the journals on disk are compared with what the log knows of them. A journal that lost an entry was deleted
or changed by hand: its answers would be asked again, so the run does not go on.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

from agzamov_verify.executions import (
    BrokenLog,
    Event,
    ExecutionHistory,
    Finished,
    Head,
    Outcome,
    Start,
    Stop,
    encoded,
)
from agzamov_verify.journal import BrokenJournal, line_digest

from .append_only import cut_torn_line, open_append, write_line
from .recorder import JOURNAL_SUFFIX

FILE = "executions.jsonl"


@contextmanager
def execution(journal: Path) -> Iterator["ExecutionLog"]:
    """Log one execution over the journals in a folder. Raises BrokenJournal if they are not what the log knows."""
    log = ExecutionLog(journal)
    log.start()
    try:
        yield log
    except BaseException:
        with suppress(OSError):  # a full disk must not hide why the run stopped
            log.stop(Outcome.STOPPED)
        raise
    log.stop(Outcome.DONE)


class ExecutionLog:
    """The log in a folder of journals."""

    def __init__(self, journal: Path) -> None:
        self._journal, self._path = journal, journal / FILE
        self._history = _read_back(self._path)
        self._lock = Lock()

    def start(self) -> None:
        """Begin an execution."""
        heads = heads_on_disk(self._journal)
        if heads and self._history.execution < 0:
            raise BrokenJournal(FILE, "the log of the executions that left these journals", "nothing there")
        for stream, known in self._history.heads.items():
            _require(self._journal, stream, known, heads.get(stream))
        self._append(Start(self._history.execution + 1, self._history.prev, self._changed(heads)))

    def finished(self, stream: str, entries: int, head: str) -> None:
        """Note that a stream was played to its end, unless the log knows that already. Thread-safe."""
        with self._lock:
            if entries and self._history.heads.get(stream) != Head(entries, head):
                history = self._history
                self._append(Finished(entries, history.execution, head, history.prev, stream))

    def stop(self, outcome: Outcome) -> None:
        """End the execution: what the journals hold now."""
        changed = self._changed(heads_on_disk(self._journal))
        self._append(Stop(self._history.execution, outcome, self._history.prev, changed))

    def _changed(self, heads: dict[str, Head]) -> dict[str, Head]:
        return {stream: head for stream, head in heads.items() if self._history.heads.get(stream) != head}

    def _append(self, event: Event) -> None:
        line = encoded(event)
        self._history.read(line)
        with open_append(self._path) as file:
            write_line(file, line)
            if not isinstance(event, Finished):
                os.fsync(file.fileno())


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
