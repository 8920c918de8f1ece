"""Files of lines that only grow: a line is written past any buffer, so a killed process loses no whole line."""

import os
from io import FileIO
from pathlib import Path


def open_append(path: Path) -> FileIO:
    """The file for appending, without a buffer; made if it is not there."""
    return path.open("ab", buffering=0)


def write_line(file: FileIO, line: bytes) -> None:
    """Append `line` and a line feed."""
    unwritten = line + b"\n"
    while unwritten:
        unwritten = unwritten[file.write(unwritten) :]


def cut_torn_line(path: Path) -> None:
    """Cut off the end of a file that a crash left without its line feed."""
    data = path.read_bytes()
    complete_bytes = data.rfind(b"\n") + 1
    if complete_bytes != len(data):
        os.truncate(path, complete_bytes)
