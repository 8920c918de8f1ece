"""How much a hand makes of a board, in three steps: what a bettor would call nothing, a good pair, or strong.

NOTHING    no better kind of hand than the board alone, or a pair below the board's top card
PAIR       a pair with the board's top card, or a higher pocket pair
STRONG     two pair and better that is not the board's own
"""

from collections.abc import Sequence
from enum import IntEnum

import pkrbot

from ...games.holdem.rules import DECK

_CARDS = [pkrbot.Card(text) for text in DECK]
_TYPES = {
    name: at
    for at, name in enumerate(
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
    own, known = _board_type(board, ranks), [_CARDS[number] for number in board]
    return [_strength(hole, ranks, own, known) for hole in holes]


def _strength(hole: Sequence[int], ranks: list[int], own: int, known: list[pkrbot.Card]) -> Strength:
    made = _type([_CARDS[number] for number in hole] + known)
    if made <= own:
        return Strength.NOTHING
    if made == _PAIR or (made == _TWO_PAIR and own == _PAIR):
        a, b = hole[0] >> 2, hole[1] >> 2
        paired = max(rank for rank in (a, b) if a == b or rank in ranks)
        return Strength.PAIR if paired >= max(ranks) else Strength.NOTHING
    return Strength.STRONG


def _board_type(board: Sequence[int], ranks: list[int]) -> int:
    if len(board) == 5:
        return _type([_CARDS[number] for number in board])
    most = max(ranks.count(rank) for rank in ranks)
    if most == 2 and len(set(ranks)) == len(ranks) - 2:
        return _TWO_PAIR
    return {1: _HIGH_CARD, 2: _PAIR, 3: _TRIPS, 4: _TYPES["Quads"]}[most]


def _type(cards: list[pkrbot.Card]) -> int:
    return _TYPES[pkrbot.handtype(pkrbot.evaluate(cards))]
