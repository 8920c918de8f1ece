"""Reads a journal that another process is writing."""

from collections.abc import Iterator
from pathlib import Path

from agzamov_verify.journal import Chain, Entry

from .ports import Wait
from .recorder import JOURNAL_SUFFIX

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
