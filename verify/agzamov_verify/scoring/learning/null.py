"""The permutation null: how large a trend is in the same units in a random order (Fisher 1935, Pitman 1937).

At constant strength every order of a match's units is equally likely, whatever their distribution, so a
detector that compares with random orders errs at most as often as its level says: heavy tails, draws and
unequal colours do not matter.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

from ..draws import ordered_extremes
from .basis import Rows, along, refuse_inexact


class Trend(NamedTuple):
    """The two-sided p of a trend in either direction, and the direction of the largest sum."""

    p: Fraction
    rises: bool


def trend_p(values: Sequence[int], shapes: Rows, seed: bytes, permutations: int) -> Fraction:
    """The p of the largest of the sums of `values` with each row of `shapes`."""
    return _permuted(values, shapes, seed, permutations, max)


def trend_either_way(values: Sequence[int], shapes: Rows, seed: bytes, permutations: int) -> Trend:
    """The trend of `values` along the rows of `shapes` or against them.

    The statistic is the largest |sum| over all rows, in random orders too, so one p covers both directions and every
    row. Equally large sums of either sign are called a rise.
    """
    p = _permuted(values, shapes, seed, permutations, _either_way)
    sums = along(values, shapes)
    return Trend(p, max(sums) >= -min(sums))


def drop_p(before: Sequence[int], after: Sequence[int], seed: bytes, permutations: int) -> Fraction:
    """The p of how far the mean of `after` lies below the mean of `before`, one-sided."""
    sizes = (len(before), len(after))
    contrast = [[sizes[1]] * sizes[0] + [-sizes[0]] * sizes[1]]
    return trend_p([*before, *after], contrast, seed, permutations)


def _permuted(
    values: Sequence[int], shapes: Rows, seed: bytes, permutations: int, size: Callable[[tuple[int, int]], int]
) -> Fraction:
    """The p of the `size` of the least and the greatest sum with a row: (1 + as large) / (1 + permutations).

    Raises ValueError if a sum may not fit into 64 bits.
    """
    refuse_inexact(len(values) * max(map(abs, values)) * max(max(map(abs, row)) for row in shapes))
    sums = along(values, shapes)
    observed = size((min(sums), max(sums)))
    drawn = ordered_extremes(values, shapes, seed, permutations)
    return Fraction(1 + sum(size(extremes) >= observed for extremes in drawn), 1 + permutations)


def _either_way(extremes: tuple[int, int]) -> int:
    return max(-extremes[0], extremes[1])
