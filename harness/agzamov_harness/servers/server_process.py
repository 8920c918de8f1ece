"""MCP servers as programs: start, environment, the log of standard error, and words for one that gives no answer."""

import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import msgspec

from ..foundation.append_only import open_append

LOG_BYTES_MAX = 2**20
"""Of one server's log; what it prints beyond is not kept."""
LAST_LINE_CHARACTERS_MAX, LAST_BYTES_MAX = 400, 4_000
LAST_LINE_S_MAX = 1.0
CUT = b"\n[agzamov: cut here; the log is full]\n"
READ_BYTES = 2**16

# So that a server is told nothing of who started it.
ENVIRONMENT: Mapping[str, str] = {
    "LANG": "C.UTF-8",
    "LOGNAME": "memory",
    "PATH": os.defpath,
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",
    "SHELL": "/bin/sh",
    "TERM": "dumb",
    "TZ": "UTC",
    "USER": "memory",
}


class Process(msgspec.Struct, frozen=True):
    """A server to start: everything is spelled out. `mcp_mode`: how the protocol's version is settled.

    `url`: where it listens, if it is spoken to by HTTP and not over its standard streams.
    """

    args: tuple[str, ...]
    command: str
    env: dict[str, str]
    folder: Path
    mcp_mode: str
    url: str = ""


class Socket(msgspec.Struct, frozen=True):
    """A unix socket behind which a server starts when it is connected to, and ends with the connection."""

    path: Path
    mcp_mode: str


class Address(msgspec.Struct, frozen=True):
    """A server that runs already, by HTTP."""

    url: str
    mcp_mode: str


def free_port() -> int:
    """A port of this machine at which nothing listens now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def bare_environment(home: Path) -> dict[str, str]:
    """Environment of a server: no key of ours, and a home of its own."""
    path = os.environ.get("PATH", os.defpath)
    return {**ENVIRONMENT, "PATH": path, "HOME": str(home), "TMPDIR": str(home)}


@contextmanager
def log_folder(of: str) -> Iterator[Path]:
    """A folder for the logs of such servers, which goes when all went well: what an error names is there to be read."""
    folder = Path(tempfile.mkdtemp(prefix=f"agzamov-{of}-logs-"))
    is_kept = False
    try:
        yield folder
    except (Exception, SystemExit) as error:
        is_kept = not isinstance(error, SystemExit) or bool(error.code)
        raise
    finally:
        if not is_kept:
            shutil.rmtree(folder, ignore_errors=True)


class StderrLog:
    """Copy of a server's stderr in a file of bounded size, written while it runs."""

    def __init__(self, path: Path) -> None:
        self._last = b""
        read, write = os.pipe()
        self.file: TextIO = os.fdopen(write, "w")
        self._thread = threading.Thread(target=self._copy, args=(read, path), name=f"log {path.name}", daemon=True)
        self._thread.start()

    def last_line(self, words: str = "") -> str:
        """The last line that was printed with `words` in it; to be asked once the server has ended."""
        lines = self.last_text().split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip() and words in line), "")
        return last[-LAST_LINE_CHARACTERS_MAX:]

    def last_text(self) -> str:
        """The end of what was printed; to be asked once the server has ended."""
        self.close()
        self._thread.join(LAST_LINE_S_MAX)
        return self._last.decode(errors="replace")

    def close(self) -> None:
        """Close our end: the log ends when the server does."""
        if not self.file.closed:
            self.file.close()

    def _copy(self, read: int, path: Path) -> None:
        with open_append(path) as file:
            left = LOG_BYTES_MAX - file.tell()
            while data := os.read(read, READ_BYTES):
                self._last = (self._last + data)[-LAST_BYTES_MAX:]
                if left >= 0:
                    file.write(data if len(data) <= left else data[:left] + CUT)
                    left -= len(data)
        os.close(read)


SHOWN_CHARACTERS_MAX = 200
READ_FACTOR = 20
"""So many times as much of a foreign text is looked at as may be shown of it: the rest may be megabytes."""
ENDED = "the server ended"
NO_ANSWER = "no answer within"
NO_PROGRAM = "no program"
NOT_MCP = "output on stdout that is not MCP"


def one_line(text: str, characters_max: int = SHOWN_CHARACTERS_MAX) -> str:
    """Foreign text on one line, cut, without unprintable characters such as half a surrogate pair."""
    words = " ".join(text[: READ_FACTOR * characters_max].split())
    return "".join(filter(str.isprintable, words))[:characters_max]
