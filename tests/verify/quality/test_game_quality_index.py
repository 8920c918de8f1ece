"""Figures of seats, by group: who made which move, what is counted, and what an empty group is."""

import msgspec
import pytest
from scipy import stats

from agzamov_verify.core import canon
from agzamov_verify.core.dice import Dice
from agzamov_verify.games.chess.cell import chess_cell
from agzamov_verify.games.chess.game import ChessBlock
from agzamov_verify.games.chess.judged_moves import JUDGED_MOVES
from agzamov_verify.games.chess.rules import End
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.scoring.quality.judged_moves import MoveLoss, Stage
from agzamov_verify.scoring.quality.quality_figures import QualityResults, judged_streams, quality_of
from agzamov_verify.scoring.quality.quality_index import (
    GROUPS,
    Group,
    by_distinct_game,
    groups_of,
    moves_by_game,
    stage_losses,
    uses_engine,
)
from agzamov_verify.scoring.quality.quality_questions import MoveEvaluation
from agzamov_verify.scoring.units.cells import CellKey
from agzamov_verify.seats import RandomSeat, StockfishSeat
from agzamov_verify.table.game import Block
from verify.quality.games import CONSTANTS, record, said

MATCH = "p1-chess960-naked-agent"
DICE = Dice(bytes(32))


def plan(kind: str = "reference") -> Plan:
    seats = {"agent": {"kind": kind}, "dice": {"kind": "random"}}
    matches = [
        {"game": "chess960", "phase": 1, "a": "agent", "b": "agent", "games": 2},
        {"game": "holdem", "phase": 1, "a": "agent", "b": "agent", "hands": 100},
        {"game": "chess960", "phase": 0, "a": "agent", "b": "dice", "games": 2},
    ]
    return msgspec.convert({"title": "T", "seats": seats, "matches": matches}, Plan)


def move(value: int = 0, loss: int = 0, stage: Stage = Stage.OPENING, ply: int = 0) -> MoveLoss:
    return MoveLoss(ply, True, stage, value, loss == 0, False, loss, loss, loss, 0)


def group(moves: list[list[MoveLoss]], name: str = "all") -> Group | None:
    return groups_of(moves, CONSTANTS)[name]


GAMES = [
    record("e2e4 e7e5", End.UNFINISHED, game="g0"),
    record("e2e4 e7e5 g1f3", End.UNFINISHED, game="g1", substituted=(2,)),
]
ANSWERS: dict[str, list[MoveEvaluation]] = {
    "g0": [
        said("e2e4", "cp 30", None, 0, "g0"),
        said("c7c5", "cp -20", "cp -60", 1, "g0"),
        said("g1f3", "cp 70", None, 2, "g0"),
    ],
    "g1": [
        said("d2d4", "cp 30", "cp 23", 0, "g1"),
        said("e7e5", "cp -20", None, 1, "g1"),
        said("b1c3", "cp 40", "cp 30", 2, "g1"),
        said("b8c6", "cp -10", None, 3, "g1"),
    ],
}
BLOCKS: dict[str, list[Block]] = {MATCH: [ChessBlock(0, tuple(GAMES))]}


def results(kind: str = "reference", nodes: int = 50_000) -> QualityResults:
    return quality_of("r", plan(kind), BLOCKS, ANSWERS, nodes)


def test_seats_exchange_colours_from_game_to_game() -> None:
    a, b = moves_by_game(JUDGED_MOVES, GAMES, ANSWERS, CONSTANTS)
    assert [[move.loss_centipawns for move in game] for game in a] == [[0], [0]]
    assert [[move.loss_centipawns for move in game] for game in b] == [[40], [7]]
    assert [[move.white for move in game] for game in a] == [[True], [False]]


def test_a_cells_losses_are_seat_as_by_stage_without_what_was_substituted() -> None:
    """E5 compares these: the same games with colours exchanged show the other seat's moves."""
    assert stage_losses(JUDGED_MOVES, GAMES, 0, ANSWERS, CONSTANTS) == [((0, 1), (0, 0), (0, 0))] * 2
    exchanged = [GAMES[1], GAMES[0]]
    losses = stage_losses(JUDGED_MOVES, exchanged, 0, ANSWERS, CONSTANTS)
    assert losses == [((7, 1), (0, 0), (0, 0)), ((40, 1), (0, 0), (0, 0))]
    cell = chess_cell(CellKey("m", "chess960", 1), exchanged, 0, "", losses=losses)
    assert [game.losses for game in cell.games] == losses
    assert [game.losses for game in chess_cell(cell.key, exchanged, 0, "").games] == [(), ()]


def test_a_seats_mean_is_over_its_own_moves() -> None:
    seats = results().seats
    a, b = seats[0].groups["all"], seats[1].groups["all"]
    assert a
    assert b
    assert (a.loss_centipawns.value.exact, b.loss_centipawns.value.exact) == ("0/1", "47/2")
    assert (a.moves, a.games, a.best, b.moves, b.best) == (2, 2, 2, 2, 0)


def test_substituted_moves_are_left_out_and_counted_for_their_seat() -> None:
    seats = results().seats
    assert tuple(seat.substituted for seat in seats) == (0, 1)


def test_the_poker_match_and_the_one_that_was_not_played_have_no_quality() -> None:
    assert [*results().by_match] == [MATCH]
    assert [stream.id for stream in judged_streams(plan(), BLOCKS)] == [f"{MATCH}-b00000"]


def test_other_nodes_are_a_departure() -> None:
    assert results().departures == ()
    assert results(nodes=500).departures == ("quality at 500 nodes, 50000 required",)


def test_an_engine_at_the_table_is_flagged() -> None:
    assert uses_engine(StockfishSeat())
    assert not uses_engine(RandomSeat())
    assert [seats[0].engine_alignment for seats in results("stockfish").by_match.values()] == [True]
    assert [seats[0].engine_alignment for seats in results().by_match.values()] == [False]


def test_the_groups_are_the_stages_and_pressure() -> None:
    moves = [[move(stage=stage, loss=at) for at, stage in enumerate(Stage, 1)], [move(-150, 5), move(-149, 9)]]
    found = groups_of(moves, CONSTANTS)
    assert tuple(found) == GROUPS
    counted = {name: (one.games, one.moves, one.loss_centipawns.value.exact) for name, one in found.items() if one}
    assert counted == {
        "all": (2, 5, "4/1"),
        "opening": (2, 3, "5/1"),
        "middlegame": (1, 1, "2/1"),
        "endgame": (1, 1, "3/1"),
        "pressure": (1, 1, "5/1"),
    }


def test_an_interval_of_careers_is_over_careers() -> None:
    """20 games of each of five careers that lose 10, 20, … 50 a move: over the 100 games it was [27.2, 32.8]."""
    losses = (10, 20, 30, 40, 50)
    careers = [[[move(loss=loss)] for _ in range(20)] for loss in losses]
    games = [game for career in careers for game in career]
    found, as_games, one_career = (groups_of(games, CONSTANTS, by)["all"] for by in (careers, (), [games]))
    assert found
    assert as_games
    assert one_career
    interval = found.loss_centipawns.ci
    expected = stats.ttest_1samp(losses, 0).confidence_interval()
    assert interval
    assert (float(interval.low), float(interval.high)) == pytest.approx((expected.low, expected.high), abs=1e-5)
    assert (found.games, found.moves, found.loss_centipawns.value) == (100, 100, as_games.loss_centipawns.value)
    assert as_games.loss_centipawns.ci
    assert float(as_games.loss_centipawns.ci.low) > 27
    assert (one_career.loss_centipawns.ci, one_career.loss_centipawns.se) == (None, None)
    without = [*careers[:4], [[move(loss=50, stage=Stage.ENDGAME)]]]
    lacking = groups_of(games, CONSTANTS, without)["opening"]
    assert lacking
    assert lacking.loss_centipawns.ci is None, "one career has no move of the opening"


@pytest.mark.parametrize(("value", "decided"), [(-1000, 1), (1000, 1), (999, 0), (-999, 0)])
def test_positions_at_the_cap_for_either_side_are_decided(value: int, decided: int) -> None:
    found = group([[move(value)]])
    assert found
    assert found.decided == decided


def test_a_group_without_moves_is_none_and_games_without_moves_do_not_count() -> None:
    assert group([]) is None
    assert group([[], []]) is None
    found = group([[], [move(loss=3)]])
    assert found
    assert (found.games, found.loss_centipawns.value.decimal) == (1, "3.000000")


def test_the_figures_are_canonical_json_and_the_same_twice() -> None:
    assert canon.dumps(results()) == canon.dumps(results())
    assert canon.loads_as(canon.dumps(results()), QualityResults) == results()


def test_games_that_were_played_alike_are_one() -> None:
    first, second, third = [move(loss=10)], [move(loss=30)], [move(loss=50)]
    assert by_distinct_game([first, second, third], ["x", "x", "y"]) == [[*first, *second], third]
