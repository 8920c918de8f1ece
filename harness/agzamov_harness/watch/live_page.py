"""The live page while it is served: one thread reads the journals, one computes figures, others answer browsers."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Self

import msgspec

from ..foundation.browser_server import serving
from ..run.run_folder import RunDirectory
from .live_run import LiveRun
from .page_server import Readers, Told, WatchServer
from .snapshot import encoded

LOOK_S: Final = 1.0
END_S_MAX: Final = 15.0
"""How long open pages are told that the run has ended, at most."""
FIGURES_S_MAX: Final = 12.0
"""After so much of that they are told so even where the last figures are not computed yet."""
TELLING: Final = "watch: open pages are told that the run has ended; Ctrl-C: do not wait for them"


class LivePage:
    """The current snapshot. `fault`: the error that ended the polling, if one did.

    `age_s`: see `LiveRun`.
    """

    def __init__(self, directory: RunDirectory, age_s: float | None = None) -> None:
        self.fault: Exception | None = None
        self.readers = Readers(time.monotonic)
        self._live = LiveRun(directory, time.monotonic, age_s)
        self._told = Told(encoded(self._live.snapshot()), is_final=False)
        self._stop = threading.Event()
        self._end: _End | None = None

    def told(self) -> Told:
        """The last look."""
        return self._told

    def game(self, name: str) -> bytes | None:
        """The document of a game that is over; None where there is none of that name."""
        document = self._live.finished.document(name)
        return None if document is None else encoded(document)

    def follow(self) -> None:
        """Look until stopped, or until a look fails."""
        self._again(self._look)

    def score(self) -> None:
        """Compute figures, beside the looks, until stopped."""
        self._again(self._score)

    def finish(self, why: str, tell: Callable[[str], None]) -> None:
        """Tell open pages that the run has ended, and `why` where it was stopped, until each has read the last figures.

        It takes END_S_MAX at most. SIGINT and SIGTERM end it at once.
        """
        self._end, until = _End(why, time.monotonic()), time.monotonic() + END_S_MAX
        if not self.readers.waiting():
            return
        tell(TELLING)
        hurry = threading.Event()
        before = {number: signal.signal(number, lambda *_: hurry.set()) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            while self.readers.waiting() and time.monotonic() < until and not self.fault:
                if hurry.wait(LOOK_S / 5):
                    return
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _score(self) -> None:
        end = self._end  # before the figures: those that were begun later are the last
        is_all_read = end is not None and end.is_read
        self._live.score()
        if end and is_all_read:
            end.is_scored = True

    def _look(self) -> None:
        end = self._end  # before the look, which then reads all that was written
        self._live.look()
        snapshot = self._live.snapshot()
        if end is None:
            self._told = Told(encoded(snapshot), is_final=False)
            return
        is_final = end.is_scored or time.monotonic() > end.at + FIGURES_S_MAX
        last = msgspec.structs.replace(snapshot, is_ended=True, is_final=is_final, stopped_because=end.why)
        self._told = Told(encoded(last), is_final)
        end.is_read = True

    def _again(self, step: Callable[[], None]) -> None:
        try:
            while not self._stop.is_set():
                step()
                self._stop.wait(LOOK_S if self._end is None else LOOK_S / 5)
        except Exception as error:  # noqa: BLE001 - whoever waits in `wait` tells it
            self.fault = error
            self._stop.set()

    def wait(self) -> None:
        """Wait until the polling ends. Raises its exception."""
        self._stop.wait()
        if self.fault:
            raise self.fault

    @classmethod
    @contextmanager
    def served(
        cls,
        directory: RunDirectory,
        address: str = "127.0.0.1",
        port: int = 0,
        age_s: float | None = None,
    ) -> Iterator[tuple[Self, str]]:
        """The page and its address, as long as it is served. Raises CannotListen."""
        page = cls(directory, age_s)
        with WatchServer(address, port, page.told, page.readers, page.game) as server, serving(server):
            looking = threading.Thread(target=page.follow, name="watch", daemon=True)
            looking.start()
            threading.Thread(
                target=page.score, name="watch score", daemon=True
            ).start()  # not waited for: it takes long
            try:
                yield page, server.url
            finally:
                page._stop.set()
                looking.join()


class _End:
    """The end of a run. `why`: what stopped it. `is_read`: all journals were read since; `is_scored`: with figures."""

    def __init__(self, why: str, at: float) -> None:
        self.why, self.at = why, at
        self.is_read = self.is_scored = False


@contextmanager
def beside(directory: RunDirectory, tell: Callable[[str], None] | None) -> Iterator[None]:
    """Serve the page of a run while this process plays it, and tell its address; nothing where `tell` is None.

    Open pages read how the run ended before the server goes.
    """
    if tell is None:
        yield
        return
    with LivePage.served(directory) as (page, url):
        tell(f"watch: {url}")
        try:
            yield
        except Exception as error:
            page.finish(str(error) or type(error).__name__, tell)
            raise
        page.finish("", tell)
