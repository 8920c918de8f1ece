"""Matches whose truth is known: chess and poker at constant strength, and with a learning curve."""

from collections.abc import Callable

import numpy as np

from agzamov_verify.scoring.learning.course import trend_either_way
from agzamov_verify.scoring.learning.curve import risings, tau_grid

Match = Callable[[np.random.Generator], list[int]]


def expected_points(games: int, start: float, gain: float, tau: float) -> np.ndarray:
    """Expected points of each game: start + gain (1 - e^(-n / tau))."""
    return start + gain * (1 - np.exp(-np.arange(games) / tau))


def chess_match(
    games: int, draw_rate: float, start: float = 0.5, gain: float = 0.0, tau: float = 60.0, white: float = 0.0
) -> Match:
    """Half-points of games; `white` is how much the first move adds to the expected points."""
    points = expected_points(games, start, gain, tau) + white * np.where(np.arange(games) % 2, -1, 1)
    drawn = np.minimum(draw_rate, 2 * np.minimum(points, 1 - points))

    def play(rng: np.random.Generator) -> list[int]:
        u = rng.random(games)
        won = points - drawn / 2
        return [int(value) for value in np.where(u < won, 2, np.where(u < won + drawn, 1, 0))]

    return play


def poker_match(hands: int, bb_per_100: float = 0.0, gain: float = 0.0, tau: float = 1000.0) -> Match:
    """Chips of hands: mostly small pots, one hand in 200 an all-in for 100 big blinds (SD 83 bb/100 by session)."""
    mean = expected_points(hands, bb_per_100, gain, tau)

    def play(rng: np.random.Generator) -> list[int]:
        size = rng.choice([50, 100, 300, 1000, 2500, 10_000], hands, p=[0.35, 0.35, 0.215, 0.06, 0.02, 0.005])
        noise = size * rng.choice([-1, 1], hands)
        return [int(value) for value in noise + rng.binomial(1000, 0.5, hands) - 500 + np.round(mean)]

    return play


def detections(play: Match, unit: int, matches: int, permutations: int, seed: int) -> int:
    """How many of so many simulated matches show learning or decline at the 5 % level."""
    rng, found = np.random.default_rng(seed), 0
    for match in range(matches):
        values = play(rng)
        units = [sum(values[at : at + unit]) for at in range(0, len(values), unit)]
        shapes = risings(len(units), unit, tau_grid(len(values), unit))
        trend = trend_either_way(units, shapes, match.to_bytes(4, "big"), permutations)
        found += trend.p * 20 <= 1
    return found
