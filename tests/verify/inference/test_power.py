"""Power, detectable effects and sample sizes against statsmodels, scipy, and the facts of this protocol."""

from fractions import Fraction

import pytest
from scipy import stats
from statsmodels.stats.power import TTestIndPower, TTestPower

from agzamov_verify.scoring.inference.power import (
    critical_count,
    detectable_noncentrality,
    mde_normal,
    mde_t,
    rate_reaching,
)
from calibration.error_rates import power_t

FIVE, ONE_PERCENT, UNIT = Fraction(1, 20), Fraction(1, 100), Fraction(1)
SESSION_SD = Fraction(90)  # bb/100 of a 100-hand session, the middle of the paper's 80 to 100


def test_10000_hands_detect_25_bb_per_100_and_not_4() -> None:
    assert f"{float(mde_normal(SESSION_SD, 100, FIVE)):.1f}" == "25.2"
    assert f"{float(mde_t(SESSION_SD, 100, FIVE) or 0):.1f}" == "25.5"
    assert f"{float(mde_normal(SESSION_SD, 100, ONE_PERCENT)):.0f}" == "31"
    assert f"{float(mde_normal(SESSION_SD, 100, FIVE, 2)):.0f}" == "36"


def test_500_games_detect_5_points_in_one_arm_and_8_between_two() -> None:
    """A standard error of 0.0192 (rounded 0.019): the SD of 250 pairs is that times the root of 250."""
    sd = Fraction(192, 10_000) * Fraction(1581139, 100_000)
    assert f"{100 * float(mde_normal(sd, 250, FIVE)):.1f}" == "5.4"
    assert f"{100 * float(mde_normal(sd, 250, FIVE, 2)):.1f}" == "7.6"


@pytest.mark.parametrize("alpha", [FIVE, ONE_PERCENT])
@pytest.mark.parametrize(("effect", "n"), [("0.3", 10), ("0.3", 100), ("1.5", 5), ("0.05", 2000), ("0.9", 2)])
def test_power_is_statsmodels(effect: str, n: int, alpha: Fraction) -> None:
    one = TTestPower().power(float(effect), n, float(alpha))
    two = TTestIndPower().power(float(effect), n, float(alpha))
    assert float(power_t(Fraction(effect), UNIT, n, alpha)) == pytest.approx(one, abs=1e-9)
    assert float(power_t(Fraction(effect), UNIT, n, alpha, 2)) == pytest.approx(two, abs=1e-9)


@pytest.mark.parametrize(("n", "arms"), [(10, 1), (100, 1), (15, 2), (250, 2)])
def test_the_detectable_effect_is_statsmodels(n: int, arms: int) -> None:
    expected = (
        TTestPower().solve_power(nobs=n, alpha=0.05, power=0.8)
        if arms == 1
        else TTestIndPower().solve_power(nobs1=n, alpha=0.05, power=0.8)
    )
    assert float(mde_t(UNIT, n, FIVE, arms) or 0) == pytest.approx(expected, rel=1e-5)


def test_the_two_formulas_agree_where_n_is_large() -> None:
    assert float(mde_t(UNIT, 5000, FIVE) or 0) == pytest.approx(float(mde_normal(UNIT, 5000, FIVE)), rel=1e-3)
    assert mde_t(UNIT, 10, FIVE) > mde_normal(UNIT, 10, FIVE) * Fraction(105, 100)  # type: ignore[operator]


def test_the_noncentrality_is_near_2_8() -> None:
    assert f"{float(detectable_noncentrality(10**6, FIVE, Fraction(4, 5))):.4f}" == "2.8016"


@pytest.mark.parametrize("n", [7, 30, 100, 500])
def test_the_rate_that_passes_the_binomial_test_has_just_the_power(n: int) -> None:
    critical = next(k for k in range(n + 2) if stats.binom.sf(k - 1, n, 0.5) < 0.05)
    assert critical_count(n, FIVE, Fraction(1, 2)) == critical
    rate = rate_reaching(critical, n)
    assert rate
    assert stats.binom.sf(critical - 1, n, float(rate)) == pytest.approx(0.8, abs=1e-4)
    assert stats.binom.sf(critical - 1, n, float(rate) - 1e-6) < 0.8 <= stats.binom.sf(critical - 1, n, float(rate))


def test_too_few_trials_can_never_be_significant() -> None:
    assert critical_count(4, FIVE, Fraction(1, 2)) == 5
    assert rate_reaching(5, 4) is None
    assert mde_t(UNIT, 1, FIVE) is None
