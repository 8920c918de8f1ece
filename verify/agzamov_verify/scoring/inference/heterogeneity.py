"""Cochran's Q and I^2: whether independent figures differ by more than their variances say.

    w_i = 1 / v_i,  m = sum w x / sum w,  Q = sum w_i (x_i - m)^2,  I^2 = max(0, 1 - (k - 1) / Q)

Under one true value Q is chi-square with k - 1 degrees of freedom, for samples so large that their variances are as
good as known. Sources: Cochran 1954, Biometrics 10:101; Higgins and Thompson 2002, Statistics in Medicine 21:1539.
A large p is no evidence that figures agree: few units make every Q small. Oracle in the tests: statsmodels.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from .distributions import chi_square_upper
from .samples import Contrast


class Heterogeneity(NamedTuple):
    """Q, its p, and I^2, the share of what lies between the figures that their variances do not explain."""

    q: Fraction
    p: Fraction
    i_squared: Fraction


def heterogeneity(figures: Sequence[Contrast]) -> Heterogeneity | None:
    """Of at least two independent figures in one unit; None where one has no variance, which gives no weight."""
    if not all(one.squared_error for one in figures):
        return None
    weights = [1 / one.squared_error for one in figures]
    mean = sum((w * one.value for w, one in zip(weights, figures, strict=True)), Fraction(0)) / sum(weights)
    q = sum((w * (one.value - mean) ** 2 for w, one in zip(weights, figures, strict=True)), Fraction(0))
    df = len(figures) - 1
    return Heterogeneity(q, chi_square_upper(q, df), max(Fraction(0), 1 - df / q) if q else Fraction(0))
