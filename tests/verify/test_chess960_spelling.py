"""Every accepted spelling of a move is read as it is meant, and nothing is guessed."""

import time
from collections.abc import Iterator

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agzamov_verify.core.dice import Dice
from agzamov_verify.games.chess.rules import Game960
from agzamov_verify.games.chess.spelling import read_move
from agzamov_verify.table.declared import Accepted, Fault, FaultKind

CLASSICAL = chess.STARTING_FEN
SECONDS_MAX = 2.0


def at(fen: str, text: str) -> str:
    """The move that is read, or the kind of fault."""
    found = read_move(text, Game960(fen))
    return found.kind.value if isinstance(found, Fault) else found.action.uci()


READ = {
    "e2e4": "e2e4",
    "E2E4": "e2e4",
    "e2-e4": "e2e4",
    "E2-E4": "e2e4",
    "e2 e4": "e2e4",
    "e2 - e4": "e2e4",
    "e2 to e4": "e2e4",
    "e2->e4": "e2e4",
    "e4": "e2e4",
    "E4": "e2e4",
    "1. e4": "e2e4",
    "1.e4": "e2e4",
    "e4!": "e2e4",
    "Nf3": "g1f3",
    "nf3": "g1f3",
    "Ng1f3": "g1f3",
    "Ng1-f3": "g1f3",
    "\u2658f3": "g1f3",
    "e2e5": "illegal",
    "E2-E5": "illegal",
    "e5": "illegal",
    "Nd2": "illegal",
    "O-O": "illegal",
    "0-0": "illegal",
    "b1c2": "illegal",
    "knight f3": "no_action",
    "e2e4 e7e5": "no_action",
    "e2e4?": "no_action",
    "e2e4 or d2d4": "no_action",
    "e2e4 (best)": "no_action",
    "e2": "illegal",
    "e2e9": "no_action",
    "": "no_action",
    "--": "no_action",
    "0000": "no_action",
    "Z0": "no_action",
    "@@@@": "no_action",
    "<move>": "no_action",
    "resign": "no_action",
}


@pytest.mark.parametrize(("text", "found"), READ.items())
def test_a_move_is_read_in_each_spelling(text: str, found: str) -> None:
    assert at(CLASSICAL, text) == found


def test_only_uci_as_the_prompt_asks_for_it_is_exact() -> None:
    game = Game960(CLASSICAL)
    exact = {text for text in READ if getattr(read_move(text, game), "exact", False)}
    assert exact == {"e2e4"}


PROMOTES = "3r3k/4P3/8/8/8/8/8/4K3 w - - 0 1"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("e7e8q", "e7e8q"),
        ("e7e8Q", "e7e8q"),
        ("e7e8=Q", "e7e8q"),
        ("E7E8=Q", "e7e8q"),
        ("e7-e8=N", "e7e8n"),
        ("e7e8(Q)", "e7e8q"),
        ("e7e8/r", "e7e8r"),
        ("e8=Q", "e7e8q"),
        ("e8Q+", "e7e8q"),
        ("exd8=Q#", "e7d8q"),
        ("e7xd8=B", "e7d8b"),
        ("e7e8", "illegal"),
        ("e8", "illegal"),
        ("e7e8k", "illegal"),
    ],
)
def test_a_promotion_names_its_piece(text: str, found: str) -> None:
    assert at(PROMOTES, text) == found


KNIGHTS = "4k3/8/8/8/8/8/8/RN2KN2 w - - 0 1"  # both knights can go to d2
BISHOP_OR_PAWN = "4k3/8/8/8/2p5/1P6/4B3/4K3 w - - 0 1"  # bxc4 is the pawn's, Bxc4 the bishop's
ONLY_BISHOP = "4k3/8/8/8/8/8/4B3/4K3 w - - 0 1"
BISHOP_ON_ONE = "4k3/8/8/8/8/8/8/1Q1BK3 w - - 0 1"  # B1c2 is the bishop's, b1c2 the queen's
BISHOP_ALONE = "4k3/8/8/8/8/8/8/3BK3 w - - 0 1"


@pytest.mark.parametrize(
    ("fen", "text", "found"),
    [
        (KNIGHTS, "Nd2", "ambiguous"),
        (KNIGHTS, "nd2", "ambiguous"),
        (KNIGHTS, "Nbd2", "b1d2"),
        (KNIGHTS, "Nfd2", "f1d2"),
        (BISHOP_OR_PAWN, "bxc4", "b3c4"),
        (BISHOP_OR_PAWN, "Bxc4", "e2c4"),
        (ONLY_BISHOP, "bc4", "illegal"),
        (BISHOP_ON_ONE, "B1c2", "ambiguous"),
        (BISHOP_ON_ONE, "b1c2", "b1c2"),
        (BISHOP_ON_ONE, "Bc2", "d1c2"),
        (BISHOP_ALONE, "b1c2", "illegal"),
    ],
)
def test_what_may_be_two_moves_is_not_guessed(fen: str, text: str, found: str) -> None:
    assert at(fen, text) == found


E_KING = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"
F_KING = "4k3/8/8/8/8/8/8/R4K1R w KQ - 0 1"
F_KING_ROOK_G = "4k3/8/8/8/8/8/8/R4KR1 w KQ - 0 1"
B_KING = "4k3/8/8/8/8/8/8/RK5R w KQ - 0 1"
G_KING = "4k3/8/8/8/8/8/8/R5KR w KQ - 0 1"


@pytest.mark.parametrize(
    ("fen", "text", "found"),
    [
        (E_KING, "O-O", "e1h1"),
        (E_KING, "0-0", "e1h1"),
        (E_KING, "o-o", "e1h1"),
        (E_KING, "O-O+", "e1h1"),
        (E_KING, "0-0-0", "e1a1"),
        (E_KING, "e1g1", "e1h1"),
        (E_KING, "E1-C1", "e1a1"),
        (E_KING, "e1h1", "e1h1"),
        (E_KING, "Kh1", "illegal"),
        (E_KING, "Kxh1", "illegal"),
        (F_KING, "f1g1", "f1g1"),  # a king's step, though O-O is legal and ends on g1
        (F_KING, "f1h1", "f1h1"),
        (F_KING, "f1c1", "f1a1"),
        (F_KING_ROOK_G, "f1g1", "f1g1"),  # castling: the king takes its own rook
        (F_KING_ROOK_G, "Kg1", "illegal"),
        (B_KING, "b1g1", "b1h1"),
        (B_KING, "b1c1", "b1c1"),
        (G_KING, "O-O", "g1h1"),
        (G_KING, "g1c1", "g1a1"),
        ("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "e1g1", "illegal"),  # no right to castle
        ("4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", "illegal"),  # through check
        ("r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1", "e8g8", "e8h8"),
    ],
)
def test_castling_is_read_in_the_meaning_of_chess960(fen: str, text: str, found: str) -> None:
    assert at(fen, text) == found


def positions(number: int) -> Iterator[Game960]:
    """A random game, at every seventh ply."""
    stream = Dice(b"spelling").stream(f"game/{number}")
    game = Game960(chess.Board.from_chess960_pos(stream.below(960)).fen())
    while game.ply < 60 and (moves := game.legal_moves()):
        if game.ply % 7 == 0:
            yield game
        game.push(chess.Move.from_uci(stream.choice(moves)))


@settings(max_examples=12)
@given(st.integers(0, 10**6))
def test_every_legal_move_is_read_from_each_notation_that_the_library_writes(number: int) -> None:
    for game in positions(number):
        for uci in game.legal_moves():
            move = chess.Move.from_uci(uci)
            board = game.board.copy(stack=False)
            hyphened = f"{uci[:2]}-{uci[2:4]}{'=' + uci[4:].upper() if uci[4:] else ''}"
            assert read_move(uci, game) == Accepted(move, exact=True)
            for text in (board.san(move), board.lan(move), uci.upper(), hyphened):
                assert read_move(text, game) == Accepted(move, exact=text in ("O-O", "O-O-O")), (text, game.fen())


@pytest.mark.slow
@settings(max_examples=12)
@given(st.integers(0, 10**6))
def test_two_squares_are_never_read_as_another_move_than_theirs_or_castling(number: int) -> None:
    squares = [chess.square_name(square) for square in chess.SQUARES[:: number % 5 + 3]]
    for game in positions(number):
        for uci in (a + b for a in squares for b in squares):
            found = read_move(uci, game)
            if isinstance(found, Accepted) and found.action.uci() != uci:
                assert game.board.is_castling(found.action)
                assert chess.square_distance(chess.parse_square(uci[:2]), chess.parse_square(uci[2:])) > 1


@pytest.mark.parametrize("text", ["e2" * 500_000, "N" + "x" * 10**6, "1. " * 300_000, "e4" + "+" * 10**6])
def test_a_megabyte_of_nonsense_takes_bounded_time(text: str) -> None:
    before = time.process_time()
    found = read_move(text, Game960(CLASSICAL))
    assert time.process_time() - before < SECONDS_MAX
    assert isinstance(found, Fault)
    assert len(found.why) < 100
    assert found.kind is FaultKind.NO_ACTION
