"""Exact two-hand runouts from the flop and the turn, in kinds of cards that make no difference.

A suit in which a flush is no longer possible is ignored: its cards count by rank alone. So the 990
runouts of a flop fall into 91 to some hundred pairs of kinds, and one board of each pair is evaluated.
"""

from collections.abc import Sequence
from typing import Final, TypeAlias

import msgspec

from ..cards import CARDS_BY_NUMBER, DECK, Card, evaluate
from .preflop_matchups import NUMBER, Hole

TURN_CARDS: Final = 45
RIVER_CARDS: Final = 44


class Kind(msgspec.Struct, frozen=True, gc=False):
    """Unseen cards that make no difference to two hands, by number, and the balance after one of them.

    The balance is the runouts that the first hand wins less those that it loses, once this card has come.
    """

    cards: tuple[int, ...]
    balance: int


def river_cards(first: Hole, second: Hole, board: Sequence[str]) -> list[Kind]:
    """The 44 cards that can come after four on the board; the balance is 1, 0 or -1."""
    a, b, kinds = _laid_out(first, second, board)
    return [Kind(tuple(cards), _sign(a, b, [CARDS_BY_NUMBER[cards[0]]])) for cards in kinds]


def turn_cards(first: Hole, second: Hole, board: Sequence[str]) -> list[Kind]:
    """The 45 cards that can come after a flop; the balance is over 44 river cards."""
    a, b, kinds = _laid_out(first, second, board)
    balances = [0] * len(kinds)
    for index, cards in enumerate(kinds):
        count, card = len(cards), CARDS_BY_NUMBER[cards[0]]
        with_a, with_b = [*a, card], [*b, card]
        # Turn and river of one kind: count - 1 rivers are left of it. Pairs of different kinds are evaluated once, and
        # count for the balance after either card.
        balance = (count - 1) * _sign(with_a, with_b, [CARDS_BY_NUMBER[cards[1]]]) if count > 1 else 0
        for before in range(index):
            others = kinds[before]
            river = CARDS_BY_NUMBER[others[0]]
            mine, theirs = evaluate([*with_a, river]), evaluate([*with_b, river])
            if mine > theirs:
                balance += len(others)
                balances[before] += count
            elif mine < theirs:
                balance -= len(others)
                balances[before] -= count
        balances[index] += balance
    return [Kind(tuple(cards), balance) for cards, balance in zip(kinds, balances, strict=True)]


_Cards: TypeAlias = list[Card]


def _sign(a: _Cards, b: _Cards, rest: _Cards) -> int:
    mine, theirs = evaluate(a + rest), evaluate(b + rest)
    return int(mine > theirs) - int(mine < theirs)


def _laid_out(first: Hole, second: Hole, board: Sequence[str]) -> tuple[_Cards, _Cards, list[list[int]]]:
    """Each hand with the board, and the unseen cards in kinds, by number."""
    mine, theirs, shown = ([NUMBER[card] for card in cards] for cards in (first, second, board))
    live = _live_suits(mine, theirs, shown)
    known = {*mine, *theirs, *shown}
    kinds: dict[tuple[int, int], list[int]] = {}
    for number in range(len(DECK)):
        if number not in known:
            kinds.setdefault((number >> 2, number & 3 if number & 3 in live else -1), []).append(number)
    return (
        [CARDS_BY_NUMBER[number] for number in mine + shown],
        [CARDS_BY_NUMBER[number] for number in theirs + shown],
        list(kinds.values()),
    )


def _live_suits(mine: list[int], theirs: list[int], board: list[int]) -> set[int]:
    """The suits in which one of the hands can still make a flush."""
    missing = 5 - len(board)
    suits = [[number & 3 for number in hole + board] for hole in (mine, theirs)]
    return {suit for suit in range(4) if missing + max(held.count(suit) for held in suits) >= 5}
