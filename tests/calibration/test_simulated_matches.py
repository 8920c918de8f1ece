"""Made-up matches have the truth that they claim: moments, correlation, tails, and one draw from one seed."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from calibration.simulated_matches import (
    STACK_CHIPS,
    ChessWorld,
    PokerWorld,
    hand_table,
    pair_points,
    pair_probabilities,
    session_chips,
    table_mean,
    table_variance,
    words,
)

SEED = b"worlds"
WORLDS = [
    ChessWorld(),
    ChessWorld(Fraction(1, 10), Fraction(1, 5)),
    ChessWorld(Fraction(1, 20), Fraction(1, 4), white=Fraction(1, 10), correlation=Fraction(-1, 3)),
    ChessWorld(correlation=Fraction(1, 2)),
]


def moments(chances: tuple[Fraction, ...]) -> tuple[Fraction, Fraction]:
    mean = sum((at * chance for at, chance in enumerate(chances)), Fraction(0))
    return mean, sum((at * at * chance for at, chance in enumerate(chances)), Fraction(0)) - mean**2


@pytest.mark.parametrize("world", WORLDS)
def test_a_pair_has_the_score_that_is_planted(world: ChessWorld) -> None:
    chances = pair_probabilities(world)
    assert sum(chances) == 1
    assert moments(chances)[0] == 2 + 4 * world.edge


def test_games_without_correlation_are_independent_and_with_it_they_are_not() -> None:
    game = Fraction(13, 20)  # of half-points squared: 4 x 0.325 less 1, and the draws
    assert moments(pair_probabilities(ChessWorld()))[1] == 2 * game
    assert moments(pair_probabilities(ChessWorld(correlation=Fraction(1, 2))))[1] == 3 * game
    assert moments(pair_probabilities(ChessWorld(correlation=Fraction(-1, 2))))[1] == game


@pytest.mark.parametrize("world", WORLDS)
def test_what_is_drawn_is_what_was_asked_for(world: ChessWorld) -> None:
    drawn = pair_points(world, 250, 80, SEED)
    assert drawn.shape == (80, 250)
    expected = [float(chance) * drawn.size for chance in pair_probabilities(world)]
    assert stats.chisquare(np.bincount(drawn.ravel(), minlength=5), expected).pvalue > 1e-4


@pytest.mark.parametrize(
    "world", [ChessWorld(Fraction(2, 5)), ChessWorld(white=Fraction(1, 2)), ChessWorld(draws=Fraction(11, 10))]
)
def test_a_world_that_cannot_be_is_refused(world: ChessWorld) -> None:
    with pytest.raises(ValueError, match="no such world"):
        pair_probabilities(world)


@given(st.integers(300, 1500), st.fractions(-50, 50, max_denominator=8), st.integers(2, 7))
def test_hands_have_the_mean_and_the_sd_that_are_planted(sd: int, mean: Fraction, lost: int) -> None:
    world = PokerWorld(sd, mean, lost)
    assert abs(table_mean(world) - mean) <= Fraction(1, 65_536)
    assert float(table_variance(world)) ** 0.5 == pytest.approx(sd, rel=0.03)
    assert len(hand_table(world)) == 65_536


def test_hands_have_a_heavy_tail_within_the_stack_and_skew_when_asked() -> None:
    even, leaning = hand_table(PokerWorld()), hand_table(PokerWorld(big_pots_lost=7))
    assert stats.kurtosis(even) > 50
    assert abs(stats.skew(even)) < 1e-9
    assert stats.skew(leaning) < -4
    assert np.abs(even).max() == STACK_CHIPS


def test_sessions_are_sums_of_hands() -> None:
    world = PokerWorld(900, Fraction(25))
    drawn = session_chips(world, 100, 100, 30, SEED)
    error = 9000 / np.sqrt(drawn.size)
    assert drawn.mean() == pytest.approx(2500, abs=4 * error)
    assert drawn.std() == pytest.approx(9000, rel=0.05)
    single = session_chips(world, 500, 1, 1, SEED)
    assert np.isin(single, hand_table(world)).all()


def test_one_seed_is_one_world_and_another_is_another() -> None:
    first = pair_points(WORLDS[0], 20, 5, SEED).tolist()
    assert pair_points(WORLDS[0], 20, 5, SEED).tolist() == first
    assert pair_points(WORLDS[0], 20, 5, b"other").tolist() != first
    assert words(SEED, 5, "<u2").tolist() == words(SEED, 40_000, "<u2")[:5].tolist()
    sessions = session_chips(PokerWorld(), 10, 100, 4, SEED).tolist()
    assert session_chips(PokerWorld(), 10, 100, 4, SEED).tolist() == sessions
    assert session_chips(PokerWorld(), 10, 100, 4, b"other").tolist() != sessions
