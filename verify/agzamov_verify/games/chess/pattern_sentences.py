"""Names, sentences and sorts of the patterns of a chess player (paper section 4.4; docs/patterns.md)."""

from enum import StrEnum
from typing import Final

from ...experiment.opponent_patterns import Pattern, PatternSorts


class ChessPattern(StrEnum):
    """Patterns of chess, by the name that a manifest uses."""

    CASTLES_EARLY = "castles_early"
    AVOIDS_QUEEN_TRADES = "avoids_queen_trades"
    KING_ANSWERS_CHECKS = "king_answers_checks"
    PIECES_ANSWER_CHECKS = "pieces_answer_checks"
    ALWAYS_RECAPTURES = "always_recaptures"
    MOVES_ATTACKED_QUEEN = "moves_attacked_queen"
    NEVER_RETREATS = "never_retreats"
    KEEPS_OWN_HALF = "keeps_own_half"
    PUSHES_ROOK_PAWNS = "pushes_rook_pawns"


CHESS_PATTERNS: Final[dict[Pattern, str]] = {
    ChessPattern.CASTLES_EARLY: "castle within your first 8 moves, as soon as castling is legal.",
    ChessPattern.AVOIDS_QUEEN_TRADES: (
        "never make a move that allows or makes a trade of queens, unless every legal move does."
    ),
    ChessPattern.KING_ANSWERS_CHECKS: "when in check, move your king, as long as it has a legal move.",
    ChessPattern.PIECES_ANSWER_CHECKS: "when in check, do not move your king, as long as another piece can answer.",
    ChessPattern.ALWAYS_RECAPTURES: "take back a piece that has just captured one of yours, whenever that is legal.",
    ChessPattern.MOVES_ATTACKED_QUEEN: "move your queen whenever it is attacked and has a legal move.",
    ChessPattern.NEVER_RETREATS: (
        "never move a knight, bishop, rook or queen to a rank nearer to your own side, unless every legal move does."
    ),
    ChessPattern.KEEPS_OWN_HALF: (
        "never move a knight, bishop, rook or queen into your opponent's half, unless every legal move does."
    ),
    ChessPattern.PUSHES_ROOK_PAWNS: (
        "within your first 6 moves, push the pawn on the a-file or the h-file if that is legal."
    ),
}
CHESS_PATTERN_SORTS: Final = PatternSorts(
    aggressive=frozenset({ChessPattern.NEVER_RETREATS, ChessPattern.PUSHES_ROOK_PAWNS}),
    passive=frozenset({ChessPattern.KEEPS_OWN_HALF}),
    opposites=(frozenset({ChessPattern.KING_ANSWERS_CHECKS, ChessPattern.PIECES_ANSWER_CHECKS}),),
)
