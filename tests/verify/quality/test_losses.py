"""What a move cost, worked out by hand."""

import chess
import pytest

from agzamov_verify.games.chess.judged_moves import accuracy_micropercent, move_losses, stage_of, win_micropercent
from agzamov_verify.games.chess.rules import End
from agzamov_verify.scoring.quality.judged_moves import MoveLoss, Stage
from verify.quality.games import CONSTANTS, FOOLS_MATE, record, said

STORY = [
    said("d2d4", "cp 30", "cp 20", 0),
    said("e7e5", "cp -25", None, 1),
    said("b1c3", "cp 60", "cp 80", 2),
    said("b8c6", "cp 100", None, 3),
]


def losses(moves: str = "e2e4 e7e5 g1f3", story: list | None = None, **how: object) -> list[MoveLoss]:
    return list(move_losses(record(moves, **how), story or STORY, CONSTANTS))  # type: ignore[arg-type]


def test_the_loss_is_that_of_the_same_root_and_before_after_is_the_papers() -> None:
    found = [(move.loss_centipawns, move.before_after_centipawns) for move in losses()]
    assert found == [(30 - 20, 30 - 25), (0, -25 + 60), (0, 60 + 100)]


def test_the_engines_own_move_loses_nothing_whatever_comes_after_it() -> None:
    _, own, _ = losses()
    assert (own.best, own.loss_centipawns, own.win_loss_micropercent) == (True, 0, 0)
    assert own.before_after_centipawns > 0
    assert own.accuracy_micropercent == accuracy_micropercent(0, CONSTANTS)


def test_a_move_that_the_engine_likes_better_once_asked_loses_nothing_and_is_counted() -> None:
    found = losses()
    assert [move.better for move in found] == [False, False, True]
    assert found[2].loss_centipawns == 0


def test_the_win_percent_lost_is_that_of_the_same_root() -> None:
    expected = win_micropercent(30, CONSTANTS) - win_micropercent(20, CONSTANTS)
    first, *_ = losses()
    assert first.win_loss_micropercent == expected > 0
    assert first.accuracy_micropercent == accuracy_micropercent(expected, CONSTANTS)


def test_a_value_is_that_of_the_side_to_move() -> None:
    assert [(move.white, move.value_centipawns) for move in losses()] == [(True, 30), (False, -25), (True, 60)]


def test_a_substituted_move_is_nobodys_own() -> None:
    assert [move.ply for move in losses(substituted=(1,))] == [0, 2]


def test_mates_are_capped_so_that_missing_one_from_a_won_position_loses_little() -> None:
    won, lost, still = ("d2d4", "mate 3", "cp 950", 0), ("e7e5", "mate -2", "cp -3000", 1), ("a2a3", "cp 5000", None, 2)
    story = [said(*won), said(*lost), said(*still)]
    found = losses("e2e4 e7e6", story)
    assert [move.loss_centipawns for move in found] == [1000 - 950, 0]
    assert [move.before_after_centipawns for move in found] == [0, 0]


def test_a_blunder_from_won_to_lost_costs_twice_the_cap() -> None:
    story = [said("d2d4", "mate 3", "mate -1", 0), said("e7e5", "mate 1", None, 1)]
    (found,) = losses("e2e4", story)
    assert (found.loss_centipawns, found.before_after_centipawns) == (2000, 2000)


def test_a_move_that_mates_is_worth_the_cap_even_where_the_engine_looked_elsewhere() -> None:
    story = [
        said("e2e4", "cp 20", "cp -60", 0),
        said("e7e5", "cp 90", None, 1),
        said("e2e4", "cp -100", "mate -1", 2),
        said("f8c5", "cp 700", None, 3),
    ]
    *_, blunder, mate = losses(FOOLS_MATE, story, end=End.CHECKMATE)
    assert (mate.loss_centipawns, mate.before_after_centipawns, mate.better) == (0, 0, True)
    assert (blunder.loss_centipawns, blunder.before_after_centipawns) == (900, 600)


@pytest.mark.parametrize("end", [End.STALEMATE, End.THREEFOLD_REPETITION, End.FIFTY_MOVES, End.INSUFFICIENT_MATERIAL])
def test_a_move_that_draws_by_the_rules_is_worth_nothing(end: End) -> None:
    (found,) = losses("e2e4", [said("d2d4", "cp 300", None, 0)], end=end)
    assert (found.loss_centipawns, found.before_after_centipawns) == (300, 300)


def test_the_engines_own_drawing_move_loses_nothing_at_the_same_root() -> None:
    (found,) = losses("e2e4", [said("e2e4", "cp 300", None, 0)], end=End.STALEMATE)
    assert (found.loss_centipawns, found.before_after_centipawns) == (0, 300)


@pytest.mark.parametrize(
    ("fen", "stage"),
    [
        (chess.STARTING_FEN, Stage.OPENING),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 10", Stage.OPENING),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 11", Stage.MIDDLEGAME),
        ("r2qk2r/8/8/8/8/8/8/R2QK1NR w KQkq - 0 40", Stage.MIDDLEGAME),
        ("r2qk2r/pppppppp/8/8/8/8/PPPPPPPP/R2QK2R w KQkq - 0 11", Stage.ENDGAME),
        ("r2qk2r/pppppppp/8/8/8/8/PPPPPPPP/R2QK2R w KQkq - 0 5", Stage.ENDGAME),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", Stage.ENDGAME),
    ],
)
def test_a_stage_follows_from_the_ply_and_the_pieces(fen: str, stage: Stage) -> None:
    assert stage_of(chess.Board(fen, chess960=True), CONSTANTS) is stage


def test_a_game_from_black_to_move_keeps_its_sides() -> None:
    start = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 15"
    story = [said("e7e5", "cp -40", None, 0), said("g1f3", "cp 45", None, 1)]
    (found,) = losses("e7e5", story, start_fen=start)
    assert (found.white, found.before_after_centipawns, found.stage) == (False, 5, Stage.MIDDLEGAME)
