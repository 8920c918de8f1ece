"""An order of all starting hands, the best first: Chen's formula, and ranks where it gives the same.

B. Chen, in L. Krieger, "Hold'em Excellence", 2000.
"""

import math
from functools import cache, lru_cache
from typing import Final, TypeAlias

from .cards import DECK, RANKS

Hole: TypeAlias = tuple[str, str]

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
def percents() -> dict[Hole, float]:
    """All 1,326 hands by Chen's points, then by ranks, the best first."""
    ranks = {card: RANKS.index(card[0]) for card in DECK}
    combos = [(a, b) for index, a in enumerate(DECK) for b in DECK[:index]]
    combos.sort(key=lambda c: (-chen_points(c), -ranks[c[0]] - ranks[c[1]], c))
    return {combo: 100 * rank / len(combos) for rank, combo in enumerate(combos)}


@cache
def strongest(percent: int) -> frozenset[Hole]:
    """The hands of which fewer than so many percent are better, each with its cards as they lie in the deck."""
    return frozenset((low, high) for (high, low), better in percents().items() if better < percent)


def top_percent(hole: tuple[str, ...]) -> float:
    """The share of hands that Chen's order puts before this one."""
    first, second = sorted(hole, key=DECK.index, reverse=True)
    return percents()[first, second]
