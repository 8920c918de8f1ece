"""Names, sentences and sorts of the patterns of a hold'em player (paper section 4.4; docs/patterns.md)."""

from enum import StrEnum
from typing import Final

from ...experiment.opponent_patterns import Pattern, PatternSorts


class PokerPattern(StrEnum):
    """Patterns of hold'em, by the name that a manifest uses."""

    MIN_RAISES_PAIRS = "min_raises_pairs"
    FOLDS_BUTTON_TO_3BET = "folds_button_to_3bet"
    LIMPS_BUTTON = "limps_button"
    NEVER_RAISES_BIG_BLIND = "never_raises_big_blind"
    ALWAYS_CBETS = "always_cbets"
    NEVER_CBETS = "never_cbets"
    FOLDS_MISSED_FLOPS = "folds_missed_flops"
    NEVER_FOLDS_PAIRS = "never_folds_pairs"
    FOLDS_RIVERS = "folds_rivers"
    NEVER_BLUFFS_RIVERS = "never_bluffs_rivers"


POKER_PATTERNS: Final[dict[Pattern, str]] = {
    PokerPattern.MIN_RAISES_PAIRS: "before the flop, with a pocket pair, raise to the smallest legal amount.",
    PokerPattern.FOLDS_BUTTON_TO_3BET: "on the button, fold to a 3-bet 85% of the time.",
    PokerPattern.LIMPS_BUTTON: "on the button, begin every hand with a call, whatever you hold.",
    PokerPattern.NEVER_RAISES_BIG_BLIND: "in the big blind, never raise before the flop.",
    PokerPattern.ALWAYS_CBETS: "on the flop, if you made the last raise before the flop and nobody has bet yet, bet.",
    PokerPattern.NEVER_CBETS: "on the flop, if you made the last raise before the flop and nobody has bet yet, check.",
    PokerPattern.FOLDS_MISSED_FLOPS: "on the flop, fold to any bet if your best hand is less than a pair.",
    PokerPattern.NEVER_FOLDS_PAIRS: "after the flop is dealt, never fold a pair or better.",
    PokerPattern.FOLDS_RIVERS: "on the river, fold to any bet if your best hand is less than two pair.",
    PokerPattern.NEVER_BLUFFS_RIVERS: "on the river, bet or raise only with two pair or better.",
}
POKER_PATTERN_SORTS: Final = PatternSorts(
    aggressive=frozenset({PokerPattern.ALWAYS_CBETS, PokerPattern.MIN_RAISES_PAIRS}),
    passive=frozenset(
        {
            PokerPattern.LIMPS_BUTTON,
            PokerPattern.NEVER_RAISES_BIG_BLIND,
            PokerPattern.NEVER_CBETS,
            PokerPattern.NEVER_BLUFFS_RIVERS,
        }
    ),
    opposites=(
        frozenset({PokerPattern.ALWAYS_CBETS, PokerPattern.NEVER_CBETS}),
        frozenset({PokerPattern.NEVER_FOLDS_PAIRS, PokerPattern.FOLDS_RIVERS}),
    ),
)
