"""Progress on a terminal, and nothing where there is none."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from .progress import Counts, Watcher


@contextmanager
def progress(*, quiet: bool) -> Iterator[Watcher | None]:
    """A live line for games and hands on standard error; None where it would not be seen."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        yield _Bars(bars)


class _Bars:
    """Draws Counts as a bar each for chess games, for hands, and for the positions that are judged afterwards."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._games = bars.add_task("chess games", total=0, note="", visible=False)
        self._hands = bars.add_task("poker hands", total=0, note="", visible=False)
        self._positions = bars.add_task("positions judged", total=0, note="", visible=False)

    def update(self, counts: Counts) -> None:
        elapsed = self._bars.tasks[0].elapsed or 1
        note = f"{counts.calls / elapsed:,.0f} calls/s, {counts.faults} errors, {float(counts.cost_usd):.2f} USD"
        for task, done, planned in (
            (self._games, counts.games, counts.games_planned),
            (self._hands, counts.hands, counts.hands_planned),
            (self._positions, counts.positions, counts.positions_planned),
        ):
            told = "" if task == self._positions else note
            self._bars.update(task, completed=done, total=planned, note=told, visible=planned > 0)
