"""Forty-digit arithmetic for irrational numbers, and rounding to figures.

The context is this package's own: mpmath's shared one can be changed by anybody in the process. Its
arithmetic is on integers, so it gives the same digits everywhere; a figure keeps six of them.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, TypeAlias

import mpmath

from ..exact import Figure, figure, fixed

DIGITS: Final = 40
ROOT_STEPS_MAX: Final = 300

mp = mpmath.MPContext()
mp.dps = DIGITS
TOLERANCE: Final = mp.mpf(10) ** -20

Real: TypeAlias = Any  # mpmath has no types: a number of this context


def real(value: Fraction | int) -> Real:
    """The value with forty digits."""
    ratio = Fraction(value)
    return mp.mpf(ratio.numerator) / ratio.denominator


def rational(value: Real) -> Fraction:
    """The exact value of a forty-digit number. It must be finite."""
    mantissa, exponent = mp.mpf(value).man_exp  # without the sign
    size = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return -size if value < 0 else size


def rounded(value: Fraction) -> Figure:
    """A figure from an irrational number: only its six places are claimed."""
    return figure(Fraction(fixed(value)))


def root(function: Callable[[Real], Real], low: Real, high: Real, tolerance: Real = TOLERANCE) -> Real:
    """Root of a monotone function that changes its sign between `low` and `high`.

    Regula falsi with the Illinois step (Dowell and Jarratt 1971, BIT 11:168), until the bounds are as near to each
    other as `tolerance`, relative to 1 + |root|. Numbers of this context, or Decimals throughout.
    """
    at_low, at_high = function(low), function(high)
    assert at_low * at_high <= 0, "the bounds hold no root"
    for _ in range(ROOT_STEPS_MAX):
        if at_high == 0 or abs(high - low) <= tolerance * (1 + abs(high)):
            break
        middle = high - at_high * (high - low) / (at_high - at_low)
        at_middle = function(middle)
        if at_middle * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = middle, at_middle
    return high
