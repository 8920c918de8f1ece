"""The real engine: what was measured beforehand of both losses shows here in the small."""

from pathlib import Path

import chess
import msgspec
import pytest

from agzamov_verify.checks.quality_answers import open_judges
from agzamov_verify.engines.uci_engine import EngineFault, UciEngine, find_engine
from agzamov_verify.games.chess.game_script import ChessRecord
from agzamov_verify.games.chess.judged_moves import JUDGED_MOVES, move_losses, positions_of
from agzamov_verify.games.chess.rules import End
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.quality.judged_moves import MoveLoss
from agzamov_verify.scoring.quality.quality_index import moves_by_game
from agzamov_verify.scoring.quality.quality_questions import MoveEvaluation
from verify.quality.games import CONSTANTS, record

NODES, PLIES = 1000, 40
ENGINE_NORM = load_protocol("agz-0.1").engine
START = chess.Board.from_chess960_pos(925).fen()

try:
    ENGINE = find_engine()
except EngineFault as fault:
    pytest.skip(str(fault), allow_module_level=True)


@pytest.fixture(scope="module")
def perfect() -> ChessRecord:
    """A game in which every move is the engine's own."""
    moves = ""
    with UciEngine(ENGINE, ENGINE_NORM.hash_mib) as engine:
        for _ in range(PLIES):
            moves = f"{moves} {engine.search(START, moves, NODES)[0]}".strip()
    return record(moves, End.PLY_LIMIT, START)


@pytest.fixture(scope="module")
def careless(perfect: ChessRecord) -> ChessRecord:
    """As it begins, but then the first legal move of each position is played."""
    board = chess.Board(START, chess960=True)
    moves = list(perfect.moves[:6])
    for move in moves:
        board.push_uci(move)
    for _ in range(10):
        moves.append(min(move.uci() for move in board.legal_moves))
        board.push_uci(moves[-1])
    return record(" ".join(moves), End.PLY_LIMIT, START, "h")


def judged(game: ChessRecord, workers: int = 2, nodes: int = NODES) -> list[MoveEvaluation]:
    positions = list(positions_of(game))
    with open_judges(ENGINE, ENGINE_NORM, nodes, workers) as judges:
        found = dict(judges.answers(positions))
    return [found[position] for position in positions]


@pytest.fixture(scope="module")
def losses(perfect: ChessRecord) -> list[MoveLoss]:
    return list(move_losses(perfect, judged(perfect), CONSTANTS))


def test_a_game_of_the_engines_own_moves_loses_exactly_nothing(losses: list[MoveLoss]) -> None:
    assert len(losses) == PLIES
    assert all(move.best for move in losses)
    assert {(move.loss_centipawns, move.win_loss_micropercent) for move in losses} == {(0, 0)}


def test_before_and_after_the_same_game_does_lose(losses: list[MoveLoss]) -> None:
    """It was 7.6 centipawns on average at 50,000 nodes; two searches of different depth never quite agree."""
    assert sum(move.before_after_centipawns for move in losses) / len(losses) > 1


def test_careless_moves_lose_by_both(careless: ChessRecord) -> None:
    found = [move for move in move_losses(careless, judged(careless), CONSTANTS) if move.ply >= 6]
    assert sum(move.loss_centipawns for move in found) > 500
    assert sum(move.before_after_centipawns for move in found) > 500


def test_answers_are_the_same_for_one_worker_and_for_three(careless: ChessRecord) -> None:
    assert judged(careless, workers=1) == judged(careless, workers=3)


def test_other_nodes_give_other_answers(careless: ChessRecord) -> None:
    assert judged(careless) != judged(careless, nodes=3 * NODES)


def test_a_search_of_one_move_looks_at_no_other() -> None:
    with UciEngine(ENGINE, ENGINE_NORM.hash_mib) as engine:
        best, value = engine.search(START, "", NODES)
        worst = min(move.uci() for move in chess.Board(START, chess960=True).legal_moves if move.uci() != best)
        only, held_to = engine.search(START, "", NODES, worst)
        assert only == worst
        assert held_to != value
        assert engine.search(START, "", NODES) == (best, value)


def test_both_seats_of_a_game_are_judged(perfect: ChessRecord) -> None:
    a, b = moves_by_game(JUDGED_MOVES, [perfect], {perfect.game: judged(perfect)}, CONSTANTS)
    assert (len(a[0]), len(b[0])) == (PLIES // 2, PLIES // 2)


def test_an_engine_of_another_name_is_a_fault() -> None:
    with (
        pytest.raises(EngineFault, match=r"expected Stockfish 16 at .*, found Stockfish 15\.1"),
        open_judges(ENGINE, msgspec.structs.replace(ENGINE_NORM, name="Stockfish 16"), NODES, 1),
    ):
        pass


@pytest.mark.slow
def test_stopping_early_leaves_the_engines_ready_for_more(careless: ChessRecord) -> None:
    with open_judges(ENGINE, ENGINE_NORM, NODES, 2) as judges:
        answers = judges.answers(positions_of(careless))
        next(answers)
        answers.close()
        assert len(dict(judges.answers(positions_of(careless)))) == 17


def test_an_answer_of_an_engine_whose_input_was_cut_is_never_taken(tmp_path: Path) -> None:
    """It then ends its search early and names a move all the same: found when a wrapper ended before the engine."""
    wrapper = tmp_path / "engine"
    wrapper.write_text(f"#!/bin/sh\nsed -u /^go/q | {ENGINE}\n")
    wrapper.chmod(0o755)
    with UciEngine(wrapper, ENGINE_NORM.hash_mib) as engine, pytest.raises(EngineFault, match="has ended"):
        engine.search(START, "", 10_000_000)
