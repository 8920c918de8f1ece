"""One figure from several independent runs of one experiment.

    x = sum of w x_r / sum of w,   v = sum of w^2 v_r / (sum of w)^2

Each run weighs as much as it has independent repetitions, careers or units, which its plan fixed before it was played.
Inverse variances are not the weights: five careers know their variance so badly that a run whose careers happened to
be alike would decide alone, with an interval too narrow. The interval is Student's, with Satterthwaite's degrees of
freedom, v^2 / sum of (w^2 v_r / (sum of w)^2)^2 / df_r, rounded down (Satterthwaite 1946, Biometrics Bulletin 2:110).
"""

from collections.abc import Sequence
from fractions import Fraction
from math import floor
from typing import NamedTuple

from .distributions import t_quantile
from .estimate import ALPHA, Estimate
from .exact import figure, fixed, square_root
from .samples import Contrast, Interval


class RunFigure(NamedTuple):
    """The figure of one run: as published, and exactly with its variance; `contrast` is None without an interval."""

    estimate: Estimate
    contrast: Contrast | None

    @property
    def repetitions(self) -> int:
        """Independent repetitions of the arm that has fewest."""
        return min(self.estimate.n)


def pooled_runs(runs: Sequence[RunFigure]) -> RunFigure:
    """The figure of all runs that have an interval; one alone is as it is, and so is the first where none has one."""
    sure = [(run, run.contrast) for run in runs if run.contrast is not None]
    if len(sure) < 2:
        return sure[0][0] if sure else runs[0]
    total = sum(run.repetitions for run, _ in sure)
    shares = [Fraction(run.repetitions, total) for run, _ in sure]
    parts = [share**2 * one.squared_error for share, (_, one) in zip(shares, sure, strict=True)]
    value = sum((share * one.value for share, (_, one) in zip(shares, sure, strict=True)), Fraction(0))
    squared_error = sum(parts, Fraction(0))
    spread = sum((part**2 / one.df for part, (_, one) in zip(parts, sure, strict=True)), Fraction(0))
    pooled = Contrast(value, squared_error, Fraction(floor(squared_error**2 / spread)))
    half = t_quantile(1 - ALPHA / 2, pooled.df) * square_root(squared_error)
    first = sure[0][0].estimate
    counts = zip(*(run.estimate.n for run, _ in sure), strict=False)
    interval = Interval(fixed(value - half), fixed(value + half), "student-t")
    n = tuple(map(sum, counts))
    return RunFigure(Estimate(figure(value), interval, n, None, None, first.unit, first.over), pooled)
