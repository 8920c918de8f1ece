"""Reads a journal that another process is writing."""

from collections.abc import Iterator
from pathlib import Path

from agzamov_verify.journal import Chain, Entry

from .ports import Wait
from .recorder import JOURNAL_SUFFIX

LOOK_S = 0.5


def followed(journal: Path, run: str, stream: str, wait: Wait) -> Iterator[Entry]:
    """The entries of a stream, as they come, without end; `wait` sleeps between looks, and may raise to stop.

    A torn last line is waited for. Raises BrokenJournal.
    """
    chain, segment, offset = Chain(run, stream), 0, 0
    while True:
        data = _from(_segment(journal, stream, segment), offset)
        whole = data.rfind(b"\n") + 1
        if whole:
            yield from chain.read_all(data[:whole].splitlines())
            offset += whole
        elif _segment(journal, stream, segment + 1).exists() and not _from(_segment(journal, stream, segment), offset):
            segment, offset = segment + 1, 0
        else:
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
