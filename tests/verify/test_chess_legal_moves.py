"""Boards of FENs and their legal moves against those of the library."""

from collections.abc import Callable

import chess
import pytest

from agzamov_verify.core.dice import Stream
from agzamov_verify.games.chess.legal_moves import board_of, legal_uci

FIELDS = (
    *("pawns", "knights", "bishops", "rooks", "queens", "kings", "occupied", "occupied_co", "promoted"),
    *("turn", "castling_rights", "ep_square", "halfmove_clock", "fullmove_number", "chess960"),
)


def _require_equal(fen: str) -> None:
    expected, board = chess.Board(fen, chess960=True), board_of(fen)
    for field in FIELDS:
        assert getattr(board, field) == getattr(expected, field), f"{field} of {fen}"
    assert legal_uci(board) == sorted(move.uci() for move in expected.generate_legal_moves()), fen


def test_in_random_games_both_are_the_librarys() -> None:
    draws = Stream(b"legal moves", "games")
    for number in range(20):
        board = chess.Board(chess960=True) if number % 2 else chess.Board.from_chess960_pos(draws.below(960))
        while (moves := list(board.legal_moves)) and board.ply() < 120:
            board.push(draws.choice(moves))
            _require_equal(board.fen())


@pytest.mark.parametrize(
    "fen",
    [
        "4k3/8/8/8/8/8/8/8 w - - 0 1",  # a side without a king
        "4k3/8/8/3K4/8/8/8/K6R w - - 0 1",  # with two
        "P3k3/8/8/8/8/8/8/P3K2p w - - 0 1",  # pawns on the last ranks
        "p3k2P/8/8/8/8/8/8/p3K3 b - - 0 1",
        "4k3/8/8/1r1pP1K1/8/8/8/8 w - d6 0 1",  # en passant would leave the king in check
        "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
        "4k3/4r3/8/8/8/8/4B3/4K3 w - - 0 1",  # a pinned bishop
        "4k3/8/8/8/7b/8/5P2/4K3 w - - 0 1",  # a pinned pawn
        "4k3/P6p/8/8/8/8/p6P/4K3 b - - 9 42",
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
        "rk5r/8/8/8/8/8/8/RK5R b HAha - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w KK - 0 1",
        "4k3/8/8/8/8/8/8/Q~3K3 w - - 0 1",  # a promoted queen
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1 ",
        "4k3/8/8/8/8/8/8/4K3",
        "4k3/8/8/8/8/8/8/4K3 b - - 1234567 0",
    ],
)
def test_rare_positions_and_other_texts_are_the_librarys(fen: str) -> None:
    _require_equal(fen)


@pytest.mark.parametrize(
    "fen",
    [
        "",
        "4k3/8/8/8/8/8/8 w - - 0 1",
        "4k3/8/8/8/8/8/8/44 w - - 0 1",
        "4k3/8/8/8/8/8/8/5K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - e9 0 1",
        "4k3/8/8/8/8/8/8/4K3 x - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - - -1 1",
    ],
)
def test_a_text_that_is_no_position_is_refused_with_the_librarys_words(fen: str) -> None:
    assert _refusal(board_of, fen) == _refusal(lambda text: chess.Board(text, chess960=True), fen) != ""


def _refusal(read: Callable[[str], object], fen: str) -> str:
    try:
        read(fen)
    except ValueError as error:
        return str(error)
    return ""
