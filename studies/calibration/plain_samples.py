"""Estimates of plain samples, as calibration and the tests take them: a mean, a paired difference, an interval."""

from collections.abc import Sequence
from fractions import Fraction

from agzamov_verify.scoring.inference.estimate import ALPHA, Estimate, Scale, contrast_estimate
from agzamov_verify.scoring.inference.intervals import Resamples, bootstrap_bounds
from agzamov_verify.scoring.inference.samples import Interval


def mean_estimate(values: Sequence[int], scale: Scale, how: Resamples) -> Estimate:
    """The mean of one sample."""
    return contrast_estimate([values], [Fraction(1)], scale, how)


def paired_estimate(a: Sequence[int], b: Sequence[int], scale: Scale, how: Resamples) -> Estimate:
    """The mean of a - b, pair by pair (the same start, the same deck)."""
    reach = None if scale.least is None or scale.greatest is None else scale.greatest - scale.least
    signed = Scale(scale.unit, scale.factor, None if reach is None else -reach, reach)
    return mean_estimate([one - other for one, other in zip(a, b, strict=True)], signed, how)


def interval_of(
    samples: Sequence[Sequence[int]], weights: Sequence[Fraction], scale: Scale, how: Resamples
) -> Interval | None:
    """The interval of a contrast of samples that vary, without the rest of an estimate, which takes longer."""
    bounds = bootstrap_bounds(samples, weights, ALPHA, how)
    return bounds.interval(scale.factor) if bounds else None
