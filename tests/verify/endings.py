"""All positions of king and one piece against a bare king, solved by going back from the mates."""

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import NamedTuple

import chess

KING_MOVES = chess.BB_KING_ATTACKS
TRIANGLE = tuple(chess.square(file, rank) for file in range(4) for rank in range(file + 1))
"""Squares of which every other one is a mirror image."""


class Position(NamedTuple):
    """The squares of White's king, of White's piece and of the bare king."""

    king: chess.Square
    piece: chess.Square
    bare: chess.Square


class Ending:
    """The positions that White wins, by the side to move.

    A position stands for its mirror images: those with the king in the triangle, or a pawn on the files a to d.
    """

    def __init__(self, kind: chess.PieceType) -> None:
        self._kind = kind
        self._won: set[Position] = set()
        self._lost: set[Position] = set()
        self.longest_win_moves = self._solve()

    def is_won(self, position: Position, turn: chess.Color) -> bool:
        return self._image(position) in (self._won if turn else self._lost)

    def _solve(self) -> int:
        """White's moves from the longest win to the mate."""
        to_white = {one: list(self._after_white(one)) for one in self._all() if is_legal(self._kind, one, chess.WHITE)}
        to_black = {one: list(self._after_black(one)) for one in self._all() if is_legal(self._kind, one, chess.BLACK)}
        self._lost = {one for one, after in to_black.items() if not after and is_mate(self._kind, one)}
        self._won = {one for one in to_white if self._kind == chess.PAWN and self._promotes(one)}
        moves = 0
        while True:
            won = {one for one, after in to_white.items() if one not in self._won and not self._lost.isdisjoint(after)}
            self._won |= won
            lost = {
                one
                for one, after in to_black.items()
                if one not in self._lost and after and self._won.issuperset(after)
            }
            self._lost |= lost
            if not won and not lost:
                return moves
            moves += 1

    def _all(self) -> Iterator[Position]:
        if self._kind == chess.PAWN:
            pawns = [square for square in range(chess.A2, chess.A8) if chess.square_file(square) < 4]
            places = product(chess.SQUARES, pawns, chess.SQUARES)
        else:
            places = product(TRIANGLE, chess.SQUARES, chess.SQUARES)
        return (Position(*place) for place in places)

    def _image(self, position: Position) -> Position:
        of = position.piece if self._kind == chess.PAWN else position.king
        if of & 4:
            position = Position(*(square ^ 7 for square in position))
        if self._kind != chess.PAWN and position.king & 32:
            position = Position(*(square ^ 56 for square in position))
        if self._kind != chess.PAWN and position.king >> 3 > position.king & 7:
            position = Position(*(square >> 3 | (square & 7) << 3 for square in position))
        return position

    def _after_white(self, position: Position) -> Iterator[Position]:
        king, piece, bare = position
        for to in chess.scan_forward(KING_MOVES[king] & ~KING_MOVES[bare] & ~chess.BB_SQUARES[piece]):
            yield self._image(Position(to, piece, bare))
        taken = chess.BB_SQUARES[king] | chess.BB_SQUARES[bare]
        if self._kind != chess.PAWN:
            for to in chess.scan_forward(attacks(self._kind, piece, taken) & ~taken):
                yield self._image(Position(king, to, bare))
            return
        steps = (piece + 8, piece + 16) if piece < chess.A3 else (piece + 8,)
        for to in steps:
            if taken >> to & 1 or to > chess.H7:
                return
            yield self._image(Position(king, to, bare))

    def _after_black(self, position: Position) -> Iterator[Position]:
        """The piece's own square is among them if it can be taken: a position that nobody wins."""
        for to in chess.scan_forward(bare_moves(self._kind, position)):
            yield self._image(Position(position.king, position.piece, to))

    def _promotes(self, position: Position) -> bool:
        """True if the pawn can become a queen or rook that wins."""
        king, pawn, bare = position
        to = pawn + 8
        return (
            to > chess.H7
            and to not in (king, bare)
            and any(solved(kind).is_won(Position(king, to, bare), chess.BLACK) for kind in (chess.QUEEN, chess.ROOK))
        )


@cache
def solved(kind: chess.PieceType) -> Ending:
    return Ending(kind)


def attacks(kind: chess.PieceType, square: chess.Square, occupied: chess.Bitboard) -> chess.Bitboard:
    """The squares that White's piece attacks."""
    if kind == chess.PAWN:
        return chess.BB_PAWN_ATTACKS[chess.WHITE][square]
    if kind == chess.KNIGHT:
        return chess.BB_KNIGHT_ATTACKS[square]
    found = 0
    if kind in (chess.BISHOP, chess.QUEEN):
        found |= chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & occupied]
    if kind in (chess.ROOK, chess.QUEEN):
        found |= chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & occupied]
        found |= chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & occupied]
    return found


def is_legal(kind: chess.PieceType, position: Position, turn: chess.Color) -> bool:
    """True if each stands on its own square, the kings apart, and the bare king in check only if it is to move."""
    king, piece, bare = position
    if len({*position}) < 3 or KING_MOVES[king] >> bare & 1:
        return False
    return turn == chess.BLACK or not attacks(kind, piece, chess.BB_SQUARES[king]) >> bare & 1


def bare_moves(kind: chess.PieceType, position: Position) -> chess.Bitboard:
    """The squares that the bare king may go to."""
    king, piece, bare = position
    attacked = KING_MOVES[king] | attacks(kind, piece, chess.BB_SQUARES[king])
    return KING_MOVES[bare] & ~attacked & ~chess.BB_SQUARES[king]


def is_mate(kind: chess.PieceType, position: Position) -> bool:
    king, piece, bare = position
    return bool(attacks(kind, piece, chess.BB_SQUARES[king]) >> bare & 1) and not bare_moves(kind, position)
