"""Habits of hold'em players in words: sentences of patterns, profiles of opponents, and what notes are searched for.

Habits of a hold'em player, read from a profile's percentages or from counts in notes.

- VPIP: 68% | PFR: 42% | 3-Bet: 12%            a share, believed as it stands
Folded to a 3-bet on the button: 4 of 5        a count (`notes.observation`), added to those of all other lines
on the river, never fold ...                   a pattern in its own words, which is as good as what follows from it
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from ...experiment.opponent_patterns import Pattern
from .pattern_sentences import POKER_PATTERNS, PokerPattern
from .rules import BOARD_CARDS, STREETS, Hand
from .spot import SeenSpot, Verb, spot_of

PRIOR_COUNT: Final = 10
"""Weight of what is expected of a stranger, in occasions that were seen."""


class Habit(StrEnum):
    """A count of an opponent's actions, in the words of a note."""

    VPIP = "VPIP"
    PFR = "PFR"
    LIMPS_BUTTON = "Limped on the button"
    THREE_BET = "3-bet"
    RAISES_BIG_BLIND = "Raised in the big blind"
    FOLDS_BUTTON_TO_3BET = "Folded to a 3-bet on the button"
    MIN_RAISES_PAIRS = "Min-raised a pocket pair that was shown"
    CBETS = "C-bet the flop"
    FOLDS_TO_CBET = "Folded to a bet on the flop"
    FOLDS_TO_TURN_BET = "Folded to a bet on the turn"
    FOLDS_TO_RIVER_BET = "Folded to a bet on the river"
    CALLS_RIVER_BET = "Called a bet on the river"
    CHECK_RAISE = "Check-raised"
    BETS_RIVER_LIGHT = "Bet the river with less than two pair, shown"


FOLDS_TO_BET: Final[Mapping[str, Habit]] = {
    "flop": Habit.FOLDS_TO_CBET,
    "turn": Habit.FOLDS_TO_TURN_BET,
    "river": Habit.FOLDS_TO_RIVER_BET,
}
"""By the street of the bet."""


@dataclass(frozen=True, slots=True)
class PokerHabits:
    """A hold'em player's tendencies in percent; `river_bluffs` of its bets on the river.

    The fields are named as the members of `Habit`.
    """

    vpip: int
    pfr: int
    limps_button: int
    three_bet: int
    raises_big_blind: int
    folds_button_to_3bet: int
    min_raises_pairs: int
    cbets: int
    folds_to_cbet: int
    folds_to_turn_bet: int
    folds_to_river_bet: int
    check_raise: int
    river_bluffs: int
    bets_river_light: int


_SHARES: Final = {
    "vpip": r"VPIP: (\d{1,3})",
    "pfr": r"PFR: (\d{1,3})",
    "three_bet": r"3-Bet: (\d{1,3})",
    "folds_to_cbet": r"Folds to c-bet: (\d{1,3})",
    "check_raise": r"Check-raise freq: (\d{1,3})",
    "folds_button_to_3bet": r"(?:Folds to 3-bet on the button: |on the button, fold to a 3-bet )(\d{1,3})",
    "min_raises_pairs": r"Min-raises preflop with pocket pairs: (\d{1,3})",
}
_SHARE: Final = {name: re.compile(words + r"(?:\.\d+)?%", re.IGNORECASE) for name, words in _SHARES.items()}
_RIVER_BLUFFS: Final = re.compile(r"Bluff-to-value ratio on river: (\d{1,3}(?:\.\d+)?):1", re.IGNORECASE)
_COUNT: Final = re.compile(rf"\b({'|'.join(map(re.escape, Habit))}): (\d{{1,6}}) of (\d{{1,6}})\b", re.IGNORECASE)
_HABITS: Final = {habit.value.lower(): habit.name.lower() for habit in Habit}

FOLLOWS: Final[Mapping[Pattern, Mapping[str, int]]] = {
    PokerPattern.MIN_RAISES_PAIRS: {"min_raises_pairs": 100},
    PokerPattern.FOLDS_BUTTON_TO_3BET: {"folds_button_to_3bet": 85},
    PokerPattern.LIMPS_BUTTON: {"limps_button": 100},
    PokerPattern.NEVER_RAISES_BIG_BLIND: {"three_bet": 0, "raises_big_blind": 0},
    PokerPattern.ALWAYS_CBETS: {"cbets": 100},
    PokerPattern.NEVER_CBETS: {"cbets": 0},
    PokerPattern.FOLDS_MISSED_FLOPS: {"folds_to_cbet": 60},
    PokerPattern.NEVER_FOLDS_PAIRS: {"folds_to_cbet": 30, "folds_to_turn_bet": 20, "folds_to_river_bet": 10},
    PokerPattern.FOLDS_RIVERS: {"folds_to_river_bet": 80},
    PokerPattern.NEVER_BLUFFS_RIVERS: {"bets_river_light": 0},
}
"""The habits of a player that keeps a pattern, in per cent."""


def poker_habits(text: str, prior: PokerHabits) -> PokerHabits:
    """The tendencies that a profile puts in words, and `prior` where it says nothing.

    A share stands as it is. Counts of the same habit are added up over all lines, with PRIOR_COUNT occasions of what
    `prior` expects: one stray note does little, ten true ones are believed.
    """
    values = _counted(text, prior)
    for pattern in kept_patterns(text):
        values |= FOLLOWS[pattern]
    shares = {name: words.search(text) for name, words in _SHARE.items()}
    values |= {name: min(100, int(share[1])) for name, share in shares.items() if share}
    if ratio := _RIVER_BLUFFS.search(text):
        values["river_bluffs"] = round(100 * float(ratio[1]) / (float(ratio[1]) + 1))
    if "folds_to_cbet" in values:  # one who folds to a first bet more or less than others does so to the next ones
        values.setdefault("folds_to_turn_bet", values["folds_to_cbet"])
        values.setdefault("folds_to_river_bet", values["folds_to_cbet"])
    return replace(prior, **values)


def kept_patterns(text: str) -> tuple[Pattern, ...]:
    """The patterns whose sentence is in the text, in whatever case."""
    lowered = text.lower()
    return tuple(pattern for pattern, sentence in POKER_PATTERNS.items() if sentence.lower().rstrip(".") in lowered)


def _counted(text: str, prior: PokerHabits) -> dict[str, int]:
    """Habits from counts: (PRIOR_COUNT x prior + 100 x times) / (PRIOR_COUNT + occasions), half to even."""
    sums: dict[str, tuple[int, int]] = {}
    for words, times, occasions in _counts(text):
        before = sums.get(_HABITS[words.lower()], (0, 0))
        sums[_HABITS[words.lower()]] = (before[0] + times, before[1] + occasions)
    return {
        name: round((PRIOR_COUNT * getattr(prior, name) + 100 * times) / (PRIOR_COUNT + occasions))
        for name, (times, occasions) in sums.items()
        if hasattr(prior, name)
    }


def _counts(text: str) -> Iterable[tuple[str, int, int]]:
    """The counts of a text; those that cannot be, more times than occasions, are left out."""
    for words, times, occasions in _COUNT.findall(text):
        if int(times) <= int(occasions):
            yield words, int(times), int(occasions)


BUTTON, BIG_BLIND = "button", "big blind"
LIMP, FIRST, CHECKED, BET = "facing a limp", "first to act", "checked to", "facing a bet"
RAISES: Final = ("facing a raise", "facing a 3-bet", "facing a 4-bet")
"""By the number of raises before the flop, from one on."""

PHRASES: Final = (*STREETS, BUTTON, BIG_BLIND, LIMP, FIRST, CHECKED, BET, *RAISES, *(habit.value for habit in Habit))
"""All that a search is made of."""


def query(hand: Hand) -> str:
    """The search text for the decision that is due in `hand`, from what its player sees, in the words of notes."""
    return words_for(spot_of(hand, hand.to_act or 0))


def words_for(spot: SeenSpot) -> str:
    """The search text for a decision as its prompt shows it."""
    position = BUTTON if spot.on_button else BIG_BLIND
    return f"{_street(spot)}, {position}, {_faced(spot)}: {', '.join(habit.value for habit in _turns_on(spot))}"


def _street(spot: SeenSpot) -> str:
    return STREETS[BOARD_CARDS.index(len(spot.board))]


def _faced(spot: SeenSpot) -> str:
    """The action that the player faces, in the words of poker."""
    done = [deed for deed in spot.history if deed.street == _street(spot)]
    if not spot.board:
        limped = LIMP if done else FIRST
        return (limped, *RAISES)[min(len(spot.raises), len(RAISES))]
    if not spot.to_call_chips:
        return CHECKED if done else FIRST
    return BET if done[-1].verb is Verb.BET else RAISES[0]


def _turns_on(spot: SeenSpot) -> tuple[Habit, ...]:
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
