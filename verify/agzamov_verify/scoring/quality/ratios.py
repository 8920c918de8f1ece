"""Means over moves with games as clusters: the moves of one game are not independent.

A mean is a ratio: the sum of a value over all moves, by the number of moves. Its standard error is the linearised one
of a ratio, its 95 % interval Student's over games (`inference/clusters.py`). Few games have a standard error and no
interval: it would cover less than it says (docs/decisions/0045).
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import msgspec

from ..exact import Figure, figure, fixed, square_root
from ..inference.clusters import STUDENT, linearised
from ..inference.distributions import t_quantile
from ..statistics import Z_95, Interval

Z_POWER_80: Final = Fraction(8416212335729143, 10**16)


class Mean(msgspec.Struct, frozen=True):
    """A mean over moves. `ci` is None of too few games. `mde`: the least true difference from a fixed value that so
    many games would show at a two-sided 5 % with a power of 80 %, by the normal formula; None with fewer than two
    games."""

    value: Figure
    ci: Interval | None
    se: Figure | None
    mde: Figure | None


class Sums(msgspec.Struct, frozen=True):
    """A value summed over the moves of each game; `per_unit` makes the published unit of it (1, or 10^-6)."""

    totals: tuple[int, ...]
    per_unit: Fraction = Fraction(1)


def means(columns: Sequence[Sums], moves: Sequence[int], games_min: int) -> list[Mean]:
    """The mean of each column over all moves; `moves` counts those of each game, none of them 0."""
    return [_mean(column, moves, games_min) for column in columns]


def _mean(column: Sums, moves: Sequence[int], games_min: int) -> Mean:
    ratio = linearised(column.totals, moves)
    assert ratio is not None
    value = ratio.value * column.per_unit
    if ratio.n < 2:
        return Mean(figure(value), None, None, None)
    se, ci = square_root(ratio.squared_error) * column.per_unit, None
    if ratio.n >= games_min and ratio.df:
        half = t_quantile(Fraction(39, 40), ratio.df) * se
        ci = Interval(fixed(value - half), fixed(value + half), STUDENT)
    return Mean(figure(value), ci, figure(se), figure((Z_95 + Z_POWER_80) * se))
