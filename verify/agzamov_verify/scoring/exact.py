"""Exact figures: rationals as "num/den", decimals rounded once from an exact value.

Decimal's add, divide and square root are correctly rounded (IEEE 754-2008, General Decimal
Arithmetic), so a figure is the same to the last digit on every machine.
"""

from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Annotated

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
