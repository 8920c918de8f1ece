"""The answer of a contender on a board, in the words of a report: better, worse, no difference shown, or no result.

It is the verdict of the row's pooled figures by the rules of one run (`show.text.answers`), but for its correction for
many comparisons, since a row stands alone: a contender is called better only if it beat both its control and its
placebo, where one was played. The figure that is ranked comes first.
"""

from collections.abc import Sequence
from typing import NamedTuple

from agzamov_verify.scoring.inference.estimate import Estimate
from agzamov_verify.show.text.answers import ALL_ALIKE, Comparison, Shown, comparison, together

from .board_runs import Board, BoardRun, Compared


class RowAnswer(NamedTuple):
    """The verdict, the figures that it rests on, and why there is no result."""

    shown: Shown
    figures: tuple[Comparison, ...]
    why: str = ""

    @property
    def is_alike(self) -> bool:
        """True where every result is the same as without: a difference of exactly nothing, which has no interval."""
        return all(one.why_none == ALL_ALIKE for one in self.figures)


def answer_of(board: Board, runs: Sequence[BoardRun], effect: Estimate, less_naked: Estimate | None) -> RowAnswer:
    """The answer of one or more runs with their pooled figures. `effect`: the one that is ranked.

    Where no report of the runs has a result, there is none here.
    """
    figures = tuple(_figures(board, effect, less_naked))
    shown = Shown.NO_RESULT if all(run.no_result for run in runs) else together(figures)
    if shown is not Shown.NO_RESULT:
        return RowAnswer(shown, figures)
    told = [run.no_result for run in runs] + [one.why_none for one in figures]
    return RowAnswer(shown, figures, next(filter(None, told), "no figure"))


def _figures(board: Board, effect: Estimate, less_naked: Estimate | None) -> list[Comparison]:
    if board.compared is Compared.NAKED:
        return [comparison("none", effect, board.game)]
    beside = [comparison("none", less_naked, board.game)] if less_naked else []
    return [comparison("a placebo", effect, board.game), *beside]
