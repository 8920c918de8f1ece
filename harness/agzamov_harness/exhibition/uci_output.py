"""The protocol alone on standard output; whatever else is printed goes to standard error, and all of it to a log.

File descriptor 1 is taken for the protocol at the start and made to be standard error, so no library, child process or
warning can put a word into the conversation.
"""

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Final, Self

LINE_CHARACTERS_MAX: Final = 300
READ_BYTES: Final = 2**16
LINE_BYTES_MAX: Final = 2**20


def plain(text: str) -> str:
    """A text as one short line of printable ASCII."""
    ascii_text = text.encode("ascii", "backslashreplace").decode()
    words = "".join(one if " " <= one <= "~" else " " for one in ascii_text)
    return " ".join(words.split())[:LINE_CHARACTERS_MAX]


def lines_of(descriptor: int) -> Iterator[str]:
    """The lines that can be read from a file descriptor, to its end; what is longer than any command is dropped.

    Without Python's buffer, whose lock a thread that waits for input would hold when the program ends.
    """
    kept = b""
    while True:
        try:
            data = os.read(descriptor, READ_BYTES)
        except OSError:
            data = b""
        if not data:
            break
        *whole, kept = (kept + data).split(b"\n")
        yield from (line.decode("utf-8", "replace").rstrip("\r") for line in whole)
        kept = kept if len(kept) <= LINE_BYTES_MAX else b""
    if kept:
        yield kept.decode("utf-8", "replace")


class UciOutput:
    """Writes lines to the program and to a log, from any thread. `gone`: the program reads no more."""

    def __init__(self, descriptor: int, log: Path | None) -> None:
        self._descriptor, self._lock = descriptor, threading.Lock()
        self._log = log.open("a", encoding="utf-8") if log else None
        self._start_s = time.monotonic()
        self.gone = False

    @classmethod
    def of_standard_output(cls, log: Path | None) -> Self:
        """Standard output, which nobody else can write to any more."""
        descriptor = os.dup(1)  # not inherited by child processes
        os.dup2(2, 1)
        return cls(descriptor, log)

    def say(self, line: str) -> None:
        """Write one line of the protocol."""
        with self._lock:
            self._note(">", line)
            data = line.encode("ascii", "backslashreplace") + b"\n"
            try:
                while data and not self.gone:
                    data = data[os.write(self._descriptor, data) :]
            except OSError:
                self.gone = True

    def info(self, text: str) -> None:
        """Write a text for a person."""
        self.say(f"info string {plain(text)}")

    def heard(self, line: str) -> None:
        """Note a line of the program in the log."""
        with self._lock:
            self._note("<", line)

    def close(self) -> None:
        with self._lock:
            if self._log:
                self._log.close()
                self._log = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _note(self, sign: str, line: str) -> None:
        if self._log:
            self._log.write(f"{time.monotonic() - self._start_s:10.3f} {sign} {plain(line)}\n")
            self._log.flush()
