"""Learning curves as integers: exponentials rounded once to 16 bits, so that every sum with them is exact.

A curve is y(n) = plateau - gain e^(-n / tau), where n is the number of results already played. Results are
summed in units (start pairs, sessions), over which colours, seats and sessions balance; a unit's exponential
is the mean over its results.
"""

from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from math import isqrt
from operator import mul
from typing import Final, TypeAlias

from ..ratings.decimal_arithmetic import high_precision

ONE: Final = 2**16
_FINE_BITS: Final = 128
GRID_RATIO: Final = (11, 10)
SHORTEST_SHARE: Final = 50
_SUM_MAX: Final = 2**62

Rows: TypeAlias = Sequence[Sequence[int]]
"""Curves by row, one value for each unit."""


def tau_grid(results: int, unit_results: int) -> tuple[int, ...]:
    """Time constants to choose from, in results: steps of a tenth from 1/50 of the match to all of it."""
    grid = [max(unit_results, results // SHORTEST_SHARE, 1)]
    up, down = GRID_RATIO
    while grid[-1] * up < results * down:
        grid.append(max(grid[-1] + 1, grid[-1] * up // down))
    return tuple(grid)


@lru_cache(maxsize=32)
def decays(units: int, unit_results: int, grid: tuple[int, ...]) -> Rows:
    """Mean of e^(-n / tau) over each unit, times 2^16, rounded down: one row for each tau of the grid."""
    return tuple(tuple(_decay(units, unit_results, tau)) for tau in grid)


def _decay(units: int, unit_results: int, tau: int) -> list[int]:
    with high_precision():
        per_result = (Decimal(-1) / tau).exp()
        per_unit = (Decimal(-unit_results) / tau).exp()
        # First unit of m results: (1 / m) sum of e^(-k / tau), k < m, a geometric series; each later one is e^(-m /
        # tau) of it.
        mean = (1 - per_unit) / (1 - per_result) / unit_results
        level, factor = (int(value * 2**_FINE_BITS) for value in (mean, per_unit))
    means = []
    for _ in range(units):
        means.append(level * ONE >> _FINE_BITS)
        level = level * factor >> _FINE_BITS
    return means


def rising(decay: Sequence[int]) -> list[int]:
    """The rising curve of a decay with mean 0 and root mean square 2^16, rounded: the weights of a trend test."""
    units, total = len(decay), sum(decay)
    centred = [total - units * value for value in decay]
    # 2^64 root(n 2^32 / sum c^2): the norm that makes the root mean square 2^16, kept to 64 bits after the point.
    norm = isqrt(units * ONE * ONE * 2**_FINE_BITS // sum(value * value for value in centred))
    return [value * norm + 2 ** (_FINE_BITS // 2 - 1) >> _FINE_BITS // 2 for value in centred]


@lru_cache(maxsize=32)
def risings(units: int, unit_results: int, grid: tuple[int, ...]) -> Rows:
    """The rising curves of the grid, by row."""
    return tuple(tuple(rising(row)) for row in decays(units, unit_results, grid))


def along(values: Sequence[int], rows: Rows) -> list[int]:
    """The sums of the values with each row."""
    return [sum(map(mul, values, row)) for row in rows]


def too_many(values: Sequence[int]) -> bool:
    """True if the sums that a curve of these units needs, squares of the time axis included, may not fit exactly."""
    greatest = max(ONE, *(abs(value) for value in values))
    return 2 * len(values) ** 2 * ONE * greatest > _SUM_MAX


def refuse_inexact(sum_max: int) -> None:
    """Raises ValueError for sums that would not fit exactly into 64 bits."""
    if sum_max > _SUM_MAX:
        raise ValueError(
            f"sums of at most {_SUM_MAX} were expected, found up to {sum_max}: take fewer or smaller units"
        )
