"""Starting hands: their 169 classes and how they meet, exactly, and their order by Chen's formula.

An order of all starting hands, the best first: Chen's formula, and ranks where it gives the same.

B. Chen, in L. Krieger, "Hold'em Excellence", 2000.

The 169 classes of starting hands, and how they meet: exact numbers for a pair of classes, cards removed.

Class numbers: 13 * first + second, ranks from 0 (deuce) to 12 (ace). The higher rank is first in a suited hand and
second in an offsuit one; a pair has both the same.
"""

import math
from functools import cache, lru_cache
from itertools import combinations
from typing import Final, TypeAlias

from .cards import DECK, RANKS
from .equity import BOARDS, NUMBER, Hole, boards_won, numbers

HoleCards: TypeAlias = tuple[str, str]

PERCENT_MIN: Final = 5
"""Of the hands that an opponent may be given: of so many the cards that are seen can never take all."""

_HALF_POINTS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20)
_GAP_HALF_POINTS = (0, 2, 4, 8, 10)


def chen_points(hole: tuple[str, ...]) -> int:
    """Chen's formula: high card, pair doubled, suited +2, gaps off, +1 for low near-connectors, rounded up."""
    low, high = sorted(RANKS.index(card[0]) for card in hole)
    points = _HALF_POINTS[high]
    if low == high:
        return max(points, 5)
    gap = high - low - 1
    points += 4 * (hole[0][1] == hole[1][1]) - _GAP_HALF_POINTS[min(gap, 4)]
    points += 2 * (gap <= 1 and high < RANKS.index("Q"))
    return math.ceil(points / 2)


@lru_cache(maxsize=1)
def percents() -> dict[HoleCards, float]:
    """All 1,326 hands by Chen's points, then by ranks, the best first."""
    ranks = {card: RANKS.index(card[0]) for card in DECK}
    combos = [(a, b) for index, a in enumerate(DECK) for b in DECK[:index]]
    combos.sort(key=lambda c: (-chen_points(c), -ranks[c[0]] - ranks[c[1]], c))
    return {combo: 100 * rank / len(combos) for rank, combo in enumerate(combos)}


@cache
def strongest(percent: int) -> frozenset[HoleCards]:
    """The hands of which fewer than so many percent are better, each with its cards as they lie in the deck."""
    return frozenset((low, high) for (high, low), better in percents().items() if better < percent)


def top_percent(hole: tuple[str, ...]) -> float:
    """The share of hands that Chen's order puts before this one."""
    first, second = sorted(hole, key=DECK.index, reverse=True)
    return percents()[first, second]


CLASSES = 169
Matrix: TypeAlias = tuple[tuple[int, ...], ...]


def class_of(hole: Hole) -> int:
    """The class of two cards."""
    a, b = sorted(NUMBER[card] for card in hole)
    suited = a & 3 == b & 3
    return 13 * (b >> 2) + (a >> 2) if suited else 13 * (a >> 2) + (b >> 2)


@lru_cache(maxsize=1)
def combos() -> tuple[tuple[Hole, ...], ...]:
    """The holdings of each class: 6 of a pair, 4 suited, 12 offsuit."""
    by_class: list[list[Hole]] = [[] for _ in range(CLASSES)]
    for hole in combinations(DECK, 2):
        by_class[class_of(hole)].append(hole)
    return tuple(map(tuple, by_class))


@lru_cache(maxsize=1)
def meetings() -> tuple[Matrix, Matrix]:
    """Table of pairs of classes: pairs of holdings without a common card, and their wins less losses in boards.

    All holdings of a class are alike under a renaming of suits, so one of the first class stands for all. What one
    class wins from another, the other loses to it.
    """
    ways = [[0] * CLASSES for _ in range(CLASSES)]
    edges = [[0] * CLASSES for _ in range(CLASSES)]
    for mine, my_holes in enumerate(combos()):
        for theirs, their_holes in enumerate(combos()[: mine + 1]):
            count, edge = _met(my_holes[0], their_holes)
            ways[mine][theirs] = ways[theirs][mine] = len(my_holes) * count
            edges[mine][theirs] = len(my_holes) * edge
            edges[theirs][mine] = -edges[mine][theirs]
    return tuple(map(tuple, ways)), tuple(map(tuple, edges))


def _met(hole: Hole, theirs: tuple[Hole, ...]) -> tuple[int, int]:
    mine = numbers(hole)
    results = [boards_won(mine, numbers(their_hole)) for their_hole in theirs if {*hole}.isdisjoint(their_hole)]
    return len(results), sum(2 * wins + ties - BOARDS for wins, ties in results)
