"""Files of lines that only grow: a line is written past any buffer, so a killed process loses no whole line.

And files that are written whole or not at all. None is written through a link: others may write to a run's folder (a
volume that pods share), and a link in the place of a file would have another file of the owner's emptied or appended
to.
"""

import os
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Final

MAKING: Final = ".making"
"""Ends the name of a file that is being written; a killed process leaves it, and the next one writes over it."""


def open_append(path: Path) -> FileIO:
    """The file for appending, without a buffer; made if it is not there. Raises OSError for a link."""
    return open(path, "ab", buffering=0, opener=no_link)


def no_link(path: str, flags: int) -> int:
    """Open a file that is no link, as an `opener`. Raises OSError."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)


def write_over(path: Path, data: bytes) -> None:
    """Write a file anew in its place; made if it is not there. Raises OSError for a link.

    A crash leaves it empty or half: what a later start needs is for `write_whole`.
    """
    with open(path, "wb", opener=no_link) as file:
        file.write(data)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file under another name first: nobody reads half of it, and a crash or a full disk leaves the old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    making = path.with_name(path.name + MAKING)
    try:
        with open(making, "wb", opener=no_link) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        making.rename(path)
    except OSError:
        with suppress(OSError):
            making.unlink()
        raise


def write_line(file: FileIO, line: bytes) -> None:
    """Append `line` and a line feed."""
    unwritten = line + b"\n"
    while unwritten:
        unwritten = unwritten[file.write(unwritten) :]


def cut_torn_line(path: Path) -> None:
    """Cut off the end of a file that a crash left without its line feed."""
    with open(path, "r+b", opener=no_link) as file:
        data = file.read()
        complete_bytes = data.rfind(b"\n") + 1
        if complete_bytes != len(data):
            file.truncate(complete_bytes)
