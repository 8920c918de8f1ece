"""The figures of a run that another execution of its plan can be compared with: each match's headline, each delta's.

A figure without an interval says nothing about another one, and a match that its own results may end has no fixed size:
both are left out.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from .analysis import Analysis
from .game_scoring import match_of
from .inference.estimate import Estimate
from .inference.samples import Contrast

DECIMALS = 12


class RepeatedFigure(NamedTuple):
    """A figure by its name, with its unit, and with its value, variance and degrees of freedom."""

    name: str
    unit: str
    measured: Contrast


def repeated_figures(analysis: Analysis) -> list[RepeatedFigure]:
    """The figures in the order of the analysis, rounded to so many decimals as a statement about them has."""
    open_ended = {watched.match for watched in analysis.sequential if watched.open_ended}
    return list(_found(analysis, open_ended))


def _found(analysis: Analysis, open_ended: set[str]) -> Iterator[RepeatedFigure]:
    for match in analysis.matches:
        if match_of(match.id) not in open_ended:
            yield from _figure(match.id, match.main.everything)
    for delta in analysis.deltas:
        name = f"delta/{delta.game}/{delta.model}/{delta.augmentation}/{delta.system}"
        yield from _figure(name[:200], delta.headline)


def _figure(name: str, estimate: Estimate) -> Iterator[RepeatedFigure]:
    """The figure of an estimate with an interval, by the SD and size of each of its samples.

    Of samples that do not vary it has the variance of Wilson's interval, as a delta has (`measured_difference`): with
    none, all wins twice would agree with certainty, however few they are.
    """
    if estimate.value is None or estimate.ci is None or estimate.sd is None or min(estimate.n) < 2:
        return
    parts = [Fraction(sd.exact) ** 2 / n for sd, n in zip(estimate.sd, estimate.n, strict=False)]
    error = sum(parts, Fraction(0))
    spread = sum((part**2 / (n - 1) for part, n in zip(parts, estimate.n, strict=False)), Fraction(0))
    df = error**2 / spread if spread else Fraction(min(estimate.n) - 1)
    if estimate.ci.method == "wilson":
        error, df = estimate.ci.variance, Fraction(min(estimate.n) - 1)
    yield RepeatedFigure(name, estimate.unit, Contrast(*map(_cut, (Fraction(estimate.value.exact), error, df))))


def _cut(value: Fraction) -> Fraction:
    """A value rounded to the decimals of a statement, so that both sides compute from equal numbers."""
    return Fraction(round(value * 10**DECIMALS), 10**DECIMALS)
