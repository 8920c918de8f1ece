"""What the reference player of chess gives for pieces on their squares, in centipawns.

Piece values: T. Michniewski, "Simplified Evaluation Function" (chessprogramming.org); the values of
squares and the drive of a bare king to the rim are in its spirit.
"""

from collections.abc import Callable
from typing import TypeAlias

import chess

CASTLING_CENTIPAWNS = 40
BARE_CENTIPAWNS = 400  # a side with no pawns and no more than this is driven to the rim
ENDING_CENTIPAWNS = 1300  # from here down the king belongs in the centre

Values: TypeAlias = list[list[int]]
Tables: TypeAlias = tuple[Values, Values]
"""Centipawns by piece type and square, of Black and of White, as `chess` numbers colours."""


def middle(square: chess.Square) -> int:
    """0 in the corners, 6 on the four squares of the centre."""
    file, rank = chess.square_file(square), chess.square_rank(square)
    return min(file, 7 - file) + min(rank, 7 - rank)


def _pawn(square: chess.Square) -> int:
    file, rank = chess.square_file(square), chess.square_rank(square)
    return 100 + (0, 0, 3, 6, 14, 32, 80, 0)[rank] + (0, 0, 1, 5, 5, 1, 0, 0)[file] * min(rank, 4)


def _sheltered(square: chess.Square) -> int:
    return (20, 25, 15, 0, 0, 0, 25, 20)[chess.square_file(square)] - 25 * chess.square_rank(square)


_PLACED: tuple[Callable[[chess.Square], int], ...] = (
    _pawn,
    lambda square: 320 + 8 * middle(square) - 24,
    lambda square: 330 + 4 * middle(square) - 10,
    lambda square: 500 + 2 * middle(square) + 15 * (chess.square_rank(square) == 6),
    lambda square: 900 + 2 * middle(square),
)


def _tables(king: Callable[[chess.Square], int]) -> Tables:
    """Centipawns by colour, piece type and square; colours and types are indexed as `chess` numbers them."""
    white = [[], *([place(square) for square in chess.SQUARES] for place in (*_PLACED, king))]
    return [[row[square ^ 56] for square in chess.SQUARES if row] for row in white], white


MIDDLEGAME, ENDING = _tables(_sheltered), _tables(lambda square: 6 * middle(square))


def officers_centipawns(board: chess.Board, side: chess.Color) -> int:
    """Centipawns of a side's pieces other than pawns and king."""
    pieces = board.occupied_co[side]
    minors, rooks = (board.knights | board.bishops) & pieces, board.rooks & pieces
    return 325 * minors.bit_count() + 500 * rooks.bit_count() + 900 * (board.queens & pieces).bit_count()


def bared(board: chess.Board) -> chess.Color | None:
    """The side to be driven to the rim, if there is one."""
    for side in chess.COLORS:
        officers, opposing_officers = officers_centipawns(board, side), officers_centipawns(board, not side)
        if not board.pawns & board.occupied_co[side] and officers <= BARE_CENTIPAWNS <= opposing_officers - officers:
            return side
    return None


def tables_of(board: chess.Board) -> Tables:
    """The tables that a position is judged by."""
    ending = min(officers_centipawns(board, side) for side in chess.COLORS) <= ENDING_CENTIPAWNS
    return ENDING if ending else MIDDLEGAME
