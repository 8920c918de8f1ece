"""Means over moves with games as the unit: against statsmodels, scipy, and the documented draws done by hand."""

import hashlib
import time
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
import statsmodels.api as sm

from agzamov_verify.scoring.exact import fixed
from agzamov_verify.scoring.quality import ratios
from agzamov_verify.scoring.quality.ratios import Sums, means, standard_error

SEED, RESAMPLES = b"a seed", 1000


def sample(games: int, seed: int = 5) -> tuple[list[int], list[int]]:
    """Totals and moves of some games; the longer ones are the worse."""
    generator = np.random.default_rng(seed)
    moves = [int(n) for n in generator.integers(10, 60, games)]
    return [int(generator.poisson(30 + n) * n) for n in moves], moves


def one(totals: list[int], moves: list[int], per_unit: Fraction = Fraction(1)) -> ratios.Mean:
    (mean,) = means([Sums(tuple(totals), per_unit)], moves, SEED, RESAMPLES)
    return mean


def test_the_standard_error_is_the_cluster_robust_one_of_a_mean() -> None:
    generator = np.random.default_rng(1)
    moves = [int(n) for n in generator.integers(3, 40, 25)]
    losses = [generator.integers(0, 300, n) + generator.integers(0, 100) for n in moves]
    flat = np.concatenate(losses)
    fit = sm.OLS(flat, np.ones(len(flat))).fit(
        cov_type="cluster", cov_kwds={"groups": np.repeat(np.arange(len(moves)), moves)}
    )
    totals = [int(game.sum()) for game in losses]
    assert float(standard_error(totals, moves)) == pytest.approx(fit.bse[0], rel=1e-12)


def test_the_least_detectable_difference_is_the_textbooks() -> None:
    totals, moves = sample(40)
    mean = one(totals, moves)
    assert mean.se
    assert mean.mde
    z = scipy.stats.norm.ppf(0.975) + scipy.stats.norm.ppf(0.8)
    assert float(mean.mde.decimal) == pytest.approx(z * float(mean.se.decimal), abs=2e-6)


def test_the_interval_is_the_percentile_bootstrap_over_whole_games() -> None:
    totals, moves = sample(200)
    (mean,) = means([Sums(tuple(totals))], moves, SEED, 10_000)
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
    assert float(mean.ci.low) == pytest.approx(theirs.low, abs=0.05 * width)
    assert float(mean.ci.high) == pytest.approx(theirs.high, abs=0.05 * width)
    assert mean.value.exact == f"{Fraction(sum(totals), sum(moves))}"


def test_the_bounds_are_those_of_the_documented_draws() -> None:
    totals, moves = sample(7)
    found = []
    for resample in range(RESAMPLES):
        drawn = hashlib.shake_256(SEED + resample.to_bytes(4, "big")).digest(4 * 7)
        chosen = [int.from_bytes(drawn[at : at + 4], "little") * 7 >> 32 for at in range(0, 28, 4)]
        found.append(Fraction(sum(totals[at] for at in chosen), sum(moves[at] for at in chosen)))
    found.sort()
    ci = one(totals, moves).ci
    assert (ci.low, ci.high) == (fixed(found[25]), fixed(found[-26]))


def test_a_mean_of_millionths_is_published_in_the_whole_unit() -> None:
    totals, moves = sample(30)
    plain, micro = one(totals, moves), one([total * 10**6 for total in totals], moves, Fraction(1, 10**6))
    assert plain == micro


def test_how_many_resamples_are_in_memory_at_a_time_shows_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    totals, moves = sample(50)
    before = one(totals, moves)
    monkeypatch.setattr(ratios, "_CHUNK_DRAWS", 333)
    assert one(totals, moves) == before


def test_columns_are_resampled_together_and_do_not_touch_each_other() -> None:
    totals, moves = sample(20)
    others = totals[::-1]
    both = means([Sums(tuple(totals)), Sums(tuple(others))], moves, SEED, RESAMPLES)
    assert both == [one(totals, moves), one(others, moves)]


def test_one_game_has_a_mean_and_no_standard_error() -> None:
    mean = one([120], [4])
    assert (mean.value.decimal, mean.ci.low, mean.ci.high) == ("30.000000", "30.000000", "30.000000")
    assert mean.se is mean.mde is None


def test_games_that_are_all_alike_have_an_interval_without_width() -> None:
    mean = one([0, 0, 0], [10, 20, 30])
    assert mean.se
    assert (mean.value.decimal, mean.ci.low, mean.ci.high, mean.se.decimal) == ("0.000000",) * 4


def test_halves_are_rounded_to_even_as_everywhere() -> None:
    values = [(numerator, 2_000_000) for numerator in range(-7, 8)]
    totals, counts = (np.array(column, dtype=np.int64) for column in zip(*values, strict=True))
    rounded = ratios._sixth_places(totals, counts, Fraction(1))
    assert [fixed(Fraction(int(one), 10**6)) for one in rounded] == [fixed(Fraction(*value)) for value in values]


def test_sums_too_large_for_exact_integers_are_refused() -> None:
    with pytest.raises(ValueError, match="below 2\\^62"):
        one([2**50, 2**50], [1, 1])


def test_the_normative_resamples_of_500_games_take_less_than_a_second() -> None:
    totals, moves = sample(500)
    start = time.process_time()
    means([Sums(tuple(totals))] * 4, moves, SEED, 10_000)
    assert time.process_time() - start < 1
