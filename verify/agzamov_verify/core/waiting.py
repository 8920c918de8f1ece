"""Progress display on standard error for a person who waits: the work, how far it is, and how long it will take.

Work says how far it is wherever it stands, by `counted` or `busy`; a command that has somebody waiting wraps it in
`shown`. Nothing is drawn for what is done in two seconds, nor where standard error is no terminal. Where there are no
threads, as in a browser, `told` hands the lines over while the work itself counts on.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final, Self, TypeVar

T = TypeVar("T")
PATIENCE_S: Final = 2.0
REDRAW_S: Final = 0.5
WIDTH_MAX: Final = 78
CLEAR: Final = b"\r\x1b[2K"


class Stage:
    """One piece of work: `done` of `total`, where it can be counted."""

    def __init__(self, what: str, total: int, now_s: float) -> None:
        self.what, self.total, self.done, self._began_s = what, total, 0, now_s

    def line(self, now_s: float) -> str:
        """The progress of the work, in one line."""
        past_s = now_s - self._began_s
        if not self.total:
            return f"{self.what}, for {_clock(past_s)}"
        left = f", about {_clock(past_s / self.done * (self.total - self.done))} left" if self.done else ""
        return f"{self.what}: {self.done:,} of {self.total:,}{left}"


class Stages:
    """The stages that are under way, the innermost last."""

    def __init__(self) -> None:
        self.stages: list[Stage] = []

    def counts_on(self) -> None:
        """Called when a stage begins or has counted on."""

    def text(self, now_s: float) -> str:
        """The progress of all of them, in one line; empty if there is none."""
        return ": ".join(stage.line(now_s) for stage in list(self.stages))


class Listening(Stages):
    """Stages that report their progress line to a listener now and then."""

    def __init__(self, hear: Callable[[str], None]) -> None:
        super().__init__()
        self._hear, self._next_s = hear, 0.0

    def counts_on(self) -> None:
        now_s = time.monotonic()
        if now_s >= self._next_s:
            self._next_s = now_s + REDRAW_S
            self._hear(self.text(now_s))


class Waiting(Stages):
    """Stages, and the thread that draws them."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor, self._ended = descriptor, threading.Event()
        self._thread = threading.Thread(target=self._draw, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _draw(self) -> None:
        # Written past Python's buffers, whose locks a worker process that is forked meanwhile would inherit.
        patience_s, drawn = PATIENCE_S, False
        while not self._ended.wait(patience_s):
            now_s, patience_s = time.monotonic(), REDRAW_S
            text = self.text(now_s)
            if text:
                os.write(self._descriptor, CLEAR + text[:WIDTH_MAX].encode())
                drawn = True
        if drawn:
            os.write(self._descriptor, CLEAR)


_shown: list[Stages] = []
"""The display that is drawn now: none or one."""


@contextmanager
def shown(*, quiet: bool) -> Iterator[None]:
    """Show the stage in progress, if there is a terminal."""
    if quiet or _shown or not sys.stderr.isatty():
        yield
        return
    with Waiting(sys.stderr.fileno()) as waiting, _showing(waiting):
        yield


@contextmanager
def told(hear: Callable[[str], None]) -> Iterator[None]:
    """Report the stage in progress to `hear` as a line, at most every half second."""
    with _showing(Listening(hear)):
        yield


@contextmanager
def _showing(stages: Stages) -> Iterator[None]:
    _shown.append(stages)
    try:
        yield
    finally:
        _shown.pop()


@contextmanager
def busy(what: str, total: int = 0) -> Iterator[Stage]:
    """A stage of the work; the caller counts the finished items of `total`, if that is known."""
    stage = Stage(what, total, time.monotonic())
    shown_in = _shown[-1] if _shown else Stages()
    shown_in.stages.append(stage)
    shown_in.counts_on()
    try:
        yield stage
    finally:
        shown_in.stages.remove(stage)


def counted(what: str, items: Iterable[T], total: int) -> Iterator[T]:
    """The same items, each counted once the next is asked for."""
    with busy(what, total) as stage:
        for item in items:
            yield item
            stage.done += 1
            if _shown:
                _shown[-1].counts_on()


def _clock(seconds: float) -> str:
    minutes, left = divmod(round(seconds), 60)
    return f"{minutes}:{left:02}"
