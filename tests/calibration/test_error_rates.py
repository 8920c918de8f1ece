"""The instrument on made-up matches: tests err as often as they say, intervals hold, power is what was planned.

Small forms of what `make calibrate` does: the bounds allow for the simulation's own error (three standard errors).
"""

from fractions import Fraction

import pytest

from agzamov_verify.games.holdem.cell import session_bb_per_100
from agzamov_verify.scoring.inference.estimate import PAIR_SCORE, Scale, contrast_estimate
from agzamov_verify.scoring.inference.intervals import CHESS, POKER, Bootstrap, Resamples
from agzamov_verify.scoring.inference.means import one_sample_t, welch_t
from agzamov_verify.scoring.inference.samples import Interval
from agzamov_verify.scoring.inference.significance import Alternative, Significance
from calibration.error_rates import (
    Case,
    IntervalRule,
    Sample,
    confirmatory,
    coverage,
    matches,
    planned_power,
    power,
    rejections,
    true_mean,
    type_i_error,
    unit_moments,
)
from calibration.simulated_matches import ChessWorld, PokerWorld

FIVE, ONE_PERCENT = Fraction(1, 20), Fraction(1, 100)
SEED, MATCHES = b"calibration", 400
SESSION = session_bb_per_100(100)
CASES = [(case, n) for case in confirmatory(Alternative.TWO_SIDED) for n in case.sizes]


def slack(share: float, count: int) -> float:
    return 3 * float(share * (1 - share) / count) ** 0.5


def interval(scale: Scale, method: Bootstrap) -> IntervalRule:
    """The interval of a mean, or of a difference where there are two arms, from few resamples."""

    def bounds(sample: Sample, seed: bytes) -> Interval | None:
        weights = [Fraction(1), Fraction(-1)][: len(sample)]
        return contrast_estimate(sample, weights, scale, Resamples(seed, 400, method)).ci

    return bounds


@pytest.mark.parametrize(("case", "n"), CASES, ids=[f"{case.name}, {n}" for case, n in CASES])
def test_a_confirmatory_test_errs_as_often_as_it_says(case: Case, n: int) -> None:
    five, one = rejections(case.test, case.null, n, (FIVE, ONE_PERCENT), MATCHES, SEED)
    assert 0.03 - slack(0.03, MATCHES) <= float(five.share.decimal) <= 0.07 + slack(0.07, MATCHES)
    assert float(one.share.decimal) <= 0.015 + slack(0.015, MATCHES)


def test_a_test_that_takes_games_for_independent_is_found_out() -> None:
    """Both games of a pair decided by one random draw, tested as if they were 60 games: errs far too often."""

    def as_if_single(sample: Sample, _: bytes) -> Significance:
        games = [points // 2 for points in sample[0]] + [points - points // 2 for points in sample[0]]
        return one_sample_t(games, Fraction(1), Alternative.TWO_SIDED)

    world = ChessWorld(draws=Fraction(0), correlation=Fraction(9, 10))
    assert float(type_i_error(as_if_single, [world], 60, FIVE, MATCHES, SEED).share.decimal) > 0.12


@pytest.mark.parametrize(
    ("worlds", "n", "method"),
    [
        ([ChessWorld(Fraction(1, 10))], 30, CHESS),
        ([ChessWorld(Fraction(1, 10))], 500, CHESS),
        ([ChessWorld(Fraction(1, 10)), ChessWorld()], 30, CHESS),
        ([PokerWorld()], 1_000, POKER),
        ([PokerWorld(big_pots_lost=6)], 1_000, POKER),
        ([PokerWorld(900, Fraction(25)), PokerWorld()], 10_000, POKER),
    ],
)
def test_an_interval_holds_the_truth_as_often_as_it_says(
    worlds: list[ChessWorld | PokerWorld], n: int, method: Bootstrap
) -> None:
    scale = PAIR_SCORE if isinstance(worlds[0], ChessWorld) else SESSION
    truth = true_mean(worlds[0]) - (true_mean(worlds[1]) if len(worlds) > 1 else 0)
    found = coverage(interval(scale, method), truth, worlds, n, 300, SEED)
    assert 0.93 - slack(0.93, 300) <= float(found.share.decimal) <= 0.97 + slack(0.97, 300)


def test_the_plain_percentile_bootstrap_of_ten_sessions_is_found_out() -> None:
    found = coverage(interval(SESSION, Bootstrap.PERCENTILE), Fraction(0), [PokerWorld()], 1_000, MATCHES, SEED)
    assert float(found.ci.high) < 0.935


@pytest.mark.parametrize(
    ("worlds", "n"),
    [
        ([ChessWorld(Fraction(1, 20))], 500),
        ([ChessWorld(Fraction(1, 5))], 30),
        ([PokerWorld(900, Fraction(25))], 10_000),
        ([PokerWorld(900, Fraction(36)), PokerWorld()], 10_000),
    ],
)
def test_power_is_what_was_planned(worlds: list[ChessWorld | PokerWorld], n: int) -> None:
    two_sided = Alternative.TWO_SIDED
    null = 2 if isinstance(worlds[0], ChessWorld) else 0

    def test(sample: Sample, _: bytes) -> Significance:
        if len(sample) > 1:
            return welch_t(sample[0], sample[1], two_sided)
        return one_sample_t(sample[0], Fraction(null), two_sided)

    planned = float(planned_power(worlds, n, FIVE))
    found = float(power(test, worlds, n, FIVE, MATCHES, SEED).share.decimal)
    assert 0.5 < planned < 0.97
    assert found == pytest.approx(planned, abs=0.02 + slack(planned, MATCHES))


def test_worlds_have_the_moments_that_matches_show() -> None:
    for world, n in ((ChessWorld(Fraction(1, 10)), 500), (PokerWorld(900, Fraction(25)), 10_000)):
        truth = unit_moments(world)
        drawn = [one for (arm,) in matches([world], n, 40, SEED) for one in arm]
        error = float(truth.variance / len(drawn)) ** 0.5
        assert sum(drawn) / len(drawn) == pytest.approx(float(truth.mean), abs=4 * error)
    assert true_mean(ChessWorld(Fraction(1, 10))) == Fraction(3, 5)
    assert true_mean(PokerWorld(900, Fraction(25))) == 25
