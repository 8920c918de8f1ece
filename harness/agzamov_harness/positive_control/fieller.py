"""The interval of a ratio of two means over the same careers (Fieller 1954, JRSS B 16:175).

With pairs (x, y) of n careers the values r for which mean(x) - r mean(y) is not significantly away from 0:

    (mx - r my)^2 <= t^2 (vx - 2 r vxy + r^2 vy),   v: variances and covariance of the means, t: Student's, n - 1

Where my itself is not significantly away from 0 they have no bounds, and there is no interval.
"""

from collections.abc import Sequence
from math import sqrt
from statistics import covariance, mean, variance
from typing import NamedTuple

from scipy.stats import t as t_distribution

LEVEL = 0.95


class Share(NamedTuple):
    """A ratio of means and its interval; None where the denominator may be 0."""

    value: float
    low: float | None
    high: float | None


def share_of(x: Sequence[float], y: Sequence[float]) -> Share | None:
    """mean(x) / mean(y), of careers in the same order. None where it is not defined."""
    n = len(x)
    if n != len(y) or not n or not mean(y):
        return None
    mx, my = mean(x), mean(y)
    if n < 2:
        return Share(mx / my, None, None)
    vx, vy, vxy = variance(x) / n, variance(y) / n, covariance(x, y) / n
    t2 = float(t_distribution.isf((1 - LEVEL) / 2, n - 1)) ** 2
    a, b, c = my * my - t2 * vy, mx * my - t2 * vxy, mx * mx - t2 * vx
    if a <= 0:
        return Share(mx / my, None, None)
    half = sqrt(max(0.0, b * b - a * c))
    return Share(mx / my, (b - half) / a, (b + half) / a)
