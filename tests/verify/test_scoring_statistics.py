"""The statistics against scipy, against a second implementation, and against numbers that must never change."""

import hashlib
import statistics as textbook
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from agzamov_verify.scoring.inference.draws_by_numpy import resampled_counts
from agzamov_verify.scoring.inference.exact import Figure, figure, fixed, significant, square_root
from agzamov_verify.scoring.inference.proportions import binomial_p, wilson_interval
from agzamov_verify.scoring.inference.samples import Z_95, Interval, sample_variance
from agzamov_verify.scoring.inference.significance import Alternative

SEED = bytes(range(32))
FIVE = Fraction(1, 20)
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
    assert float(binomial_p(wins, n, Alternative.GREATER)) == pytest.approx(
        stats.binomtest(wins, n, 0.5, "greater").pvalue, rel=1e-9
    )


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(1, n), st.just(n))))
def test_the_two_tails_of_the_binomial_make_one(counts: tuple[int, int]) -> None:
    wins, n = counts
    assert binomial_p(wins, n, Alternative.GREATER) + binomial_p(n - wins + 1, n, Alternative.GREATER) == 1


def test_the_papers_29_wins_of_30_have_this_p() -> None:
    assert significant(binomial_p(29, 30, Alternative.GREATER)) == "2.88710E-8"


# --- Wilson's interval ---------------------------------------------------------------------------


def test_z_is_the_normal_quantile() -> None:
    assert float(Z_95) == pytest.approx(stats.norm.ppf(0.975), abs=1e-15)


@pytest.mark.parametrize(("wins", "n"), [*COUNTS, (290, 500), (9_999, 10_000)])
def test_wilsons_interval_is_scipys(wins: int, n: int) -> None:
    expected = stats.binomtest(wins, n).proportion_ci(method="wilson")
    found = wilson_interval(wins, n, FIVE)
    assert float(found.low) == pytest.approx(expected.low, abs=5.1e-7)
    assert float(found.high) == pytest.approx(expected.high, abs=5.1e-7)


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilsons_interval_holds_the_share_and_stays_in_bounds(counts: tuple[int, int]) -> None:
    wins, n = counts
    found, other = wilson_interval(wins, n, FIVE), wilson_interval(n - wins, n, FIVE)
    rounding = Fraction(1, 10**6)
    assert Fraction(found.low) - rounding <= Fraction(wins, n) <= Fraction(found.high) + rounding
    assert 0 <= Fraction(found.low) < Fraction(found.high) <= 1
    assert abs(Fraction(found.low) + Fraction(other.high) - 1) <= rounding, "mirrored"


def test_of_no_games_at_all_nothing_is_known() -> None:
    assert wilson_interval(0, 0, FIVE) == Interval("0.000000", "1.000000", "wilson")


# --- the bootstrap -------------------------------------------------------------------------------


def again(n: int, seed: bytes, resamples: int) -> list[list[int]]:
    """The draws as the module says them, without numpy."""
    found = []
    for row in range(resamples):
        drawn = hashlib.shake_256(seed + row.to_bytes(4, "big")).digest(4 * n)
        words = [int.from_bytes(drawn[at : at + 4], "little") for at in range(0, 4 * n, 4)]
        units = [word * n >> 32 for word in words]
        found.append([units.count(unit) for unit in range(n)])
    return found


def counts(n: int, seed: bytes, resamples: int, draws_max: int = 2**18) -> list[list[int]]:
    return [row.tolist() for chunk in resampled_counts(n, seed, resamples, draws_max) for row in chunk]


@given(st.integers(1, 30), st.binary(min_size=32, max_size=32), st.sampled_from([1, 39, 40]))
def test_resamples_are_drawn_as_the_module_says(n: int, seed: bytes, resamples: int) -> None:
    assert counts(n, seed, resamples) == again(n, seed, resamples)


@pytest.mark.parametrize("draws", [1, 7, 15, 16, 1000, 2**22])
def test_resamples_do_not_depend_on_how_much_is_drawn_at_a_time(draws: int) -> None:
    assert counts(15, SEED, 300, draws) == counts(15, SEED, 300)


def test_every_unit_is_drawn_and_about_equally_often() -> None:
    n, resamples = 10, 20_000
    shares = sum(chunk.sum(axis=0) for chunk in resampled_counts(n, SEED, resamples))
    assert shares.sum() == n * resamples
    assert stats.chisquare(shares).pvalue > 1e-4


def test_another_seed_is_another_resampling() -> None:
    seeds = [hashlib.sha256(bytes([at])).digest() for at in range(5)]
    assert len({str(counts(20, seed, 3)) for seed in seeds}) == 5


# --- variance ------------------------------------------------------------------------------------


@given(small_values)
def test_the_sample_variance_is_the_textbooks(values: list[int]) -> None:
    expected = textbook.variance(map(Fraction, values)) if len(values) > 1 else 0
    assert sample_variance(values) == expected
