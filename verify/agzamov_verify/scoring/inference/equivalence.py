"""Two one-sided tests (TOST): whether two independent figures differ by less than a margin that was declared before.

    d = a - b,  v = v_a + v_b,  df = v^2 / (v_a^2 / df_a + v_b^2 / df_b)
    p = max(P(T > (d + m) / root v), P(T < (d - m) / root v))

Sources: Schuirmann 1987, J Pharmacokinet Biopharm 15:657; the degrees of freedom of Welch 1947, Biometrika 34:28.

They agree at level alpha if p < alpha, which is if the interval of d at level 1 - 2 alpha lies within ± m. Several
figures agree if each does, and several executions if each pair does: no correction is needed, since one pair that
differs by the margin or more keeps all from agreeing (intersection-union test; Berger and Hsu 1996, Statistical Science
11:283). Holm's correction would be for telling which of the pairs agree. Oracle in the tests: statsmodels.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final, NamedTuple

from .distributions import t_quantile, t_upper
from .exact import square_root
from .samples import Contrast

ALPHA: Final = Fraction(1, 20)


class Equivalence(NamedTuple):
    """Difference with its interval at 90 %, the larger p of both tests, and whether it is below 5 %."""

    difference: Fraction
    low: Fraction
    high: Fraction
    p: Fraction
    agrees: bool


def two_one_sided(a: Contrast, b: Contrast, margin: Fraction) -> Equivalence:
    """Test a less b against ± `margin`, all in one unit."""
    difference, squared_error = a.value - b.value, a.squared_error + b.squared_error
    if not squared_error:
        agrees = abs(difference) < margin
        return Equivalence(difference, difference, difference, Fraction(0 if agrees else 1), agrees)
    spread = sum((one.squared_error**2 / one.df for one in (a, b) if one.squared_error), Fraction(0))
    df, error = squared_error**2 / spread, square_root(squared_error)
    p = max(t_upper((difference + margin) / error, df), t_upper((margin - difference) / error, df))
    half = t_quantile(1 - ALPHA, df) * error
    return Equivalence(difference, difference - half, difference + half, p, p < ALPHA)


def pairs_tested(figures: Sequence[Contrast], margin: Fraction) -> list[Equivalence]:
    """Every pair of executions: first and second, first and third, …, the last two. All agree if each pair does."""
    return [two_one_sided(a, b, margin) for a, b in combinations(figures, 2)]
