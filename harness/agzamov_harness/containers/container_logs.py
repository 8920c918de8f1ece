"""The logs of a run's containers: streamed while they run, from before their first byte, into files of bounded size.

The first LOG_HEAD_BYTES are written as they come, the last LOG_TAIL_BYTES at the end. Where something stands between
them, a marker line says how much was left out; should this process be killed, the marker says that the rest is missing.
What a container prints waits here and is never dropped by the engine: it blocks a container that prints faster.
"""

from collections.abc import Mapping
from pathlib import Path
from threading import Lock, Thread

from ..run.execution_record import Log
from .container_engine import Attached

LOG_HEAD_BYTES = LOG_TAIL_BYTES = 2**21
KEY_CHARACTERS_MIN = 8
LINE_BYTES_MAX = 2**16
READ_S_MAX = 10.0
STOPPED = b"\n[agzamov: cut here; the log went on, and its end was not seen]\n"
LEFT_OUT = "\n[agzamov: cut here; {} bytes left out]\n"


class ContainerLog:
    """The log of one container in the file `path`, without any of the `keys` of providers (by variable)."""

    def __init__(self, path: Path, keys: Mapping[str, str]) -> None:
        keys_to_hide = {name: key for name, key in keys.items() if len(key) >= KEY_CHARACTERS_MIN}
        self._keys = {key.encode(): f"[{name}]".encode() for name, key in keys_to_hide.items()}
        self._longest = max(map(len, self._keys), default=1)
        self._file = path.open("wb")
        self._lock = Lock()
        self._rest, self._tail = b"", bytearray()
        self._bytes = self._head_bytes = 0

    def write(self, data: bytes) -> None:
        """Append output of the container. Keys are searched for in whole lines, and never cut in two."""
        with self._lock:
            if self._file.closed:
                return
            self._rest = self._without_keys(self._rest + data)
            complete_bytes = self._rest.rfind(b"\n") + 1
            if not complete_bytes and len(self._rest) > LINE_BYTES_MAX:
                complete_bytes = len(self._rest) - self._longest
            self._keep(self._rest[:complete_bytes])
            self._rest = self._rest[complete_bytes:]

    def close(self) -> Log:
        """Complete the file once the container has ended; return how many bytes were printed and kept."""
        with self._lock:
            if not self._file.closed:
                self._finish()
            kept_bytes = self._head_bytes + len(self._tail)
            return Log(self._bytes, kept_bytes, kept_bytes < self._bytes)

    def _finish(self) -> None:
        self._keep(self._rest)
        self._rest = b""
        del self._tail[:-LOG_TAIL_BYTES]
        left_out = self._bytes - self._head_bytes - len(self._tail)
        self._file.seek(self._head_bytes)
        self._file.truncate()
        if left_out:
            self._file.write(LEFT_OUT.format(left_out).encode())
        self._file.write(self._tail)
        self._file.close()

    def _without_keys(self, data: bytes) -> bytes:
        for key, name in self._keys.items():
            data = data.replace(key, name)
        return data

    def _keep(self, data: bytes) -> None:
        self._bytes += len(data)
        room = LOG_HEAD_BYTES - self._head_bytes
        head, rest = data[:room], data[room:]
        self._file.write(head)
        self._head_bytes += len(head)
        if rest and not self._tail:
            self._file.write(STOPPED)
        self._file.flush()
        self._tail += rest
        if len(self._tail) > 2 * LOG_TAIL_BYTES:
            del self._tail[:-LOG_TAIL_BYTES]


class ContainerLogs:
    """The logs of all containers of one execution, in its folder."""

    def __init__(self, folder: Path, keys: Mapping[str, str]) -> None:
        self._folder, self._keys = folder, keys
        self._logs: dict[str, ContainerLog] = {}
        self._following: dict[str, tuple[Attached, Thread]] = {}
        self._lock = Lock()

    def open(self, name: str) -> ContainerLog:
        """The log of the container of that name."""
        log = ContainerLog(self.path_of(name), self._keys)
        with self._lock:
            self._logs[name] = log
        return log

    def follow(self, name: str, attached: Attached) -> None:
        """Keep a container's standard output and error until it ends."""
        log = self.open(name)

        def copy() -> None:
            for _, data in attached.chunks():
                log.write(data)

        thread = Thread(target=copy, name=f"log of {name}", daemon=True)
        with self._lock:
            self._following[name] = attached, thread
        thread.start()

    def path_of(self, name: str) -> Path:
        """Path of that container's log."""
        return self._folder / f"{name}.log"

    def close(self) -> dict[str, Log]:
        """The containers have ended: every log is complete, as far as it was heard."""
        for attached, thread in self._following.values():
            thread.join(READ_S_MAX)
            attached.close()
        return {name: log.close() for name, log in self._logs.items()}
