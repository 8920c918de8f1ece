"""When a chess game is stopped early and to whom it is given (paper section 10; draft H19).

stockfish   |eval| beyond the threshold, for the same side, over N consecutive plies
material    piece-value difference of at least the threshold, for the same side, over N plies
none        never

"3 consecutive moves" in the paper is read as 3 full moves = 6 plies. The adjudicator only counts;
what it counts comes from the board or from the journal.
"""

from enum import StrEnum

import chess
import msgspec

from ...questions import Evaluate, Evaluation
from .rules import Game960


class AdjudicationPolicy(StrEnum):
    """Which rule may stop a game early."""

    STOCKFISH = "stockfish"
    MATERIAL = "material"
    NONE = "none"


class Adjudication(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A policy with its numbers. Thresholds: centipawns (stockfish) and piece-value points (material)."""

    policy: AdjudicationPolicy = AdjudicationPolicy.STOCKFISH
    threshold_centipawns: int = 1000
    threshold_points: int = 10
    plies: int = 6
    play_on_percent: int = 0


def winning_side(evaluation: Evaluation, turn: chess.Color, threshold_centipawns: int) -> int:
    """+1 if White stands beyond the threshold, -1 if Black, else 0. A mate is beyond any; `turn` is to move."""
    if evaluation.mate is not None:
        sign = 1 if evaluation.mate > 0 else -1
    elif evaluation.centipawns is not None and abs(evaluation.centipawns) > threshold_centipawns:
        sign = 1 if evaluation.centipawns > 0 else -1
    else:
        return 0
    return sign if turn == chess.WHITE else -sign


class Adjudicator:
    """Counts consecutive plies beyond the threshold for one side."""

    def __init__(self, rule: Adjudication, game_id: str) -> None:
        self._rule, self._game_id = rule, game_id
        self._side = 0
        self._plies = 0
        self.asks_engine = rule.policy is AdjudicationPolicy.STOCKFISH

    def question(self, game: Game960) -> Evaluate:
        """What the engine is asked after a ply."""
        return Evaluate(self._game_id, game.moves_text, game.start_fen, game.ply)

    def after_evaluation(self, evaluation: Evaluation, turn: chess.Color) -> int:
        """+1 or -1 when the game goes to White or Black now, else 0."""
        return self._count(winning_side(evaluation, turn, self._rule.threshold_centipawns))

    def after_ply(self, game: Game960) -> int:
        """As `after_evaluation`, for the policies that ask nobody."""
        if self._rule.policy is AdjudicationPolicy.NONE:
            return 0
        points = game.material_points()
        return self._count((points > 0) - (points < 0) if abs(points) >= self._rule.threshold_points else 0)

    def _count(self, side: int) -> int:
        self._plies = self._plies + 1 if side and side == self._side else int(side != 0)
        self._side = side
        return side if self._plies >= self._rule.plies else 0
