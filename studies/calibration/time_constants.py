"""Coverage of the time constant's interval: chess pairs of players who learn, at several speeds and gains.

The interval is given whether or not a trend was detected, so all matches count. A player whose win rate rises to 0.9
varies less in the end, which an interval that takes variances for equal does not stand (88 % instead of 95 %).
"""

import hashlib
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from agzamov_verify.scoring.learning.curve import decays, interval_of_tau, tau_grid

from .error_rates import rate_of
from .finding import BANDS, HELD, Band, Finding, of_rate

GRID_STEP: Final = 1.05
"""Half a step of the grid of time constants: a truth between two of them belongs to the nearer one."""


@dataclass(frozen=True)
class Learner:
    """A player whose win rate rises from `start` by `gain` (1 - e^(-n / tau)); a share of games is drawn."""

    games: int
    start: float
    gain: float
    tau: float
    draws: float = 0.3

    def __str__(self) -> str:
        return f"{self.games} games, {self.start:g} + {self.gain:g}, time constant {self.tau:g}"


LEARNERS: Final = (
    Learner(500, 0.5, 0.15, 10),
    Learner(500, 0.5, 0.15, 50),
    Learner(500, 0.5, 0.15, 150),
    Learner(500, 0.5, 0.4, 60),
    Learner(100, 0.5, 0.4, 20),
)
AT_LEAST: Final = Band(BANDS[HELD].low, Fraction(1), None)
"""A bound at an end of the grid is 0 or infinite, so the interval may hold the truth more often than 95 %."""


def findings(case: Learner, size: int, seed: str) -> list[Finding]:
    """The share of `size` intervals that hold the true time constant."""
    rng = np.random.default_rng(list(hashlib.sha256(f"{seed}/tau/{case}".encode()).digest()))
    held = sum(_holds(pairs(case, rng), case) for _ in range(size))
    return [of_rate(f"95% interval, {case}", rate_of(held, size), AT_LEAST)]


def pairs(learner: Learner, rng: np.random.Generator) -> list[int]:
    """Half-points of each start pair. The score is that of the curve whatever the share of draws."""
    score = learner.start + learner.gain * (1 - np.exp(-np.arange(learner.games) / learner.tau))
    drawn = learner.draws * 2 * np.minimum(score, 1 - score)
    sure = rng.random(learner.games)
    points = np.where(sure < drawn, 1, np.where(sure < drawn / 2 + score, 2, 0))
    return [int(total) for total in points.reshape(-1, 2).sum(axis=1)]


def _holds(values: list[int], learner: Learner) -> bool:
    grid = tau_grid(learner.games, 2)
    found = interval_of_tau(values, decays(len(values), 2, grid), grid)
    return found is not None and float(found.low) / GRID_STEP <= learner.tau <= float(found.high) * GRID_STEP


FULL: Final = 400
SMALL: Final = 150
