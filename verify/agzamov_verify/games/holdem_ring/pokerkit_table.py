"""A hand at pokerkit's table. It shuffles with the global `random`, so every card is dealt explicitly.

Hands are valued by our evaluator, which is ten times as fast. Import it when a hand is played: see `rules`.
"""

from collections.abc import Iterable, Sequence
from typing import Final
from warnings import catch_warnings, simplefilter

from pokerkit import Automation, Card, Mode, NoLimitTexasHoldem, StandardHighHand, State
from pokerkit.utilities import CardsLike

from .rules import best_value

AUTOMATIONS: Final = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)


class RankedHand(StandardHighHand):
    """A hand by the value of its best five."""

    value: int

    @classmethod
    def from_game(cls, hole_cards: CardsLike, board_cards: CardsLike = ()) -> "RankedHand":
        hand = object.__new__(cls)
        hand.value = best_value(tuple(sorted((*_names(hole_cards), *_names(board_cards)))))
        return hand

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RankedHand) and self.value == other.value

    def __lt__(self, other: object) -> bool:
        return isinstance(other, RankedHand) and self.value < other.value

    def __hash__(self) -> int:
        return hash(self.value)


def _names(cards: CardsLike) -> Iterable[str]:
    return map(repr, Card.clean(cards))


class Table(NoLimitTexasHoldem):
    """pokerkit's no-limit hold'em with these hands."""

    hand_types = (RankedHand,)


def new_state(stacks_chips: Sequence[int], small_blind_chips: int, big_blind_chips: int) -> State:
    """A hand whose blinds are posted and whose cards are not dealt yet.

    The first player has the small blind; of two, the big one, and the second the button with the small blind.
    """
    blinds = (small_blind_chips, big_blind_chips)
    return Table.create_state(AUTOMATIONS, True, 0, blinds, big_blind_chips, tuple(stacks_chips), len(stacks_chips))


def fold_for_free(state: State) -> None:
    """A fold where a check is free, which pokerkit refuses in a tournament and warns of elsewhere."""
    mode, state.mode = state.mode, Mode.CASH_GAME
    with catch_warnings():
        simplefilter("ignore")
        state.fold()
    state.mode = mode
