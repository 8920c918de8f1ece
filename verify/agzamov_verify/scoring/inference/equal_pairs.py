"""Shares of equal pairs of replies to one prompt: between two labels and within each, averaged over prompts.

Each prompt counts by the number of its replies; one without a pair of a sort is left out of that share.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple


class Shares(NamedTuple):
    """Shares of equal pairs of two labels: between both, and within each. `replies`: number of each label's."""

    labels: tuple[str, str]
    replies: tuple[int, int]
    between: Fraction
    within: tuple[Fraction | None, Fraction | None]

    def drop(self, close: Fraction | None) -> Fraction:
        """How far the share between lies below the greater one within; below `close` where neither is known."""
        known = [share for share in self.within if share is not None] or [close or self.between]
        return max(known) - self.between


def shares_of(groups: Iterable[Iterable[tuple[str, str]]]) -> Iterator[Shares]:
    """The shares of every two labels that have a group in common, over these groups: of each reply label and action."""
    tables = [_table(replies) for replies in groups]
    for one, other in combinations(sorted({label for table in tables for label in table}), 2):
        common = [(table[one], table[other]) for table in tables if one in table and other in table]
        if common:
            between = _weighted((_equal_between(*pair), sum(map(Counter.total, pair))) for pair in common)
            within = [_weighted(map(_equal_within, (pair[side] for pair in common))) for side in (0, 1)]
            replies = sum(pair[0].total() for pair in common), sum(pair[1].total() for pair in common)
            yield Shares((one, other), replies, between or Fraction(0), (within[0], within[1]))


def _table(replies: Iterable[tuple[str, str]]) -> dict[str, Counter[str]]:
    """By label the number of replies with each action."""
    table: dict[str, Counter[str]] = {}
    for label, action in replies:
        table.setdefault(label, Counter())[action] += 1
    return table


def _equal_between(one: Counter[str], other: Counter[str]) -> Fraction:
    """The share of equal pairs of a reply here and a reply there."""
    return Fraction(sum(count * other[action] for action, count in one.items()), one.total() * other.total())


def _equal_within(replies: Counter[str]) -> tuple[Fraction, int]:
    """The share of equal pairs among some replies, and its weight: 0 where there is no pair."""
    n = replies.total()
    if n < 2:
        return Fraction(0), 0
    return Fraction(sum(count * (count - 1) for count in replies.values()), n * (n - 1)), n


def _weighted(shares: Iterable[tuple[Fraction, int]]) -> Fraction | None:
    """The mean of shares by their weights; None without any."""
    known = [(share, weight) for share, weight in shares if weight]
    total = sum(weight for _, weight in known)
    return sum((share * weight for share, weight in known), Fraction(0)) / total if total else None
