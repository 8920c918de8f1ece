"""The resamples of a bootstrap, in integers: fast, and the same on every machine.

A resample of a sample of n units is n draws with replacement. So that a stranger gets the same resamples, they are
specified to the bit, in two ways.

`resampled_sums`, of up to 65,536 units, for means and contrasts of means:

- Round k (0, 1, ...) of sample s (0, 1, ... in a contrast) reads the blocks SHAKE-128(seed, s as one byte, k and c
  as 4 bytes big-endian each), c = 0, 1, ..., of 65,536 bytes each, one after the other, as little-endian 16-bit
  words w.
- A word stands for unit w n div 2^16, and is refused if w n mod 2^16 < 2^16 mod n: all units are equally likely
  (Lemire 2019, ACM TOMACS 29:3).
- Round 0 gives each resample in turn n words. Each later round gives each resample in turn as many words as were
  refused to it in the round before, until none is refused.

`resampled_counts`, of any number of units, for what is fitted again to each resample: resample r reads
SHAKE-256(seed, r as 4 bytes big-endian) as little-endian 32-bit words w, and draws unit w n div 2^32. A unit is drawn
with a probability that is off by less than n / 2^32 of itself.

Sources: Efron 1979 (Annals of Statistics 7:1); FIPS 202 (SHAKE-128, SHAKE-256).
"""

import hashlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

import numpy as np

UNITS_MAX: Final = 2**16
_WORDS = 2**16  # how many different words there are
_BLOCK_WORDS = 2**15
_REFUSED_BITS = 17  # a count of refused words is below 2^17
_CHUNK_DRAWS = 2**18  # approximate number of draws in memory at a time; no effect on results


def resampled_sums(columns: Sequence[Sequence[int]], seed: bytes, sample: int, resamples: int) -> list[np.ndarray]:
    """Per column the sums (int64) of all resamples; the columns are of one length and are drawn together.

    Raises OverflowError if a sum may not fit: ask `fits` first.
    """
    n = len(columns[0])
    if not fits(columns):
        raise OverflowError(f"{n} units do not fit: at most {UNITS_MAX}, with sums below 2^62")
    tables = _tables(columns)
    sums = [np.zeros(resamples, dtype=np.int64) for _ in columns]
    needs, rounds = np.full(resamples, n, dtype=np.int64), 0
    space = np.empty(_CHUNK_DRAWS + UNITS_MAX, dtype=np.int64)
    while needs.any():
        words = _Words(seed + bytes([sample]) + rounds.to_bytes(4, "big"))
        missing = np.zeros(resamples, dtype=np.int64)
        for rows in _chunks(needs):
            drawn = words.take(int(needs[rows].sum()))
            missing[rows] = _add(drawn, needs[rows], tables, [total[rows] for total in sums], space)
        needs, rounds = missing, rounds + 1
    return sums


def resampled_counts(n: int, seed: bytes, resamples: int, draws_max: int = _CHUNK_DRAWS) -> Iterator[np.ndarray]:
    """Multiplicity of each of n units in each resample: arrays of (some resamples, n), the resamples in order.

    `draws_max`: approximate number of draws in memory at a time; it does not affect the result.
    """
    rows = max(1, draws_max // n)
    for first in range(0, resamples, rows):
        chunk = range(first, min(first + rows, resamples))
        drawn = b"".join(hashlib.shake_256(seed + row.to_bytes(4, "big")).digest(4 * n) for row in chunk)
        words = np.frombuffer(drawn, dtype="<u4").reshape(len(chunk), n).astype(np.uint64)
        places = ((words * np.uint64(n)) >> np.uint64(32)).astype(np.intp) + n * np.arange(len(chunk))[:, None]
        yield np.bincount(places.ravel(), minlength=n * len(chunk)).reshape(len(chunk), n)


def fits(columns: Sequence[Sequence[int]]) -> bool:
    """True if samples of this size and magnitude can be resampled in 64 bits."""
    n = len(columns[0])
    tops = [n * max(map(abs, column), default=0) for column in columns]
    return 0 < n <= UNITS_MAX and tops[0] < 2 ** (62 - _REFUSED_BITS) and max(tops) < 2**62


class _Words:
    """The words of one round, in order."""

    def __init__(self, prefix: bytes) -> None:
        self._prefix = prefix
        self._blocks = 0
        self._left = np.empty(0, dtype=np.uint16)
        self._space = np.empty(_CHUNK_DRAWS + UNITS_MAX + _BLOCK_WORDS, dtype=np.uint16)

    def take(self, count: int) -> np.ndarray:
        """The next `count` words; the next call writes over them."""
        have = len(self._left)
        self._space[:have] = self._left.copy()
        while have < count:
            block = hashlib.shake_128(self._prefix + self._blocks.to_bytes(4, "big")).digest(2 * _BLOCK_WORDS)
            self._space[have : have + _BLOCK_WORDS] = np.frombuffer(block, dtype="<u2")
            self._blocks += 1
            have += _BLOCK_WORDS
        self._left = self._space[count:have]
        return self._space[:count]


def _tables(columns: Sequence[Sequence[int]]) -> list[np.ndarray]:
    """Tables of what each word adds to the sum of each column; in the first, the lowest bits count refused words."""
    units, refused = _meaning(len(columns[0]))
    tables = [np.where(refused, 0, np.asarray(column, dtype=np.int64)[units]) for column in columns]
    tables[0] = (tables[0] << _REFUSED_BITS) + refused
    return tables


@lru_cache(maxsize=8)
def _meaning(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Unit of each word, and True if it is refused."""
    products = np.arange(_WORDS, dtype=np.int64) * n
    return products // _WORDS, products % _WORDS < _WORDS % n


def _chunks(needs: np.ndarray) -> list[slice]:
    """The resamples in runs of about as many draws as are kept in memory."""
    ends = np.cumsum(needs)
    cuts = np.searchsorted(ends, np.arange(_CHUNK_DRAWS, ends[-1] + _CHUNK_DRAWS, _CHUNK_DRAWS), side="right")
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
            missing[some] = added & (2**_REFUSED_BITS - 1)
            added >>= _REFUSED_BITS
        total[some] += added
    return missing
