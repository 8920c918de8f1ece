"""Components of every figure with an uncertainty: an interval as published, the normal quantile, a variance."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Final, TypeAlias

import msgspec
from msgspec import Meta

Z_95: Final = Fraction(1959963984540054, 10**15)


Bound: TypeAlias = Annotated[str, Meta(pattern=r"^-?([0-9]{1,60}\.[0-9]{6}|inf)$")]


class Interval(msgspec.Struct, frozen=True):
    """A 95 % confidence interval: its bounds to six places, and how it was made."""

    low: Bound
    high: Bound
    method: str


def sample_variance(values: Sequence[int]) -> Fraction:
    """Unbiased sample variance (n - 1); 0 for fewer than two values."""
    n = len(values)
    if n < 2:
        return Fraction(0)
    total = sum(values)
    return Fraction(n * sum(value * value for value in values) - total * total, n * (n - 1))
