"""The moves of Chess960 as the engine judges them."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from ...scoring.quality.judged_moves import JudgedMoves, MoveLoss
from ...scoring.quality.positions import MoveEvaluation, Position
from ...scoring.quality.quality_constants import QualityConstants
from .game import GAME
from .move_losses import move_losses
from .results import game_identity
from .rules import BY_RULE
from .script import ChessRecord


class ChessMoves(JudgedMoves):
    """Chess: a move that ends the game by its rules needs no engine."""

    game = GAME

    def positions(self, record: ChessRecord) -> Iterator[Position]:
        return positions_of(record)

    def losses(
        self, record: ChessRecord, judgements: Sequence[MoveEvaluation], constants: QualityConstants
    ) -> Iterator[MoveLoss]:
        return move_losses(record, judgements, constants)

    def substituted(self, record: ChessRecord) -> Collection[int]:
        return record.substituted

    def identity(self, record: ChessRecord) -> str:
        return game_identity(record)


def positions_of(record: ChessRecord) -> Iterator[Position]:
    """Every position of a game that the engine is asked about, in order."""
    ended = record.raw.end in BY_RULE
    last = len(record.moves) - 1
    so_far = ""
    for ply, played in enumerate(record.moves):
        yield Position(ended and ply == last, record.game, so_far, played, ply, record.start_fen)
        so_far = f"{so_far} {played}" if so_far else played
    if not ended:
        yield Position(False, record.game, so_far, "", last + 1, record.start_fen)


JUDGED_MOVES: Final = ChessMoves()
