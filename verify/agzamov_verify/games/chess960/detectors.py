"""Detectors of the chess patterns: of the moves of one game at which a pattern could show, how many kept it."""

from collections.abc import Iterator
from typing import Final

import chess

from ..patterns import Adherence, Detector, Pattern
from .habit_moves import keeping
from .pattern_sentences import CHESS_PATTERNS
from .script import ChessRecord


def detector(pattern: Pattern) -> Detector:
    """Count the positions in which some legal moves keep a pattern and others break it, and the moves that kept it."""

    def detect(record: ChessRecord, place: int) -> Adherence:
        kept = [move in moves for move, moves in _choices(record, place, pattern)]
        return Adherence(len(kept), sum(kept))

    return detect


def _choices(record: ChessRecord, place: int, pattern: Pattern) -> Iterator[tuple[chess.Move, list[chess.Move]]]:
    """Each move of one side that could keep or break a pattern, and the moves that keep it there."""
    board, substituted = chess.Board(record.start_fen, chess960=True), set(record.substituted)
    last: chess.Move | None = None
    for ply, text in enumerate(record.moves):
        move = chess.Move.from_uci(text)
        if board.turn is (place == 0) and ply not in substituted:
            moves = keeping(board, pattern, last)
            if 0 < len(moves) < board.legal_moves.count():
                yield move, moves
        board.push(move)
        last = move


DETECTORS: Final[dict[Pattern, Detector]] = {pattern: detector(pattern) for pattern in CHESS_PATTERNS}
