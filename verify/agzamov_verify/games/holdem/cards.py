"""The cards and the evaluator of the room `poker`, under the names that this folder has for them."""

from ...poker.cards import CARDS, CARDS_BY_NUMBER, DECK, RANKS, SUITS, Card, evaluate, handtype

__all__ = ["CARDS", "CARDS_BY_NUMBER", "DECK", "RANKS", "SUITS", "Card", "evaluate", "handtype"]
