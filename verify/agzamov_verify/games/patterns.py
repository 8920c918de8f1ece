"""Synthetic opponent patterns (SPEC S5; paper sections 5.1.1 and 5.2): told to the opponent only.

Each is a sentence for the opponent's system prompt. The agent never sees it; the bundle publishes
it through the manifest.
"""

from enum import StrEnum


class Pattern(StrEnum):
    """The catalogue, by the name that a manifest uses."""

    CASTLES_EARLY = "castles_early"
    AVOIDS_QUEEN_TRADES = "avoids_queen_trades"
    MIN_RAISES_PAIRS = "min_raises_pairs"
    FOLDS_BUTTON_TO_3BET = "folds_button_to_3bet"


CHESS_PATTERNS: dict[Pattern, str] = {
    Pattern.CASTLES_EARLY: "castle within your first 8 moves, as soon as castling is legal.",
    Pattern.AVOIDS_QUEEN_TRADES: (
        "never make a move that allows or makes a trade of queens, unless every legal move does."
    ),
}
POKER_PATTERNS: dict[Pattern, str] = {
    Pattern.MIN_RAISES_PAIRS: "before the flop, with a pocket pair, raise to the smallest legal amount.",
    Pattern.FOLDS_BUTTON_TO_3BET: "on the button, fold to a 3-bet 85% of the time.",
}
