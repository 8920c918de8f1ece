"""Stopping the workers of a cluster: a small file in the run's folder, which the coordinator writes anew every second.

    {"beat":41,"session":"9f2c…","stop":""}

A worker reads it before a call, once a second at most. It stops when a reason stands there, when another session took
the run over, and when the beat has not changed for a minute: then nobody is there to whom its answers matter.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Lock, Thread

import msgspec

from agzamov_verify import canon

from ..run import Stop, Stopped

FILE = "session"
BEAT_S = 1.0
GONE_S = 60.0


class Session(msgspec.Struct, frozen=True):
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
            write(folder, Session(number, session, stop.reason))
        write(folder, Session(number + 1, session, stop.reason or "the run has ended"))

    write(folder, Session(0, session, ""))
    thread = Thread(target=beat, name="session")
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def write(folder: Path, session: Session) -> None:
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
            found = canon.loads_as(self._path.read_bytes(), Session)
        except (OSError, canon.NotCanonical):
            found = None  # counts as a beat that is missing: a network file system may fail for a moment
        if found and found.session != self._session:
            return "the run was taken over by another command"
        if found and found.stop:
            return found.stop
        if found and found.beat != self._beat:
            self._beat, self._changed_s = found.beat, now_s
        return "the command that plays the run is gone" if now_s - self._changed_s > GONE_S else ""
