"""Sentences of the patterns that a hold'em player can be asked to keep (paper section 4.4; docs/patterns.md)."""

from typing import Final

from ...experiment.opponent_patterns import Pattern

POKER_PATTERNS: Final[dict[Pattern, str]] = {
    Pattern.MIN_RAISES_PAIRS: "before the flop, with a pocket pair, raise to the smallest legal amount.",
    Pattern.FOLDS_BUTTON_TO_3BET: "on the button, fold to a 3-bet 85% of the time.",
    Pattern.LIMPS_BUTTON: "on the button, begin every hand with a call, whatever you hold.",
    Pattern.NEVER_RAISES_BIG_BLIND: "in the big blind, never raise before the flop.",
    Pattern.ALWAYS_CBETS: "on the flop, if you made the last raise before the flop and nobody has bet yet, bet.",
    Pattern.NEVER_CBETS: "on the flop, if you made the last raise before the flop and nobody has bet yet, check.",
    Pattern.FOLDS_MISSED_FLOPS: "on the flop, fold to any bet if your best hand is less than a pair.",
    Pattern.NEVER_FOLDS_PAIRS: "after the flop is dealt, never fold a pair or better.",
    Pattern.FOLDS_RIVERS: "on the river, fold to any bet if your best hand is less than two pair.",
    Pattern.NEVER_BLUFFS_RIVERS: "on the river, bet or raise only with two pair or better.",
}
