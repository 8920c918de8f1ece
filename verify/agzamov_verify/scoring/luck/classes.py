"""The 169 classes of starting hands, and how they meet: exact numbers for a pair of classes, cards removed.

Class numbers: 13 * first + second, ranks from 0 (deuce) to 12 (ace). The higher rank is first in a suited hand and
second in an offsuit one; a pair has both the same.
"""

from functools import lru_cache
from itertools import combinations
from typing import TypeAlias

from ...games.holdem.rules import DECK
from .matchups import BOARDS, NUMBER, Hole, matchup

CLASSES = 169
_RANKS = "23456789TJQKA"
Matrix: TypeAlias = tuple[tuple[int, ...], ...]


def class_of(hole: Hole) -> int:
    """The class of two cards."""
    a, b = sorted(NUMBER[card] for card in hole)
    suited = a & 3 == b & 3
    return 13 * (b >> 2) + (a >> 2) if suited else 13 * (a >> 2) + (b >> 2)


def class_name(number: int) -> str:
    """As players write it: AA, AKs, AKo."""
    first, second = divmod(number, 13)
    high, low = _RANKS[max(first, second)], _RANKS[min(first, second)]
    return high + low + ("" if first == second else "s" if first > second else "o")


@lru_cache(maxsize=1)
def combos() -> tuple[tuple[Hole, ...], ...]:
    """The holdings of each class: 6 of a pair, 4 suited, 12 offsuit."""
    found: list[list[Hole]] = [[] for _ in range(CLASSES)]
    for hole in combinations(DECK, 2):
        found[class_of(hole)].append(hole)
    return tuple(map(tuple, found))


@lru_cache(maxsize=1)
def meetings() -> tuple[Matrix, Matrix]:
    """For each pair of classes: the pairs of holdings without a common card, and their wins less losses in boards.

    All holdings of a class are alike under a renaming of suits, so one of the first class stands for all.
    """
    ways, edges = [], []
    for mine in combos():
        row = [_met(mine[0], theirs) for theirs in combos()]
        ways.append(tuple(len(mine) * count for count, _ in row))
        edges.append(tuple(len(mine) * edge for _, edge in row))
    return tuple(ways), tuple(edges)


def _met(hole: Hole, theirs: tuple[Hole, ...]) -> tuple[int, int]:
    apart = [other for other in theirs if not {*hole} & {*other}]
    results = [matchup(hole, other) for other in apart]
    return len(apart), sum(2 * wins + ties - BOARDS for wins, ties in results)
