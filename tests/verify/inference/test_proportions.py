"""The binomial test, mid-p and Wilson's interval against scipy and statsmodels."""

from fractions import Fraction

import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from agzamov_verify.scoring.inference.proportions import (
    binomial_mid_p,
    binomial_p,
    binomial_test,
    wilson,
    wilson_interval,
)
from agzamov_verify.scoring.inference.significance import Alternative
from agzamov_verify.scoring.statistics import binomial_p_greater, wilson_95

COUNTS = [(0, 1), (1, 1), (3, 7), (19, 30), (29, 30), (30, 30), (290, 500), (425, 500), (1050, 2000)]
NULLS = [Fraction(1, 2), Fraction(17, 20), Fraction(3, 10)]  # the last two are hypothesis E6's
FIVE = Fraction(1, 20)


@pytest.mark.parametrize("alternative", Alternative)
@pytest.mark.parametrize("null", NULLS)
@pytest.mark.parametrize(("wins", "n"), COUNTS)
def test_the_binomial_p_is_scipys(wins: int, n: int, null: Fraction, alternative: Alternative) -> None:
    expected = stats.binomtest(wins, n, float(null), alternative.value).pvalue
    assert float(binomial_p(wins, n, alternative, null)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("null", NULLS)
@pytest.mark.parametrize(("wins", "n"), COUNTS)
def test_mid_p_takes_half_of_what_was_seen(wins: int, n: int, null: Fraction) -> None:
    law = stats.binom(n, float(null))
    above = law.sf(wins) + law.pmf(wins) / 2
    found = {one: float(binomial_mid_p(wins, n, one, null).p or "nan") for one in Alternative}
    assert found[Alternative.GREATER] == pytest.approx(above, rel=1e-5)
    assert found[Alternative.LESS] == pytest.approx(1 - above, rel=1e-5, abs=1e-12)
    assert found[Alternative.TWO_SIDED] == pytest.approx(2 * min(above, 1 - above), rel=1e-5, abs=1e-12)


def test_the_new_binomial_test_is_the_old_one() -> None:
    for wins, n in COUNTS:
        assert binomial_p(wins, n, Alternative.GREATER) == binomial_p_greater(wins, n)


@pytest.mark.parametrize("alpha", [FIVE, Fraction(1, 100)])
@pytest.mark.parametrize(("wins", "n"), COUNTS)
def test_wilsons_bounds_are_statsmodels(wins: int, n: int, alpha: Fraction) -> None:
    expected = proportion_confint(wins, n, float(alpha), method="wilson")
    assert [float(bound) for bound in wilson(Fraction(wins, n), n, alpha)] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("wins", "n"), [*COUNTS, (0, 0)])
def test_at_95_percent_wilson_is_what_it_was(wins: int, n: int) -> None:
    assert wilson_interval(wins, n, FIVE) == wilson_95(wins, n)


def test_another_count_is_another_p_and_no_trials_are_no_test() -> None:
    assert binomial_test(19, 30, Alternative.GREATER).p == "0.100244"
    assert binomial_test(20, 30, Alternative.GREATER).p == "0.0493686"
    assert binomial_test(0, 0, Alternative.GREATER).p is None
    assert binomial_mid_p(0, 0, Alternative.GREATER).p is None


@pytest.mark.parametrize(
    ("wins", "null"), [(31, Fraction(1, 2)), (-1, Fraction(1, 2)), (3, Fraction(0)), (3, Fraction(1))]
)
def test_what_cannot_be_is_refused(wins: int, null: Fraction) -> None:
    with pytest.raises(ValueError, match="cannot be tested"):
        binomial_p(wins, 30, Alternative.GREATER, null)
