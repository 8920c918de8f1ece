"""Occasions of the habits that notes count: which moves keep each in a position, all from one list of the legal moves.

`patterns.keeping` says the same of one habit at a time. A note is about seven, of each move of a side; here legal moves
are generated once for a position, and a game is played through once.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import chess

from ...experiment.opponent_patterns import Adherence, Pattern
from .game_script import ChessRecord
from .habit_words import CASTLES_WITHIN_MOVES, NOTED, ROOK_PAWNS_WITHIN_MOVES
from .pattern_sentences import ChessPattern
from .patterns import retreats, trades_queens

_ROOK_FILES: Final = chess.BB_FILE_A | chess.BB_FILE_H


class Occasions:
    """The counts of one side's habits in one game, move by move."""

    def __init__(self) -> None:
        self._kept = dict.fromkeys(NOTED, 0)
        self._met = dict.fromkeys(NOTED, 0)

    def add(self, kept_by: Mapping[Pattern, Sequence[chess.Move]], move: chess.Move) -> None:
        """Count a move, by the moves that keep each habit."""
        for pattern, kept in kept_by.items():
            self._met[pattern] += 1
            self._kept[pattern] += move in kept

    def counted(self) -> Iterator[tuple[Pattern, Adherence]]:
        """The habits that could show, in the order of notes."""
        return ((pattern, Adherence(met, self._kept[pattern])) for pattern, met in self._met.items() if met)


def occasions(record: ChessRecord, place: int) -> tuple[Occasions, str]:
    """The counts of one side of a game, and its castling: side and move, or "never"."""
    board, counted, castled = chess.Board(record.start_fen, chess960=True), Occasions(), "never"
    substituted, last = frozenset(record.substituted), None
    for ply, text in enumerate(record.moves):
        move = chess.Move.from_uci(text)
        if ply % 2 == place:
            if ply not in substituted:
                counted.add(keeping_all(board, list(board.generate_legal_moves()), last), move)
            if castled == "never" and board.is_castling(move):
                castled = f"{'a' if board.is_queenside_castling(move) else 'h'}-side on move {ply // 2 + 1}"
        board.push(move)
        last = move
    return counted, castled


def keeping_all(
    board: chess.Board, legal: list[chess.Move], last: chess.Move | None
) -> dict[Pattern, list[chess.Move]]:
    """The legal moves that keep each habit, for the habits that some keep and others break."""
    kept_by = {pattern: _KEEPING[pattern](board, legal, last) for pattern in NOTED}
    return {pattern: kept for pattern, kept in kept_by.items() if 0 < len(kept) < len(legal)}


def _castling(board: chess.Board, legal: list[chess.Move], last: chess.Move | None) -> list[chess.Move]:  # noqa: ARG001
    if board.fullmove_number > CASTLES_WITHIN_MOVES or not board.castling_rights:
        return []
    return [move for move in legal if board.is_castling(move)]


def _no_trade(board: chess.Board, legal: list[chess.Move], last: chess.Move | None) -> list[chess.Move]:  # noqa: ARG001
    own = board.occupied_co[board.turn]
    if not board.queens & own or not board.queens & ~own:
        return legal  # nobody can trade
    return [move for move in legal if not trades_queens(board, move)]


def _king(board: chess.Board, legal: list[chess.Move], last: chess.Move | None) -> list[chess.Move]:  # noqa: ARG001
    if not board.is_check():
        return []
    king = board.king(board.turn)
    return [move for move in legal if move.from_square == king]


def _recaptures(board: chess.Board, legal: list[chess.Move], last: chess.Move | None) -> list[chess.Move]:
    if last is None or board.halfmove_clock:
        return []
    is_pawn_move = last.promotion or board.piece_type_at(last.to_square) == chess.PAWN
    if is_pawn_move and (last.from_square - last.to_square) % 8 == 0:
        return []  # it pushed a pawn
    return [move for move in legal if move.to_square == last.to_square]


def _attacked_queen(
    board: chess.Board,
    legal: list[chess.Move],
    last: chess.Move | None,  # noqa: ARG001
) -> list[chess.Move]:
    queens = chess.scan_forward(board.queens & board.occupied_co[board.turn])
    attacked = [square for square in queens if board.attackers_mask(not board.turn, square)]
    return [move for move in legal if move.from_square in attacked] if attacked else []


def _no_retreat(
    board: chess.Board,
    legal: list[chess.Move],
    last: chess.Move | None,  # noqa: ARG001
) -> list[chess.Move]:
    return [move for move in legal if not retreats(board, move)]


def _rook_pawns(
    board: chess.Board,
    legal: list[chess.Move],
    last: chess.Move | None,  # noqa: ARG001
) -> list[chess.Move]:
    if board.fullmove_number > ROOK_PAWNS_WITHIN_MOVES:
        return []
    pawns = board.pawns & _ROOK_FILES
    return [move for move in legal if pawns >> move.from_square & 1]


_KEEPING: Final[Mapping[Pattern, Callable[[chess.Board, list[chess.Move], chess.Move | None], list[chess.Move]]]] = {
    ChessPattern.CASTLES_EARLY: _castling,
    ChessPattern.AVOIDS_QUEEN_TRADES: _no_trade,
    ChessPattern.KING_ANSWERS_CHECKS: _king,
    ChessPattern.ALWAYS_RECAPTURES: _recaptures,
    ChessPattern.MOVES_ATTACKED_QUEEN: _attacked_queen,
    ChessPattern.NEVER_RETREATS: _no_retreat,
    ChessPattern.PUSHES_ROOK_PAWNS: _rook_pawns,
}
"""For each habit of notes, the legal moves that keep it; none, or all, where there is nothing to keep."""
