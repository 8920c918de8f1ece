"""The search of the chess reference player finds what it found when every move was one of the library's.

`reference_lines.json` was recorded with the search on `chess.Board` alone: positions of drawn games, some of them
against an opponent with habits, each with the line, the nodes and the first six moves by rank.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.experiment.opponent_patterns import Pattern
from agzamov_verify.games.chess.patterns import DUE, REFUSED, ChessHabits
from agzamov_verify.games.chess.reference_board import Gained, ReferenceBoard
from agzamov_verify.games.chess.reference_search import Search
from agzamov_verify.games.chess.reference_values import tables_of

RECORDED = json.loads((Path(__file__).parent / "reference_lines.json").read_text())
PATTERNS: dict[str, Pattern] = {str(pattern): pattern for pattern in (*DUE, *REFUSED)}
GAMES, PLIES = 4, 100
EN_PASSANT_IS_A_PIN = "8/8/8/8/R2pP2k/8/8/4K3 b - e3 0 1"
PROMOTES_BY_CAPTURE = "1n2k3/P7/8/8/8/8/7p/4K1N1 w - - 0 1"
CASTLES_BOTH_WAYS = "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1"

KINGS_WHERE_A_PAWN_PROMOTED = (
    "8/6kP/8/8/8/8/8/K4R2 w - - 0 1, h7h8q, g7h8, f1h1",  # the king takes the new queen
    "8/4k2P/8/8/8/8/8/K1R5 w - - 0 1, h7h8q, e7f7, h8a8, f7g7, a8a2, g7h8, c1h1",  # it leaves first
)


def found(row: dict[str, Any]) -> dict[str, Any]:
    """A row as the search has it now."""
    board = chess.Board(row["fen"], chess960=True)
    foe = ChessHabits(row["castles_within_moves"], frozenset(PATTERNS[name] for name in row["kept"]))
    search = Search(board, foe, frozenset())
    line = search.best(dict.fromkeys(sorted(board.legal_moves, key=chess.Move.uci), 0))
    ranked = " ".join(move.uci() for move in line.ranked[:6])
    return {"best": line.move.uci(), "value": line.value, "depth": line.depth, "nodes": search.nodes, "ranked": ranked}


def test_every_recorded_line_is_found_again_with_as_many_nodes() -> None:
    assert [row | found(row) for row in RECORDED] == RECORDED


def test_the_record_has_both_colours_habits_of_each_pattern_and_searches_cut_off() -> None:
    assert {row["fen"].split()[1] for row in RECORDED} == {"w", "b"}
    assert {name for row in RECORDED for name in row["kept"]} == set(PATTERNS)
    assert any(row["castles_within_moves"] for row in RECORDED)
    assert any(row["nodes"] > 3_000 for row in RECORDED)


def positions(number: int) -> Iterator[chess.Board]:
    """The positions of a game of drawn moves after the first; captures are twice as likely."""
    board, stream = chess.Board.from_chess960_pos(number * 59 % 960), Dice(b"board").stream(f"game {number}")
    for _ in range(PLIES):
        moves = [*board.generate_legal_moves(), *board.generate_legal_captures()]
        if not moves:
            return
        board.push(moves[stream.below(len(moves))])
        yield board


@pytest.mark.parametrize("number", range(GAMES))
def test_moves_of_a_game_are_those_of_the_library_in_its_order_and_are_taken_back(number: int) -> None:
    for board in positions(number):
        require_library(board)


@pytest.mark.parametrize("fen", [EN_PASSANT_IS_A_PIN, PROMOTES_BY_CAPTURE, CASTLES_BOTH_WAYS])
def test_rare_moves_are_those_of_the_library(fen: str) -> None:
    require_library(chess.Board(fen, chess960=True))


@pytest.mark.parametrize("line", KINGS_WHERE_A_PAWN_PROMOTED)
def test_a_king_on_a_square_where_a_pawn_promoted_is_still_a_king(line: str) -> None:
    fen, *moves = line.split(", ")
    board = chess.Board(fen, chess960=True)
    made, expected, before = ReferenceBoard(board, tables_of(board)), board.copy(), board.fen()
    kept = []
    for text in moves:
        move = chess.Move.from_uci(text)
        expected.push(move)
        kept.append(made.play(move))
    assert made.is_check() is expected.is_check() is True
    assert made.legal(in_check=True) == made.ordered(expected.generate_legal_moves())
    for one in reversed(kept):
        made.take_back(one)
    assert (board.fen(), board.promoted) == (before, 0)


def require_library(board: chess.Board) -> None:
    made, before = ReferenceBoard(board, tables_of(board)), board.fen(en_passant="fen")
    in_check = board.is_check()
    assert made.is_check() is in_check
    legal = made.legal(in_check=in_check)
    assert legal == made.ordered(board.generate_legal_moves())
    if not in_check:
        assert made.captures() == made.ordered(board.generate_legal_captures())
    for gained in legal:
        require_made(made, board, gained)
        assert board.fen(en_passant="fen") == before


def require_made(made: ReferenceBoard, board: chess.Board, gained: Gained) -> None:
    """A move leads to the position of the library; if it gives check, it was one that may."""
    _, move, piece = gained
    expected = board.copy(stack=False)
    expected.push(move)
    squares, uncovering = made.checking_squares()
    kept = made.play(move)
    assert board.fen(en_passant="fen") == expected.fen(en_passant="fen")
    if expected.is_check():
        assert (squares[piece] >> move.to_square | uncovering >> move.from_square) & 1
    made.take_back(kept)
