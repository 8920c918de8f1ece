"""Rows of a leaderboard, one a contender, with ranks that stay open where the data leave them open.

All runs of a contender that were submitted to one board are pooled (`pooled_runs`), so a lucky run among many is one of
many in the mean. Ranks are the simultaneous rank sets of `rank_sets` over the contenders of a board.

Rows stand in the order of the lower ends of their intervals. A lower end below 0 counts as 0: such a row was not shown
to add anything, and those stand in the order of their figures. By the bare lower end a contender of no effect would
rise with each further run, since a narrower interval around 0 has a higher lower end.

Rows without a result or an interval, and scripted players, have no rank; so have those of a submitter beyond the
policy's number of contenders on one board, in the order in which they came, since systems and weights can be made at
will; and those of a submitter of whom an accepted run was taken away, since a mean without it is none. They stand last.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from agzamov_verify.scoring.inference.estimate import Estimate
from agzamov_verify.scoring.inference.pooled_runs import RunFigure, pooled_runs
from agzamov_verify.scoring.inference.rank_sets import DRAWS, rank_sets
from agzamov_verify.show.text.answers import Shown
from agzamov_verify.show.text.cost_words import Cost, total_cost

from .board_runs import COMPLIANT, DEPARTS, SCRIPT, Board, BoardRun, Compared, Contender
from .row_answers import RowAnswer, answer_of


class BoardRow(NamedTuple):
    """A contender on a board. `runs`: in the order in which they came. `figure`: of all that have an interval."""

    board: Board
    contender: Contender
    runs: tuple[BoardRun, ...]
    figure: RunFigure
    less_naked: Estimate | None
    less_filler: Estimate | None

    @property
    def submitter(self) -> str:
        """The name that the policy has for the key."""
        return self.runs[0].submitter

    @property
    def models(self) -> list[str]:
        """The names that the runs have for the model; the submitter chose them."""
        return list(dict.fromkeys(run.model for run in self.runs))

    @property
    def systems(self) -> list[str]:
        """The names that the runs have for the system; the submitter chose them."""
        return list(dict.fromkeys(run.system for run in self.runs))

    @property
    def effect(self) -> Estimate:
        """The pooled figure."""
        return self.figure.estimate

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The 95 % interval; None where there is none."""
        return (float(self.effect.ci.low), float(self.effect.ci.high)) if self.effect.ci else None

    @property
    def in_figure(self) -> list[BoardRun]:
        """The runs that the figure is of: all that have an interval; the first where none has one."""
        return [run for run in self.runs if run.figure.contrast] or list(self.runs[:1])

    @property
    def answer(self) -> RowAnswer:
        """What the figures show, by the rules of a report, without its correction for many comparisons."""
        return answer_of(self.board, self.runs, self.effect, self.less_naked)

    @property
    def cost(self) -> Cost | None:
        """The cost of all runs that are in the figure."""
        return total_cost(run.cost for run in self.in_figure)

    @property
    def careers(self) -> int:
        """Careers of all runs that are in the figure."""
        return sum(run.careers for run in self.in_figure)

    @property
    def warnings(self) -> int:
        """Warnings of all runs together."""
        return sum(len(run.warnings) for run in self.runs)

    @property
    def level(self) -> str:
        """The least level of its runs."""
        return min(run.level for run in self.runs)

    @property
    def plan(self) -> str:
        """Whether a plan of its runs departs from its protocol."""
        return max((run.plan for run in self.runs), key=(COMPLIANT, DEPARTS).index)

    @property
    def lineage(self) -> str:
        """The worst tier of the lineage of its memory."""
        return max(run.lineage for run in self.runs)

    @property
    def weights(self) -> str:
        """Whether the weights at the tables of all its runs were sealed."""
        return min(run.weights for run in self.runs)


class Ranked(NamedTuple):
    """A row with the best and the worst rank that the data leave open; None where it has none, and why."""

    row: BoardRow
    ranks: tuple[int, int] | None
    why_none: str = ""


NO_INTERVAL: Final = "no interval"
NO_RESULT: Final = "no result"
NO_MODEL: Final = "no model plays"


NOTHING_GONE: Final[Mapping[str, int]] = MappingProxyType({})


def boards_of(
    runs: Iterable[BoardRun], contenders_max: int, gone: Mapping[str, int] = NOTHING_GONE, draws: int = DRAWS
) -> dict[Board, list[Ranked]]:
    """Every board with its rows, those with placebo before those without.

    `runs`: in the order in which they came. `gone`: by key, the accepted runs that were taken away.
    """
    by_board: dict[Board, list[BoardRun]] = {}
    for run in runs:
        by_board.setdefault(run.board, []).append(run)
    ordered = sorted(by_board, key=lambda board: (*board[:4], board.compared is not Compared.PLACEBO))
    return {board: ranked(rows_of(by_board[board]), contenders_max, gone, draws) for board in ordered}


def rows_of(runs: Sequence[BoardRun]) -> list[BoardRow]:
    """One row for each contender of the runs of one board, in the order in which they came."""
    by_contender: dict[Contender, list[BoardRun]] = {}
    for run in runs:
        by_contender.setdefault(run.contender, []).append(run)
    return [_row(contender, own) for contender, own in by_contender.items()]


def _row(contender: Contender, runs: Sequence[BoardRun]) -> BoardRow:
    figure = pooled_runs([run.figure for run in runs])
    less_naked, less_filler = _pooled([run.less_naked for run in runs]), _pooled([run.less_filler for run in runs])
    return BoardRow(runs[0].board, contender, tuple(runs), figure, less_naked, less_filler)


def _pooled(figures: Sequence[RunFigure | None]) -> Estimate | None:
    """The figures that there are, pooled; None where there is none."""
    known = [figure for figure in figures if figure]
    return pooled_runs(known).estimate if known else None


def ranked(
    rows: Sequence[BoardRow], contenders_max: int, gone: Mapping[str, int] = NOTHING_GONE, draws: int = DRAWS
) -> list[Ranked]:
    """The rows of one board in their order, with their ranks. `rows`: in the order in which they came; `gone`: as
    `boards_of`.
    """
    reasons = _reasons(rows, contenders_max, gone)
    competing = [row for row in rows if row.contender not in reasons]
    figures = [row.figure.contrast for row in competing if row.figure.contrast]
    sets = dict(zip((row.contender for row in competing), rank_sets(figures, draws=draws), strict=True))
    places = [Ranked(row, sets.get(row.contender), reasons.get(row.contender, "")) for row in rows]
    return sorted(places, key=_sort_key)


def _reasons(rows: Sequence[BoardRow], contenders_max: int, gone: Mapping[str, int]) -> Mapping[Contender, str]:
    """Why rows have no rank, by contender."""
    reasons, ranked_of = {}, Counter[str]()
    for row in rows:
        if row.weights == SCRIPT:
            reasons[row.contender] = NO_MODEL
        elif row.answer.shown is Shown.NO_RESULT:
            reasons[row.contender] = NO_RESULT
        elif row.figure.contrast is None:
            reasons[row.contender] = NO_INTERVAL
        elif away := gone.get(row.contender.key, 0):
            runs = "an accepted run" if away == 1 else f"{away} accepted runs"
            reasons[row.contender] = f"{runs} of this submitter taken away"
        elif ranked_of[row.contender.key] >= contenders_max:
            reasons[row.contender] = f"beyond {contenders_max} contenders of one submitter"
        else:
            ranked_of[row.contender.key] += 1
    return reasons


def _sort_key(place: Ranked) -> tuple[bool, bool, float, float, Contender]:
    """Ranked rows first; by the lower end, 0 for one below; then by the figure."""
    row = place.row
    low = row.bounds[0] if row.bounds else 0.0
    value = float(row.effect.value.decimal) if row.effect.value else 0.0
    return place.ranks is None, row.bounds is None, -max(0.0, low), -value, row.contender
