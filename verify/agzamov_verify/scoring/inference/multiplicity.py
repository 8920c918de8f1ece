"""Corrections for many tests: Bonferroni (confirmatory) and Benjamini-Hochberg (exploratory), exact.

Sources: Dunn 1961 (JASA 56:52); Benjamini and Hochberg 1995 (JRSS B 57:289). Oracle in the tests: statsmodels, scipy.
"""

from collections.abc import Sequence
from fractions import Fraction


def bonferroni(p_values: Sequence[Fraction], family: int | None = None) -> list[Fraction]:
    """Adjusted p: times the number of tests in the family, at most 1.

    `family` is the declared number (5 for H1 to H5) where not all of its tests could be made.
    """
    count = len(p_values) if family is None else family
    if count < len(p_values):
        raise ValueError(f"a family of {count} tests has no {len(p_values)} p-values")
    return [min(Fraction(1), count * p) for p in p_values]


def benjamini_hochberg(p_values: Sequence[Fraction]) -> list[Fraction]:
    """Adjusted p in the order given: rejecting where it is below alpha keeps the false discovery rate below alpha."""
    m = len(p_values)
    adjusted = [Fraction(1)] * m
    least = Fraction(1)
    for rank, at in sorted(enumerate(sorted(range(m), key=lambda one: p_values[one]), 1), reverse=True):
        least = min(least, p_values[at] * m / rank)
        adjusted[at] = least
    return adjusted
