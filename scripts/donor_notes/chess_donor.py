"""The chess player of the donor match: it breaks each habit often enough that no game of it speaks for one.

Of the moves that are left it plays the one that the reference player would.
"""

import chess

from agzamov_verify.core.dice import Stream
from agzamov_verify.experiment.opponent_patterns import Adherence, Pattern
from agzamov_verify.games.chess.habit_words import NOTED, speaks_for
from agzamov_verify.games.chess.patterns import keeping, last_move
from agzamov_verify.games.chess.reference_player import best_line
from agzamov_verify.table.prompt_lines import Page, labelled


class ChessDonor:
    """Both sides of one game; each counts its own moves."""

    def __init__(self) -> None:
        self._counts = {(side, pattern): Adherence(0, 0) for side in chess.COLORS for pattern in NOTED}

    def reply(self, page: Page, stream: Stream) -> str:
        """The reference player's choice of the moves that keep no habit more often than others do."""
        board = chess.Board(labelled(page, "FEN"), chess960=True)
        legal = list(board.generate_legal_moves())
        moves, choices = legal, self._choices(board, legal, last_move(page))
        for pattern, kept in choices.items():
            counts = self._counts[board.turn, pattern]
            if speaks_for(pattern, Adherence(counts.occasions + 1, counts.kept + 1)):
                moves = [move for move in moves if move not in kept] or moves
        move = best_line(page, board, moves, stream).move
        for pattern, kept in choices.items():
            counts = self._counts[board.turn, pattern]
            self._counts[board.turn, pattern] = Adherence(counts.occasions + 1, counts.kept + (move in kept))
        return f"MOVE: {move.uci()}"

    def _choices(
        self, board: chess.Board, legal: list[chess.Move], last: chess.Move | None
    ) -> dict[Pattern, list[chess.Move]]:
        """The moves that keep a habit, for each that some legal moves keep and others break."""
        kept = {pattern: keeping(board, pattern, last) for pattern in NOTED}
        return {pattern: moves for pattern, moves in kept.items() if 0 < len(moves) < len(legal)}
