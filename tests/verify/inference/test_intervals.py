"""Bootstrap intervals against numpy on the same resamples, scipy, and Student's own."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from agzamov_verify.scoring.inference.intervals import (
    Bootstrap,
    Bounds,
    Resamples,
    bootstrap_bounds,
    expanded_tail,
    t_bounds,
)
from agzamov_verify.scoring.inference.resampling import UNITS_MAX, bootstrap_sums
from agzamov_verify.scoring.inference.samples import Interval

FIVE, SEED = Fraction(1, 20), bytes(range(32))
ONE, DIFFERENCE = [Fraction(1)], [Fraction(1), Fraction(-1)]
PAIRS = [4, 2, 3, 0, 1, 2, 2, 4, 3, 1, 2, 2, 0, 4, 3] * 4
CHIPS = [at * at * 7919 % 30_011 - 14_000 for at in range(100)]
MORE = [at * at * 104_729 % 40_009 - 15_000 for at in range(80)]


def resamples(method: Bootstrap, count: int = 10_000, seed: bytes = SEED) -> Resamples:
    return Resamples(seed, count, method)


def ends(found: Bounds | None) -> tuple[float, float]:
    assert found
    return float(found.low), float(found.high)


def drawn(samples: Sequence[Sequence[int]]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Means and unbiased variances of the mean of each resample, in floating point."""
    found = []
    for at, sample in enumerate(samples):
        n = len(sample)
        first, second = map(np.array, bootstrap_sums([sample, [one * one for one in sample]], SEED, at, 10_000))
        found.append((first / n, (second - first * first / n) / (n - 1) / n))
    return found


@pytest.mark.parametrize("samples", [[CHIPS], [CHIPS, MORE], [PAIRS, PAIRS[:40]]])
def test_percentiles_are_the_order_statistics_of_the_resampled_contrasts(samples: list[list[int]]) -> None:
    weights = ONE if len(samples) == 1 else DIFFERENCE
    signs = [1, -1]
    values = np.sort(sum(sign * mean for sign, (mean, _) in zip(signs, drawn(samples), strict=False)))
    found = bootstrap_bounds(samples, weights, FIVE, resamples(Bootstrap.PERCENTILE))
    assert ends(found) == pytest.approx((values[250], values[9749]), rel=1e-12)
    cut = int(10_000 * expanded_tail(samples, weights, FIVE))
    assert 150 < cut < 250
    expanded = bootstrap_bounds(samples, weights, FIVE, resamples(Bootstrap.EXPANDED))
    assert ends(expanded) == pytest.approx((values[cut], values[9999 - cut]), rel=1e-12)


@pytest.mark.parametrize("samples", [[CHIPS], [CHIPS, MORE], [PAIRS]])
def test_studentised_bounds_are_numpys_on_the_same_resamples(samples: list[list[int]]) -> None:
    weights = ONE if len(samples) == 1 else DIFFERENCE
    parts = drawn(samples)
    value = np.mean(samples[0]) - (np.mean(samples[1]) if len(samples) > 1 else 0)
    away = parts[0][0] - (parts[1][0] if len(samples) > 1 else 0) - value
    error = np.sqrt(sum(np.var(one, ddof=1) / len(one) for one in samples))
    ranks = np.sort(away / np.sqrt(sum(variance for _, variance in parts)))
    found = bootstrap_bounds(samples, weights, FIVE, resamples(Bootstrap.STUDENTISED))
    assert ends(found) == pytest.approx((value - ranks[9749] * error, value - ranks[250] * error), rel=1e-9)
    assert found
    assert found.method == "bootstrap-t-10000"


def test_the_percentile_bootstrap_is_about_scipys() -> None:
    expected = stats.bootstrap((CHIPS,), np.mean, n_resamples=10_000, method="percentile", rng=7).confidence_interval
    found = ends(bootstrap_bounds([CHIPS], ONE, FIVE, resamples(Bootstrap.PERCENTILE)))
    assert found == pytest.approx((expected.low, expected.high), abs=0.05 * (expected.high - expected.low))


def test_the_expanded_percentiles_are_as_wide_as_students_interval() -> None:
    few = CHIPS[:10]
    student, plain, wide = (
        ends(found)
        for found in (
            t_bounds([few], ONE, FIVE),
            bootstrap_bounds([few], ONE, FIVE, resamples(Bootstrap.PERCENTILE)),
            bootstrap_bounds([few], ONE, FIVE, resamples(Bootstrap.EXPANDED)),
        )
    )
    width = [high - low for low, high in (student, plain, wide)]
    assert width[1] < 0.85 * width[0]
    assert width[2] == pytest.approx(width[0], rel=0.06)


def test_students_interval_is_scipys() -> None:
    expected = stats.ttest_1samp(CHIPS, 0).confidence_interval(0.95)
    assert ends(t_bounds([CHIPS], ONE, FIVE)) == pytest.approx((expected.low, expected.high), rel=1e-9)
    two = stats.ttest_ind(CHIPS, MORE, equal_var=False).confidence_interval(0.99)
    assert ends(t_bounds([CHIPS, MORE], DIFFERENCE, Fraction(1, 100))) == pytest.approx((two.low, two.high), rel=1e-9)


@pytest.mark.parametrize(
    ("method", "low", "high"),
    [
        (Bootstrap.PERCENTILE, "-7.054600", "25.140700"),
        (Bootstrap.EXPANDED, "-7.483700", "25.465900"),
        (Bootstrap.STUDENTISED, "-6.903183", "26.315352"),
    ],
)
def test_intervals_never_change(method: Bootstrap, low: str, high: str) -> None:
    found = bootstrap_bounds([CHIPS], ONE, FIVE, resamples(method))
    assert found
    assert found.interval(Fraction(1, 100)) == Interval(low, high, f"{method.value}-10000")


def test_a_seed_moves_the_bounds_a_little() -> None:
    first, second = (
        ends(bootstrap_bounds([CHIPS], ONE, FIVE, resamples(Bootstrap.STUDENTISED, seed=seed))) for seed in (b"a", b"b")
    )
    assert first != second
    assert first == pytest.approx(second, abs=0.05 * (first[1] - first[0]))


@pytest.mark.parametrize("method", Bootstrap)
@pytest.mark.parametrize("sample", [[3], [3, 3, 3]])
def test_without_variation_there_is_no_interval(sample: list[int], method: Bootstrap) -> None:
    assert bootstrap_bounds([sample], ONE, FIVE, resamples(method)) is None
    assert t_bounds([sample], ONE, FIVE) is None


def test_an_infinite_studentised_bound_falls_back_to_percentiles() -> None:
    found = bootstrap_bounds([[1, 2, 5]], ONE, FIVE, resamples(Bootstrap.STUDENTISED))
    assert found
    assert (found.method, ends(found)) == ("bootstrap-expanded-10000", (1, 5))


def test_a_sample_of_too_many_values_has_students_interval() -> None:
    many = [at % 7 for at in range(UNITS_MAX + 1)]
    found = bootstrap_bounds([many], ONE, FIVE, resamples(Bootstrap.EXPANDED, 100))
    assert found == t_bounds([many], ONE, FIVE)


@pytest.mark.parametrize("method", [Bootstrap.EXPANDED, Bootstrap.STUDENTISED])
@pytest.mark.parametrize("parts", [10**6, 10**9, 10**12])
def test_the_method_does_not_depend_on_the_unit_in_which_values_are_counted(method: Bootstrap, parts: int) -> None:
    """The same sessions had a studentised interval in chips and Student's in thousandths of a chip."""
    whole = bootstrap_bounds([CHIPS], ONE, FIVE, resamples(method))
    fine = bootstrap_bounds([[parts * value for value in CHIPS]], ONE, FIVE, resamples(method))
    assert whole
    assert fine
    assert fine.method == whole.method
    low, high = ends(whole)
    assert ends(fine) == pytest.approx((parts * low, parts * high), rel=1e-5)


def test_one_arm_without_variation_leaves_the_others_doubt() -> None:
    found = ends(bootstrap_bounds([CHIPS, [5] * 9], DIFFERENCE, FIVE, resamples(Bootstrap.STUDENTISED)))
    alone = ends(bootstrap_bounds([CHIPS], ONE, FIVE, resamples(Bootstrap.STUDENTISED)))
    assert found == pytest.approx((alone[0] - 5, alone[1] - 5))
