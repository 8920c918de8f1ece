"""A uniform random sample, without replacement, of items that come one by one and in several places.

Each item gets a random priority, and those with the greatest are kept. So the samples of several streams make up, by
the same rule, one uniform sample of all.
"""

from heapq import heappush, heappushpop
from typing import Generic, TypeVar

import msgspec

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
