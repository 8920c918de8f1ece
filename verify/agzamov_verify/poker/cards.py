"""The 52 cards: their ranks, suits, spelling and order, and each as the evaluator of hands takes it.

A card is written as its rank and its suit: "Ah", "Td". Its number in DECK is 4 * rank + suit. The evaluator is pkrbot
where it is installed, else `hand_values`: both give the same values.
"""

from typing import Final

try:
    from pkrbot import Card, evaluate, handtype
except ImportError:  # in a browser
    from .hand_values import Card, evaluate, handtype

from .hand_values import RANKS, SUITS

__all__ = ["CARDS", "CARDS_BY_NUMBER", "DECK", "RANKS", "SUITS", "Card", "evaluate", "handtype"]

DECK: Final = tuple(rank + suit for rank in RANKS for suit in SUITS)
CARDS: Final = {card: Card(card) for card in DECK}
CARDS_BY_NUMBER: Final = tuple(CARDS.values())
