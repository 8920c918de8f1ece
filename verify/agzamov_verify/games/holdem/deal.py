"""The deck and the deal of a hand: which deck it is played with, and who gets which of its cards.

A deck is the 52 cards in an order drawn from the sealed seed, by the deck's name. Of its first nine cards seat A gets
two, seat B two, whoever has the button, and the board five.
"""

from collections.abc import Sequence

from ...core.dice import Dice
from ...table.seating import by_place
from .cards import DECK
from .hand_script import PokerRules
from .rules import CARDS_DEALT, Deal


def deck_number(index: int, hands: int, rules: PokerRules) -> int:
    """The deck of hand `index` in a match of so many: its own, or in a mirrored match's second half an earlier one.

    Neighbours change places there. So the button goes on alternating, and holds what the other seat held on it.
    """
    half = hands // 2
    return (index - half) ^ 1 if rules.mirrored and index >= half else index


def deal_cards(dice: Dice, deck: str | int, order: Sequence[int]) -> Deal:
    """The cards of a deck by its name: each seat gets its own, whoever has the button. `order`: the seats by place."""
    cards = dice.stream(f"cards/{deck}").deal(DECK, CARDS_DEALT)
    button, blind = by_place(((cards[0], cards[1]), (cards[2], cards[3])), order)
    return Deal(button, blind, (cards[4], cards[5], cards[6], cards[7], cards[8]))
