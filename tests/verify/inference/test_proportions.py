"""The binomial test, mid-p and Wilson's interval against scipy and statsmodels."""

from fractions import Fraction

import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from agzamov_verify.scoring.inference.proportions import binomial_p, binomial_test, wilson
from agzamov_verify.scoring.inference.significance import Alternative

COUNTS = [(0, 1), (1, 1), (3, 7), (19, 30), (29, 30), (30, 30), (290, 500), (425, 500), (1050, 2000)]
NULLS = [Fraction(1, 2), Fraction(17, 20), Fraction(3, 10)]  # the last two are hypothesis E6's
FIVE = Fraction(1, 20)


@pytest.mark.parametrize("alternative", Alternative)
@pytest.mark.parametrize("null", NULLS)
@pytest.mark.parametrize(("wins", "n"), COUNTS)
def test_the_binomial_p_is_scipys(wins: int, n: int, null: Fraction, alternative: Alternative) -> None:
    expected = stats.binomtest(wins, n, float(null), alternative.value).pvalue
    assert float(binomial_p(wins, n, alternative, null)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("alpha", [FIVE, Fraction(1, 100)])
@pytest.mark.parametrize(("wins", "n"), COUNTS)
def test_wilsons_bounds_are_statsmodels(wins: int, n: int, alpha: Fraction) -> None:
    expected = proportion_confint(wins, n, float(alpha), method="wilson")
    assert [float(bound) for bound in wilson(Fraction(wins, n), n, alpha)] == pytest.approx(expected, abs=1e-12)


def test_another_count_is_another_p_and_no_trials_are_no_test() -> None:
    assert binomial_test(19, 30, Alternative.GREATER).p == "0.100244"
    assert binomial_test(20, 30, Alternative.GREATER).p == "0.0493686"
    assert binomial_test(0, 0, Alternative.GREATER).p is None


@pytest.mark.parametrize(
    ("wins", "null"), [(31, Fraction(1, 2)), (-1, Fraction(1, 2)), (3, Fraction(0)), (3, Fraction(1))]
)
def test_what_cannot_be_is_refused(wins: int, null: Fraction) -> None:
    with pytest.raises(ValueError, match="cannot be tested"):
        binomial_p(wins, 30, Alternative.GREATER, null)
