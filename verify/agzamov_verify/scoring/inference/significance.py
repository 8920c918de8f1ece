"""The outcome of a test, in the form in which it is published and decided upon."""

from enum import StrEnum
from fractions import Fraction

import msgspec

from ..exact import significant


class Alternative(StrEnum):
    """The alternative hypothesis."""

    GREATER = "greater"
    LESS = "less"
    TWO_SIDED = "two-sided"


class Significance(msgspec.Struct, frozen=True):
    """One test of one null hypothesis.

    `n` are the sizes of the samples; numbers have six significant digits. Without a `p` the sample could not
    be tested, `note` says why, and the null hypothesis stands.
    """

    method: str
    alternative: Alternative
    n: tuple[int, ...]
    statistic: str | None
    df: str | None
    p: str | None
    note: str = ""

    @property
    def p_value(self) -> Fraction | None:
        """The published p, rounded before any decision, so that decision and print agree."""
        return None if self.p is None else Fraction(self.p)

    def rejects(self, alpha: Fraction) -> bool:
        """True if the null hypothesis is rejected at `alpha`."""
        p = self.p_value
        return p is not None and p < alpha


def outcome(
    method: str,
    alternative: Alternative,
    n: tuple[int, ...],
    p: Fraction,
    statistic: Fraction | None = None,
    df: Fraction | None = None,
) -> Significance:
    """An outcome from exact or forty-digit numbers."""
    shown = [None if number is None else significant(number) for number in (statistic, df)]
    return Significance(method, alternative, n, shown[0], shown[1], significant(p))


def untested(method: str, alternative: Alternative, n: tuple[int, ...], note: str) -> Significance:
    """The outcome where nothing can be tested."""
    return Significance(method, alternative, n, None, None, None, note)
