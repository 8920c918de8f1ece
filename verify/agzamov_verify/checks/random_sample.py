"""A uniform random sample of items that come one by one, and the confidence in the rest that one without a fault gives.

The sample is without replacement, of items that come in several places. Each item gets a random priority, and those
with the greatest are kept. So the samples of several streams make up, by the same rule, one uniform sample of all.

The confidence is exact, by the hypergeometric distribution. If `wrong` of `total` answers are wrong, a sample of
`asked` without replacement shows none of them with probability C(total - wrong, asked) / C(total, asked). With 95 %
confidence fewer are wrong than the least number for which that is below 5 % (for large totals the "rule of three": 3 in
`asked`).
"""

from collections.abc import Sequence
from fractions import Fraction
from heapq import heappush, heappushpop
from math import comb
from typing import Generic, TypeVar

import msgspec

from ..core.dice import Stream

T = TypeVar("T")


class RandomSample(msgspec.Struct, Generic[T]):
    """At most `most` of `total` items. `heap`: priority, number among all (so that items are never compared), item."""

    most: int
    total: int = 0
    heap: list[tuple[int, int, T]] = msgspec.field(default_factory=list)

    def offer(self, priority: int, item: T) -> None:
        """Take one more item; `priority` is a random number that does not depend on it."""
        self._keep((priority, self.total, item))
        self.total += 1

    def add(self, other: "RandomSample[T]") -> None:
        """Take the items of another sample."""
        for priority, number, item in other.heap:
            self._keep((priority, self.total + number, item))
        self.total += other.total

    @property
    def items(self) -> list[T]:
        """The items that are kept, in random order: the greatest priority first."""
        return [item for *_, item in sorted(self.heap, reverse=True)]

    def _keep(self, ranked: tuple[int, int, T]) -> None:
        (heappush if len(self.heap) < self.most else heappushpop)(self.heap, ranked)


MISSED = Fraction(1, 20)
SEED_BYTES = 16


def sample(items: Sequence[T], count: int, seed: str) -> list[T]:
    """`count` of the items, or all if there are no more, drawn by a seed in hexadecimal; in their order."""
    if count >= len(items):
        return list(items)
    drawn = Stream(bytes.fromhex(seed), "sample").deal(range(len(items)), count)
    return [items[index] for index in sorted(drawn)]


def wrong_at_most_words(total: int, asked: int) -> str:
    """How many of the answers that a faultless sample left out may be wrong."""
    wrong = wrong_below(total, asked) - 1
    return f"drawn at random: of the {total - asked:,} not drawn at most {wrong:,} can be wrong (95 % sure)"


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
