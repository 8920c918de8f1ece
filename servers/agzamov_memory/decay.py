"""Scores that halve with age, where a half-life is declared. Age is counted in games, weights are integers."""

import numpy as np

from .postings import Growing, Integers

WEIGHT_BITS = 24
"""A new entry weighs 2^24: times a score below 2^39 it fits into 64 bits."""
HALF_LIFE_GAMES_MAX = 10_000


def weight(age_games: int, half_life_games: int) -> int:
    """Return floor(2^(24 - age / half-life)), exactly: the greatest w with w^h <= 2^(24 h - age)."""
    halvings, rest = divmod(age_games, half_life_games)
    power = 1 << (WEIGHT_BITS * half_life_games - rest)
    guess = int(2.0 ** (WEIGHT_BITS - rest / half_life_games))
    while guess**half_life_games > power:
        guess -= 1
    while (guess + 1) ** half_life_games <= power:
        guess += 1
    return guess >> halvings


class Decay:
    """The games of entries, and what their ages do to scores: nothing, unless a half-life is declared."""

    def __init__(self, half_life_games: int | None) -> None:
        self._half_life_games = half_life_games
        self._games = Growing()
        self._weights = Growing()  # by age

    def add(self, game: int) -> None:
        """Take in the game of the next entry, in order of number."""
        self._games.append(game)

    def weigh(self, numbers: Integers, scores: Integers, now: int) -> Integers:
        """The scores of these entries at game `now`; an entry of a later game counts as new."""
        if self._half_life_games is None or not numbers.size:
            return scores
        # Beyond 24 half-lives every weight is 0.
        oldest = (WEIGHT_BITS + 1) * self._half_life_games
        ages = np.clip(now - self._games.read()[numbers - 1], 0, oldest)
        self._extend(int(ages.max()), self._half_life_games)
        weighed: Integers = scores * self._weights.read()[ages]
        return weighed

    def _extend(self, age_games: int, half_life_games: int) -> None:
        """Make the table of weights reach to an age."""
        for age in range(len(self._weights), age_games + 1):
            # floor(x / 2) = floor(floor(x) / 2): one half-life later an entry weighs half.
            known = age >= half_life_games
            self._weights.append(
                int(self._weights.read()[age - half_life_games]) >> 1 if known else weight(age, half_life_games)
            )
