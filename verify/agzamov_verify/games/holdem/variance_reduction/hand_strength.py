"""Strength of a hand on a board, in three steps: nothing, a good pair, strong.

NOTHING    no better kind of hand than the board alone, or a pair below the board's top card
PAIR       a pair with the board's top card, or a higher pocket pair
STRONG     two pair and better that is not the board's own
"""

from collections.abc import Sequence
from enum import IntEnum

from ..cards import CARDS_BY_NUMBER, Card, evaluate, handtype

_TYPES = {
    name: index
    for index, name in enumerate(
        ("High Card", "Pair", "Two Pair", "Trips", "Straight", "Flush", "Full House", "Quads", "Straight Flush")
    )
}
_HIGH_CARD, _PAIR, _TWO_PAIR, _TRIPS = range(4)


class Strength(IntEnum):
    """The three steps, the weakest first."""

    NOTHING = 0
    PAIR = 1
    STRONG = 2


def strengths(holes: Sequence[Sequence[int]], board: Sequence[int]) -> list[Strength]:
    """The strength of each of several holdings on a board of three to five cards, all by number."""
    ranks = [number >> 2 for number in board]
    board_type, known = _board_type(board, ranks), [CARDS_BY_NUMBER[number] for number in board]
    return [_strength(hole, ranks, board_type, known) for hole in holes]


def _strength(hole: Sequence[int], ranks: list[int], board_type: int, known: list[Card]) -> Strength:
    hand_type = _type([CARDS_BY_NUMBER[number] for number in hole] + known)
    if hand_type <= board_type:
        return Strength.NOTHING
    if hand_type == _PAIR or (hand_type == _TWO_PAIR and board_type == _PAIR):
        a, b = hole[0] >> 2, hole[1] >> 2
        paired = max(rank for rank in (a, b) if a == b or rank in ranks)
        return Strength.PAIR if paired >= max(ranks) else Strength.NOTHING
    return Strength.STRONG


def _board_type(board: Sequence[int], ranks: list[int]) -> int:
    if len(board) == 5:
        return _type([CARDS_BY_NUMBER[number] for number in board])
    if len(set(ranks)) == len(ranks):
        return _HIGH_CARD
    most = max(ranks.count(rank) for rank in ranks)
    if most == 2 and len(set(ranks)) == len(ranks) - 2:
        return _TWO_PAIR
    return {2: _PAIR, 3: _TRIPS, 4: _TYPES["Quads"]}[most]


def _type(cards: list[Card]) -> int:
    return _TYPES[handtype(evaluate(cards))]
