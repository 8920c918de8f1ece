"""The positions of Phase 5 (paper section 4.6): three classes by the engine's value for the side that stands worse.

They are in `stress_positions.json` in this folder, which scripts/stress_positions/write.py writes from games of the
engine against itself. White is to move in each, and both counters stand at their start: a game begins there.
"""

import hashlib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Final, Literal, TypeAlias

import chess
import msgspec

from ...core.questions import Evaluation
from ...experiment.matches import PositionClass
from ...table.adjudication import Adjudication
from .game_script import Adjudicator
from .rules import DrawClaims, End, Game960

FORMAT: Literal["agz-stress-positions-1"] = "agz-stress-positions-1"

NODES: Final = 50_000
DEEP_NODES: Final = 500_000
COLLAPSE_NODES: Final = 10_000

HORIZON_MOVES: Final = 100
"""Moves of the worse side after which it has survived: what happens later is no longer measured."""

EQUAL_MAX, SLIGHT_MIN, SEVERE_MIN, SEVERE_MAX = 50, 150, 300, 500
"""Bounds of the classes in centipawns: 0.0 ± 0.5, -1.5 to -3.0, -3.0 to -5.0 (paper section 4.6)."""

Search: TypeAlias = Callable[[str, str, int], tuple[str, Evaluation]]
"""From a start, the moves since and a number of nodes: the engine's move and value for the side to move."""


STRESS_CLASSES: Final = (PositionClass.EQUAL, PositionClass.SLIGHT, PositionClass.SEVERE)
"""The three classes of paper section 4.6."""


class PositionOrigin(msgspec.Struct, frozen=True):
    """Origin of a position: the number of the game, its Chess960 start, and the plies that were played in it."""

    game: int
    start: int
    ply: int


class StressPosition(msgspec.Struct, frozen=True):
    """One position. `centipawns`: for White, who is to move, at NODES and at DEEP_NODES.

    `worse`: the side that stands worse; in an equal position the one that is not ahead. `collapse_moves`: of
    `expected_collapse`; None in an equal position. `why`: why it was taken.
    """

    name: str
    fen: str
    part: PositionClass
    worse: Literal["white", "black"]
    centipawns: int
    centipawns_deep: int
    collapse_moves: int | None
    source: PositionOrigin
    why: str


class StressPositions(msgspec.Struct, frozen=True):
    """The file. `engine` and `net_sha256` evaluated; `seed` and `play_nodes` are of the games that they are from."""

    format: Literal["agz-stress-positions-1"]
    seed: str
    engine: str
    net_sha256: str
    play_nodes: int
    positions: tuple[StressPosition, ...]


def class_of(centipawns: int) -> PositionClass | None:
    """The class of a value for either side; None between equal and slight, and beyond severe."""
    worse_by = abs(centipawns)
    if worse_by <= EQUAL_MAX:
        return PositionClass.EQUAL
    if SLIGHT_MIN <= worse_by < SEVERE_MIN:
        return PositionClass.SLIGHT
    return PositionClass.SEVERE if SEVERE_MIN <= worse_by <= SEVERE_MAX else None


def expected_collapse(search: Search, fen: str, worse: str) -> int:
    """Moves that the worse side makes before it is lost, where the engine plays both sides at COLLAPSE_NODES.

    Lost by checkmate or by the protocol's rule of adjudication, which awards a game where Stockfish's win probability
    is about 0; HORIZON_MOVES where it is not lost by then.
    """
    game, rule = Game960(fen), Adjudicator(Adjudication(), "")
    loser = chess.WHITE if worse == "white" else chess.BLACK
    best, value = search(fen, "", COLLAPSE_NODES)
    while game.ply < 2 * HORIZON_MOVES:
        game.push(chess.Move.from_uci(best))
        end = game.end(DrawClaims.AUTOMATIC)
        if end:
            is_lost = end is End.CHECKMATE and game.board.turn == loser
            return moves_made(game.ply, loser) if is_lost else HORIZON_MOVES
        best, value = search(fen, game.moves_text, COLLAPSE_NODES)
        side = rule.after_evaluation(value, game.board.turn)
        if side:
            return moves_made(game.ply, loser) if (side < 0) == loser else HORIZON_MOVES
    return HORIZON_MOVES


def moves_made(plies: int, side: chess.Color) -> int:
    """Moves of a side among the first plies of a game that White began."""
    return (plies + 1) // 2 if side == chess.WHITE else plies // 2


_DECODER: Final = msgspec.json.Decoder(StressPositions)


@cache
def stress_positions() -> StressPositions:
    """The shipped file."""
    return _DECODER.decode(_file())


def stress_positions_sha256() -> str:
    """The digest of the file, which is sealed with a plan that plays from it."""
    return hashlib.sha256(_file()).hexdigest()


def positions_of(part: PositionClass) -> tuple[StressPosition, ...]:
    """The positions of a class, in the order of the file."""
    return tuple(position for position in stress_positions().positions if position.part is part)


@cache
def position_of(fen: str) -> StressPosition | None:
    """The position of that FEN; None for any other start."""
    return next((position for position in stress_positions().positions if position.fen == fen), None)


def asks_judgement(fen: str) -> bool:
    """True if a game from there begins with the question who stands better: in one of its classes one side does."""
    position = position_of(fen)
    return position is not None and position.part is not PositionClass.EQUAL


@cache
def _file() -> bytes:
    return (files(__package__) / "stress_positions.json").read_bytes()
