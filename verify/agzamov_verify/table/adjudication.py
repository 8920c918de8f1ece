"""Adjudication: rules for stopping a board game early and scoring it (paper section 10; draft H19).

stockfish   |eval| beyond the threshold, for the same side, over N consecutive plies
material    piece-value difference of at least the threshold, for the same side, over N plies
none        never

"3 consecutive moves" in the paper is read as 3 full moves = 6 plies.
"""

from enum import StrEnum

import chess
import msgspec

from ..core.questions import Evaluation


class AdjudicationPolicy(StrEnum):
    """The rule that may stop a game early."""

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
