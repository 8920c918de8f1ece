"""The logistic function, exact to thirty places at a point and read from a table for many."""

from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import Final

import numpy as np

from ..inference.high_precision import mp

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
