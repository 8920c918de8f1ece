"""Decimal arithmetic of sixty digits, for formulas with exponentials, logarithms and roots.

In this arithmetic +, -, *, /, sqrt, exp and ln are correctly rounded (General Decimal Arithmetic 1.70), so a
result is the same on every machine, and far finer than the six places that are published.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal, localcontext
from fractions import Fraction

from ..exact import WIDE, fixed


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
