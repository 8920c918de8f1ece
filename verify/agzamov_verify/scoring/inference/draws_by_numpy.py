"""The draws by numpy, and the counts of resamples that only the score and the rating lists need."""

import hashlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

import numpy as np

from .draws_by_python import BLOCK_WORDS, REFUSED_BITS, UNITS_MAX, WORDS

_CHUNK_DRAWS: Final = 2**18  # approximate number of draws in memory at a time; no effect on results
_CHUNK_WORDS: Final = 2**16  # the same for sums, whose tables and draws then stay in a core's cache
_CHUNK_FLIPS: Final = 2**21
_CHUNK_KEYS: Final = 2**14  # number of keys in memory at a time; no effect on results


def resampled_sums(columns: Sequence[Sequence[int]], seed: bytes, sample: int, resamples: int) -> list[list[int]]:
    """Per column the sums of all resamples; the columns are of one length and are drawn together."""
    n = len(columns[0])
    tables = _tables(columns)
    sums = [np.zeros(resamples, dtype=np.int64) for _ in columns]
    needs, rounds = np.full(resamples, n, dtype=np.int64), 0
    space = np.empty(_CHUNK_WORDS + UNITS_MAX, dtype=np.int64)
    while needs.any():
        words = _Words(seed + bytes([sample]) + rounds.to_bytes(4, "big"))
        missing = np.zeros(resamples, dtype=np.int64)
        for rows in _chunks(needs):
            drawn = words.take(int(needs[rows].sum()))
            missing[rows] = _add(drawn, needs[rows], tables, [total[rows] for total in sums], space)
        needs, rounds = missing, rounds + 1
    return [total.tolist() for total in sums]


def flipped_sums(values: Sequence[int], seed: bytes, flips: int) -> list[int]:
    """The sums of the values with random signs."""
    array, n, sums = np.asarray(values, dtype=np.int64), len(values), []
    rows = max(1, _CHUNK_FLIPS // n)
    for first in range(0, flips, rows):
        chunk = range(first, min(first + rows, flips))
        drawn = b"".join(hashlib.shake_256(seed + b"flip" + row.to_bytes(4, "big")).digest(-(-n // 8)) for row in chunk)
        bits = np.unpackbits(np.frombuffer(drawn, dtype=np.uint8).reshape(len(chunk), -1), 1, n, "little")
        sums += (2 * np.where(bits, array, 0).sum(axis=1) - array.sum()).tolist()
    return sums


def ordered_extremes(
    values: Sequence[int], rows: Sequence[Sequence[int]], seed: bytes, orders: int
) -> list[tuple[int, int]]:
    """In each of so many random orders of the values, the least and the greatest of their sums along the rows."""
    units, columns = np.asarray(values, dtype=np.int64), np.asarray(rows, dtype=np.int64).T
    found: list[tuple[int, int]] = []
    for chunk in random_orders(len(values), seed, orders):
        sums = np.ascontiguousarray((units[chunk] @ columns).T)  # numpy is slow along rows of few
        found += zip(sums.min(axis=0).tolist(), sums.max(axis=0).tolist(), strict=True)
    return found


def random_orders(size: int, seed: bytes, count: int) -> Iterator[np.ndarray]:
    """`count` random orders of `size` things, some rows at a time."""
    rows = max(1, _CHUNK_KEYS // size)
    for first in range(0, count, rows):
        chunk = range(first, min(first + rows, count))
        drawn = b"".join(hashlib.shake_256(seed + row.to_bytes(4, "big")).digest(8 * size) for row in chunk)
        keys = np.frombuffer(drawn, dtype="<u8").reshape(len(chunk), size)
        yield np.argsort(keys, axis=1, kind="stable")


def resampled_counts(n: int, seed: bytes, resamples: int, draws_max: int = _CHUNK_DRAWS) -> Iterator[np.ndarray]:
    """Multiplicity of each of n units in each resample: arrays of (some resamples, n), the resamples in order.

    `draws_max`: approximate number of draws in memory at a time; it does not affect the result.
    """
    rows = max(1, draws_max // n)
    for first in range(0, resamples, rows):
        chunk = range(first, min(first + rows, resamples))
        drawn = b"".join(hashlib.shake_256(seed + row.to_bytes(4, "big")).digest(4 * n) for row in chunk)
        words = np.frombuffer(drawn, dtype="<u4").reshape(len(chunk), n).astype(np.uint64)
        # Unit w n div 2^32 of each word; the offset n r of resample r lets one bincount serve the whole chunk.
        places = ((words * np.uint64(n)) >> np.uint64(32)).astype(np.intp) + n * np.arange(len(chunk))[:, None]
        yield np.bincount(places.ravel(), minlength=n * len(chunk)).reshape(len(chunk), n)


class _Words:
    """The words of one round, in order."""

    def __init__(self, prefix: bytes) -> None:
        self._prefix = prefix
        self._blocks = 0
        self._left = np.empty(0, dtype=np.uint16)
        self._space = np.empty(_CHUNK_WORDS + UNITS_MAX + BLOCK_WORDS, dtype=np.uint16)

    def take(self, count: int) -> np.ndarray:
        """The next `count` words; the next call writes over them."""
        have = len(self._left)
        self._space[:have] = self._left.copy()
        while have < count:
            block = hashlib.shake_128(self._prefix + self._blocks.to_bytes(4, "big")).digest(2 * BLOCK_WORDS)
            self._space[have : have + BLOCK_WORDS] = np.frombuffer(block, dtype="<u2")
            self._blocks += 1
            have += BLOCK_WORDS
        self._left = self._space[count:have]
        return self._space[:count]


def _tables(columns: Sequence[Sequence[int]]) -> list[np.ndarray]:
    """Tables of each word's addition to the sum of each column; in the first, the lowest bits count refused words."""
    # One look-up adds a unit's value, times 2^17, and counts a refused word in the lowest 17 bits. A resample takes at
    # most 2^16 words a round, so the count never carries into the value.
    units, refused = _meaning(len(columns[0]))
    tables = [np.where(refused, 0, np.asarray(column, dtype=np.int64)[units]) for column in columns]
    tables[0] = (tables[0] << REFUSED_BITS) + refused
    return tables


@lru_cache(maxsize=8)
def _meaning(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Unit of each word, and True if it is refused."""
    products = np.arange(WORDS, dtype=np.int64) * n
    return products // WORDS, products % WORDS < WORDS % n


def _chunks(needs: np.ndarray) -> list[slice]:
    """The resamples in runs of about as many draws as are kept in memory."""
    ends = np.cumsum(needs)
    cuts = np.searchsorted(ends, np.arange(_CHUNK_WORDS, ends[-1] + _CHUNK_WORDS, _CHUNK_WORDS), side="right")
    bounds = sorted({0, *map(int, cuts), len(needs)})
    return [slice(low, high) for low, high in pairwise(bounds)]


def _add(
    words: np.ndarray, needs: np.ndarray, tables: list[np.ndarray], sums: list[np.ndarray], space: np.ndarray
) -> np.ndarray:
    """Adds the words' values to the sums of the resamples that need them; how many were refused to each."""
    missing = np.zeros_like(needs)
    some = np.flatnonzero(needs)
    if not len(some):
        return missing
    counts = needs[some]
    starts, gathered = np.cumsum(counts) - counts, space[: len(words)]
    for index, (table, total) in enumerate(zip(tables, sums, strict=True)):
        table.take(words, mode="clip", out=gathered)
        added = np.add.reduceat(gathered, starts)
        if index == 0:
            missing[some] = added & (2**REFUSED_BITS - 1)
            added >>= REFUSED_BITS
        total[some] += added
    return missing
