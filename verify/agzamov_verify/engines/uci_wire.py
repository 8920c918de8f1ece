"""The transport to a UCI engine: a process of our own, or a unix socket behind which one runs.

A wire carries lines both ways. Cutting it makes a waiting reader see the end at once, from any thread.
"""

import os
import signal
import socket
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from ..core.limits import ENGINE_LINE_BYTES_MAX
from ..core.workers import child_environment

SILENCE_S_MAX = 120.0


class Wire(Protocol):
    """A connected engine. A method raises OSError where the engine is gone or has been silent for too long."""

    def send(self, data: bytes) -> None:
        """Write all of `data`."""
        ...

    def line(self) -> bytes:
        """The next line, of at most ENGINE_LINE_BYTES_MAX bytes; empty at the end."""
        ...

    def cut(self) -> None:
        """End the engine, or our connection to it, now."""
        ...

    def close(self) -> None:
        """End it and let go of everything; safe to call twice."""
        ...


def connect(path: Path) -> Wire:
    """The engine at `path`: a program, or a unix socket. Raises OSError."""
    return SocketWire(path) if path.is_socket() else ProcessWire(path)


class ProcessWire:
    """An engine in a process group of its own, so that a wrapper script ends with all that it started."""

    def __init__(self, path: Path) -> None:
        self._process = subprocess.Popen(
            [str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=child_environment(os.environ),
            process_group=0,
        )

    def send(self, data: bytes) -> None:
        assert self._process.stdin
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def line(self) -> bytes:
        assert self._process.stdout
        return self._process.stdout.readline(ENGINE_LINE_BYTES_MAX)

    def cut(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        if self._process.poll() is None:
            self.cut()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):  # closing flushes, and there may be nobody left to read
                if pipe:
                    pipe.close()


class SocketWire:
    """An engine that starts when we connect and ends when we hang up, as one in a container does."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.settimeout(SILENCE_S_MAX)
            self._socket.connect(str(path))
        except OSError:
            self._socket.close()
            raise
        self._lines = self._socket.makefile("rb")

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def line(self) -> bytes:
        return self._lines.readline(ENGINE_LINE_BYTES_MAX)

    def cut(self) -> None:
        with suppress(OSError):  # it has hung up first
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.cut()
        self._lines.close()
        self._socket.close()
