"""Means over moves with games as the unit: against statsmodels and scipy."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
import statsmodels.api as sm

from agzamov_verify.scoring.quality import quality_index
from agzamov_verify.scoring.quality.quality_index import Sums, means


def sample(games: int, seed: int = 5) -> tuple[list[int], list[int]]:
    """Totals and moves of some games; the longer ones are the worse."""
    generator = np.random.default_rng(seed)
    moves = [int(n) for n in generator.integers(10, 60, games)]
    return [int(generator.poisson(30 + n) * n) for n in moves], moves


def one(totals: list[int], moves: list[int], per_unit: Fraction = Fraction(1)) -> quality_index.Mean:
    (mean,) = means([Sums(tuple(totals), per_unit)], moves, 20)
    return mean


def test_the_standard_error_is_the_cluster_robust_one_of_a_mean() -> None:
    generator = np.random.default_rng(1)
    moves = [int(n) for n in generator.integers(3, 40, 25)]
    losses = [generator.integers(0, 300, n) + generator.integers(0, 100) for n in moves]
    flat = np.concatenate(losses)
    fit = sm.OLS(flat, np.ones(len(flat))).fit(
        cov_type="cluster", cov_kwds={"groups": np.repeat(np.arange(len(moves)), moves)}
    )
    se = one([int(game.sum()) for game in losses], moves).se
    assert se
    assert float(se.decimal) == pytest.approx(fit.bse[0], abs=1e-6)


def test_the_least_detectable_difference_is_the_textbooks() -> None:
    totals, moves = sample(40)
    mean = one(totals, moves)
    assert mean.se
    assert mean.mde
    z = scipy.stats.norm.ppf(0.975) + scipy.stats.norm.ppf(0.8)
    assert float(mean.mde.decimal) == pytest.approx(z * float(mean.se.decimal), abs=2e-6)


def test_the_interval_of_many_games_is_the_bootstraps_over_whole_games() -> None:
    totals, moves = sample(200)
    mean = one(totals, moves)
    theirs = scipy.stats.bootstrap(
        (totals, moves),
        lambda t, m, axis: t.sum(axis) / m.sum(axis),
        paired=True,
        method="percentile",
        n_resamples=10_000,
        rng=np.random.default_rng(2),
        batch=1000,
    ).confidence_interval
    width = theirs.high - theirs.low
    assert mean.ci
    assert float(mean.ci.low) == pytest.approx(theirs.low, abs=0.05 * width)
    assert float(mean.ci.high) == pytest.approx(theirs.high, abs=0.05 * width)
    assert mean.value.exact == f"{Fraction(sum(totals), sum(moves))}"


def test_a_mean_of_millionths_is_published_in_the_whole_unit() -> None:
    totals, moves = sample(30)
    plain, micro = one(totals, moves), one([total * 10**6 for total in totals], moves, Fraction(1, 10**6))
    assert plain == micro


def test_columns_do_not_touch_each_other() -> None:
    totals, moves = sample(20)
    others = totals[::-1]
    both = means([Sums(tuple(totals)), Sums(tuple(others))], moves, 20)
    assert both == [one(totals, moves), one(others, moves)]


def test_too_few_games_have_a_standard_error_and_no_interval() -> None:
    totals, moves = sample(19)
    assert one(totals, moves).ci is None
    assert one(totals, moves).se is not None
    assert one(*sample(20)).ci is not None


def test_one_game_has_a_mean_and_no_standard_error() -> None:
    mean = one([120], [4])
    assert (mean.value.decimal, mean.ci, mean.se, mean.mde) == ("30.000000", None, None, None)


def test_games_that_are_all_alike_have_no_error_to_see() -> None:
    mean = one([0] * 20, [10] * 20)
    assert mean.se
    assert (mean.value.decimal, mean.ci, mean.se.decimal) == ("0.000000", None, "0.000000")
