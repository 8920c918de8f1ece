"""The search for passages before a decision of Chess960: the words of the position as books speak of it."""

from collections.abc import Iterator
from typing import Final

import chess

OPENING_MOVES = 10
ENDGAME_POINTS_MAX = 13
"""Points of the pieces, without pawns, that a side may have in an endgame."""
POINTS = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 0}
PIECES = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, chess.PAWN)
OPENING, MIDDLEGAME, ENDGAME = "opening", "middlegame", "endgame"
CHECK, CASTLING, CAPTURE = "king in check", "castling right", "capture a piece that is not defended"
AHEAD, BEHIND = "ahead in material", "behind in material"
PHRASES: Final = (
    OPENING,
    MIDDLEGAME,
    ENDGAME,
    *(chess.piece_name(piece) for piece in PIECES),
    CHECK,
    CASTLING,
    CAPTURE,
    AHEAD,
    BEHIND,
)
"""All that a search is made of."""


def situation_words(board: chess.Board) -> str:
    """The search text for the side to move: phase of the game, what it may do, and material."""
    return " ".join(_words(board))


def _words(board: chess.Board) -> Iterator[str]:
    mine, theirs = (_points(board, side) for side in (board.turn, not board.turn))
    pawns = [len(board.pieces(chess.PAWN, side)) for side in (board.turn, not board.turn)]
    endgame = max(mine - pawns[0], theirs - pawns[1]) <= ENDGAME_POINTS_MAX
    if endgame:
        yield from (ENDGAME, *_pieces(board))
    else:
        yield OPENING if board.fullmove_number <= OPENING_MOVES else MIDDLEGAME
    if board.is_check():
        yield CHECK
    if board.castling_rights & (chess.BB_RANK_1 if board.turn else chess.BB_RANK_8):
        yield CASTLING
    if free_captures(board):
        yield CAPTURE
    if mine != theirs:
        yield AHEAD if mine > theirs else BEHIND


def free_captures(board: chess.Board) -> list[chess.Move]:
    """The legal captures of undefended pieces, by UCI."""
    free = [
        move for move in board.generate_legal_captures() if not board.is_attacked_by(not board.turn, move.to_square)
    ]
    return sorted(free, key=chess.Move.uci)


def _pieces(board: chess.Board) -> Iterator[str]:
    """The kinds of pieces of the side to move, but for its king."""
    for piece in PIECES:
        if board.pieces(piece, board.turn):
            yield chess.piece_name(piece)


def _points(board: chess.Board, side: chess.Color) -> int:
    return sum(POINTS[piece.piece_type] for piece in board.piece_map().values() if piece.color == side)
