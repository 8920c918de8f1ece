"""The scale of the Agzamov Score: the logistic function, the scale's ends, and what noise alone adds to a score.

That the scale neither begins at 0 nor ends at 100 is a flaw of the paper: baselines are self-play, in which nobody can
win more than his opponent. So the hold'em baseline is the logistic function of 0, one half, and the chess baseline is
(1 - draws) / 2, whoever plays.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import Final

import msgspec
import numpy as np

from ..hypotheses.contrasts import Weighted, repeated
from ..inference.distributions import normal_upper
from ..inference.exact import Figure, figure, mp, rational, square_root
from ..inference.samples import contrast, moments
from ..units.cells import Cell
from ..units.score_constants import SCALE, SCORED_GAMES, ScoreConstants

SIGMOID_DIGITS: Final = 30
STEPS: Final = 256
"""Steps of the table to 1 of the argument: a line between two is off by at most 0.0962 / (8 · 256²) = 1.9e-7.

0.0962 is the greatest second derivative of the function.
"""

_FAR: Final = 40
"""Beyond this the function is 0 or 1 to seventeen places."""


@lru_cache(maxsize=2**16)
def sigmoid(x: Fraction) -> Fraction:
    """1 / (1 + e^-x), rounded to 30 decimal places, so the same on every machine."""
    value = 1 / (1 + mp.exp(-mp.mpf(x.numerator) / x.denominator))
    return Fraction(int(mp.nint(value * 10**SIGMOID_DIGITS)), 10**SIGMOID_DIGITS)


def logistic_table(x: np.ndarray) -> np.ndarray:
    """The function at many points, by straight lines between the steps of a table."""
    steps = np.clip(x, -_FAR, _FAR) * STEPS
    low = floor(float(steps.min()))
    nodes = range(low, ceil(float(steps.max())) + 2)
    table = np.array([_step(node) for node in nodes])
    left = np.floor(steps)
    index = left.astype(np.intp) - low
    line: np.ndarray = table[index] + (steps - left) * (table[index + 1] - table[index])
    return line


@lru_cache(maxsize=2**16)
def _step(node: int) -> float:
    return float(sigmoid(Fraction(node, STEPS)))


HALF: Final = Fraction(1, 2)


class ScoreRange(msgspec.Struct, frozen=True):
    """The scale of a score for one share of drawn games in self-play.

    `least`: every game and hand of the real arm lost. `even_no_effect`: a real arm that plays like its baseline, as it
    would without an effect against an opponent like itself; against another opponent it is the control that says what
    no effect is worth (`ScoreGain.without`). `greatest`: every part but the baselines in full. `drawish_no_effect`,
    `decisive_no_effect`, `decisive_greatest`: what the formula gives at the ends, where all and where no games of
    self-play are drawn.
    """

    draws: Figure
    least: Figure
    even_no_effect: Figure
    greatest: Figure
    drawish_no_effect: Figure
    decisive_no_effect: Figure
    decisive_greatest: Figure


def range_of(draws: Fraction, constants: ScoreConstants) -> ScoreRange:
    """The scale at a share of drawn games."""
    least, no_effect, greatest = points_at(draws, constants)
    return ScoreRange(
        figure(draws),
        figure(least),
        figure(no_effect),
        figure(greatest),
        figure(points_at(Fraction(1), constants)[1]),
        figure(points_at(Fraction(0), constants)[1]),
        figure(points_at(Fraction(0), constants)[2]),
    )


def points_at(draws: Fraction, constants: ScoreConstants) -> tuple[Fraction, Fraction, Fraction]:
    """Points if all is lost, without an effect, and at most, at a share of drawn games in self-play."""
    weights = constants.exact_weights
    baseline = (1 - draws) / 2
    own = weights[0] * baseline + weights[2] * HALF
    no_effect = own + weights[1] * baseline + weights[3] * HALF
    greatest = own + weights[1] + sum(weights[3:], Fraction(0))
    return SCALE * own, SCALE * no_effect, SCALE * greatest


def share_drawn(cell: Cell) -> Fraction:
    """The share of chess games that neither side won: half-points of 1."""
    halves = cell.course
    return Fraction(sum(value == 1 for value in halves), len(halves))


def bias_without_effect(
    control: Mapping[str, Cell], real: Mapping[str, Cell], constants: ScoreConstants
) -> Fraction | None:
    """Mean points from the deltas of a player without effect, whose means are about normal; None without a spread."""
    total = Fraction(0)
    for game, weight in zip(SCORED_GAMES, constants.exact_weights[4:6], strict=True):
        error = standard_error(real[game], control[game])
        if error is None:
            return None
        total += SCALE * weight * mean_cut(error / constants.delta_max(game))
    return total


def standard_error(real: Cell, control: Cell) -> Fraction | None:
    """Standard error of a delta in the published unit, over independent repetitions; None where there are none."""
    groups = repeated([Weighted(real.measured(), Fraction(1)), Weighted(control.measured(), Fraction(-1))])
    if any(group.units.is_one_career or len(group.units.values) < 2 for group in groups):
        return None
    samples = [moments(group.units.values) for group in groups]
    delta = contrast(samples, [group.weight * group.units.scale.factor for group in groups])
    return square_root(delta.squared_error)


def mean_cut(error: Fraction) -> Fraction:
    """E[min(max(Z, 0), 1)] of a normal Z about 0 with this standard deviation: s (φ(0) - φ(1/s)) + P(Z > 1)."""
    if not error:
        return Fraction(0)
    top = 1 / error
    density = rational((1 - mp.exp(-(mp.mpf(top.numerator) ** 2) / top.denominator**2 / 2)) / mp.sqrt(2 * mp.pi))
    return error * density + normal_upper(top)
