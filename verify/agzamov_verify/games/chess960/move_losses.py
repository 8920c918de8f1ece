"""Loss of each move of a game, from a replayed record and the engine's answers about it.

Loss at the same root: the value of the engine's move less that of the played one, both searched from the
position before the move. It is exactly 0 for the engine's own move, which the paper's loss is not: the
value before the move less the value after it, each the engine's best from there. (Two searches of
different depth: before/after gave the engine's own moves 7.6 centipawns on average when it was measured.)
Neither is ever below 0. Moves drawn from the seed in a seat's place are not its own and are left out.
"""

from collections.abc import Iterator, Sequence

import chess

from ...scoring.quality.judged_moves import MoveLoss, Stage
from ...scoring.quality.positions import MoveEvaluation
from ...scoring.quality.quality_constants import QualityConstants
from .rules import BY_RULE, End
from .script import ChessRecord
from .win_chances import accuracy_micropercent, capped, win_micropercent


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
    if ply == len(record.moves) - 1 and record.raw.end in BY_RULE:
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
