"""What coordinator and workers have in common: the same program and libraries, and a file by which workers are stopped.

    {"beat":41,"session":"9f2c…","stop":""}

The coordinator writes the file in the run's folder anew every second; a worker reads it before a call, once a second at
most. It stops when a reason stands there, when another session took the run over, and when the beat has not changed for
a minute: then nobody is there to whom its answers matter.
"""

import hashlib
import platform
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import requires, version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from threading import Event, Lock, Thread

import msgspec

from agzamov_verify.core import canon

from ..run.stop import Stop, Stopped

FILE = "session"
BEAT_S = 1.0
GONE_S = 60.0


class ClusterSession(msgspec.Struct, frozen=True):
    """The file."""

    beat: int
    session: str
    stop: str


@contextmanager
def beating(folder: Path, session: str, stop: Stop) -> Iterator[None]:
    """Keep the file true while workers play, and leave a reason to stop in it at the end."""
    ended = Event()

    def beat() -> None:
        number = 0
        while not ended.wait(BEAT_S if number else 0):
            number += 1
            write(folder, ClusterSession(number, session, stop.reason))
        write(folder, ClusterSession(number + 1, session, stop.reason or "the run has ended"))

    write(folder, ClusterSession(0, session, ""))
    thread = Thread(target=beat, name="session")
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def write(folder: Path, session: ClusterSession) -> None:
    """Write the file whole, or not at all."""
    new = folder / f".{FILE}.new"
    new.write_bytes(canon.dumps(session))
    new.replace(folder / FILE)


class Watch:
    """A worker's look at the session of a run. Thread-safe."""

    def __init__(self, folder: Path, session: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._path, self._session, self._clock = folder / FILE, session, clock
        self._lock, self._beat = Lock(), -1
        self._changed_s, self._looked_s = clock(), -BEAT_S
        self._reason = ""

    def check(self) -> None:
        """Raises Stopped where the worker is to stop."""
        with self._lock:
            now_s = self._clock()
            if not self._reason and now_s - self._looked_s >= BEAT_S:
                self._looked_s = now_s
                self._reason = self._look(now_s)
        if self._reason:
            raise Stopped(self._reason)

    def wait(self, seconds: float) -> None:
        """Sleep, unless or until the worker is to stop. Raises Stopped."""
        end_s = time.monotonic() + seconds
        self.check()
        while (left_s := end_s - time.monotonic()) > 0:
            time.sleep(min(left_s, BEAT_S))
            self.check()

    def _look(self, now_s: float) -> str:
        try:
            found = canon.loads_as(self._path.read_bytes(), ClusterSession)
        except (OSError, canon.NotCanonical):
            found = None  # counts as a beat that is missing: a network file system may fail for a moment
        if found and found.session != self._session:
            return "the run was taken over by another command"
        if found and found.stop:
            return found.stop
        if found and found.beat != self._beat:
            self._beat, self._changed_s = found.beat, now_s
        return "the command that plays the run is gone" if now_s - self._changed_s > GONE_S else ""


PACKAGES = ("agzamov_harness", "agzamov_verify")
REQUIREMENT = re.compile(r"[A-Za-z0-9._-]+")


class ProgramVersion(msgspec.Struct, frozen=True):
    """A program: digest of its source, Python's version to the second number, and the versions of its libraries."""

    source_sha256: str
    python: str
    libraries: dict[str, str]

    def difference(self, other: "ProgramVersion") -> str:
        """Difference of another program from this one, in words; empty where there is none."""
        if other.python != self.python:
            return f"Python {self.python}, found {other.python}"
        for name, here in self.libraries.items():
            if other.libraries.get(name) != here:
                return f"{name} {here}, found {other.libraries.get(name, 'none')}"
        if other.source_sha256 != self.source_sha256:
            return f"source {self.source_sha256[:12]}, found {other.source_sha256[:12]}: install the same version"
        return ""


@cache
def program_here() -> ProgramVersion:
    """The program of this process."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        for name, data in sorted(_files(files(package), package)):
            digest.update(f"{name} {len(data)}\n".encode())
            digest.update(data)
    names = sorted({REQUIREMENT.match(text)[0] for text in requires("agzamov-verify") or ()})  # type: ignore[index]
    python = ".".join(platform.python_version_tuple()[:2])
    return ProgramVersion(digest.hexdigest(), python, {name: version(name) for name in names})


def _files(folder: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        path = f"{name}/{entry.name}"
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _files(entry, path)
        elif entry.is_file():
            yield path, entry.read_bytes()
