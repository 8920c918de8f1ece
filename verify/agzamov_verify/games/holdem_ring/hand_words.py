"""Words for the actions of a hand of hold'em at a table of many."""

from typing import Final

from ...poker.actions import ActionKind, PlayedAction, in_bb
from .rules import RingHand

STREET_TITLES: Final = ("HOLE CARDS", "FLOP", "TURN", "RIVER")


def action_words(hand: RingHand, acted: PlayedAction) -> str:
    """An action in the hand before it: "raises to 3 bb, all in"."""
    action, all_in = acted.action, ", all in" if acted.all_in else ""
    match action.kind:
        case ActionKind.FOLD:
            return "folds"
        case ActionKind.CHECK:
            return "checks"
        case ActionKind.CALL:
            return f"calls {in_bb(hand.to_call_chips)} bb{all_in}"
        case ActionKind.BET:
            return f"bets {in_bb(action.to_chips)} bb{all_in}"
        case ActionKind.RAISE:
            return f"raises to {in_bb(action.to_chips)} bb{all_in}"
