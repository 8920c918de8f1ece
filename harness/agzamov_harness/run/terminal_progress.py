"""Progress on a terminal, and nothing where there is none."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from agzamov_verify.table.registry import GAMES

from .progress import ProgressCounts, Watcher

SPEED_OF_S = 3600
"""Chess games end minutes apart: the time left is told from the speed of the last hour, not of rich's half minute."""


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
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, speed_estimate_period=SPEED_OF_S) as bars:
        yield _Bars(bars)


class _Bars:
    """Draws ProgressCounts as a bar for the results of each game, and one for the positions judged afterwards."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._results = {
            name: bars.add_task(f"{game.title} {game.result.many}", total=0, note="", visible=False)
            for name, game in GAMES.items()
        }
        self._positions = bars.add_task("positions judged", total=0, note="", visible=False)

    def update(self, counts: ProgressCounts) -> None:
        elapsed = self._bars.tasks[0].elapsed or 1
        note = f"{counts.calls / elapsed:,.0f} calls/s, {counts.faults} errors, {float(counts.cost_usd):.2f} USD"
        for name, (done, planned) in counts.results.items():
            self._bars.update(self._results[name], completed=done, total=planned, note=note, visible=planned > 0)
        done, planned = counts.positions, counts.positions_planned
        self._bars.update(self._positions, completed=done, total=planned, visible=planned > 0)
