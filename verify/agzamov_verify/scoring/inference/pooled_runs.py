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


def pooled_contrast(shares: Sequence[Fraction], runs: Sequence[Contrast]) -> Contrast:
    """The figure of several independent runs whose shares add up to 1; df are 0 where no run has a variance."""
    value = sum((share * one.value for share, one in zip(shares, runs, strict=True)), Fraction(0))
    parts = [share**2 * one.squared_error for share, one in zip(shares, runs, strict=True)]
    squared_error = sum(parts, Fraction(0))
    spread = sum((part**2 / one.df for part, one in zip(parts, runs, strict=True) if part), Fraction(0))
    return Contrast(value, squared_error, Fraction(floor(squared_error**2 / spread)) if spread else Fraction(0))


def pooled_bounds(measured: Contrast) -> tuple[Fraction, Fraction]:
    """Student's interval of 95 % of a figure; the figure itself where it has no variance."""
    if not measured.squared_error:
        return measured.value, measured.value
    half = t_quantile(1 - ALPHA / 2, measured.df) * square_root(measured.squared_error)
    return measured.value - half, measured.value + half


def pooled_runs(runs: Sequence[RunFigure]) -> RunFigure:
    """The figure of all runs that have an interval; one alone is as it is, and so is the first where none has one."""
    sure = [(run, run.contrast) for run in runs if run.contrast is not None]
    if len(sure) < 2:
        return sure[0][0] if sure else runs[0]
    total = sum(run.repetitions for run, _ in sure)
    shares = [Fraction(run.repetitions, total) for run, _ in sure]
    pooled = pooled_contrast(shares, [one for _, one in sure])
    low, high = pooled_bounds(pooled)
    first = sure[0][0].estimate
    counts = zip(*(run.estimate.n for run, _ in sure), strict=False)
    interval = Interval(fixed(low), fixed(high), "student-t")
    n = tuple(map(sum, counts))
    return RunFigure(Estimate(figure(pooled.value), interval, n, None, None, first.unit, first.over), pooled)
