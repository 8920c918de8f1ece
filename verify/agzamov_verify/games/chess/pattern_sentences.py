"""Sentences of the patterns that a chess player can be asked to keep (paper section 4.4; docs/patterns.md)."""

from typing import Final

from ...experiment.opponent_patterns import Pattern

CHESS_PATTERNS: Final[dict[Pattern, str]] = {
    Pattern.CASTLES_EARLY: "castle within your first 8 moves, as soon as castling is legal.",
    Pattern.AVOIDS_QUEEN_TRADES: (
        "never make a move that allows or makes a trade of queens, unless every legal move does."
    ),
    Pattern.KING_ANSWERS_CHECKS: "when in check, move your king, as long as it has a legal move.",
    Pattern.PIECES_ANSWER_CHECKS: "when in check, do not move your king, as long as another piece can answer.",
    Pattern.ALWAYS_RECAPTURES: "take back a piece that has just captured one of yours, whenever that is legal.",
    Pattern.MOVES_ATTACKED_QUEEN: "move your queen whenever it is attacked and has a legal move.",
    Pattern.NEVER_RETREATS: (
        "never move a knight, bishop, rook or queen to a rank nearer to your own side, unless every legal move does."
    ),
    Pattern.KEEPS_OWN_HALF: (
        "never move a knight, bishop, rook or queen into your opponent's half, unless every legal move does."
    ),
    Pattern.PUSHES_ROOK_PAWNS: "within your first 6 moves, push the pawn on the a-file or the h-file if that is legal.",
}
