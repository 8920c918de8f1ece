"""The moves of chess as the engine judges them: values of scores, and the loss of each move of a game.

Values of a score: centipawns within the cap, and the win percentage that Lichess computes from them.

    win percent       50 + 50 * (2 / (1 + exp(-slope * centipawns)) - 1)
    accuracy percent  scale * exp(-rate * win percent lost) - offset, within 0 and 100

Percentages are integers of a millionth of a percent, each rounded once (half to even) from 40 digits, so
that their sums are exact and the same on every machine.

Loss of each move of a game, from a replayed record and the engine's answers about it.

Loss at the same root: the value of the engine's move less that of the played one, both searched from the
position before the move. It is exactly 0 for the engine's own move, which the paper's loss is not: the
value before the move less the value after it, each the engine's best from there. (Two searches of
different depth: before/after gave the engine's own moves 7.6 centipawns on average when it was measured.)
Neither is ever below 0. Moves drawn from the seed in a seat's place are not its own and are left out.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import ClassVar, Final

import chess

from ...scoring.inference.exact import Real, mp
from ...scoring.quality.judged_moves import JudgedMoves, MoveLoss, Stage
from ...scoring.quality.quality_constants import QualityConstants
from ...scoring.quality.quality_index import MICRO
from ...scoring.quality.quality_questions import MoveEvaluation, Position
from ...table.game import Game
from .game import GAME, STANDARD_CHESS
from .game_script import ChessRecord
from .match_counts import game_identity
from .rules import ON_THE_BOARD, End


def capped(score: str, cap_centipawns: int) -> int:
    """Centipawns of a score in UCI's words, within the cap; a mate is worth the cap."""
    kind, _, text = score.partition(" ")
    value = int(text)
    if kind == "mate":
        return cap_centipawns if value > 0 else -cap_centipawns
    return max(-cap_centipawns, min(cap_centipawns, value))


@lru_cache(maxsize=2**12)
def win_micropercent(centipawns: int, constants: QualityConstants) -> int:
    """Win percent of a value, in millionths of a percent."""
    odds = mp.exp(-mp.mpf(constants.win_slope) * centipawns)
    return _micro(100 / (1 + odds))


@lru_cache(maxsize=2**16)
def accuracy_micropercent(lost_micropercent: int, constants: QualityConstants) -> int:
    """Accuracy percent of a move that lost so much win percent, both in millionths of a percent."""
    curve = constants.accuracy
    lost = mp.mpf(lost_micropercent) / MICRO
    accuracy = mp.mpf(curve.scale) * mp.exp(-mp.mpf(curve.rate) * lost) - mp.mpf(curve.offset)
    return max(0, min(100 * MICRO, _micro(accuracy)))


def _micro(percent: Real) -> int:
    return int(mp.nint(percent * MICRO))


def move_losses(
    record: ChessRecord, judgements: Sequence[MoveEvaluation], constants: QualityConstants
) -> Iterator[MoveLoss]:
    """The losses of all moves of a game that are a seat's own. `judgements` are those of its positions, in order."""
    board = chess.Board(record.start_fen, chess960=True)
    substituted = set(record.substituted)
    for ply, text in enumerate(record.moves):
        if ply not in substituted:
            after = _value_after(record, judgements, ply, constants)
            yield _loss(board, text, judgements[ply], after, constants)
        board.push(chess.Move.from_uci(text))


def stage_of(board: chess.Board, constants: QualityConstants) -> Stage:
    """Endgame: few pieces besides kings and pawns. Else the opening up to its last ply, then the middlegame."""
    pieces = (board.occupied & ~(board.kings | board.pawns)).bit_count()
    if pieces <= constants.endgame_pieces_max:
        return Stage.ENDGAME
    return Stage.OPENING if board.ply() < constants.opening_plies else Stage.MIDDLEGAME


def _value_after(
    record: ChessRecord, judgements: Sequence[MoveEvaluation], ply: int, constants: QualityConstants
) -> int:
    """The value of the position after ply `ply` for the side that moved; an ended game has the value of its end."""
    if ply == len(record.moves) - 1 and record.raw.end in ON_THE_BOARD:
        return constants.cap_centipawns if record.raw.end is End.CHECKMATE else 0
    return -capped(judgements[ply + 1].value, constants.cap_centipawns)


def _loss(
    board: chess.Board, text: str, judgement: MoveEvaluation, after: int, constants: QualityConstants
) -> MoveLoss:
    value = capped(judgement.value, constants.cap_centipawns)
    is_best = text == judgement.best
    if is_best:
        played = value
    elif judgement.played is None:  # it ended the game
        played = after
    else:
        played = capped(judgement.played, constants.cap_centipawns)
    lost = max(0, win_micropercent(value, constants) - win_micropercent(played, constants))
    return MoveLoss(
        len(board.move_stack),
        board.turn,
        stage_of(board, constants),
        value,
        is_best,
        played > value,
        max(0, value - played),
        max(0, value - after),
        lost,
        accuracy_micropercent(lost, constants),
    )


class ChessMoves(JudgedMoves):
    """Chess: a move that ends the game by its rules needs no engine."""

    game: ClassVar[Game] = GAME

    def positions(self, record: ChessRecord) -> Iterator[Position]:
        return positions_of(record)

    def losses(
        self, record: ChessRecord, judgements: Sequence[MoveEvaluation], constants: QualityConstants
    ) -> Iterator[MoveLoss]:
        return move_losses(record, judgements, constants)

    def substituted(self, record: ChessRecord) -> Collection[int]:
        return record.substituted

    def retried(self, record: ChessRecord) -> Collection[int]:
        return record.retried

    def identity(self, record: ChessRecord) -> str:
        return game_identity(record)


def positions_of(record: ChessRecord) -> Iterator[Position]:
    """Every position of a game that the engine is asked about, in order."""
    ended = record.raw.end in ON_THE_BOARD
    last = len(record.moves) - 1
    so_far = ""
    for ply, played in enumerate(record.moves):
        yield Position(ended and ply == last, record.game, so_far, played, ply, record.start_fen)
        so_far = f"{so_far} {played}" if so_far else played
    if not ended:
        yield Position(False, record.game, so_far, "", last + 1, record.start_fen)


class StandardMoves(ChessMoves):
    """The same of standard chess."""

    game = STANDARD_CHESS


JUDGED_MOVES: Final = ChessMoves()
VARIANTS: Final[Mapping[str, JudgedMoves]] = {judged.game.name: judged for judged in (JUDGED_MOVES, StandardMoves())}
