"""Moves that a habit of a chess player asks for in a position, and moves that it rules out.

Players keep their rules by it, expect of an opponent what a profile says by it, and detectors count by it.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import chess

from ..patterns import Pattern
from .habits import ChessHabits
from .note_words import CASTLES_WITHIN_MOVES, ROOK_PAWNS_WITHIN_MOVES

Due: TypeAlias = Callable[[chess.Board, chess.Move | None], list[chess.Move]]
"""The legal moves that a habit asks for, none where it asks for nothing. The last move is None at the start."""

Refuses: TypeAlias = Callable[[chess.Board, chess.Move], bool]
"""True if a habit rules a legal move out."""

_ROOK_FILES: Final = chess.BB_FILE_A | chess.BB_FILE_H
_FIRST_RANK_OF_BLACK: Final = 4


def due_moves(board: chess.Board, habits: ChessHabits, last: chess.Move | None) -> list[chess.Move]:
    """The legal moves that all habits together ask for: where two contradict each other, the earlier one's."""
    moves: list[chess.Move] = []
    for pattern, due in DUE.items():
        if pattern in habits.kept:
            asked = due(board, last)
            moves = [move for move in moves if move in asked] or moves or asked
    if not habits.castles_within_moves:
        return moves
    asked = due_castling(board, habits.castles_within_moves)
    return [move for move in moves if move in asked] or moves or asked


def refuses(board: chess.Board, habits: ChessHabits, move: chess.Move) -> bool:
    """True if some habit rules the move out."""
    return any(pattern in habits.kept and refused(board, move) for pattern, refused in REFUSED.items())


def allowed(board: chess.Board, habits: ChessHabits, last: chess.Move | None) -> list[chess.Move]:
    """The legal moves that keep all habits; a habit that asks for moves outranks one that excludes them."""
    moves = due_moves(board, habits, last) or list(board.generate_legal_moves())
    return [move for move in moves if not refuses(board, habits, move)] or moves


def keeping(board: chess.Board, pattern: Pattern, last: chess.Move | None) -> list[chess.Move]:
    """The legal moves that keep one pattern; none, or all, where there is nothing to keep."""
    if pattern in REFUSED:
        return [move for move in board.generate_legal_moves() if not REFUSED[pattern](board, move)]
    if pattern is Pattern.CASTLES_EARLY:
        return due_castling(board, CASTLES_WITHIN_MOVES)
    return DUE[pattern](board, last)


def due_castling(board: chess.Board, within_moves: int) -> list[chess.Move]:
    """The legal castling moves, where the side to move is one that castles by now."""
    if board.fullmove_number > within_moves:
        return []
    return list(board.generate_castling_moves())


def king_moves_in_check(board: chess.Board, last: chess.Move | None) -> list[chess.Move]:  # noqa: ARG001 - as declared
    """The king's moves out of check."""
    if not board.is_check():
        return []
    return list(board.generate_legal_moves(board.kings & board.occupied_co[board.turn]))


def piece_moves_in_check(board: chess.Board, last: chess.Move | None) -> list[chess.Move]:  # noqa: ARG001 - as declared
    """The moves out of check of all pieces but the king."""
    return list(board.generate_legal_moves(~board.kings)) if board.is_check() else []


def recaptures(board: chess.Board, last: chess.Move | None) -> list[chess.Move]:
    """Captures of the piece that has just captured."""
    if last is None or board.halfmove_clock:
        return []
    changed_file = chess.square_file(last.from_square) != chess.square_file(last.to_square)
    is_pawn_move = last.promotion or board.piece_type_at(last.to_square) == chess.PAWN
    if is_pawn_move and not changed_file:
        return []
    return list(board.generate_legal_captures(chess.BB_ALL, chess.BB_SQUARES[last.to_square]))


def attacked_queen_moves(board: chess.Board, last: chess.Move | None) -> list[chess.Move]:  # noqa: ARG001 - as declared
    """The moves of a queen that is attacked."""
    queens = board.queens & board.occupied_co[board.turn]
    attacked = sum(
        chess.BB_SQUARES[square]
        for square in chess.scan_forward(queens)
        if board.attackers_mask(not board.turn, square)
    )
    return list(board.generate_legal_moves(attacked)) if attacked else []


def rook_pawn_moves(board: chess.Board, last: chess.Move | None) -> list[chess.Move]:  # noqa: ARG001 - as declared
    """Moves of the pawns on the a-file and the h-file, early in the game."""
    if board.fullmove_number > ROOK_PAWNS_WITHIN_MOVES:
        return []
    return list(board.generate_legal_moves(board.pawns & _ROOK_FILES))


def trades_queens(board: chess.Board, move: chess.Move) -> bool:
    """True if `move` takes a queen with a queen that can be retaken, or lets a queen take a queen."""
    theirs, queens = board.occupied_co[not board.turn], board.queens
    if not queens & theirs or not queens & ~theirs:
        return False
    origin, target = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
    takes_queen = origin & queens and target & queens & theirs
    if not takes_queen and not _queens_in_line(board, move):
        return False
    board.push(move)
    by = chess.BB_ALL if takes_queen else board.queens & board.occupied_co[board.turn]
    of = target if takes_queen else board.queens & board.occupied_co[not board.turn]
    trade = any(board.generate_legal_captures(by, of))
    board.pop()
    return trade


def _queens_in_line(board: chess.Board, move: chess.Move) -> bool:
    """True if after `move` queens of both sides may see each other: a fast test before the move is made.

    Castling and captures en passant empty other squares than their own, so of them it is always True.
    """
    origin, target = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
    if move.to_square == board.ep_square or target & board.occupied_co[board.turn]:
        return True
    own = board.queens & board.occupied_co[board.turn] & ~origin
    if move.promotion == chess.QUEEN or origin & board.queens:
        own |= target
    theirs = list(chess.scan_forward(board.queens & board.occupied_co[not board.turn] & ~target))
    occupied = board.occupied & ~origin | target
    return any(
        chess.ray(queen, other) and not chess.between(queen, other) & occupied
        for queen in chess.scan_forward(own)
        for other in theirs
    )


def retreats(board: chess.Board, move: chess.Move) -> bool:
    """True if `move` brings a knight, bishop, rook or queen to a rank nearer to its own side."""
    if chess.BB_SQUARES[move.from_square] & (board.pawns | board.kings):
        return False
    ranks = chess.square_rank(move.to_square) - chess.square_rank(move.from_square)
    return ranks < 0 if board.turn else ranks > 0


def leaves_own_half(board: chess.Board, move: chess.Move) -> bool:
    """True if `move` brings a knight, bishop, rook or queen into the opponent's half of the board."""
    if chess.BB_SQUARES[move.from_square] & (board.pawns | board.kings):
        return False
    return (chess.square_rank(move.to_square) >= _FIRST_RANK_OF_BLACK) is board.turn


DUE: Final[Mapping[Pattern, Due]] = {
    Pattern.KING_ANSWERS_CHECKS: king_moves_in_check,
    Pattern.PIECES_ANSWER_CHECKS: piece_moves_in_check,
    Pattern.ALWAYS_RECAPTURES: recaptures,
    Pattern.MOVES_ATTACKED_QUEEN: attacked_queen_moves,
    Pattern.PUSHES_ROOK_PAWNS: rook_pawn_moves,
}
"""Habits that ask for moves, the most urgent first. Castling early comes last, and has a number of moves."""

REFUSED: Final[Mapping[Pattern, Refuses]] = {
    Pattern.AVOIDS_QUEEN_TRADES: trades_queens,
    Pattern.NEVER_RETREATS: retreats,
    Pattern.KEEPS_OWN_HALF: leaves_own_half,
}
"""Habits that rule moves out, unless every move is ruled out."""
