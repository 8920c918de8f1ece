"""The 169 classes of starting hands, and how they meet: exact numbers for a pair of classes, cards removed.

Class numbers: 13 * first + second, ranks from 0 (deuce) to 12 (ace). The higher rank is first in a suited hand and
second in an offsuit one; a pair has both the same.
"""

from functools import lru_cache
from itertools import combinations
from typing import TypeAlias

from ..cards import DECK
from .preflop_matchups import BOARDS, NUMBER, Hole, boards_won, numbers

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
