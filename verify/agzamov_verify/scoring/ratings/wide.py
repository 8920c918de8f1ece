"""Decimal arithmetic of fifty digits, for formulas with exponentials, logarithms and roots.

In this arithmetic +, -, *, /, sqrt, exp and ln are correctly rounded (General Decimal Arithmetic 1.70), so a
result is the same on every machine, and far finer than the six places that are published.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from typing import Final

from ..exact import fixed
from ..statistics import Z_95, Interval

DIGITS: Final = 50
_WIDE: Final = Context(prec=DIGITS, rounding=ROUND_HALF_EVEN)


@contextmanager
def wide() -> Iterator[None]:
    """Within it, Decimal computes with fifty digits, whatever the caller's context."""
    with localcontext(_WIDE):
        yield


def decimal_of(value: Fraction) -> Decimal:
    """A rational as a Decimal; call it within `wide`."""
    return Decimal(value.numerator) / Decimal(value.denominator)


def places(value: Decimal) -> str:
    """The value with six decimal places."""
    return fixed(Fraction(value))


def normal_95(centre: Decimal, standard_error: Decimal, method: str) -> Interval:
    """Centre ± 1.96 standard errors; call it within `wide`."""
    half = decimal_of(Z_95) * standard_error
    return Interval(places(centre - half), places(centre + half), method)
