"""The seeded draws without numpy. Where several sums are wanted they stand side by side in one large integer."""

import hashlib
from collections.abc import Sequence
from operator import getitem, mul
from struct import unpack
from typing import Final

UNITS_MAX: Final = 2**16
WORDS: Final = 2**16
"""How many different words there are."""

BLOCK_WORDS: Final = 2**15
REFUSED_BITS: Final = 17
"""A count of refused words is below 2^17."""


_SIGN = 2**63
_REFUSED = 2**REFUSED_BITS - 1


def resampled_sums(columns: Sequence[Sequence[int]], seed: bytes, sample: int, resamples: int) -> list[list[int]]:
    """Per column the sums of all resamples; the columns are of one length and are drawn together."""
    tables = _tables(columns)
    sums = [[0] * resamples for _ in columns]
    needs, rounds = dict.fromkeys(range(resamples), len(columns[0])), 0
    while needs:
        words = _Words(seed + bytes([sample]) + rounds.to_bytes(4, "big"))
        missing = {}
        for row, need in needs.items():
            drawn = words.take(need)
            first, *others = (sum(map(table.__getitem__, drawn)) for table in tables)
            sums[0][row] += first >> REFUSED_BITS
            for total, added in zip(sums[1:], others, strict=True):
                total[row] += added
            if refused := first & _REFUSED:
                missing[row] = refused
        needs, rounds = missing, rounds + 1
    return sums


def _tables(columns: Sequence[Sequence[int]]) -> list[list[int]]:
    """Tables of each word's addition to the sum of each column; in the first, the lowest bits count refused words."""
    n = len(columns[0])
    units = [-1 if word * n % WORDS < WORDS % n else word * n // WORDS for word in range(WORDS)]
    first = [1 if unit < 0 else columns[0][unit] << REFUSED_BITS for unit in units]
    return [first, *([0 if unit < 0 else column[unit] for unit in units] for column in columns[1:])]


class _Words:
    """The words of one round, in order."""

    def __init__(self, prefix: bytes) -> None:
        self._prefix, self._blocks = prefix, 0
        self._ready: tuple[int, ...] = ()
        self._at = 0

    def take(self, count: int) -> Sequence[int]:
        """The next `count` words."""
        while len(self._ready) - self._at < count:
            block = hashlib.shake_128(self._prefix + self._blocks.to_bytes(4, "big")).digest(2 * BLOCK_WORDS)
            self._ready = self._ready[self._at :] + unpack(f"<{BLOCK_WORDS}H", block)
            self._at, self._blocks = 0, self._blocks + 1
        self._at += count
        return self._ready[self._at - count : self._at]


def flipped_sums(values: Sequence[int], seed: bytes, flips: int) -> list[int]:
    """The sums of the values with random signs."""
    tables = [_of_byte(values[first : first + 8]) for first in range(0, len(values), 8)]
    drawn = (hashlib.shake_256(seed + b"flip" + row.to_bytes(4, "big")).digest(len(tables)) for row in range(flips))
    return [sum(map(getitem, tables, row)) for row in drawn]


def _of_byte(values: Sequence[int]) -> list[int]:
    """Sums of up to eight values, one for each of the 256 bytes that select them."""
    sums = [-sum(values)]
    for value in values:
        sums += [total + 2 * value for total in sums]
    return sums * (256 // len(sums))


def ordered_extremes(
    values: Sequence[int], rows: Sequence[Sequence[int]], seed: bytes, orders: int
) -> list[tuple[int, int]]:
    """In each of so many random orders of the values, the least and the greatest of their sums along the rows."""
    size, lines = len(values), len(rows)
    columns = [sum(int(value) << 64 * line for line, value in enumerate(column)) for column in zip(*rows, strict=True)]
    lift = sum(_SIGN << 64 * line for line in range(lines))
    found = []
    for order in range(orders):
        keys = unpack(f"<{size}Q", hashlib.shake_256(seed + order.to_bytes(4, "big")).digest(8 * size))
        drawn = [values[at] for at in sorted(range(size), key=keys.__getitem__)]
        sums = unpack(f"<{lines}Q", (sum(map(mul, drawn, columns)) + lift).to_bytes(8 * lines, "little"))
        found.append((min(sums) - _SIGN, max(sums) - _SIGN))
    return found
