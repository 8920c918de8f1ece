"""Tails and quantiles against scipy, against printed tables, and against themselves."""

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from agzamov_verify.scoring.inference.distributions import (
    TwoSidedPower,
    chi_square_quantile,
    f_quantile,
    f_upper,
    noncentral_cdf,
    normal_quantile,
    normal_upper,
    t_quantile,
    t_two_sided,
    t_upper,
)
from agzamov_verify.scoring.inference.exact import mp, rational, real, root, rounded

DFS = [1, Fraction(5, 2), 9, 99, Fraction(16752, 100), 498, 9999, 10**6]
TS = [Fraction(-3), Fraction(0), Fraction(1, 10), Fraction(196, 100), Fraction(8)]
PS = [Fraction(1, 10**6), Fraction(1, 200), Fraction(2, 5), Fraction(39, 40), Fraction(9999, 10000)]


@pytest.mark.parametrize("z", [Fraction(-6), Fraction(-1, 3), Fraction(0), Fraction(196, 100), Fraction(12)])
def test_the_normal_tail_is_scipys(z: Fraction) -> None:
    assert float(normal_upper(z)) == pytest.approx(stats.norm.sf(float(z)), rel=1e-12)


@pytest.mark.parametrize("p", PS)
def test_the_normal_quantile_is_scipys(p: Fraction) -> None:
    assert float(normal_quantile(p)) == pytest.approx(stats.norm.ppf(float(p)), rel=1e-12)


@pytest.mark.parametrize("df", DFS)
@pytest.mark.parametrize("t", TS)
def test_students_tail_is_scipys(t: Fraction, df: Fraction) -> None:
    assert float(t_upper(t, df)) == pytest.approx(stats.t.sf(float(t), float(df)), rel=1e-9)
    assert float(t_two_sided(t * t, df)) == pytest.approx(2 * stats.t.sf(abs(float(t)), float(df)), rel=1e-9)


@pytest.mark.parametrize("df", DFS)
@pytest.mark.parametrize("p", PS)
def test_students_quantile_is_scipys(p: Fraction, df: Fraction) -> None:
    assert float(t_quantile(p, df)) == pytest.approx(stats.t.ppf(float(p), float(df)), rel=1e-9)


@pytest.mark.parametrize(("p", "df", "printed"), [("0.975", 10, "2.228"), ("0.95", 5, "2.015"), ("0.995", 30, "2.750")])
def test_students_quantile_is_the_one_printed_in_tables(p: str, df: int, printed: str) -> None:
    assert f"{float(t_quantile(Fraction(p), df)):.3f}" == printed


@pytest.mark.parametrize(("df1", "df2"), [(1, 9), (2, 30), (12, 6487), (5, Fraction(25, 2))])
@pytest.mark.parametrize("f", [Fraction(0), Fraction(1, 3), Fraction(3), Fraction(20)])
def test_the_f_tail_and_its_quantile_are_scipys(f: Fraction, df1: int, df2: Fraction) -> None:
    assert float(f_upper(f, df1, df2)) == pytest.approx(stats.f.sf(float(f), df1, float(df2)), rel=1e-9)
    p = Fraction(19, 20)
    assert float(f_quantile(p, df1, df2)) == pytest.approx(stats.f.ppf(float(p), df1, float(df2)), rel=1e-9)


@pytest.mark.parametrize(
    ("t", "df", "delta"),
    [("2", 9, "2.8"), ("-1", 9, "2"), ("2", 9, "-2"), ("0", 5, "1"), ("20", 249, "22"), ("1.96", 10**6, "2.8")],
)
def test_the_noncentral_t_is_scipys(t: str, df: int, delta: str) -> None:
    expected = stats.nct.cdf(float(t), df, float(delta))
    assert float(noncentral_cdf(real(Fraction(t)), real(df), real(Fraction(delta)))) == pytest.approx(
        expected, abs=1e-12
    )


@pytest.mark.parametrize(("critical", "df"), [("12.7", 1), ("2.26", 9), ("1.96", 10**6)])
@pytest.mark.parametrize("delta", ["0", "0.1", "2.8", "5"])
def test_the_power_of_a_two_sided_test_is_that_of_both_sides(critical: str, df: int, delta: str) -> None:
    c, d = real(Fraction(critical)), real(Fraction(delta))
    both = 1 - noncentral_cdf(c, real(df), d) + noncentral_cdf(-c, real(df), d)
    power = TwoSidedPower(c, df)(d)
    assert abs(rational(power) - rational(both)) < Fraction(1, 10**28)
    scipys = stats.nct.sf(float(c), df, float(d)) + stats.nct.cdf(-float(c), df, float(d))
    assert float(power) == pytest.approx(scipys, abs=1e-9)


def test_the_noncentral_t_without_noncentrality_is_students() -> None:
    for t in TS:
        assert abs(rational(noncentral_cdf(real(t), real(9), real(0))) + t_upper(t, 9) - 1) < Fraction(1, 10**25)


@settings(deadline=None, max_examples=50)
@given(st.fractions(Fraction(1, 10**6), Fraction(999_999, 10**6)), st.integers(1, 2000))
def test_a_quantile_leads_back_to_its_probability(p: Fraction, df: int) -> None:
    assert abs(t_upper(t_quantile(p, df), df) - (1 - p)) < Fraction(1, 10**25)


@pytest.mark.parametrize("quantile", [normal_quantile, lambda p: t_quantile(p, 9), lambda p: f_quantile(p, 2, 9)])
@pytest.mark.parametrize("p", [Fraction(0), Fraction(1), Fraction(3, 2)])
def test_what_is_no_probability_has_no_quantile(quantile: Callable[[Fraction], Fraction], p: Fraction) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        quantile(p)


def test_forty_digits_there_and_back_keep_the_value_and_its_sign() -> None:
    for value in (Fraction(3, 8), Fraction(-3, 8), Fraction(0), Fraction(-5)):
        assert rational(real(value)) == value
    assert rounded(Fraction(-2, 3)).exact == "-666667/1000000"


def test_a_root_is_found_and_bounds_without_one_are_refused() -> None:
    assert abs(rational(root(lambda x: x * x - 2, mp.mpf(0), mp.mpf(9))) ** 2 - 2) < Fraction(1, 10**18)
    with pytest.raises(AssertionError, match="hold no root"):
        root(lambda x: x * x + 2, mp.mpf(0), mp.mpf(9))


@pytest.mark.parametrize("df", [1, 2, 9, 29, 400])
@pytest.mark.parametrize("p", PS)
def test_the_chi_square_quantile_is_scipys(p: Fraction, df: int) -> None:
    assert float(chi_square_quantile(p, df)) == pytest.approx(stats.chi2.ppf(float(p), df), rel=1e-10)
