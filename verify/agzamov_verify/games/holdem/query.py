"""The search for notes before a decision: street, position, action faced, and the habits that it turns on."""

from typing import Final

from .habits import FOLDS_TO_BET, Habit
from .page import Spot, Verb, spot_of
from .rules import BOARD_CARDS, STREETS, Hand

BUTTON, BIG_BLIND = "button", "big blind"
LIMP, FIRST, CHECKED, BET = "facing a limp", "first to act", "checked to", "facing a bet"
RAISES: Final = ("facing a raise", "facing a 3-bet", "facing a 4-bet")
"""By the number of raises before the flop, from one on."""

PHRASES: Final = (*STREETS, BUTTON, BIG_BLIND, LIMP, FIRST, CHECKED, BET, *RAISES, *(habit.value for habit in Habit))
"""All that a search is made of."""


def query(hand: Hand) -> str:
    """The search text for the decision that is due in `hand`, from what its player sees, in the words of notes."""
    return words_for(spot_of(hand, hand.to_act or 0))


def words_for(spot: Spot) -> str:
    """The search text for a decision as its prompt shows it."""
    position = BUTTON if spot.on_button else BIG_BLIND
    return f"{_street(spot)}, {position}, {_faced(spot)}: {', '.join(habit.value for habit in _turns_on(spot))}"


def _street(spot: Spot) -> str:
    return STREETS[BOARD_CARDS.index(len(spot.board))]


def _faced(spot: Spot) -> str:
    """The action that the player faces, in the words of poker."""
    done = [deed for deed in spot.history if deed.street == _street(spot)]
    if not spot.board:
        limped = LIMP if done else FIRST
        return (limped, *RAISES)[min(len(spot.raises), len(RAISES))]
    if not spot.to_call_chips:
        return CHECKED if done else FIRST
    return BET if done[-1].verb is Verb.BET else RAISES[0]


def _turns_on(spot: Spot) -> tuple[Habit, ...]:
    """The opponent's habits that matter for the decision."""
    if not spot.board and spot.on_button:
        return Habit.THREE_BET, Habit.RAISES_BIG_BLIND, Habit.VPIP
    if not spot.board:
        return Habit.FOLDS_BUTTON_TO_3BET, Habit.PFR, Habit.LIMPS_BUTTON, Habit.MIN_RAISES_PAIRS
    if not spot.to_call_chips:
        return FOLDS_TO_BET[_street(spot)], Habit.CHECK_RAISE
    return {"flop": (Habit.CBETS, Habit.CHECK_RAISE), "turn": (Habit.CHECK_RAISE,), "river": (Habit.BETS_RIVER_LIGHT,)}[
        _street(spot)
    ]
