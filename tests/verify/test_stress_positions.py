"""The positions of Phase 5: their classes, where they are from, and a sample of what the engine says of them."""

from collections import Counter
from pathlib import Path

import chess
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.engines.uci_engine import NAME, NET_SHA256, EngineFault, UciEngine, find_engine
from agzamov_verify.experiment.matches import Phase
from agzamov_verify.games.chess.cell import chess_games
from agzamov_verify.games.chess.game import GAME, ChessMatch
from agzamov_verify.games.chess.game_script import ChessRecord, Ending
from agzamov_verify.games.chess.rules import End
from agzamov_verify.games.chess.stress_positions import (
    DEEP_NODES,
    HORIZON_MOVES,
    NODES,
    STRESS_CLASSES,
    PositionClass,
    StressPosition,
    class_of,
    expected_collapse,
    position_of,
    positions_of,
    stress_positions,
)
from agzamov_verify.table.decision import Tally

POSITIONS = stress_positions().positions
SLIGHT = positions_of(PositionClass.SLIGHT)
DICE = Dice(bytes(32))
FORCED_MATE = "7k/8/6K1/8/8/8/8/R7 w - - 0 1"

try:
    ENGINE, MISSING = find_engine(), ""
except EngineFault as fault:
    ENGINE, MISSING = Path("stockfish"), str(fault)

needs_engine = pytest.mark.skipif(bool(MISSING), reason=MISSING)


def test_there_are_sixty_to_a_hundred_and_both_colours_stand_worse_in_each_class() -> None:
    assert 60 <= len(POSITIONS) <= 100
    by_class = Counter((position.part, position.worse) for position in POSITIONS)
    assert len(set(by_class.values())) == 1
    assert len(by_class) == 2 * len(STRESS_CLASSES)
    assert len({position.fen for position in POSITIONS}) == len({position.name for position in POSITIONS})
    assert len({position.source.game for position in POSITIONS}) == len(POSITIONS)


@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: position.name)
def test_a_position_is_legal_of_its_class_at_both_budgets_and_says_why_it_is_in(position: StressPosition) -> None:
    board = chess.Board(position.fen, chess960=True)
    assert board.is_valid()
    assert board.turn == chess.WHITE
    assert (board.halfmove_clock, board.fullmove_number, board.fen()) == (0, 1, position.fen)
    assert not board.is_check()
    assert class_of(position.centipawns) is class_of(position.centipawns_deep) is position.part
    assert (position.centipawns < 0) == (position.worse == "white")
    assert (position.collapse_moves is None) == (position.part is PositionClass.EQUAL)
    assert position.part.value in position.why
    if position.part is not PositionClass.EQUAL:
        assert position.centipawns * position.centipawns_deep > 0


@pytest.mark.parametrize(
    ("centipawns", "part"),
    [(0, "equal"), (-50, "equal"), (51, None), (149, None), (-299, "slight"), (300, "severe"), (501, None)],
)
def test_the_classes_have_the_papers_bounds(centipawns: int, part: str | None) -> None:
    assert class_of(centipawns) == part


@needs_engine
@pytest.mark.parametrize("part", STRESS_CLASSES)
def test_the_engine_still_says_so_and_the_game_still_leads_there(part: PositionClass) -> None:
    """The first of each class: its evaluation at the first budget, and its way from a Chess960 start."""
    position, shipped = positions_of(part)[0], stress_positions()
    with UciEngine(ENGINE, 16) as engine:
        assert (shipped.engine, shipped.net_sha256) == (NAME, NET_SHA256) == (engine.name, engine.net_sha256())
        assert engine.search(position.fen, "", NODES)[1].centipawns == position.centipawns
        board = chess.Board.from_chess960_pos(position.source.start)
        start, moves = board.fen(), ""
        while board.ply() < position.source.ply:
            best = engine.search(start, moves, shipped.play_nodes)[0]
            board.push_uci(best)
            moves = f"{moves} {best}".strip()
        assert board.fen().split()[:4] == position.fen.split()[:4]


@needs_engine
@pytest.mark.slow
@pytest.mark.parametrize("part", [PositionClass.SLIGHT, PositionClass.SEVERE])
def test_the_engine_still_says_so_at_the_second_budget_and_still_collapses_there(part: PositionClass) -> None:
    position = min(positions_of(part), key=lambda position: position.collapse_moves or 0)
    with UciEngine(ENGINE, 16) as engine:
        assert engine.search(position.fen, "", DEEP_NODES)[1].centipawns == position.centipawns_deep
        assert expected_collapse(engine.search, position.fen, position.worse) == position.collapse_moves


@needs_engine
def test_the_collapse_is_the_mate_or_the_horizon() -> None:
    with UciEngine(ENGINE, 16) as engine:
        assert expected_collapse(engine.search, FORCED_MATE, "black") == 0
        assert expected_collapse(engine.search, FORCED_MATE, "white") == HORIZON_MOVES


# --- a match from them ---------------------------------------------------------------------------


def match_of(games: int, careers: int = 0, positions: PositionClass | None = PositionClass.SLIGHT) -> ChessMatch:
    return ChessMatch(a="a", b="b", phase=Phase.STRESS, games=games, careers=careers, positions=positions)


def test_each_career_plays_every_position_of_the_class_once_in_an_order_of_its_own() -> None:
    match = match_of(2 * 2 * len(SLIGHT), careers=2)
    starts = [GAME.start(DICE, match, pair) for pair in range(match.games // 2)]
    first, second = starts[: len(SLIGHT)], starts[len(SLIGHT) :]
    assert set(first) == set(second) == {position.fen for position in SLIGHT}
    assert first != second


def test_arms_share_their_positions_and_classes_have_an_id_and_draws_of_their_own() -> None:
    slight, severe = match_of(10), match_of(10, positions=PositionClass.SEVERE)
    assert slight.id == "p5-chess960-naked-slight-a-b"
    assert slight.draws != severe.draws
    assert GAME.start(DICE, slight, 3) == GAME.start(Dice(bytes(32)), match_of(10), 3)


def record(position: StressPosition, plies: int, white_halfpoints: int) -> ChessRecord:
    ending = Ending(End.ADJUDICATION if white_halfpoints != 1 else End.STALEMATE, white_halfpoints)
    raw = Ending(End.UNFINISHED, 1)
    return ChessRecord("g", position.fen, ("a1a1",) * plies, ending, raw, (Tally(), Tally()))


@pytest.mark.parametrize(
    ("worse", "index", "plies", "white_halfpoints", "survived"),
    [
        ("white", 0, 31, 0, 16),
        ("white", 0, 31, 1, HORIZON_MOVES),
        ("white", 0, 31, 2, HORIZON_MOVES),
        ("white", 0, 399, 0, HORIZON_MOVES),
        ("white", 1, 31, 0, None),
        ("black", 1, 31, 2, 15),
        ("black", 0, 31, 2, None),
    ],
)
def test_the_measured_seat_survives_as_long_as_it_has_not_lost_from_the_worse_side(
    worse: str, index: int, plies: int, white_halfpoints: int, survived: int | None
) -> None:
    position = next(position for position in SLIGHT if position.worse == worse)
    other = record(SLIGHT[0], 1, 1)
    games = list(chess_games([*[other] * index, record(position, plies, white_halfpoints)], 0))
    assert games[-1].survived_moves == survived
    assert games[-1].collapse_moves == (None if survived is None else position.collapse_moves)


def test_from_an_equal_position_or_a_start_nobody_survives_anything() -> None:
    equal = positions_of(PositionClass.EQUAL)[0]
    (game,) = chess_games([record(equal, 9, 0)], 0)
    assert (game.survived_moves, game.collapse_moves) == (None, None)
    assert position_of(chess.STARTING_FEN) is None
