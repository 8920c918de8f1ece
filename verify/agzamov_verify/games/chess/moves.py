"""Every move that UCI can spell, and what the squares must show for a piece to make it.

A piece makes a move when the squares of its first mask are empty, those of its second hold enemies, and its
target holds no piece of its own side. Castling and en passant are not in the table.
"""

from collections.abc import Iterator, Sequence

import chess

Needs = tuple[chess.Bitboard, chess.Bitboard]

IMPOSSIBLE: Needs = (0, chess.BB_ALL)
"""Needs that no position meets."""

PROMOTIONS = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)
MOVES = {
    move.uci(): move
    for a in chess.SQUARES
    for b in chess.SQUARES
    if a != b
    for promotion in ((None, *PROMOTIONS) if {a >> 3, b >> 3} in ({6, 7}, {1, 0}) else (None,))
    for move in (chess.Move(a, b, promotion),)
}

# The squares that a rook, a bishop or a queen sees on an empty board.
ROOK_LINES = [chess.BB_RANK_ATTACKS[square][0] | chess.BB_FILE_ATTACKS[square][0] for square in chess.SQUARES]
BISHOP_LINES = [chess.BB_DIAG_ATTACKS[square][0] for square in chess.SQUARES]
QUEEN_LINES = [rook | bishop for rook, bishop in zip(ROOK_LINES, BISHOP_LINES, strict=True)]


def _piece_moves(reach: Sequence[chess.Bitboard]) -> dict[str, Needs]:
    return {
        chess.Move(origin, target).uci(): (chess.between(origin, target), 0)
        for origin in chess.SQUARES
        for target in chess.scan_forward(reach[origin])
    }


def _pawn_moves(color: chess.Color) -> dict[str, Needs]:
    last = 7 if color else 0
    return {
        chess.Move(origin, target, promotion).uci(): needs
        for origin in chess.scan_forward(~chess.BB_BACKRANKS & chess.BB_ALL)
        for target, needs in _pawn_targets(origin, color)
        for promotion in (PROMOTIONS if chess.square_rank(target) == last else (None,))
    }


def _pawn_targets(origin: chess.Square, color: chess.Color) -> Iterator[tuple[chess.Square, Needs]]:
    step, home = (8, 1) if color else (-8, 6)
    single, double = origin + step, origin + 2 * step
    yield single, (chess.BB_SQUARES[single], 0)
    if chess.square_rank(origin) == home:
        yield double, (chess.BB_SQUARES[single] | chess.BB_SQUARES[double], 0)
    for target in chess.scan_forward(chess.BB_PAWN_ATTACKS[color][origin]):
        yield target, (0, chess.BB_SQUARES[target])


_PIECES = {
    "N": _piece_moves(chess.BB_KNIGHT_ATTACKS),
    "B": _piece_moves(BISHOP_LINES),
    "R": _piece_moves(ROOK_LINES),
    "Q": _piece_moves(QUEEN_LINES),
    "K": _piece_moves(chess.BB_KING_ATTACKS),
}
NEEDS: dict[str, dict[str, Needs]] = {
    **_PIECES,
    **{symbol.lower(): needs for symbol, needs in _PIECES.items()},
    "P": _pawn_moves(chess.WHITE),
    "p": _pawn_moves(chess.BLACK),
}
"""By piece symbol and UCI text."""
