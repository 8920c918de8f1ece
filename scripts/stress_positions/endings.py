"""Exact lengths of won endings: king and queen, rook or pawn against king, by retrograde analysis.

A table gives for each place of the white king, the white piece and the black king the number of White's moves to mate
under best play, with White or with Black to move; DRAWN where there is none. Nothing is read from a file, and nothing
is reduced by symmetry: a board has 64 x 64 x 64 places. Longest wins with White to move, as published (Nalimov;
Thompson 1986): queen 10, rook 16, pawn 28.
"""

from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

DRAWN: Final = 99
KING_STEPS: Final = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
LINES: Final = {
    "Q": KING_STEPS,
    "R": ((-1, 0), (0, -1), (0, 1), (1, 0)),
}
NOWHERE: Final = -1
SQUARES: Final = np.arange(64)

Array = Any
"""A numpy array of [white king, white piece, black king]."""


class Table(NamedTuple):
    """White's moves to mate, by side to move."""

    white: Array
    black: Array


def target(step: tuple[int, int], distance: int = 1) -> Array:
    """For each square the one that lies so many steps away, or NOWHERE."""
    files, ranks = SQUARES % 8 + step[0] * distance, SQUARES // 8 + step[1] * distance
    inside = (files >= 0) & (files < 8) & (ranks >= 0) & (ranks < 8)
    return np.where(inside, ranks * 8 + files, NOWHERE)


NEAR: Final = np.zeros((64, 64), dtype=bool)
for _step in KING_STEPS:
    for _square, _to in enumerate(target(_step)):
        if _to != NOWHERE:
            NEAR[_square, _to] = True

WK, PIECE, BK = (SQUARES.reshape(shape) for shape in ((64, 1, 1), (1, 64, 1), (1, 1, 64)))
APART: Final = (WK != PIECE) & (PIECE != BK) & (WK != BK) & ~NEAR[:, None, :]
"""Positions in which no two stand on one square and the kings do not touch."""


def slides(piece: str) -> list[list[Array]]:
    """The lines of a piece: for each direction the targets at distance 1, 2, ... 7."""
    return [[target(step, distance) for distance in range(1, 8)] for step in LINES[piece]]


def attacked(piece: str) -> Array:
    """[white king, piece, square]: True where the piece attacks the square, with the white king in the way alone."""
    attacks = np.zeros((64, 64, 64), dtype=bool)
    if piece == "P":
        for step in ((-1, 1), (1, 1)):
            to = target(step)
            attacks |= (to[None, :, None] == SQUARES[None, None, :]) & (to != NOWHERE)[None, :, None]
        return attacks
    for line in slides(piece):
        open_so_far = np.ones((64, 64), dtype=bool)
        for to in line:
            there = to != NOWHERE
            attacks |= (to[None, :, None] == SQUARES[None, None, :]) & (open_so_far & there[None, :])[:, :, None]
            open_so_far &= (to[None, :] != SQUARES[:, None]) & there[None, :]
    return attacks


@cache
def table(piece: str) -> Table:
    """The table of Q, R or P, by iteration until nothing changes."""
    attacks, on_board = attacked(piece), APART.copy()
    if piece == "P":
        on_board &= (PIECE >= 8) & (PIECE < 56)
    to_move = on_board & ~attacks
    white = np.full((64, 64, 64), DRAWN, dtype=np.int16)
    while True:
        black = _black(white, attacks, on_board)
        after = _white(piece, black)
        after = np.where(to_move, after, DRAWN).astype(np.int16)
        if np.array_equal(after, white):
            return Table(white, black)
        white = after


def _black(white: Array, attacks: Array, on_board: Array) -> Array:
    """With Black to move: the longest that it can delay; mated is 0, stalemate and a capture are draws."""
    longest = np.full((64, 64, 64), NOWHERE, dtype=np.int16)
    for step in KING_STEPS:
        to = target(step)
        square = np.where(to == NOWHERE, 0, to)
        legal = (to != NOWHERE)[None, None, :] & ~NEAR[:, square][:, None, :] & ~attacks[:, :, square]
        takes = square[None, None, :] == PIECE
        legal = legal & ~(takes & NEAR[:, :, None]) & (square[None, None, :] != WK)
        value = np.where(takes, DRAWN, white[:, :, square])
        longest = np.where(legal, np.maximum(longest, value), longest)
    stuck = longest == NOWHERE
    value = np.where(stuck, np.where(attacks, 0, DRAWN), longest)
    return np.where(on_board, value, DRAWN).astype(np.int16)


def _white(piece: str, black: Array) -> Array:
    """With White to move: one more than the best of its moves."""
    best = np.full((64, 64, 64), DRAWN, dtype=np.int16)
    for step in KING_STEPS:
        to = target(step)
        square = np.where(to == NOWHERE, 0, to)
        value = np.where((to != NOWHERE)[:, None, None], black[square], DRAWN)
        best = np.minimum(best, value)
    best = np.minimum(best, _pawn(black) if piece == "P" else _slid(piece, black))
    return np.where(best < DRAWN, best + 1, DRAWN)


def _slid(piece: str, black: Array) -> Array:
    best = np.full((64, 64, 64), DRAWN, dtype=np.int16)
    for line in slides(piece):
        way = np.ones((64, 64, 64), dtype=bool)
        for to in line:
            square = np.where(to == NOWHERE, 0, to)
            way &= (to != NOWHERE)[None, :, None] & (to[None, :, None] != WK) & (to[None, :, None] != BK)
            best = np.minimum(best, np.where(way, black[:, square], DRAWN))
    return best


def _pawn(black: Array) -> Array:
    """One step, two from the second rank, or a promotion to queen or rook; a knight or a bishop cannot mate alone."""
    one, two = target((0, 1)), target((0, 1), 2)
    at_one, at_two = np.where(one == NOWHERE, 0, one), np.where(two == NOWHERE, 0, two)
    free = (one[None, :, None] != WK) & (one[None, :, None] != BK) & (one != NOWHERE)[None, :, None]
    promoted = np.minimum(table("Q").black[:, at_one], table("R").black[:, at_one])
    stepped = np.where((PIECE >= 48) & (PIECE < 56), promoted, black[:, at_one])
    best = np.where(free, stepped, DRAWN)
    free_two = free & (PIECE >= 8) & (PIECE < 16) & (two[None, :, None] != WK) & (two[None, :, None] != BK)
    return np.minimum(best, np.where(free_two, black[:, at_two], DRAWN))
