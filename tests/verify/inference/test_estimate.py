"""Estimates of chess pairs and poker sessions: value, interval, n, SD, detectable effect; nothing without doubt."""

from fractions import Fraction

import msgspec
import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower
from statsmodels.stats.proportion import proportion_confint

from agzamov_verify.games.holdem.cell import session_bb_per_100
from agzamov_verify.scoring.inference.estimate import (
    PAIR_SCORE,
    Estimate,
    contrast_estimate,
    difference_estimate,
    share_estimate,
)
from agzamov_verify.scoring.inference.exact import figure
from agzamov_verify.scoring.inference.intervals import Bootstrap, Resamples
from agzamov_verify.scoring.inference.samples import Interval
from calibration.plain_samples import mean_estimate, paired_estimate

EXPANDED = Resamples(bytes(range(32)), 2_000, Bootstrap.EXPANDED)
STUDENTISED = Resamples(bytes(range(32)), 2_000, Bootstrap.STUDENTISED)
PAIRS = [4, 2, 3, 0, 1, 2, 2, 4, 3, 1, 2, 2, 0, 4, 3] * 10
OTHERS = [2, 2, 1, 0, 3, 2, 0, 4, 1, 1, 2, 0, 0, 3, 3] * 10
CHIPS = [at * at * 7919 % 30_011 - 14_000 for at in range(100)]
SESSION = session_bb_per_100(100)


def numbers(found: Estimate) -> tuple[float, float, float]:
    """Value, first SD, detectable effect."""
    assert found.value
    assert found.sd
    assert found.mde
    return float(found.value.decimal), float(found.sd[0].decimal), float(found.mde.decimal)


def bounds(found: Estimate) -> tuple[float, float]:
    assert found.ci
    return float(found.ci.low), float(found.ci.high)


def test_a_score_of_few_decided_pairs_has_no_interval() -> None:
    """Where nine games of ten are drawn, an interval of 15 pairs would cover more than it says."""
    how = msgspec.structs.replace(EXPANDED, units_min=15, decided_min=3)
    few, enough = [2] * 13 + [1, 3], [2] * 12 + [1, 3, 4]
    assert mean_estimate(few, PAIR_SCORE, how).ci_note == "2 of n = 15 decided, an interval needs 3"
    assert mean_estimate(few, PAIR_SCORE, how).ci is None
    assert mean_estimate(enough, PAIR_SCORE, how).ci is not None
    both = paired_estimate([4] * 15, [4] * 13 + [3, 2], PAIR_SCORE, how)
    assert both.ci_note == "2 of n = 15 decided, an interval needs 3"


def test_a_score_carries_all_that_it_needs() -> None:
    found = mean_estimate(PAIRS, PAIR_SCORE, EXPANDED)
    values = np.array(PAIRS) / 4
    detectable = TTestPower().solve_power(nobs=150, alpha=0.05, power=0.8) * values.std(ddof=1)
    assert numbers(found) == pytest.approx((values.mean(), values.std(ddof=1), detectable), abs=5e-6)
    assert (found.n, found.unit) == ((150,), "score")
    student = stats.ttest_1samp(values, 0).confidence_interval()
    assert bounds(found) == pytest.approx((student.low, student.high), abs=0.006)


def test_sessions_are_told_in_big_blinds_per_100_hands() -> None:
    found = mean_estimate(CHIPS, SESSION, STUDENTISED)
    assert numbers(found)[:2] == pytest.approx((np.mean(CHIPS) / 100, np.std(CHIPS, ddof=1) / 100), abs=1e-6)
    assert found.unit == "bb/100"
    assert found.ci
    assert found.ci.method == "bootstrap-t-2000"
    half = mean_estimate([2 * chips for chips in CHIPS], session_bb_per_100(200), STUDENTISED)
    assert half == found


def test_pairs_that_share_their_starts_detect_more_than_two_arms() -> None:
    together = paired_estimate(PAIRS, OTHERS, PAIR_SCORE, EXPANDED)
    apart = difference_estimate(PAIRS, OTHERS, PAIR_SCORE, EXPANDED)
    assert together.value == apart.value
    assert (together.n, apart.n) == ((150,), (150, 150))
    assert numbers(together)[2] < numbers(apart)[2]
    with pytest.raises(ValueError, match="zip"):
        paired_estimate(PAIRS, OTHERS[1:], PAIR_SCORE, EXPANDED)


def test_the_detectable_difference_is_welchs() -> None:
    found = difference_estimate(PAIRS, OTHERS[:60], PAIR_SCORE, EXPANDED)
    welch = stats.ttest_ind(PAIRS, OTHERS[:60], equal_var=False)
    error = np.sqrt(np.var(PAIRS, ddof=1) / 150 + np.var(OTHERS[:60], ddof=1) / 60) / 4
    shift = TTestPower().solve_power(nobs=int(welch.df) + 1, alpha=0.05, power=0.8) * np.sqrt(int(welch.df) + 1)
    assert numbers(found)[2] == pytest.approx(shift * error, rel=1e-5)


def test_synergy_of_one_effect_alone_is_that_effect_less_nothing() -> None:
    weights = [Fraction(1), Fraction(-1), Fraction(-1), Fraction(-1), Fraction(2)]
    found = contrast_estimate([PAIRS, OTHERS, OTHERS, OTHERS, OTHERS], weights, PAIR_SCORE, EXPANDED)
    assert found.value == figure((Fraction(sum(PAIRS)) - sum(OTHERS)) / 600)
    assert len(found.n) == len(found.sd or ()) == 5


@pytest.mark.parametrize("values", [[4] * 250, [2] * 15, [0]])
def test_a_score_without_variation_is_still_in_doubt(values: list[int]) -> None:
    found = mean_estimate(values, PAIR_SCORE, EXPANDED)
    expected = proportion_confint(sum(values) / 4, len(values), method="wilson")
    assert bounds(found) == pytest.approx(expected, abs=1e-6)
    assert found.mde is None
    assert found.ci
    assert found.ci.method == "wilson"


def test_all_won_against_half_won_has_an_interval_around_the_half() -> None:
    found = difference_estimate([4] * 15, [2] * 15, PAIR_SCORE, EXPANDED)
    low, high = bounds(found)
    assert 0 < low < 0.5 < high < 1
    assert bounds(difference_estimate([2] * 15, [4] * 15, PAIR_SCORE, EXPANDED)) == (-high, -low)
    same = paired_estimate(PAIRS, PAIRS, PAIR_SCORE, EXPANDED)
    assert bounds(same)[0] < 0 < bounds(same)[1]


def test_chips_without_bounds_have_no_interval_without_variation() -> None:
    for values in ([5], [5, 5]):
        found = mean_estimate(values, SESSION, STUDENTISED)
        assert (found.value, found.ci, found.mde) == (figure(Fraction(1, 20)), None, None)


def test_of_nothing_nothing_is_claimed() -> None:
    nothing = Estimate(None, None, (0,), None, None, "score")
    assert mean_estimate([], PAIR_SCORE, EXPANDED) == nothing
    assert difference_estimate(PAIRS, [], PAIR_SCORE, EXPANDED).value is None
    assert share_estimate(0, 0) == Estimate(None, Interval("0.000000", "1.000000", "wilson"), (0,), None, None, "share")


def test_a_share_has_wilsons_interval_and_a_detectable_effect() -> None:
    found = share_estimate(21, 30)
    assert numbers(found)[:2] == pytest.approx((0.7, np.std([1] * 21 + [0] * 9, ddof=1)), abs=1e-6)
    assert bounds(found) == pytest.approx(tuple(stats.binomtest(21, 30).proportion_ci(method="wilson")), abs=1e-6)
    assert share_estimate(30, 30).mde is None
    assert share_estimate(1, 1).sd is None


def test_fewer_units_than_enough_have_no_interval_and_say_so() -> None:
    few = msgspec.structs.replace(EXPANDED, units_min=16)
    found = mean_estimate([4, 2, 3] * 5, PAIR_SCORE, few)
    assert (found.ci, found.ci_note) == (None, "n = 15, an interval needs 16")
    assert found.mde is not None
    assert mean_estimate([4, 2, 3, 1] * 4, PAIR_SCORE, few).ci is not None
    assert difference_estimate([4, 2, 3, 1] * 4, [4, 2, 3] * 5, PAIR_SCORE, few).ci is None
