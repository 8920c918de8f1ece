"""Answers corrected for their number: of twenty comparisons of arms alike, one interval lies beside 0 by luck.

The comparisons of a run are its answers that have intervals, or no difference at all. The p of a figure is Welch's t,
from its own sizes and standard deviations; that of an answer the greatest of its figures, since all must hold (an
intersection-union test, Berger 1982). Holm's method corrects them (Holm 1979). An answer whose corrected p is not below
5 % is no difference.
"""

from collections.abc import Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Final, NamedTuple

from ...scoring.inference.distributions import t_two_sided
from ...scoring.inference.estimate import ALPHA, Estimate
from ...scoring.inference.significance import holm

WIDTHS: Final = 2 * NormalDist().inv_cdf(0.975)
"""Width of a 95 % interval in standard errors."""


class Corrected(NamedTuple):
    """The p of an answer, corrected for so many comparisons of its run."""

    p: Fraction
    comparisons: int

    @property
    def holds(self) -> bool:
        """Whether something is shown."""
        return self.p < ALPHA


def p_of(estimate: Estimate, null: float) -> Fraction | None:
    """The two-sided p of a figure with an interval, against the value of no difference; None without an interval."""
    if estimate.value is None or estimate.ci is None:
        return None
    away = Fraction(estimate.value.decimal) - Fraction(str(null))
    if not away:
        return Fraction(1)
    sds = [Fraction(sd.decimal) for sd in estimate.sd or ()]
    if len(sds) != len(estimate.n) or min(estimate.n) < 2:
        low, high = float(estimate.ci.low), float(estimate.ci.high)
        return Fraction(2 * NormalDist().cdf(-abs(float(away)) * WIDTHS / (high - low))) if high > low else None
    parts = [sd**2 / n for sd, n in zip(sds, estimate.n, strict=True)]
    error = sum(parts, Fraction(0))
    if not error:  # all alike: as many of one sign
        return Fraction(1, 2 ** (min(estimate.n) - 1))
    spread = sum((part**2 / (n - 1) for part, n in zip(parts, estimate.n, strict=True)), Fraction(0))
    return t_two_sided(away**2 / error, error**2 / spread)


def corrected(ps: Sequence[Fraction | None]) -> list[Corrected | None]:
    """The corrected p of each answer of a run; None of one without."""
    known = [p for p in ps if p is not None]
    adjusted = iter(holm(known))
    return [None if p is None else Corrected(next(adjusted), len(known)) for p in ps]
