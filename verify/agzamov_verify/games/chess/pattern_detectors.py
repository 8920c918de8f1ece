"""How often a player kept a pattern, counted over the positions in which some legal moves keep it and others do not."""

from collections.abc import Iterator
from typing import Final

import chess

from ...experiment.opponent_patterns import Adherence, Detector, Pattern
from .game_script import ChessRecord
from .pattern_sentences import CHESS_PATTERNS
from .patterns import keeping


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
