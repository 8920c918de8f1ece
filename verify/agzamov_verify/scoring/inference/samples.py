"""Moments of a sample, all exact: size, mean, variance; contrasts of samples; an interval as it is published."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Final, TypeAlias

import msgspec
from msgspec import Meta

from .exact import square_root

Z_95: Final = Fraction(1959963984540054, 10**15)


Bound: TypeAlias = Annotated[str, Meta(pattern=r"^-?([0-9]{1,60}\.[0-9]{6}|inf)$")]


class Interval(msgspec.Struct, frozen=True):
    """A 95 % confidence interval: its bounds to six places, and how it was made."""

    low: Bound
    high: Bound
    method: str

    @property
    def variance(self) -> Fraction:
        """The squared standard error that a normal interval of this width has: ((high - low) / 2 / 1.96)^2."""
        return ((Fraction(self.high) - Fraction(self.low)) / 2 / Z_95) ** 2


def sample_variance(values: Sequence[int]) -> Fraction:
    """Unbiased sample variance (n - 1); 0 for fewer than two values."""
    n = len(values)
    if n < 2:
        return Fraction(0)
    total = sum(values)
    return Fraction(n * sum(value * value for value in values) - total * total, n * (n - 1))


class Moments(msgspec.Struct, frozen=True):
    """Size, mean and unbiased variance (n - 1; 0 for fewer than two) in the sample's own unit."""

    n: int
    mean: Fraction
    variance: Fraction

    @property
    def sd(self) -> Fraction:
        """The standard deviation, to sixty digits."""
        return square_root(self.variance)


class Contrast(msgspec.Struct, frozen=True):
    """A weighted sum of means of independent samples: its value, squared standard error and degrees of freedom.

    `df` are Welch and Satterthwaite's (Welch 1947, Biometrika 34:28); 0 where a sample leaves no variance to see.
    """

    value: Fraction
    squared_error: Fraction
    df: Fraction


def moments(values: Sequence[int]) -> Moments:
    """The moments of a sample that is not empty."""
    if not values:
        raise ValueError("a sample of at least one value was expected, not an empty one")
    return Moments(len(values), Fraction(sum(values), len(values)), sample_variance(values))


def contrast(groups: Sequence[Moments], weights: Sequence[Fraction]) -> Contrast:
    """The sum of weights times means: (1) for a mean, (1, -1) for a difference, (1, -1, -1, -1, 2) for synergy."""
    value = sum((weight * group.mean for weight, group in zip(weights, groups, strict=True)), Fraction(0))
    parts = [weight**2 * group.variance / group.n for weight, group in zip(weights, groups, strict=True)]
    error = sum(parts, Fraction(0))
    if not error or any(group.n < 2 for group in groups):
        return Contrast(value, error, Fraction(0))
    # Welch and Satterthwaite: df = (sum of v)^2 / sum of v^2 / (n - 1), with v = w^2 s^2 / n of each sample.
    spread = sum((part**2 / (group.n - 1) for part, group in zip(parts, groups, strict=True)), Fraction(0))
    return Contrast(value, error, error**2 / spread)
