"""Confidence in the rest from a random sample without a fault: exact, by the hypergeometric distribution.

If `wrong` of `total` answers are wrong, a sample of `asked` without replacement shows none of them with
probability C(total - wrong, asked) / C(total, asked). With 95 % confidence fewer are wrong than the least
number for which that is below 5 % (for large totals the "rule of three": 3 in `asked`).
"""

from collections.abc import Sequence
from fractions import Fraction
from math import comb
from typing import TypeVar

from ..dice import Stream

T = TypeVar("T")

MISSED = Fraction(1, 20)
SEED_BYTES = 16


def sample(items: Sequence[T], count: int, seed: str) -> list[T]:
    """`count` of the items, or all if there are no more, drawn by a seed in hexadecimal; in their order."""
    if count >= len(items):
        return list(items)
    drawn = Stream(bytes.fromhex(seed), "sample").deal(range(len(items)), count)
    return [items[index] for index in sorted(drawn)]


def wrong_below(total: int, asked: int) -> int:
    """The least number of wrong answers that a faultless sample rules out at 95 %; 1 where all were asked."""
    if asked >= total:
        return 1
    ways = comb(total, asked)
    low, high = 1, total - asked + 1  # so many wrong ones leave too few right ones for a faultless sample
    while low < high:
        middle = (low + high) // 2
        if comb(total - middle, asked) < MISSED * ways:
            high = middle
        else:
            low = middle + 1
    return low
