"""Which entries hold a term, and how often: one pair of lists for each term, and the order of what a search found."""

from array import array
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


class Growing:
    """Integers that are appended one by one and read as an array."""

    __slots__ = ("_values",)

    def __init__(self) -> None:
        self._values = array("q")

    def append(self, value: int) -> None:
        self._values.append(value)

    def __len__(self) -> int:
        return len(self._values)

    def read(self) -> Integers:
        """The values; not to be kept, since nothing can be appended while it lives."""
        return np.frombuffer(self._values, dtype=np.int64)


class Postings:
    """For each term the numbers of the entries that hold it, in order, and its count in each."""

    def __init__(self) -> None:
        self._lists: dict[str, tuple[Growing, Growing]] = {}

    def add(self, number: int, counts: Mapping[str, int]) -> None:
        for term, count in counts.items():
            numbers, times = self._lists.setdefault(term, (Growing(), Growing()))
            numbers.append(number)
            times.append(count)

    def read(self, term: str) -> tuple[Integers, Integers] | None:
        """Numbers and counts of a term that some entry holds."""
        found = self._lists.get(term)
        return (found[0].read(), found[1].read()) if found else None


def best(numbers: Integers, scores: Integers, limit: int) -> list[int]:
    """The numbers with the highest scores; of equal ones the highest number, which is the newest entry, first."""
    order = np.lexsort((-numbers, -scores))[:limit]
    chosen: list[int] = numbers[order].tolist()
    return chosen
