"""Moves of a game as an engine judges them: a declared part of the game's folder, `judged_moves`.

The engine is asked about every position of a game that the part names. What a move lost is the part's to say: it knows
the board, and how the value of a position becomes a chance to win.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from typing import Any, ClassVar

import msgspec

from ...table.game import Game
from .quality_constants import QualityConstants
from .quality_questions import MoveEvaluation, Position


class Stage(StrEnum):
    """A function of the ply and the position alone: a promotion may lead from the endgame back."""

    OPENING = "opening"
    MIDDLEGAME = "middlegame"
    ENDGAME = "endgame"


class MoveLoss(msgspec.Struct, frozen=True, gc=False):
    """One move of a seat's own: losses in centipawns and millionths of a percent, `value` before it for its side.

    `best`: it is the engine's own. `better`: the engine, asked, found it worth more than its own.
    """

    ply: int
    white: bool
    stage: Stage
    value_centipawns: int
    best: bool
    better: bool
    loss_centipawns: int
    before_after_centipawns: int
    win_loss_micropercent: int
    accuracy_micropercent: int


class JudgedMoves(ABC):
    """Positions, losses and identity of a game's records."""

    game: ClassVar[Game]

    @abstractmethod
    def positions(self, record: Any) -> Iterator[Position]:
        """Every position that the engine is asked about, in order."""

    @abstractmethod
    def losses(
        self, record: Any, judgements: Sequence[MoveEvaluation], constants: QualityConstants
    ) -> Iterator[MoveLoss]:
        """The losses of all moves that are a seat's own. `judgements` are those of the record's positions, in order."""

    @abstractmethod
    def substituted(self, record: Any) -> Collection[int]:
        """Plies whose move was drawn from the seed in a seat's place."""

    @abstractmethod
    def retried(self, record: Any) -> Collection[int]:
        """Plies that a seat decided after failed tries of its server."""

    @abstractmethod
    def identity(self, record: Any) -> str:
        """The same for records in which the same was played."""
