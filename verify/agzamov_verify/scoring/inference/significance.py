"""The outcome of a test, in the form in which it is published, and its correction where many are made.

Corrections for many tests, exact: Bonferroni (confirmatory), Benjamini-Hochberg (exploratory), Holm (learning).

Sources: Dunn 1961 (JASA 56:52); Benjamini and Hochberg 1995 (JRSS B 57:289); Holm 1979 (Scand. J. Statistics 6:65).
Oracle in the tests: statsmodels, scipy.
"""

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction

import msgspec

from .exact import significant


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


def bonferroni(p_values: Sequence[Fraction], family: int | None = None) -> list[Fraction]:
    """Adjusted p: times the number of tests in the family, at most 1.

    `family` is the declared number (5 for H1 to H5) where not all of its tests could be made.
    """
    count = len(p_values) if family is None else family
    if count < len(p_values):
        raise ValueError(f"a family of {count} tests has no {len(p_values)} p-values")
    return [min(Fraction(1), count * p) for p in p_values]


def holm(p_values: Sequence[Fraction]) -> list[Fraction]:
    """Adjusted p in the order given: rejecting where it is at most alpha errs at least once in at most alpha of runs.

    That holds whatever the dependence between the tests (Holm 1979). The k-th least p is multiplied by m - k + 1.
    """
    m = len(p_values)
    adjusted = [Fraction(1)] * m
    greatest = Fraction(0)
    for rank, index in enumerate(sorted(range(m), key=lambda place: p_values[place])):
        greatest = max(greatest, min(Fraction(1), p_values[index] * (m - rank)))
        adjusted[index] = greatest
    return adjusted


def benjamini_hochberg(p_values: Sequence[Fraction]) -> list[Fraction]:
    """Adjusted p in the order given: rejecting where it is below alpha keeps the false discovery rate below alpha."""
    m = len(p_values)
    adjusted = [Fraction(1)] * m
    least = Fraction(1)
    for rank, index in sorted(enumerate(sorted(range(m), key=lambda place: p_values[place]), 1), reverse=True):
        least = min(least, p_values[index] * m / rank)
        adjusted[index] = least
    return adjusted
