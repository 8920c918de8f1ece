"""Tests of means against scipy and against published data: Student's sleep, R's plant growth."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from agzamov_verify.scoring.inference.means import anova, contrast_t, one_sample_t, paired_t, welch_t
from agzamov_verify.scoring.inference.samples import Moments, contrast, moments
from agzamov_verify.scoring.inference.significance import Alternative, Significance

GREATER, LESS, TWO_SIDED = Alternative.GREATER, Alternative.LESS, Alternative.TWO_SIDED

# Student 1908, Biometrika 6:1: extra hours of sleep by two drugs, in tenths of an hour.
SLEEP = ([7, -16, -2, -12, -1, 34, 37, 8, 0, 20], [19, 8, 11, 1, -1, 44, 55, 16, 46, 34])
# Dobson 1983, R's PlantGrowth: dried weights in hundredths.
PLANTS = {
    "ctrl": [417, 558, 518, 611, 450, 461, 517, 453, 533, 514],
    "trt1": [481, 417, 441, 359, 587, 383, 603, 489, 432, 469],
    "trt2": [631, 512, 554, 550, 537, 529, 492, 615, 580, 526],
}
small = st.lists(st.integers(-50, 50), min_size=2, max_size=30)
alternatives = st.sampled_from(Alternative)


def p_of(found: Significance) -> float:
    assert found.p is not None
    return float(found.p)


def varied(values: list[int]) -> bool:
    return len(set(values)) > 1


def test_students_sleep_data_give_the_published_t() -> None:
    paired = paired_t(*SLEEP, TWO_SIDED)
    assert (paired.statistic, paired.df, paired.p) == ("-4.06213", "9", "0.00283289")
    welch = welch_t(*SLEEP, TWO_SIDED)
    assert (welch.statistic, welch.df, welch.p) == ("-1.86081", "17.7765", "0.0793941")


def test_plant_growth_gives_the_published_f() -> None:
    found = anova([moments(group) for group in PLANTS.values()])
    assert (found.statistic, found.df) == ("4.84609", "27")
    assert f"{p_of(found):.4f}" == "0.0159"


@settings(deadline=None, max_examples=60)
@given(small.filter(varied), st.integers(-20, 20), alternatives)
def test_the_one_sample_t_is_scipys(values: list[int], null: int, alternative: Alternative) -> None:
    expected = stats.ttest_1samp(values, null, alternative=alternative.value)
    found = one_sample_t(values, Fraction(null), alternative)
    assert p_of(found) == pytest.approx(expected.pvalue, rel=1e-5)
    assert float(found.statistic or 0) == pytest.approx(expected.statistic, rel=1e-5, abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(small.filter(varied), small.filter(varied), alternatives)
def test_welchs_t_is_scipys(a: list[int], b: list[int], alternative: Alternative) -> None:
    expected = stats.ttest_ind(a, b, equal_var=False, alternative=alternative.value)
    found = welch_t(a, b, alternative)
    assert p_of(found) == pytest.approx(expected.pvalue, rel=1e-5)
    assert float(found.df or 0) == pytest.approx(expected.df, rel=1e-5)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=3, max_size=20), alternatives)
def test_the_paired_t_is_scipys(pairs: list[tuple[int, int]], alternative: Alternative) -> None:
    a, b = [one for one, _ in pairs], [other for _, other in pairs]
    found = paired_t(a, b, alternative)
    if varied([one - other for one, other in pairs]):
        assert p_of(found) == pytest.approx(stats.ttest_rel(a, b, alternative=alternative.value).pvalue, rel=1e-5)
    else:
        assert found.p is None


def test_pairs_out_of_step_are_another_result() -> None:
    a, b = SLEEP
    assert p_of(paired_t(a, b[1:] + b[:1], TWO_SIDED)) > 10 * p_of(paired_t(a, b, TWO_SIDED))


def test_the_two_one_sided_p_make_one() -> None:
    up, down = (p_of(welch_t(*SLEEP, alternative)) for alternative in (GREATER, LESS))
    assert up + down == pytest.approx(1, abs=2e-6)
    assert p_of(welch_t(*SLEEP, TWO_SIDED)) == pytest.approx(2 * min(up, down), abs=2e-6)


def test_a_contrast_of_two_is_welchs_and_the_weights_count() -> None:
    groups = [moments(sample) for sample in SLEEP]
    minus = [Fraction(1), Fraction(-1)]
    assert contrast_t(groups, minus, TWO_SIDED).p == welch_t(*SLEEP, TWO_SIDED).p
    assert contrast_t(groups, [Fraction(1), Fraction(1)], TWO_SIDED).p != welch_t(*SLEEP, TWO_SIDED).p


def test_synergy_is_a_contrast_of_five_with_satterthwaites_df() -> None:
    """Against the formula worked by hand: equal groups of variance 4 and size 8."""
    group = Moments(8, Fraction(1), Fraction(4))
    found = contrast([group] * 5, [Fraction(1), Fraction(-1), Fraction(-1), Fraction(-1), Fraction(2)])
    assert found.value == 0
    assert found.squared_error == 8 * Fraction(4, 8)
    parts = [Fraction(1, 2)] * 4 + [Fraction(2)]
    assert found.df == Fraction(16) / (sum(part**2 for part in parts) / 7)


@pytest.mark.parametrize("values", [[], [3], [3, 3, 3]])
def test_a_sample_without_variation_is_not_tested_and_says_so(values: list[int]) -> None:
    found = one_sample_t(values, Fraction(0), TWO_SIDED)
    assert found.p is None
    assert found.note
    assert not found.rejects(Fraction(1))
    assert paired_t(values, values, GREATER).p is None
    assert welch_t(values, [3, 3], GREATER).p is None


def test_one_varied_arm_is_enough_for_welch() -> None:
    assert p_of(welch_t([1, 2, 3], [9, 9, 9], TWO_SIDED)) < 0.05


def test_groups_without_anything_to_compare_are_not_tested() -> None:
    assert anova([Moments(5, Fraction(1), Fraction(2))]).p is None
    assert anova([Moments(5, Fraction(1), Fraction(0)), Moments(5, Fraction(2), Fraction(0))]).p is None


def test_an_empty_sample_has_no_moments() -> None:
    with pytest.raises(ValueError, match="at least one value"):
        moments([])
