"""The permutation null: how large a trend is in the same units in a random order (Fisher 1935, Pitman 1937).

At constant strength every order of a match's units is equally likely, whatever their distribution, so a
detector that compares with random orders errs at most as often as its level says: heavy tails, draws and
unequal colours do not matter.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np

from .basis import refuse_inexact

_CHUNK_KEYS: Final = 2**20  # number of keys in memory at a time; no effect on results


class Trend(NamedTuple):
    """The two-sided p of a trend in either direction, and the direction of the largest sum."""

    p: Fraction
    rises: bool


def orders(size: int, seed: bytes, count: int) -> Iterator[np.ndarray]:
    """`count` random orders of `size` things, some rows at a time.

    Order r sorts by keys from SHAKE-256(seed + r as 4 bytes big-endian), read as little-endian 64-bit words; of
    equal keys the earlier one comes first.
    """
    rows = max(1, _CHUNK_KEYS // size)
    for first in range(0, count, rows):
        chunk = range(first, min(first + rows, count))
        drawn = b"".join(hashlib.shake_256(seed + row.to_bytes(4, "big")).digest(8 * size) for row in chunk)
        keys = np.frombuffer(drawn, dtype="<u8").reshape(len(chunk), size)
        yield np.argsort(keys, axis=1, kind="stable")


def trend_p(values: Sequence[int], shapes: np.ndarray, seed: bytes, permutations: int) -> Fraction:
    """The p of the largest of the sums of `values` with each row of `shapes`."""
    return _permuted(_exact(values, shapes), shapes, seed, permutations, np.positive)


def trend_either_way(values: Sequence[int], shapes: np.ndarray, seed: bytes, permutations: int) -> Trend:
    """The trend of `values` along the rows of `shapes` or against them.

    The statistic is the largest |sum| over all rows, in random orders too, so one p covers both directions and every
    row. Equally large sums of either sign are called a rise.
    """
    units = _exact(values, shapes)
    sums = shapes @ units
    p = _permuted(units, shapes, seed, permutations, np.absolute)
    return Trend(p, int(sums.max()) == int(np.abs(sums).max()))


def drop_p(before: Sequence[int], after: Sequence[int], seed: bytes, permutations: int) -> Fraction:
    """The p of how far the mean of `after` lies below the mean of `before`, one-sided."""
    sizes = (len(before), len(after))
    contrast = np.array([[sizes[1]] * sizes[0] + [-sizes[0]] * sizes[1]], dtype=np.int64)
    return trend_p([*before, *after], contrast, seed, permutations)


def _exact(values: Sequence[int], shapes: np.ndarray) -> np.ndarray:
    """The values as 64-bit integers. Raises ValueError if a sum of them with a row of `shapes` may not fit."""
    refuse_inexact(len(values) * max(abs(value) for value in values) * int(np.abs(shapes).max()))
    return np.asarray(values, dtype=np.int64)


def _permuted(
    units: np.ndarray, shapes: np.ndarray, seed: bytes, permutations: int, size: Callable[[np.ndarray], np.ndarray]
) -> Fraction:
    """The p of the largest `size` of the sums of `units` with each row: (1 + as large) / (1 + permutations)."""
    observed = int(size(shapes @ units).max())
    as_large = sum(
        int((size(units[order] @ shapes.T).max(axis=1) >= observed).sum())
        for order in orders(len(units), seed, permutations)
    )
    return Fraction(1 + as_large, 1 + permutations)
