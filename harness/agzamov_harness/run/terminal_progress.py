"""Progress on standard error: one line that is drawn anew on a terminal, else a plain line now and then."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import click
from rich.console import Console
from rich.live import Live
from rich.text import Text

from agzamov_verify.plan.manifest import Plan

from .progress import ProgressCounts, Watcher
from .progress_line import progress_line, warning_of

REDRAWN_PER_S: Final = 2
PLAIN_AFTER_S, PLAIN_EVERY_S = 20.0, 60.0
"""Between two plain lines: at least the first, for each tenth of the calls; and one after the second in any case.

The first line comes after the second, so that a short run says nothing.
"""
PLAIN_WIDTH: Final = 200
TENTHS: Final = 10


@contextmanager
def progress(plan: Plan, *, quiet: bool) -> Iterator[Watcher]:
    """Whoever watches a run for the user. `quiet`: it says nothing but warnings."""
    if quiet:
        yield _Warned(plan, _say)
    elif not sys.stderr.isatty():
        yield Plain(plan, _say, time.monotonic)
    else:
        console = Console(stderr=True)
        drawn = _Drawn(plan, console)
        with Live(get_renderable=drawn.text, console=console, refresh_per_second=REDRAWN_PER_S, transient=True):
            yield drawn


def _say(line: str) -> None:
    click.echo(line, err=True)


class _Warned:
    """Says once of each seat that most of its answers are unusable."""

    def __init__(self, plan: Plan, say: Callable[[str], None]) -> None:
        self._plan, self._say = plan, say
        self._warned = set[str]()

    def update(self, counts: ProgressCounts) -> None:
        for seat, answers in counts.seats.items():
            if seat not in self._warned and (line := warning_of(seat, answers, self._plan)):
                self._warned.add(seat)
                self._say(f"warning: {line}")


class Pace:
    """Estimates the time to the end by the calls of this execution: replayed ones take no time. `clock`: seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._began_s = clock, clock()
        self._new_since_s = self._began_s

    @property
    def elapsed_s(self) -> float:
        return self._clock() - self._began_s

    def note(self, counts: ProgressCounts) -> None:
        """Take the time up to which answers were replayed."""
        if not counts.model_calls.new:
            self._new_since_s = self._clock()

    def left_s(self, counts: ProgressCounts) -> float | None:
        """Calls to come * seconds of a new call so far, waiting included; None before the first new call."""
        calls = counts.model_calls
        if not calls.new:
            return None
        return calls.to_come * (self._clock() - self._new_since_s) / calls.new


class Plain(_Warned):
    """Says now and then how far the run is. `clock`: seconds."""

    def __init__(self, plan: Plan, say: Callable[[str], None], clock: Callable[[], float]) -> None:
        super().__init__(plan, say)
        self._clock, self._pace = clock, Pace(clock)
        self._said_s: float | None = None
        self._tenth = 0

    def update(self, counts: ProgressCounts) -> None:
        super().update(counts)
        self._pace.note(counts)
        now_s, calls = self._clock(), counts.model_calls
        tenth = TENTHS * calls.done // max(1, calls.expected)
        since_s = self._pace.elapsed_s if self._said_s is None else now_s - self._said_s
        is_due = self._said_s is not None and tenth > self._tenth and since_s >= PLAIN_AFTER_S
        if is_due or since_s >= PLAIN_EVERY_S:
            self._said_s, self._tenth = now_s, tenth
            left_s = self._pace.left_s(counts)
            self._say(progress_line(self._plan, counts, self._pace.elapsed_s, left_s, PLAIN_WIDTH))


class _Drawn(_Warned):
    """Draws the line on a terminal, and warnings above it."""

    def __init__(self, plan: Plan, console: Console) -> None:
        super().__init__(plan, _say)
        self._console, self._pace = console, Pace(time.monotonic)
        self._counts: ProgressCounts | None = None

    def update(self, counts: ProgressCounts) -> None:
        super().update(counts)
        self._pace.note(counts)
        self._counts = counts

    def text(self) -> Text:
        """The line at this moment."""
        if self._counts is None:
            line = f"waiting for the first answer, for {self._pace.elapsed_s:.0f} s"
        else:
            left_s = self._pace.left_s(self._counts)
            line = progress_line(self._plan, self._counts, self._pace.elapsed_s, left_s, self._console.width - 1)
        return Text(line, no_wrap=True, overflow="ignore")
