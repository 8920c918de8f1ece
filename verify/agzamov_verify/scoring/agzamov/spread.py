"""How far a score moves when its units are drawn again: a percentile bootstrap in integers.

Baseline, control and real arm are drawn apart; control and real arm together where they were played on the same
starts. Places in [0, 1] are cut to twelve decimals before they are summed.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from operator import mul
from typing import NamedTuple

from ..exact import fixed
from ..inference.resampling import resampled_sums
from ..statistics import Interval, sample_variance
from .measures import Units

ONE = 10**12
TAIL_PERMILLE = 25


class Drawn(NamedTuple):
    """P of baseline, control and real arm in each resample."""

    baseline: list[Fraction]
    control: list[Fraction]
    real: list[Fraction]


class Spread(NamedTuple):
    """The score's interval and its variance, and the variance of each component's place."""

    ci: Interval
    variance: Fraction
    variances: tuple[Fraction, ...]


def drawn(baseline: Units, control: Units, real: Units, seed: bytes, resamples: int) -> Drawn:
    """The resampled means of one game."""
    if control.pairs_with(real):
        both = resampled_sums([control.values, real.values], seed, 1, resamples)
    else:
        both = [resampled_sums([one.values], seed, at, resamples)[0] for at, one in ((1, control), (2, real))]
    first = resampled_sums([baseline.values], seed, 0, resamples)[0]
    sums = zip((first, *both), (baseline, control, real), strict=True)
    return Drawn(*([_mean(int(total), units) for total in column] for column, units in sums))


def spread_of(columns: Sequence[Sequence[Fraction]], weights: Sequence[Fraction], scale: int, resamples: int) -> Spread:
    """The interval of the weighted sum, from each component's place in every resample."""
    whole = [[int(place * ONE) for place in column] for column in columns]
    shared = lcm(*(weight.denominator for weight in weights))
    factors = [int(weight * shared) for weight in weights]
    totals = sorted(sum(map(mul, factors, row)) for row in zip(*whole, strict=True))
    cut = resamples * TAIL_PERMILLE // 1000
    low, high = (fixed(Fraction(scale * end, ONE * shared)) for end in (totals[cut], totals[resamples - 1 - cut]))
    variances = tuple(sample_variance(column) / ONE**2 for column in whole)
    variance = sample_variance(totals) * Fraction(scale, ONE * shared) ** 2
    return Spread(Interval(low, high, f"bootstrap-{resamples}"), variance, variances)


def _mean(total: int, units: Units) -> Fraction:
    return total * units.scale.factor / len(units.values)
