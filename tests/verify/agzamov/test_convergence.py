"""Convergence measures speed on the paired difference: fast is 1, absent is 0, and power earns nothing."""

import math
from fractions import Fraction

import msgspec
import numpy as np
import pytest
from scipy import optimize, stats

from agzamov_verify.games.chess.cell import ChessCell, ChessGame
from agzamov_verify.games.chess.rules import End
from agzamov_verify.games.holdem.cell import PokerCell, PokerHand
from agzamov_verify.games.holdem.rules import HandEnd
from agzamov_verify.scoring.agzamov.convergence import Gain, convergence_of, fitted, speed_of
from agzamov_verify.scoring.units.cells import CellKey
from verify.agzamov.generator import CHESS, POKER

GAMES, HANDS = Fraction(500), Fraction(10_000)


def games(points: list[int], starts: str = "same", careers: int = 0) -> ChessCell:
    played = (ChessGame(one, one, End.CHECKMATE, substituted=False, errors=(0, 0), plies=40) for one in points)
    return ChessCell(CellKey("m", CHESS, 2), tuple(played), starts=starts, careers=careers)


def drawn(level: np.ndarray, seed: int, draws: float = 0.35) -> list[int]:
    """Half-points of games with these expected scores."""
    u = np.random.default_rng(seed).random(len(level))
    won = level - draws / 2
    return [int(one) for one in np.where(u < won, 2, np.where(u < won + draws, 1, 0))]


def rising(gain: float, tau: float, count: int = 500) -> np.ndarray:
    played = np.arange(count)
    return np.asarray(0.5 + gain * (1 - np.exp(-played / tau) if tau else np.ones(count)))


def gain(real: np.ndarray, seed: int = 1, starts: str = "same") -> Gain:
    return Gain(games(drawn(real, seed), starts), games(drawn(rising(0, 0, len(real)), seed + 1000), starts))


def test_a_gain_from_the_first_game_is_fast_and_not_absent() -> None:
    """The first rule gave it 0, since it has no trend."""
    always = Gain(games([2] * 100), games([0, 1] * 50))
    assert (always.is_shown, speed_of(always, GAMES)) == (True, 1)


@pytest.mark.parametrize("points", [[1] * 100, [2] * 100, [0, 2] * 50])
def test_exactly_equal_play_scores_zero(points: list[int]) -> None:
    same = Gain(games(points), games(points))
    assert (same.total, same.is_shown, speed_of(same, GAMES)) == (0, False, 0)


def test_a_loss_scores_zero() -> None:
    assert speed_of(Gain(games([0] * 100), games([2, 1] * 50)), GAMES) == 0


@pytest.mark.slow
@pytest.mark.parametrize("starts", ["same", ""])
def test_the_mean_falls_as_learning_takes_longer(starts: str) -> None:
    """N = 500, score 0.50 to 0.65: the worlds in which the first rule gave .16 to τ 10 and .31 to τ 50."""
    means = [
        np.mean(
            [float(speed_of(gain(rising(0.15, tau), seed, starts), GAMES)) for seed in range(150 if starts else 60)]
        )
        for tau in (0, 10, 50, 150)
    ]
    assert means == sorted(means, reverse=True)
    assert means[0] > 0.8
    assert means[3] < 0.5
    noise = [float(speed_of(gain(rising(0, 0), seed, starts), GAMES)) for seed in range(300 if starts else 100)]
    assert np.mean(noise) < 0.05


@pytest.mark.parametrize("tau", [0, 20, 60, 120])
def test_without_noise_the_true_speed_is_found(tau: int) -> None:
    """Hands have whole chips, so the curve itself can be played: 10,000 hands, gain of 10,000 chips each."""
    most = tau * 20
    level = np.ones(10_000) if not most else 1 - np.exp(-np.arange(10_000) / most)
    real = PokerCell(CellKey("m", POKER, 2), tuple(hand(round(10_000 * one)) for one in level), 100, starts="d")
    level_play = PokerCell(CellKey("m", POKER, 2), (hand(0),) * 10_000, 100, starts="d")
    speed, to_95 = fitted(Gain(real, level_play), HANDS)
    assert float(speed) == pytest.approx(1 - most * math.log(20) / 10_000, abs=0.011)
    assert to_95 == pytest.approx(most * math.log(20), abs=110)


def hand(chips: int) -> PokerHand:
    return PokerHand(chips, HandEnd.FOLD, (0, 0))


def test_the_fit_is_the_least_squares_of_scipy() -> None:
    """Oracle: scipy.optimize fits g and τ together; ours is as good as the grid allows."""
    some = gain(rising(0.25, 40), seed=5)
    differences = np.array(some.units.values) / 4
    first = np.arange(0, 500, 2)

    def curve(at: np.ndarray, height: float, tau: float) -> np.ndarray:
        return np.asarray(height * (1 - (np.exp(-at / tau) + np.exp(-(at + 1) / tau)) / 2))

    (_, tau), _ = optimize.curve_fit(curve, first, differences, p0=(0.2, 40), bounds=([0, 0.5], [2, 160]))
    speed, _ = fitted(some, GAMES)
    assert float(speed) == pytest.approx(1 - tau * math.log(20) / 500, abs=0.011)


def test_a_gain_is_shown_by_students_test_of_the_differences() -> None:
    some = gain(rising(0.06, 0), seed=3)
    oracle = stats.ttest_1samp(np.array(some.units.values), 0, alternative="greater")
    assert some.p() is not None
    assert float(some.p() or 1) == pytest.approx(oracle.pvalue, rel=1e-5)
    assert some.is_shown == (oracle.pvalue < 0.025)


def test_of_arms_on_different_starts_the_control_is_taken_as_level() -> None:
    real, control = games(drawn(rising(0.2, 30), 1), ""), games(drawn(rising(0, 0, 300), 2), "")
    some = Gain(real, control)
    units = [np.array(cell.units(lambda game: game.halfpoints)) / 4 for cell in (real, control)]
    oracle = stats.ttest_ind(*units, equal_var=False, alternative="greater")
    assert float(some.p() or 1) == pytest.approx(oracle.pvalue, rel=1e-5)
    assert float(some.mean) == pytest.approx(units[0].mean() - units[1].mean())
    assert not some.is_paired


def test_careers_are_added_place_by_place_and_tested_over_careers() -> None:
    real = games(drawn(np.tile(rising(0.3, 20, 100), 5), 1), careers=5)
    control = games(drawn(rising(0, 0), 2))
    some = Gain(real, control)
    sums = np.array(some.units.values).reshape(5, 50)
    assert (some.careers, some.positions, len(some.rows)) == (5, 50, 5)
    assert float(some.p() or 1) == pytest.approx(stats.ttest_1samp(sums.sum(axis=1), 0, alternative="greater").pvalue)
    added = Gain(games([1] * 100), games([1] * 100))
    added.rows = [(int(one),) for one in sums.sum(axis=0)]
    added.units = msgspec.structs.replace(added.units, values=tuple(map(int, sums.sum(axis=0))))
    assert fitted(some, GAMES) == fitted(added, GAMES)


def test_one_career_is_tested_by_nothing() -> None:
    some = Gain(games(drawn(rising(0.3, 20), 1), careers=1), games(drawn(rising(0, 0), 2)))
    assert some.p() is None


def test_what_stands_beside_the_speed() -> None:
    told = convergence_of(CHESS, gain(rising(0.3, 20), seed=4), GAMES, None)
    assert (told.unit, told.is_shown, told.is_paired, told.careers) == ("score", True, True, 0)
    assert told.to_95 == pytest.approx(500 * (1 - float(told.speed.decimal)))
    absent = convergence_of(CHESS, Gain(games([1] * 100), games([1] * 100)), GAMES, None)
    assert (absent.is_shown, absent.to_95, absent.speed.decimal) == (False, None, "0.000000")
