"""An order of players that does not depend on their names."""

import numpy as np
import pytest

from agzamov_verify.scoring.arena_ratings.canonical_order import canonical_order, in_order, seed_of_counts
from agzamov_verify.scoring.arena_ratings.davidson import Counts


def circle(m: int) -> Counts:
    """Each beats the next, once."""
    won = np.roll(np.eye(m), 1, axis=1)
    return Counts(won, np.zeros((m, m)), np.zeros((m, m)))


def leagues() -> dict[str, Counts]:
    rng = np.random.default_rng(3)
    games = rng.integers(0, 3, (3, 6, 6)).astype(np.float64) * (1 - np.eye(6))
    random = Counts(games[0], games[1], games[2])
    alone = Counts(*(np.pad(one, (0, 2)) for one in circle(4)))
    two_circles = Counts(*(np.kron(np.eye(2), one).astype(np.float64) for one in circle(3)))
    return {"random": random, "circle": circle(5), "players without a game": alone, "two circles": two_circles}


@pytest.mark.parametrize("league", leagues())
def test_renamed_players_stand_in_the_same_order(league: str) -> None:
    counts, rng = leagues()[league], np.random.default_rng(1)
    own = in_order(counts, canonical_order(counts))
    for _ in range(10):
        other = in_order(counts, rng.permutation(len(counts.won)))
        ordered = in_order(other, canonical_order(other))
        assert [one.tolist() for one in ordered] == [one.tolist() for one in own]


def test_another_game_or_purpose_is_another_seed() -> None:
    one, other = circle(4), circle(4)
    other.drawn[0, 1] = 1
    assert len({seed_of_counts("a", one), seed_of_counts("b", one), seed_of_counts("a", other)}) == 3
    assert seed_of_counts("a", one) == seed_of_counts("a", circle(4))
