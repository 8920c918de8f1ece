"""Exact figures, and arithmetic of forty and sixty digits for what is not rational: the same on every machine.

Exact figures: rationals as "num/den", decimals rounded once from an exact value.

Decimal's add, divide and square root are correctly rounded (IEEE 754-2008, General Decimal
Arithmetic), so a figure is the same to the last digit on every machine.

Forty-digit arithmetic for irrational numbers, and rounding to figures.

The context is this package's own: mpmath's shared one can be changed by anybody in the process. Its
arithmetic is on integers, so it gives the same digits everywhere; a figure keeps six of them.

Decimal arithmetic of sixty digits, for formulas with exponentials, logarithms and roots.

In this arithmetic +, -, *, /, sqrt, exp and ln are correctly rounded (General Decimal Arithmetic 1.70), so a
result is the same on every machine, and far finer than the six places that are published.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from typing import Annotated, Any, Final, TypeAlias

import mpmath
import msgspec
from msgspec import Meta

PLACES = 6
SIGNIFICANT_DIGITS = 6

WIDE = Context(prec=60, rounding=ROUND_HALF_EVEN)
"""The one decimal context: sixty digits, far finer than the six places that are published."""


class Figure(msgspec.Struct, frozen=True):
    """An exact value and its decimal form, rounded half-even to six places."""

    exact: str
    decimal: Annotated[str, Meta(pattern=r"^-?[0-9]{1,60}\.[0-9]{6}$")]


def figure(value: Fraction) -> Figure:
    """Both forms of a value."""
    return Figure(f"{value.numerator}/{value.denominator}", fixed(value))


def fixed(value: Fraction) -> str:
    """The value with six decimal places."""
    scaled = round(value * 10**PLACES)
    sign = "-" if scaled < 0 else ""
    whole, rest = divmod(abs(scaled), 10**PLACES)
    return f"{sign}{whole}.{rest:0{PLACES}d}"


def significant(value: Fraction) -> str:
    """The value with six significant digits, for small probabilities: "2.88710E-8"."""
    context = Context(prec=SIGNIFICANT_DIGITS, rounding=ROUND_HALF_EVEN)
    return str(context.divide(Decimal(value.numerator), Decimal(value.denominator)))


def square_root(value: Fraction) -> Fraction:
    """The square root to 60 significant digits, as a rational."""
    ratio = WIDE.divide(Decimal(value.numerator), Decimal(value.denominator))
    return Fraction(WIDE.sqrt(ratio))


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


@contextmanager
def high_precision() -> Iterator[None]:
    """Within it, Decimal computes with sixty digits, whatever the caller's context."""
    with localcontext(WIDE):
        yield


def decimal_of(value: Fraction) -> Decimal:
    """A rational as a Decimal; call it within `high_precision`."""
    return Decimal(value.numerator) / Decimal(value.denominator)


def places(value: Decimal) -> str:
    """The value with six decimal places."""
    return fixed(Fraction(value))
