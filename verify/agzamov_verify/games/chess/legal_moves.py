"""Boards of FENs and their legal moves in UCI, at a third of the library's cost.

Scripted players read a position out of each prompt and sort its legal moves by their names. What is common is done here
on the library's bitboards: a FEN as it writes them, and moves of pieces that cannot be pinned while the king is not in
check. The rest (kings, castling, en passant, promotions, pinned pieces, other texts) is the library's. Tests compare
both with it.
"""

import re
from functools import lru_cache
from typing import Final

import chess

from .moves import BISHOP_LINES, ROOK_LINES

_FEN: Final = re.compile(
    r"([PNBRQKpnbrqk1-8/]+) ([wb]) (-|[A-HK-Qa-hk-q]+) (-|[a-h][36]) ([0-9]{1,3}) ([1-9][0-9]{0,3})"
)
_SQUARE_BITS: Final = 64
_SIDES_AND_TYPES: Final = 8
_MASK: Final = chess.BB_ALL
_NAMES: Final = chess.SQUARE_NAMES
_PAIRS: Final = [[origin + target for target in _NAMES] for origin in _NAMES]


def board_of(fen: str) -> chess.Board:
    """The board of a FEN, equal to `chess.Board(fen, chess960=True)`. Raises ValueError as that does."""
    read = _FEN.fullmatch(fen)
    ranks = read[1].split("/") if read else []
    if not read or len(ranks) != 8:
        return chess.Board(fen, chess960=True)
    try:
        pieces = 0
        for rank in ranks:
            pieces = pieces << 8 | _rank_pieces(rank)
    except ValueError:
        return chess.Board(fen, chess960=True)
    board = chess.Board(None, chess960=True)
    masks = [pieces >> _SQUARE_BITS * index & _MASK for index in range(_SIDES_AND_TYPES)]
    black, white, board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings = masks
    board.occupied_co = [black, white]
    board.occupied = black | white
    board.turn = read[2] == "w"
    if read[3] != "-":
        board.set_castling_fen(read[3])
    board.ep_square = None if read[4] == "-" else chess.parse_square(read[4])
    board.halfmove_clock, board.fullmove_number = int(read[5]), int(read[6])
    return board


@lru_cache(maxsize=2**14)
def _rank_pieces(text: str) -> int:
    """The squares of a rank that each side and each type of piece is on, 64 bits apart. Raises ValueError."""
    pieces, file, before = 0, 0, ""
    for sign in text:
        if sign.isdigit():
            if before.isdigit():
                raise ValueError("two numbers side by side")
            file += int(sign)
        else:
            piece = chess.Piece.from_symbol(sign)
            lanes = 1 << _SQUARE_BITS * piece.color | 1 << _SQUARE_BITS * (1 + piece.piece_type)
            pieces |= lanes << file
            file += 1
        before = sign
    if file != 8:
        raise ValueError("not eight squares")
    return pieces


def legal_uci(board: chess.Board) -> list[str]:
    """Every legal move in UCI, sorted, so that the list does not depend on a generator's order."""
    turn, own = board.turn, board.occupied_co[board.turn]
    king, enemies, queens = (board.kings & own).bit_length() - 1, board.occupied_co[not turn], board.queens
    lines = ROOK_LINES[king] & (board.rooks | queens) | BISHOP_LINES[king] & (board.bishops | queens)
    near = chess.BB_KNIGHT_ATTACKS[king] & board.knights | chess.BB_PAWN_ATTACKS[turn][king] & board.pawns
    may_be_checked = (lines | near) & enemies
    if king < 0 or (may_be_checked and board.attackers_mask(not turn, king)):
        return sorted(move.uci() for move in board.generate_legal_moves())
    free = own & ~board.kings
    if lines & enemies:
        free &= ~(ROOK_LINES[king] | BISHOP_LINES[king])
    pawns = board.pawns & free
    plain = 0 if board.ep_square is not None else pawns & ~(chess.BB_RANK_7 if turn else chess.BB_RANK_2)
    pieces = free ^ pawns
    moves = _pawn_moves(board, plain) if plain else []
    for origin in chess.scan_forward(pieces):
        names = _PAIRS[origin]
        moves += [names[target] for target in chess.scan_forward(board.attacks_mask(origin) & ~own)]
    if board.kings & own != chess.BB_SQUARES[king]:
        rest = own & ~(pieces | plain)
    else:
        rest = own & ~(pieces | plain | board.kings)
        if board.castling_rights:
            moves += [move.uci() for move in board.generate_castling_moves()]
        names, others = _PAIRS[king], board.occupied ^ chess.BB_SQUARES[king]
        for target in chess.scan_forward(chess.BB_KING_ATTACKS[king] & ~own):
            if not board.attackers_mask(not turn, target, others):
                moves.append(names[target])
    if rest:
        moves += [move.uci() for move in board.generate_legal_moves(rest)]
    moves.sort()
    return moves


def _pawn_moves(board: chess.Board, pawns: chess.Bitboard) -> list[str]:
    """The moves of pawns that neither promote nor take en passant, and whose king nothing can uncover."""
    turn, empty, enemies = board.turn, ~board.occupied, board.occupied_co[not board.turn]
    if turn:
        singles, step = pawns << 8 & empty & chess.BB_ALL, 8
        doubles = singles << 8 & empty & (chess.BB_RANK_3 | chess.BB_RANK_4)
    else:
        singles, step = pawns >> 8 & empty, -8
        doubles = singles >> 8 & empty & (chess.BB_RANK_6 | chess.BB_RANK_5)
    moves = [_PAIRS[target - step][target] for target in chess.scan_forward(singles)]
    moves += [_PAIRS[target - 2 * step][target] for target in chess.scan_forward(doubles)]
    for origin in chess.scan_forward(pawns):
        taken = chess.BB_PAWN_ATTACKS[turn][origin] & enemies
        if taken:
            moves += [_PAIRS[origin][target] for target in chess.scan_forward(taken)]
    return moves
