"""The statistics against scipy, against a second implementation, and against numbers that must never change."""

import hashlib
import statistics as textbook
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from agzamov_verify.scoring import statistics
from agzamov_verify.scoring.exact import Figure, figure, fixed, significant, square_root
from agzamov_verify.scoring.statistics import (
    Z_95,
    Interval,
    binomial_p_greater,
    bootstrap_95,
    sample_variance,
    wilson_95,
)

SEED = bytes(range(32))
COUNTS = [(wins, n) for n in (1, 2, 3, 7, 30, 61) for wins in range(n + 1)]
rationals = st.fractions(min_value=-(10**6), max_value=10**6)
small_values = st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=12)


# --- exact figures -------------------------------------------------------------------------------


@given(rationals)
def test_a_decimal_is_rounded_once_half_to_even(value: Fraction) -> None:
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    if value.denominator in {2**k * 5**m for k in range(8) for m in range(8)}:
        assert Decimal(fixed(value)) == exact.quantize(Decimal("0.000001"), ROUND_HALF_EVEN)
    assert abs(Fraction(fixed(value)) - value) <= Fraction(1, 2_000_000)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0.000000"),
        (Fraction(1, 3), "0.333333"),
        (Fraction(-2, 3), "-0.666667"),
        (Fraction(5, 10**7), "0.000000"),
        (Fraction(15, 10**7), "0.000002"),
        (Fraction(-5, 10**7), "0.000000"),
        (Fraction(10**20), "100000000000000000000.000000"),
    ],
)
def test_a_figure_has_six_places_and_zero_has_no_sign(value: Fraction, text: str) -> None:
    assert figure(value) == Figure(f"{value.numerator}/{value.denominator}", text)


@pytest.mark.parametrize(
    ("value", "text"),
    [(Fraction(1), "1"), (Fraction(1, 2), "0.5"), (Fraction(31, 2**30), "2.88710E-8"), (Fraction(2, 3), "0.666667")],
)
def test_a_small_probability_keeps_six_digits(value: Fraction, text: str) -> None:
    assert significant(value) == text


@given(st.fractions(min_value=0, max_value=10**12))
def test_a_square_root_is_right_to_fifty_digits(value: Fraction) -> None:
    root = square_root(value)
    assert abs(root * root - value) <= value / 10**50
    assert root >= 0


# --- the binomial test ---------------------------------------------------------------------------


@pytest.mark.parametrize(("wins", "n"), [*COUNTS, (290, 500), (29, 30), (1050, 2000), (10_100, 20_000)])
def test_the_binomial_p_is_scipys(wins: int, n: int) -> None:
    assert float(binomial_p_greater(wins, n)) == pytest.approx(
        stats.binomtest(wins, n, 0.5, "greater").pvalue, rel=1e-9
    )


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_two_tails_of_the_binomial_make_one(counts: tuple[int, int]) -> None:
    wins, n = counts
    assert binomial_p_greater(wins, n) + binomial_p_greater(n - wins + 1, n) == 1


def test_the_papers_29_wins_of_30_have_this_p() -> None:
    assert significant(binomial_p_greater(29, 30)) == "2.88710E-8"


# --- Wilson's interval ---------------------------------------------------------------------------


def test_z_is_the_normal_quantile() -> None:
    assert float(Z_95) == pytest.approx(stats.norm.ppf(0.975), abs=1e-15)


@pytest.mark.parametrize(("wins", "n"), [*COUNTS, (290, 500), (9_999, 10_000)])
def test_wilsons_interval_is_scipys(wins: int, n: int) -> None:
    expected = stats.binomtest(wins, n).proportion_ci(method="wilson")
    found = wilson_95(wins, n)
    assert float(found.low) == pytest.approx(expected.low, abs=5.1e-7)
    assert float(found.high) == pytest.approx(expected.high, abs=5.1e-7)


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilsons_interval_holds_the_share_and_stays_in_bounds(counts: tuple[int, int]) -> None:
    wins, n = counts
    found, other = wilson_95(wins, n), wilson_95(n - wins, n)
    rounding = Fraction(1, 10**6)
    assert Fraction(found.low) - rounding <= Fraction(wins, n) <= Fraction(found.high) + rounding
    assert 0 <= Fraction(found.low) < Fraction(found.high) <= 1
    assert abs(Fraction(found.low) + Fraction(other.high) - 1) <= rounding, "mirrored"


def test_of_no_games_at_all_nothing_is_known() -> None:
    assert wilson_95(0, 0) == Interval("0.000000", "1.000000", "wilson")


# --- the bootstrap -------------------------------------------------------------------------------


PAIRS = [4, 2, 3, 0, 1, 2, 2, 4, 3, 1, 2, 2, 0, 4, 3]


def again(values: Sequence[int], per_unit: Fraction, seed: bytes, resamples: int) -> Interval:
    """The bootstrap as its docstring says it, without numpy."""
    n, sums = len(values), []
    for row in range(resamples):
        drawn = hashlib.shake_256(seed + row.to_bytes(4, "big")).digest(4 * n)
        words = [int.from_bytes(drawn[at : at + 4], "little") for at in range(0, 4 * n, 4)]
        sums.append(sum(values[word * n >> 32] for word in words))
    sums.sort()
    cut = resamples // 40
    low, high = (fixed(one * per_unit / n) for one in (sums[cut], sums[-1 - cut]))
    return Interval(low, high, f"bootstrap-{resamples}")


@given(small_values, st.binary(min_size=32, max_size=32), st.sampled_from([1, 39, 40, 400]))
def test_the_bootstrap_is_what_its_docstring_says(values: list[int], seed: bytes, resamples: int) -> None:
    expected = again(values, Fraction(1, 4), seed, resamples)
    assert bootstrap_95(values, Fraction(1, 4), seed, resamples) == expected


@pytest.mark.parametrize("draws", [1, 7, 15, 16, 1000, 2**22])
def test_the_bootstrap_does_not_depend_on_how_much_is_drawn_at_a_time(
    draws: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = bootstrap_95(PAIRS, Fraction(1, 4), SEED, 1000)
    monkeypatch.setattr(statistics, "_CHUNK_DRAWS", draws)
    assert bootstrap_95(PAIRS, Fraction(1, 4), SEED, 1000) == expected


def test_the_bootstrap_of_protocol_agz_0_1_never_changes() -> None:
    assert bootstrap_95(PAIRS, Fraction(1, 4), SEED, 10_000) == Interval("0.383333", "0.716667", "bootstrap-10000")
    chips = [1234, -5678, 901, 2345, -678, 9012, -3456, 7890, 12, -345]
    assert bootstrap_95(chips, Fraction(1, 100), SEED, 10_000) == Interval("-14.133000", "38.951000", "bootstrap-10000")


@pytest.mark.parametrize("size", [20, 250])
def test_the_bootstrap_is_about_scipys(size: int) -> None:
    values = np.random.default_rng(size).integers(0, 5, size)
    expected = stats.bootstrap(
        (values,), np.mean, n_resamples=10_000, method="percentile", rng=np.random.default_rng(7)
    ).confidence_interval
    found = bootstrap_95([int(value) for value in values], Fraction(1), SEED, 10_000)
    width = expected.high - expected.low
    assert float(found.low) == pytest.approx(expected.low, abs=0.05 * width)
    assert float(found.high) == pytest.approx(expected.high, abs=0.05 * width)


def test_every_value_is_drawn_and_about_equally_often() -> None:
    n, resamples = 10, 20_000
    shares = []
    for at in range(n):
        one = np.zeros(n, dtype=np.int64)
        one[at] = 1
        shares.append(int(statistics._resampled_sums(one, SEED, resamples).sum()))
    assert sum(shares) == n * resamples
    assert stats.chisquare(shares).pvalue > 1e-4


def test_values_that_are_all_equal_leave_no_doubt() -> None:
    assert bootstrap_95([3] * 9, Fraction(1, 4), SEED, 1000) == Interval("0.750000", "0.750000", "bootstrap-1000")


def test_another_seed_is_another_resampling() -> None:
    chips = list(range(0, 1000, 7))
    seeds = [hashlib.sha256(bytes([at])).digest() for at in range(5)]
    assert len({bootstrap_95(chips, Fraction(1), seed, 1000).low for seed in seeds}) > 1


# --- variance ------------------------------------------------------------------------------------


@given(small_values)
def test_the_sample_variance_is_the_textbooks(values: list[int]) -> None:
    expected = textbook.variance(map(Fraction, values)) if len(values) > 1 else 0
    assert sample_variance(values) == expected
