"""Games, answers and an engine for tests of quality: everything by hand, nothing asked."""

from collections.abc import Sequence

import chess

from agzamov_verify.core.questions import Evaluation
from agzamov_verify.games.chess.game_script import ChessRecord, Ending
from agzamov_verify.games.chess.rules import End
from agzamov_verify.scoring.quality.quality_constants import load_quality_constants
from agzamov_verify.scoring.quality.quality_questions import MoveEvaluation
from agzamov_verify.table.decision import Tally

CONSTANTS = load_quality_constants("agz-0.1")
START = chess.STARTING_FEN
FOOLS_MATE = "f2f3 e7e5 g2g4 d8h4"


def record(
    moves: str, end: End = End.UNFINISHED, start_fen: str = START, game: str = "g", substituted: Sequence[int] = ()
) -> ChessRecord:
    """A game of these moves that ended so."""
    board = chess.Board(start_fen, chess960=True)
    for move in moves.split():
        board.push_uci(move)
    white = 2 * (board.turn == chess.BLACK) if end is End.CHECKMATE else 1
    ending = Ending(end, white)
    tallies = (Tally(), Tally())
    for ply in substituted:
        tallies[ply % 2].substituted += 1
    return ChessRecord(game, start_fen, tuple(moves.split()), ending, ending, tallies, tuple(substituted))


def said(best: str, value: str, played: str | None = None, ply: int = 0, game: str = "g") -> MoveEvaluation:
    """An answer of the engine."""
    return MoveEvaluation(best, game, played, ply, value)


class ScriptedEngine:
    """Answers searches by the moves so far and the only move to look at, and keeps what it was asked."""

    def __init__(self, answers: dict[tuple[str, str], tuple[str, Evaluation]]) -> None:
        self.answers = answers
        self.asked: list[tuple[str, str]] = []

    def __call__(self, start_fen: str, moves: str, only: str) -> tuple[str, Evaluation]:
        assert start_fen == START
        self.asked.append((moves, only))
        return self.answers[moves, only]

    def finish(self) -> None:
        assert sorted(self.asked) == sorted(self.answers), "every scripted answer is asked for once"
