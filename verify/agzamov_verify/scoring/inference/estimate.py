"""An estimate: a value that never stands alone, but with its interval, its n, its SD and what it could have found.

Values of a sample are whole numbers in their own unit (half-points of a pair, chips of a session); `Scale` turns
them into the published one. Which interval and why: docs/decisions/0013.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import msgspec

from ..exact import Figure, figure, fixed, square_root
from ..statistics import Interval
from .intervals import Resamples, bootstrap_bounds, ratio_bounds, ratio_residuals
from .power import POWER, detectable_noncentrality, mde_t
from .precise import rounded
from .proportions import wilson, wilson_interval
from .samples import Contrast, Moments, contrast, moments

ALPHA: Final = Fraction(1, 20)


class Scale(msgspec.Struct, frozen=True):
    """What one whole number of a sample is worth, in which unit; the least and greatest figure, if there are such."""

    unit: str
    factor: Fraction
    least: Fraction | None = None
    greatest: Fraction | None = None


PAIR_SCORE: Final = Scale("score", Fraction(1, 4), Fraction(0), Fraction(1))
"""Half-points of a start pair, as points per game."""


def session_bb_per_100(session_hands: int) -> Scale:
    """Chips of a session of so many hands, as big blinds per 100 hands (100 chips are a big blind)."""
    return Scale("bb/100", Fraction(1, session_hands))


class Estimate(msgspec.Struct, frozen=True):
    """A figure with its uncertainty, in `unit`.

    `n` and `sd` are of each sample (a difference has two). `mde` is the minimum detectable effect: what a two-sided
    test at 5 % would find with 80 % power, given these variances and sizes (noncentral t). None is what the sample
    cannot say: of no values nothing; without variation no `mde`, and an interval only if values have bounds (Wilson's).
    """

    value: Figure | None
    ci: Interval | None
    n: tuple[int, ...]
    sd: tuple[Figure, ...] | None
    mde: Figure | None
    unit: str


def mean_estimate(values: Sequence[int], scale: Scale, how: Resamples) -> Estimate:
    """The mean of one sample."""
    return contrast_estimate([values], [Fraction(1)], scale, how)


def paired_estimate(a: Sequence[int], b: Sequence[int], scale: Scale, how: Resamples) -> Estimate:
    """The mean of a - b, pair by pair (the same start, the same deck)."""
    reach = None if scale.least is None or scale.greatest is None else scale.greatest - scale.least
    signed = Scale(scale.unit, scale.factor, None if reach is None else -reach, reach)
    return mean_estimate([one - other for one, other in zip(a, b, strict=True)], signed, how)


def difference_estimate(a: Sequence[int], b: Sequence[int], scale: Scale, how: Resamples) -> Estimate:
    """The mean of a less the mean of b, two independent samples."""
    return contrast_estimate([a, b], [Fraction(1), Fraction(-1)], scale, how)


def contrast_estimate(
    samples: Sequence[Sequence[int]], weights: Sequence[Fraction], scale: Scale, how: Resamples
) -> Estimate:
    """A weighted sum of the means of independent samples."""
    sizes = tuple(map(len, samples))
    if not all(sizes):
        return Estimate(None, None, sizes, None, None, scale.unit)
    groups = [moments(sample) for sample in samples]
    found = contrast(groups, weights)
    sd = tuple(rounded(group.sd * scale.factor) for group in groups) if min(sizes) > 1 else None
    value = figure(found.value * scale.factor)
    return Estimate(value, _interval(samples, weights, scale, how), sizes, sd, _mde(found, scale), scale.unit)


def share_estimate(successes: int, n: int, unit: str = "share") -> Estimate:
    """A proportion with Wilson's interval."""
    interval = wilson_interval(successes, n, ALPHA)
    if not n:
        return Estimate(None, interval, (0,), None, None, unit)
    share = Fraction(successes, n)
    sd = square_root(share * (1 - share) * Fraction(n, n - 1)) if n > 1 else None
    return Estimate(
        figure(share),
        interval,
        (n,),
        None if sd is None else (rounded(sd),),
        rounded(mde) if sd and (mde := mde_t(sd, n, ALPHA)) else None,
        unit,
    )


def ratio_estimate(above: Sequence[int], below: Sequence[int], scale: Scale, how: Resamples) -> Estimate:
    """sum(above) / sum(below), unit by unit; `sd` is that of the linearised residuals. The sum below must be > 0."""
    n = len(above)
    if sum(below) <= 0:
        return Estimate(None, None, (n,), None, None, scale.unit)
    residuals = ratio_residuals(above, below)
    bounds = ratio_bounds(above, below, ALPHA, how)
    sd, mde = residuals.sd * scale.factor, mde_t(residuals.sd, n, ALPHA) if residuals.variance else None
    return Estimate(
        figure(residuals.mean * scale.factor),
        None if bounds is None else bounds.interval(scale.factor),
        (n,),
        (rounded(sd),) if n > 1 else None,
        None if mde is None else rounded(mde * scale.factor),
        scale.unit,
    )


def _interval(
    samples: Sequence[Sequence[int]], weights: Sequence[Fraction], scale: Scale, how: Resamples
) -> Interval | None:
    groups = [moments(sample) for sample in samples]
    bounded = scale.least is not None and scale.greatest is not None
    if bounded and not all(group.variance for group in groups):
        return _score_interval(groups, weights, scale)
    bounds = bootstrap_bounds(samples, weights, ALPHA, how)
    return None if bounds is None else bounds.interval(scale.factor)


def _score_interval(groups: Sequence[Moments], weights: Sequence[Fraction], scale: Scale) -> Interval:
    """Where a sample of bounded values shows no variation, a resampling of it shows no doubt either.

    Wilson's bounds for each mean, put together by the squares of their distances (Newcombe 1998, Statistics in
    Medicine 17:873).
    """
    assert scale.least is not None
    assert scale.greatest is not None
    reach, value, down, up = scale.greatest - scale.least, Fraction(0), Fraction(0), Fraction(0)
    for group, weight in zip(groups, weights, strict=True):
        share = (group.mean * scale.factor - scale.least) / reach
        low, high = wilson(share, group.n, ALPHA)
        below, above = (share - low, high - share) if weight > 0 else (high - share, share - low)
        value += weight * group.mean * scale.factor
        down += (weight * reach * below) ** 2
        up += (weight * reach * above) ** 2
    return Interval(fixed(value - square_root(down)), fixed(value + square_root(up)), "wilson")


def _mde(found: Contrast, scale: Scale) -> Figure | None:
    if not found.df:
        return None
    errors = detectable_noncentrality(int(found.df), ALPHA, POWER)
    return rounded(errors * square_root(found.squared_error) * abs(scale.factor))
