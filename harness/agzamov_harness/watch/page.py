"""The live page while it is served: one thread reads the journals, one computes figures, others answer browsers."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Self

import msgspec

from ..rundir import RunDirectory
from .live_run import LiveRun
from .server import WatchServer
from .snapshot import encoded

LOOK_S: Final = 1.0
POLLED_S: Final = 15.0
"""A page that has asked within so long is still open: one in a hidden tab asks every five seconds."""
LINGER_S_MIN, LINGER_S_MAX = 7.0, 20.0
"""How long a page is told of the end: until a hidden tab has asked and the last figures are there, and no longer."""


class LivePage:
    """The snapshot of the moment. `fault`: what ended the looking, if anything did."""

    def __init__(self, directory: RunDirectory) -> None:
        self.fault: Exception | None = None
        self._live = LiveRun(directory, time.monotonic)
        self._json = encoded(self._live.snapshot())
        self._stop = threading.Event()
        self._ended, self._scores = False, 0

    def snapshot(self) -> bytes:
        """The JSON of the last look."""
        return self._json

    def follow(self) -> None:
        """Look until stopped, or until a look fails."""
        self._again(self._look)

    def score(self) -> None:
        """Compute figures, beside the looks, until stopped."""
        self._again(self._score)

    def linger(self, server: WatchServer) -> None:
        """Tell open pages that whoever played the run has ended, with the last figures; then they stop asking."""
        if server.idle_s() > POLLED_S:
            return
        self._ended, scores, began = True, self._scores, time.monotonic()
        while (waited := time.monotonic() - began) < LINGER_S_MAX and not self.fault:
            if waited > LINGER_S_MIN and self._scores > scores + 1:  # one that began after the end
                return
            time.sleep(LOOK_S / 5)

    def _score(self) -> None:
        self._live.score()
        self._scores += 1

    def _look(self) -> None:
        ended = self._ended  # before the look, which then sees all that was written
        self._live.look()
        self._json = encoded(msgspec.structs.replace(self._live.snapshot(), is_ended=ended))

    def _again(self, step: Callable[[], None]) -> None:
        try:
            while not self._stop.is_set():
                step()
                self._stop.wait(LOOK_S)
        except Exception as error:  # noqa: BLE001 - whoever waits in `wait` tells it
            self.fault = error
            self._stop.set()

    def wait(self) -> None:
        """Wait until the looking ends. Raises what ended it."""
        self._stop.wait()
        if self.fault:
            raise self.fault

    @classmethod
    @contextmanager
    def served(
        cls, directory: RunDirectory, address: str = "127.0.0.1", port: int = 0, *, lingers: bool = False
    ) -> Iterator[tuple[Self, str]]:
        """The page and its address, as long as it is served. Raises CannotListen.

        `lingers`: whoever plays the run is this process, so open pages are told when it has ended.
        """
        page = cls(directory)
        with WatchServer(address, port, page.snapshot) as server, serving(server):
            looking = threading.Thread(target=page.follow, name="watch", daemon=True)
            looking.start()
            threading.Thread(
                target=page.score, name="watch score", daemon=True
            ).start()  # not waited for: it takes long
            try:
                yield page, server.url
            finally:
                if lingers:
                    page.linger(server)
                page._stop.set()
                looking.join()


@contextmanager
def beside(directory: RunDirectory, tell: Callable[[str], None] | None) -> Iterator[None]:
    """Serve the page of a run while this process plays it, and tell its address; nothing where `tell` is None."""
    if tell is None:
        yield
        return
    with LivePage.served(directory, lingers=True) as (_, url):
        tell(f"watch: {url}")
        yield


@contextmanager
def serving(server: WatchServer) -> Iterator[None]:
    """Answer requests in a thread of its own."""
    thread = threading.Thread(target=server.serve_forever, name="watch server", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
