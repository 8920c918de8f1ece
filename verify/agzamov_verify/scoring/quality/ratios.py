"""Means over moves with games as the unit of chance: the moves of one game hang together.

A mean is a ratio: the sum of a value over all moves, by the number of moves. Its 95 % interval is the
percentile bootstrap over whole games (Efron 1979; Cameron, Gelbach and Miller 2008 on clusters), its
standard error the linearised one of a ratio (Cochran, Sampling Techniques, section 6.4). Resampling draws
whole games as `statistics.bootstrap_95` draws units, and sums integers: the bounds are exact and the same
on every machine. With one game the interval is a point and says nothing; there is no standard error then.
"""

import hashlib
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import msgspec
import numpy as np

from ..exact import PLACES, Figure, figure, fixed, square_root
from ..statistics import Z_95, Interval

Z_POWER_80: Final = Fraction(8416212335729143, 10**16)
_CHUNK_DRAWS = 2**18  # how many draws are in memory at a time; shows nowhere


class Mean(msgspec.Struct, frozen=True):
    """A mean over moves. `mde`: the least true difference from a fixed value that so many games would show
    at a two-sided 5 % with a power of 80 %, by the normal formula; None with fewer than two games."""

    value: Figure
    ci: Interval
    se: Figure | None
    mde: Figure | None


class Sums(msgspec.Struct, frozen=True):
    """A value summed over the moves of each game; `per_unit` makes the published unit of it (1, or 10^-6)."""

    totals: tuple[int, ...]
    per_unit: Fraction = Fraction(1)


def means(columns: Sequence[Sums], moves: Sequence[int], seed: bytes, resamples: int) -> list[Mean]:
    """The mean of each column over all moves; `moves` counts those of each game, none of them 0."""
    intervals = _intervals(columns, moves, seed, resamples)
    return [_mean(column, moves, interval) for column, interval in zip(columns, intervals, strict=True)]


def _mean(column: Sums, moves: Sequence[int], interval: Interval) -> Mean:
    value = Fraction(sum(column.totals), sum(moves)) * column.per_unit
    if len(moves) < 2:
        return Mean(figure(value), interval, None, None)
    se = standard_error(column.totals, moves) * column.per_unit
    return Mean(figure(value), interval, figure(se), figure((Z_95 + Z_POWER_80) * se))


def standard_error(totals: Sequence[int], moves: Sequence[int]) -> Fraction:
    """Linearised standard error of sum(totals) / sum(moves) over at least two games, to 60 digits."""
    games, total, count = len(moves), sum(totals), sum(moves)
    squares = sum((own * count - n * total) ** 2 for own, n in zip(totals, moves, strict=True))
    return square_root(Fraction(games * squares, (games - 1) * count**4))


def _intervals(columns: Sequence[Sums], moves: Sequence[int], seed: bytes, resamples: int) -> list[Interval]:
    table = np.array([*(column.totals for column in columns), moves], dtype=np.int64).T
    sums = _resampled_sums(table, seed, resamples)
    cut = resamples * 25 // 1000
    found = []
    for number, column in enumerate(columns):
        rounded = np.sort(_sixth_places(sums[:, number], sums[:, -1], column.per_unit))
        low, high = (fixed(Fraction(int(rounded[at]), 10**PLACES)) for at in (cut, resamples - 1 - cut))
        found.append(Interval(low, high, f"bootstrap-{resamples} of {len(moves)} games"))
    return found


def _resampled_sums(table: np.ndarray, seed: bytes, resamples: int) -> np.ndarray:
    """Column sums of `table` over each resample of its rows. Draws as in `statistics.bootstrap_95`."""
    n = len(table)
    sums = np.empty((resamples, table.shape[1]), dtype=np.int64)
    rows = max(1, _CHUNK_DRAWS // n)
    for first in range(0, resamples, rows):
        chunk = range(first, min(first + rows, resamples))
        drawn = b"".join(hashlib.shake_256(seed + row.to_bytes(4, "big")).digest(4 * n) for row in chunk)
        words = np.frombuffer(drawn, dtype="<u4").astype(np.uint64)
        indices = ((words * np.uint64(n)) >> np.uint64(32)).astype(np.int64)
        indices += np.repeat(np.arange(len(chunk), dtype=np.int64) * n, n)
        times = np.bincount(indices, minlength=len(chunk) * n).reshape(len(chunk), n)
        sums[chunk.start : chunk.stop] = times @ table
    return sums


def _sixth_places(totals: np.ndarray, counts: np.ndarray, per_unit: Fraction) -> np.ndarray:
    """totals / counts * per_unit in millionths, rounded half to even: what is published of each ratio.

    Rounding keeps the order, so an order statistic of the rounded ratios is the rounded order statistic.
    """
    scale = 10**PLACES * per_unit
    if scale.denominator != 1 or int(np.abs(totals).max()) * scale.numerator >= 2**62:
        raise ValueError(f"expected sums that stay below 2^62 in millionths, found {totals.max()} by {per_unit}")
    rounded, rests = np.divmod(totals * scale.numerator, counts)
    rounded += (2 * rests > counts) | ((2 * rests == counts) & (rounded % 2 == 1))
    return rounded
