"""Confidence intervals of means and contrasts: three bootstraps, and Student's t.

The percentile bootstrap is too narrow for small samples: it holds the truth in 90 % instead of 95 % of cases with ten
sessions. Two remedies, both still bootstraps of the protocol's resamples (docs/decisions/0013):

- expanded: the order statistics further out by t and n - 1 (Hesterberg 2015, The American Statistician 69:371);
- studentised: each resample divided by its own standard error (Efron and Tibshirani 1993, section 12.5), which also
  follows skewness; for values that hardly ever repeat.

Sums are integers; a studentised resample is ranked by one correctly rounded division and square root
(IEEE 754), so the ranks are the same on every machine, and the bound is computed exactly from the ranked sums.
"""

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from math import copysign, inf, lcm, sqrt
from typing import Final

import msgspec

from .distributions import normal_upper, t_quantile
from .exact import fixed, square_root
from .resampling import bootstrap_sums, fits
from .samples import Interval, Moments, contrast, moments

Samples = Sequence[Sequence[int]]
Weights = Sequence[Fraction]


class Bootstrap(StrEnum):
    """Method of computing bounds from the resamples."""

    PERCENTILE = "bootstrap"
    EXPANDED = "bootstrap-expanded"
    STUDENTISED = "bootstrap-t"


CHESS: Final = Bootstrap.EXPANDED
"""For start pairs, which take five values: a studentised resample of few of them often has no variation."""

POKER: Final = Bootstrap.STUDENTISED
"""For sessions of hands, skewed and with heavy tails."""


BB_PER_100: Final = "bb/100"


def bootstrap_of(unit: str) -> Bootstrap:
    """The bootstrap of an estimate, by the unit that it is published in."""
    return POKER if unit == BB_PER_100 else CHESS


class Resamples(msgspec.Struct, frozen=True):
    """A declared resampling: its seed, number and method of bounds, and the least number of units that gets bounds.

    `decided_min`: of bounded values, so many at least are not in the middle of their scale.
    """

    seed: bytes
    count: int
    method: Bootstrap
    units_min: int = 1
    decided_min: int = 0


class Bounds(msgspec.Struct, frozen=True):
    """An interval at level 1 - alpha before it is rounded, in the samples' unit."""

    low: Fraction
    high: Fraction
    method: str

    def interval(self, scale: Fraction) -> Interval:
        """Interval as published: times `scale`, to six places."""
        return Interval(fixed(self.low * scale), fixed(self.high * scale), self.method)

    def within(self, least: Fraction | None, greatest: Fraction | None, scale: Fraction) -> "Bounds":
        """The interval cut to the possible values; the truth is among them, so no coverage is lost."""
        low = self.low if least is None else max(self.low, least / scale)
        high = self.high if greatest is None else min(self.high, greatest / scale)
        return Bounds(low, high, self.method)


def bootstrap_bounds(samples: Samples, weights: Weights, alpha: Fraction, resamples: Resamples) -> Bounds | None:
    """Bounds of a contrast of means of independent samples by resampling each; None where the values do not vary.

    Expanded percentiles where studentised ones are infinite, since a resample that matters has no variation. Values too
    large for 64-bit sums are rounded to the least power of ten at which these hold them, so that the method does not
    depend on the unit in which values are counted.
    """
    if not contrast([moments(sample) for sample in samples], weights).df:
        return None
    if not _room(samples, weights, resamples.method):
        return _rounded_bounds(samples, weights, alpha, resamples)
    match resamples.method:
        case Bootstrap.PERCENTILE:
            return _percentile(samples, weights, alpha / 2, resamples)
        case Bootstrap.EXPANDED:
            return _percentile(samples, weights, expanded_tail(samples, weights, alpha), resamples)
        case Bootstrap.STUDENTISED:
            expanded = msgspec.structs.replace(resamples, method=Bootstrap.EXPANDED)
            bounds = _studentised(samples, weights, alpha, resamples)
            return bounds or bootstrap_bounds(samples, weights, alpha, expanded)


def _rounded_bounds(samples: Samples, weights: Weights, alpha: Fraction, resamples: Resamples) -> Bounds | None:
    """The bounds of samples whose values are rounded; Student's where there are too many, as rounding makes no room."""
    unit, rounded = 1, [list(sample) for sample in samples]
    while not _room(rounded, weights, resamples.method):
        unit *= 10
        if unit > max(abs(value) for sample in samples for value in sample):
            return t_bounds(samples, weights, alpha)
        rounded = [[round(Fraction(value, unit)) for value in sample] for sample in samples]
    bounds = bootstrap_bounds(rounded, weights, alpha, resamples)
    return Bounds(bounds.low * unit, bounds.high * unit, bounds.method) if bounds else t_bounds(samples, weights, alpha)


def t_bounds(samples: Samples, weights: Weights, alpha: Fraction) -> Bounds | None:
    """Student's interval, with Welch and Satterthwaite's degrees of freedom; None where the values do not vary."""
    total = contrast([moments(sample) for sample in samples], weights)
    if not total.df:
        return None
    half = t_quantile(1 - alpha / 2, total.df) * square_root(total.squared_error)
    return Bounds(total.value - half, total.value + half, "student-t")


def expanded_tail(samples: Samples, weights: Weights, alpha: Fraction) -> Fraction:
    """The share of resamples to leave out at either end so that percentiles are as wide as Student's interval."""
    groups = [moments(sample) for sample in samples]
    total = contrast(groups, weights)
    # Resampled means are near normal with a variance of (n - 1) / n of the squared standard error; a percentile that
    # lies as far out as Student's bound leaves out P(Z > t SE / SD of resampled means) (Hesterberg 2015).
    variance = sum((_resampled_variance(*weighted) for weighted in zip(weights, groups, strict=True)), Fraction(0))
    return normal_upper(square_root(total.squared_error / variance) * t_quantile(1 - alpha / 2, total.df))


def _percentile(samples: Samples, weights: Weights, tail: Fraction, resamples: Resamples) -> Bounds:
    whole, factors = _whole(samples, weights)
    # contrast = sum of w sum(x) / n = sum of factor sum(x) / whole, in whole numbers.
    totals = [0] * resamples.count
    for index, (sample, factor) in enumerate(zip(samples, factors, strict=True)):
        sums = bootstrap_sums([sample], resamples.seed, index, resamples.count)[0]
        if index or factor != 1:
            totals = [total + factor * one for total, one in zip(totals, sums, strict=True)]
        else:
            totals = sums
    low, high = (Fraction(total, whole) for total in _ends(sorted(totals), tail))
    return Bounds(low, high, f"{resamples.method.value}-{resamples.count}")


def _studentised(samples: Samples, weights: Weights, alpha: Fraction, resamples: Resamples) -> Bounds | None:
    """None where a bound is infinite."""
    whole, factors = _whole(samples, weights)
    away = [-sum(factor * sum(values) for factor, values in zip(factors, samples, strict=True))] * resamples.count
    # `away`: a resample's contrast less the observed one, times `whole`. Its squared standard error is the sum over
    # samples of w^2 (n sum x^2 - (sum x)^2) / (n^2 (n - 1)).
    squares, shares, error = [], [], [0.0] * resamples.count
    for index, (sample, factor, weight) in enumerate(zip(samples, factors, weights, strict=True)):
        n = len(sample)
        columns = [sample, [value * value for value in sample]]
        first, second = bootstrap_sums(columns, resamples.seed, index, resamples.count)
        away = [total + factor * one for total, one in zip(away, first, strict=True)]
        squares.append([n * two - one * one for one, two in zip(first, second, strict=True)])
        shares.append(weight**2 / (n * n * (n - 1)))
        share = float(shares[-1])
        error = [total + float(square) * share for total, square in zip(error, squares[-1], strict=True)]
    rank = [_rank(*row) for row in zip(away, error, strict=True)]
    total = contrast([moments(sample) for sample in samples], weights)
    # bound = value - t* SE, where t* is the resampled statistic at the opposite end and SE the sample's own.
    steps = []
    for index in _ends(sorted(range(resamples.count), key=rank.__getitem__), alpha / 2):
        variance = sum((share * square[index] for share, square in zip(shares, squares, strict=True)), Fraction(0))
        if not variance:
            return None
        steps.append(Fraction(away[index], whole) * square_root(total.squared_error / variance))
    return Bounds(total.value - steps[1], total.value - steps[0], f"{resamples.method.value}-{resamples.count}")


def _rank(away: int, error: float) -> float:
    """A resample's distance in its own standard errors, infinite where it has none."""
    if error > 0:
        return float(away) / sqrt(error)
    return copysign(inf, away) if away else 0.0


def _ends(ordered: Sequence[int], tail: Fraction) -> tuple[int, int]:
    """The order statistics that leave out `tail` of the resamples at either end."""
    cut = int(len(ordered) * tail)
    return ordered[cut], ordered[len(ordered) - 1 - cut]


def _whole(samples: Samples, weights: Weights) -> tuple[int, list[int]]:
    """The least factor that makes the contrast a whole number, and the weight of each sample's sum with that factor."""
    whole = lcm(*(len(sample) * weight.denominator for sample, weight in zip(samples, weights, strict=True)))
    return whole, [int(weight * whole / len(sample)) for sample, weight in zip(samples, weights, strict=True)]


def _room(samples: Samples, weights: Weights, method: Bootstrap) -> bool:
    """True if all sums stay below 2^62."""
    _, factors = _whole(samples, weights)
    tops = [len(sample) * max(map(abs, sample)) for sample in samples]
    squares = [top * top if method is Bootstrap.STUDENTISED else 0 for top in tops]
    total = sum(abs(factor) * top for factor, top in zip(factors, tops, strict=True))
    return all(fits([sample]) for sample in samples) and max(total, *squares) < 2**62


def _resampled_variance(weight: Fraction, group: Moments) -> Fraction:
    """The variance of a weighted mean over all resamples: n - 1 of n parts of its squared standard error."""
    return weight**2 * group.variance * (group.n - 1) / group.n**2
