"""The 52 cards: their ranks, suits, spelling and order, and each as the evaluator of hands takes it.

A card is written as its rank and its suit: "Ah", "Td". Its number in DECK is 4 * rank + suit.
"""

from typing import Final

import pkrbot

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
DECK: Final = tuple(rank + suit for rank in RANKS for suit in SUITS)
CARDS: Final = {card: pkrbot.Card(card) for card in DECK}
CARDS_BY_NUMBER: Final = tuple(CARDS.values())
