"""Effect sizes against numpy, scipy's noncentral t, and Hedges' table."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import special, stats

from agzamov_verify.scoring.inference.effects import (
    EffectSize,
    cohen_one_sample,
    cohen_two_sample,
    hedges_factor,
    noncentrality_bounds,
)

FIVE = Fraction(1, 20)
A, B = [7, -16, -2, -12, -1, 34, 37, 8, 0, 20], [19, 8, 11, 1, -1, 44, 55, 16, 46, 34]


def tails_by_scipy(t: float, df: int, low: float, high: float) -> tuple[float, float]:
    """P(T > t) at the lower bound and P(T < t) at the upper one: both should be 2.5 %."""
    return float(stats.nct.sf(t, df, low)), float(stats.nct.cdf(t, df, high))


def shown(effect: EffectSize | None) -> tuple[float, float, float, float]:
    assert effect
    return float(effect.d.decimal), float(effect.ci.low), float(effect.ci.high), float(effect.g.decimal)


@pytest.mark.parametrize(("t", "df"), [("0.3", 14), ("2.5", 99), ("8", 30), ("22", 249), ("38", 60)])
def test_the_bounds_of_the_noncentrality_leave_scipys_tails(t: str, df: int) -> None:
    low, high = (float(bound) for bound in noncentrality_bounds(Fraction(t), df, FIVE))
    assert tails_by_scipy(float(t), df, low, high) == pytest.approx((0.025, 0.025), abs=1e-9)
    assert [-float(one) for one in noncentrality_bounds(-Fraction(t), df, FIVE)] == pytest.approx([high, low])


def test_beyond_forty_the_approximation_takes_over_without_a_step() -> None:
    exact = [float(bound) for bound in noncentrality_bounds(Fraction(40), 249, FIVE)]
    near = [float(bound) for bound in noncentrality_bounds(Fraction("40.001"), 249, FIVE)]
    assert near == pytest.approx(exact, rel=0.002)
    assert near != exact


def test_d_of_pairs_and_of_one_sample() -> None:
    difference = np.array(A) - np.array(B)
    d = difference.mean() / difference.std(ddof=1)
    g = d * special.gamma(4.5) / (np.sqrt(4.5) * special.gamma(4))
    found = shown(cohen_one_sample([int(one) for one in difference], Fraction(0), FIVE))
    assert (found[0], found[3]) == pytest.approx((d, g), abs=1.1e-6)
    low, high = -found[2] * np.sqrt(10), -found[1] * np.sqrt(10)
    assert tails_by_scipy(-d * np.sqrt(10), 9, low, high) == pytest.approx((0.025, 0.025), abs=1e-5)


def test_d_of_two_samples_is_over_the_pooled_sd() -> None:
    b = B[:7]
    pooled = np.sqrt((9 * np.var(A, ddof=1) + 6 * np.var(b, ddof=1)) / 15)
    d, scale = (np.mean(A) - np.mean(b)) / pooled, np.sqrt(70 / 17)
    found = shown(cohen_two_sample(b, A, FIVE))
    assert found[0] == pytest.approx(-d, abs=1.1e-6)
    tails = tails_by_scipy(-d * scale, 15, found[1] * scale, found[2] * scale)
    assert tails == pytest.approx((0.025, 0.025), abs=1e-5)
    assert shown(cohen_two_sample(A, b, FIVE))[0] == -found[0]


def test_another_null_is_another_d() -> None:
    first = shown(cohen_one_sample(A, Fraction(0), FIVE))
    assert first[0] - shown(cohen_one_sample(A, Fraction(5), FIVE))[0] == pytest.approx(5 / np.std(A, ddof=1), abs=2e-6)


@pytest.mark.parametrize(("df", "printed"), [(2, "0.5642"), (9, "0.9139"), (20, "0.9619"), (498, "0.9985")])
def test_hedges_factor_is_the_one_he_tabulated(df: int, printed: str) -> None:
    assert f"{float(hedges_factor(df)):.4f}" == printed


@pytest.mark.parametrize("values", [[], [3], [3, 5], [4, 4, 4, 4]])
def test_without_variation_or_values_there_is_no_effect_size(values: list[int]) -> None:
    assert cohen_one_sample(values, Fraction(0), FIVE) is None
    assert cohen_two_sample([4, 4, 4], values, FIVE) is None or len(set(values)) > 1


def test_a_huge_effect_is_sized_and_not_waited_for() -> None:
    found = cohen_one_sample([99, 100, 101] * 80, Fraction(0), FIVE)
    assert found
    assert float(found.ci.low) < float(found.d.decimal) < float(found.ci.high)
