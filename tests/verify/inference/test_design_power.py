"""Power for planning: against statsmodels and scipy, and against every sample there is."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import prod, sqrt

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from agzamov_verify.scoring.inference.design_power import (
    coarse_power_t,
    detectable_delta,
    equivalence_power_t,
    normal_power_t,
)
from agzamov_verify.scoring.inference.means import one_sample_t
from agzamov_verify.scoring.inference.significance import Alternative

FIVE, ONE, POWER = Fraction(1, 20), Fraction(1, 100), Fraction(4, 5)
SIDES = {Alternative.GREATER: "larger", Alternative.TWO_SIDED: "two-sided"}
PAIRS = {0: 0.1, 1: 0.2, 2: 0.3, 3: 0.25, 4: 0.15}
DIFFERENCES = {-2: 0.1, -1: 0.2, 0: 0.2, 1: 0.3, 2: 0.2}


@pytest.mark.parametrize(("df", "margin"), [(4, 1.5), (4, 3.0), (4, 6.0), (99, 0.8), (99, 2.0), (99, 3.5)])
def test_two_one_sided_tests_find_equal_arms_as_often_as_planned(df: int, margin: float) -> None:
    """Oracle: the two tests themselves, on normal values; none within t standard errors of few values is ever found."""
    values = np.random.default_rng(df).normal(size=(40_000, df + 1))
    error = values.std(axis=1, ddof=1) / sqrt(df + 1)
    reach = margin / sqrt(df + 1) - stats.t.ppf(0.95, df) * error
    share = (np.abs(values.mean(axis=1)) < reach).mean()
    assert equivalence_power_t(df, margin, FIVE) == pytest.approx(share, abs=0.008)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("alpha", [FIVE, ONE])
@pytest.mark.parametrize(("n", "effect"), [(5, 2.5), (10, 1.0), (15, 0.9), (100, 0.25), (250, 0.2)])
def test_power_of_normal_values_is_statsmodels(n: int, effect: float, alpha: Fraction, side: Alternative) -> None:
    given = {"effect_size": effect, "nobs": n, "alpha": float(alpha), "alternative": SIDES[side]}
    found = normal_power_t(n - 1, effect * sqrt(n), alpha, side)
    assert found == pytest.approx(float(TTestPower().power(**given)), abs=1e-9)


@pytest.mark.parametrize("df", [1, 2, 4])
def test_with_few_degrees_of_freedom_it_is_scipys_noncentral_t(df: int) -> None:
    critical = float(stats.t.ppf(0.99, df))
    assert normal_power_t(df, 6.0, ONE, Alternative.GREATER) == pytest.approx(
        float(stats.nct.sf(critical, df, 6.0)), abs=1e-8
    )


@pytest.mark.parametrize(
    ("side", "alpha", "errors"), [(Alternative.TWO_SIDED, FIVE, 2.8016), (Alternative.GREATER, ONE, 3.1680)]
)
def test_with_many_values_a_two_sided_test_needs_280_errors_and_a_one_sided_one_at_1_percent_317(
    side: Alternative, alpha: Fraction, errors: float
) -> None:
    assert detectable_delta(10**6, alpha, side, POWER) == pytest.approx(errors, abs=1e-3)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("power", [POWER, Fraction(9, 10)])
@pytest.mark.parametrize("df", [4, 9, 99])
def test_what_is_detectable_has_the_power_that_was_asked_for(df: int, power: Fraction, side: Alternative) -> None:
    found = normal_power_t(df, detectable_delta(df, ONE, side, power), ONE, side)
    assert found == pytest.approx(float(power), abs=1e-7)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(("chances", "null", "n"), [(PAIRS, 2, 4), (DIFFERENCES, 0, 4), ({0: 0.3, 1: 0.7}, 0.5, 9)])
def test_power_of_few_values_is_that_of_all_samples(
    chances: Mapping[int, float], null: float, n: int, side: Alternative
) -> None:
    """Every sample of n values, by its probability, through the test that the analysis makes."""
    expected = 0.0
    for sample in product(chances, repeat=n):
        if len(set(sample)) > 1 and one_sample_t(sample, Fraction(null), side).rejects(FIVE):
            expected += prod(chances[value] for value in sample)
    assert coarse_power_t(chances, null, n, FIVE, side) == pytest.approx(expected, abs=1e-12)


def test_with_many_pairs_ties_no_longer_matter() -> None:
    chances = {0: 0.2, 1: 0.2, 2: 0.2, 3: 0.2, 4: 0.2}
    shifted = {value: chance + 0.01 * (value - 2) for value, chance in chances.items()}
    mean = sum(value * chance for value, chance in shifted.items())
    sd = sqrt(sum((value - mean) ** 2 * chance for value, chance in shifted.items()))
    coarse = coarse_power_t(shifted, 2, 500, FIVE, Alternative.TWO_SIDED)
    normal = normal_power_t(499, (mean - 2) / (sd / sqrt(500)), FIVE, Alternative.TWO_SIDED)
    assert coarse == pytest.approx(normal, abs=0.005)
