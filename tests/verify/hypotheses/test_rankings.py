"""Rank tests against scipy."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats

from agzamov_verify.scoring.hypotheses.rankings import falls_more, rank_correlation, ranks, rho
from agzamov_verify.scoring.inference.significance import Alternative

ONE, OTHER = [3, 1, 4, 1, 5, 9, 2], [2, 7, 1, 8, 2, 8, 1]


def test_ranks_share_ties_as_scipy_does() -> None:
    assert [one / 2 for one in ranks(ONE)] == list(stats.rankdata(ONE))


def test_rho_is_scipys() -> None:
    assert float(rho(ONE, OTHER)) == pytest.approx(stats.spearmanr(ONE, OTHER).statistic)


def test_a_ranking_of_ties_goes_with_nothing() -> None:
    assert rho([1, 1, 1], [1, 2, 3]) == 0


@pytest.mark.slow
@pytest.mark.parametrize("alternative", list(Alternative))
def test_the_exact_p_is_that_of_scipys_permutation_test(alternative: Alternative) -> None:
    def statistic(x: np.ndarray) -> float:
        return float(stats.spearmanr(x, OTHER).statistic)

    oracle = stats.permutation_test(
        (np.array(ONE),),
        statistic,
        permutation_type="pairings",
        alternative=alternative.value,
        n_resamples=np.inf,
    )
    found = rank_correlation(ONE, OTHER, alternative)
    # scipy doubles the smaller tail for two-sided tests; ours counts both tails of |rho|
    tolerance = 0.05 if alternative is Alternative.TWO_SIDED else 1e-6
    assert float(found.p or 0) == pytest.approx(oracle.pvalue, abs=tolerance)


@pytest.mark.parametrize("alternative", list(Alternative))
def test_the_p_of_many_is_by_students_t_as_in_scipy(alternative: Alternative) -> None:
    generator = np.random.default_rng(3)
    one = [int(value) for value in generator.integers(0, 100, 30)]
    other = [value + int(shift) for value, shift in zip(one, generator.integers(0, 150, 30), strict=True)]
    oracle = stats.spearmanr(one, other, alternative=alternative.value).pvalue
    assert float(rank_correlation(one, other, alternative).p or 0) == pytest.approx(oracle, rel=1e-4)


def test_perfect_order_of_many_has_no_doubt_left() -> None:
    order = list(range(12))
    assert rank_correlation(order, order, Alternative.TWO_SIDED).p == "0"


def test_eight_systems_in_perfect_opposite_order_can_be_told_from_chance() -> None:
    quality, first, second = list(range(8)), list(range(8)), list(range(8, 0, -1))
    found = falls_more(quality, second, first)
    assert Fraction(found.p or 1) == Fraction(1, 2**8)
    assert Fraction(falls_more(quality, first, second).p or 0) == 1


def test_two_that_fall_alike_are_not_told_apart() -> None:
    same = [8, 6, 7, 5, 3, 0, 9, 1]
    assert falls_more(list(range(8)), same, same).p == "1"


def test_ranks_of_many_systems_are_exchanged_without_walking_through_all_ways() -> None:
    """2^40 sums would take for ever: who packs a plan of so many systems would hold up every verifier."""
    draw = np.random.default_rng(5)
    many = [list(map(int, draw.permutation(40))) for _ in range(3)]
    assert 0 < Fraction(falls_more(*many).p or 0) < 1
    few = [list(map(int, draw.permutation(9))) for _ in range(3)]
    base, first, second = ([2 * value - 8 for value in ranking] for ranking in few)
    steps = [q * (y - x) for q, x, y in zip(base, first, second, strict=True)]
    sums = [sum(sign * step for sign, step in zip(signs, steps, strict=True)) for signs in product((1, -1), repeat=9)]
    expected = Fraction(sum(total >= sum(steps) for total in sums), 2**9)
    assert float(falls_more(*few).p or 0) == pytest.approx(float(expected), abs=1e-6)
