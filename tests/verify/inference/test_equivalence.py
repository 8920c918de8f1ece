"""Two one-sided tests against statsmodels, and what a sample of games can miss against scipy."""

from fractions import Fraction

import pytest
from scipy.stats import hypergeom
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from agzamov_verify.attestations.sample_power import forged_at_most, missed, percent
from agzamov_verify.core.dice import Stream
from agzamov_verify.scoring.inference.equivalence import two_one_sided
from agzamov_verify.scoring.inference.samples import Contrast, contrast, moments


def sample(seed: int, n: int, shift: int = 0) -> list[int]:
    draws = Stream(bytes([seed]), "sample")
    return [draws.below(101) - 50 + shift for _ in range(n)]


def mean_of(values: list[int]) -> Contrast:
    return contrast([moments(values)], [Fraction(1)])


@pytest.mark.parametrize(
    ("n", "m", "shift", "margin"), [(20, 20, 0, 20), (15, 60, 5, 25), (200, 30, 30, 10), (8, 9, 0, 1)]
)
def test_tests_and_interval_are_those_of_statsmodels(n: int, m: int, shift: int, margin: int) -> None:
    a, b = sample(1, n), sample(2, m, shift)
    found = two_one_sided(mean_of(a), mean_of(b), Fraction(margin))
    both = CompareMeans(DescrStatsW(a), DescrStatsW(b))
    p = both.ttost_ind(-margin, margin, usevar="unequal")[0]
    low, high = both.tconfint_diff(alpha=0.1, usevar="unequal")
    assert float(found.p) == pytest.approx(p, rel=1e-9)
    assert (float(found.low), float(found.high)) == pytest.approx((low, high), rel=1e-9)
    assert [found.agrees] * 2 == [bool(p < 0.05), -margin < low and high < margin]


def test_figures_without_variance_agree_by_their_values_alone() -> None:
    one, other = (Contrast(Fraction(value), Fraction(0), Fraction(0)) for value in (1, 3))
    assert two_one_sided(one, other, Fraction(3)).agrees
    assert not two_one_sided(one, other, Fraction(2)).agrees


def test_one_figure_without_variance_takes_the_degrees_of_freedom_of_the_other() -> None:
    fixed, free = Contrast(Fraction(0), Fraction(0), Fraction(19)), mean_of(sample(3, 20))
    found = two_one_sided(free, fixed, Fraction(100))
    low, high = DescrStatsW(sample(3, 20)).tconfint_mean(alpha=0.1)
    assert (float(found.low), float(found.high)) == pytest.approx((low, high), rel=1e-9)


@pytest.mark.parametrize(
    ("total", "forged", "asked", "allowed"), [(200, 10, 12, 0), (500, 25, 59, 0), (300, 15, 180, 5)]
)
def test_the_chance_to_miss_forged_games_is_hypergeometric(total: int, forged: int, asked: int, allowed: int) -> None:
    assert float(missed(total, forged, asked, allowed)) == pytest.approx(
        hypergeom.cdf(allowed, total, forged, asked), rel=1e-9
    )


def test_fifty_nine_games_of_many_catch_five_percent_with_95_percent() -> None:
    """Of very many games: 0.95^59 = 4.85 %, and one game less does not suffice."""
    assert missed(100_000, 5_000, 59) < Fraction(1, 20) <= missed(100_000, 5_000, 58)


@pytest.mark.parametrize(("total", "asked", "allowed"), [(200, 12, 0), (200, 59, 1), (40, 40, 0), (40, 40, 2)])
def test_the_most_forged_games_is_where_the_chance_falls_below_5_percent(total: int, asked: int, allowed: int) -> None:
    most = forged_at_most(total, asked, allowed)
    assert hypergeom.cdf(allowed, total, most, asked) >= 0.05
    assert most == total or hypergeom.cdf(allowed, total, most + 1, asked) < 0.05


def test_shares_are_told_in_percent() -> None:
    assert [percent(Fraction(n, 10**7)) for n in (0, 1, 5_000_000)] == ["0 %", "less than 0.001 %", "50 %"]
