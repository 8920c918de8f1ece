"""The count of plies that adjudicates a game of chess; it counts what comes from the board or from the journal."""

import chess

from ...questions import Evaluate, Evaluation
from ..adjudication import Adjudication, AdjudicationPolicy, winning_side
from .rules import Game960


class Adjudicator:
    """Counts consecutive plies beyond the threshold for one side."""

    def __init__(self, rule: Adjudication, game_id: str) -> None:
        self._rule, self._game_id = rule, game_id
        self._side = 0
        self._plies = 0
        self.asks_engine = rule.policy is AdjudicationPolicy.STOCKFISH

    def question(self, game: Game960) -> Evaluate:
        """The question to the engine after a ply."""
        return Evaluate(game=self._game_id, moves=game.moves_text, start_fen=game.start_fen, turn=game.ply)

    def after_evaluation(self, evaluation: Evaluation, turn: chess.Color) -> int:
        """+1 or -1 when the game goes to White or Black now, else 0."""
        return self._count(winning_side(evaluation, turn, self._rule.threshold_centipawns))

    def after_ply(self, game: Game960) -> int:
        """Outcome after a ply by the policies that ask no engine; see `after_evaluation`."""
        if self._rule.policy is AdjudicationPolicy.NONE:
            return 0
        points = game.material_points()
        return self._count((points > 0) - (points < 0) if abs(points) >= self._rule.threshold_points else 0)

    def _count(self, side: int) -> int:
        self._plies = self._plies + 1 if side and side == self._side else int(side != 0)
        self._side = side
        return side if self._plies >= self._rule.plies else 0
