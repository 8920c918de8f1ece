"""The permutation null: how large a trend is in the same units in a random order (Fisher 1935, Pitman 1937).

At constant strength every order of a match's units is equally likely, whatever their distribution, so a
detector that compares with random orders errs at most as often as its level says: heavy tails, draws and
unequal colours do not matter.
"""

import hashlib
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

import numpy as np

from .basis import refuse_inexact

_CHUNK_KEYS: Final = 2**20  # how many keys are in memory at a time; shows nowhere


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
    """The p of the largest of the sums of `values` with each row of `shapes`: (1 + as large) / (1 + permutations)."""
    refuse_inexact(len(values) * max(abs(value) for value in values) * int(np.abs(shapes).max()))
    units = np.asarray(values, dtype=np.int64)
    observed = int((shapes @ units).max())
    as_large = sum(
        int(((units[order] @ shapes.T).max(axis=1) >= observed).sum())
        for order in orders(len(values), seed, permutations)
    )
    return Fraction(1 + as_large, 1 + permutations)


def drop_p(before: Sequence[int], after: Sequence[int], seed: bytes, permutations: int) -> Fraction:
    """The p of how far the mean of `after` lies below the mean of `before`, one-sided."""
    sizes = (len(before), len(after))
    contrast = np.array([[sizes[1]] * sizes[0] + [-sizes[0]] * sizes[1]], dtype=np.int64)
    return trend_p([*before, *after], contrast, seed, permutations)
