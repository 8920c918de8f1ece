"""The rules of English draughts against published numbers, a second referee, and the words of WCDF."""

import os
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from agzamov_verify.core.dice import Dice, Stream
from agzamov_verify.games.draughts.board import (
    BIT,
    BLACK,
    SQUARES,
    START,
    START_FEN,
    WHITE,
    Position,
    can_move,
    captures,
    diagram,
    fen,
    legal_moves,
    must_capture,
    played,
    read_fen,
    step_of,
)
from agzamov_verify.games.draughts.rules import DraughtsGame, End
from verify import draughts_referee

# Aart Bik, https://www.aartbik.com/MISC/checkers.html; his counts hold captures twice only from depth 12 on
PUBLISHED = (7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963680, 18391564, 85242128)
PLIES = int(os.environ.get("AGZ_DRAUGHTS_PLIES", "100000"))
"""Of random games, compared with the second referee at full size: a million take a minute of one core."""
FEW_PLIES = 10_000
BALLOT = "11-15 23-19 8-11"


def perft(position: Position, depth: int) -> int:
    moves = legal_moves(position)
    return len(moves) if depth == 1 else sum(perft(played(position, move), depth - 1) for move in moves)


def texts(position: str) -> set[str]:
    return {move.text for move in legal_moves(read_fen(position))}


@pytest.fixture(scope="module")
def referee(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return draughts_referee.built(tmp_path_factory.mktemp("referee"))


# --- published numbers and a second referee ------------------------------------------------------


def test_perft_gives_the_published_numbers() -> None:
    assert [perft(START, depth) for depth in range(1, 7)] == list(PUBLISHED[:6])


@pytest.mark.exhaustive
def test_perft_gives_the_published_number_a_ply_deeper() -> None:
    assert perft(START, 7) == PUBLISHED[6]


@pytest.mark.parametrize("depth", [len(PUBLISHED) - 2, pytest.param(len(PUBLISHED), marks=pytest.mark.exhaustive)])
def test_the_second_referee_gives_the_published_numbers(depth: int, referee: Path) -> None:
    assert draughts_referee.perft(referee, depth) == list(PUBLISHED[:depth])


def random_positions(stream: Stream, plies: int) -> Iterator[Position]:
    """So many positions of games of random moves, each to its end or to 200 plies."""
    left = plies
    while left:
        position = START
        for _ in range(min(left, 200)):
            yield position
            left -= 1
            moves = legal_moves(position)
            if not moves:
                break
            position = played(position, stream.choice(moves))


def require_same_moves(referee: Path, plies: int) -> None:
    positions = list(random_positions(Dice(bytes(32)).stream("referee"), plies))
    assert len(positions) == plies
    ours = [" ".join(sorted(move.text for move in legal_moves(position))) for position in positions]
    assert ours == draughts_referee.moves(referee, positions)
    assert [bool(moves) for moves in ours] == list(map(can_move, positions))
    assert ["x" in moves for moves in ours] == list(map(must_capture, positions))


def test_two_referees_agree_on_random_games(referee: Path) -> None:
    require_same_moves(referee, FEW_PLIES)


@pytest.mark.exhaustive
def test_two_referees_agree_on_many_random_games(referee: Path) -> None:
    """So many plies as AGZ_DRAUGHTS_PLIES says; a million were compared when this was written."""
    require_same_moves(referee, PLIES)


def test_the_second_referee_tells_another_position_apart(referee: Path) -> None:
    (told,) = draughts_referee.moves(referee, [played(START, legal_moves(START)[0])])
    assert told != " ".join(sorted(move.text for move in legal_moves(START)))


# --- moves ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        ("W:W18:B1", {"18-14", "18-15"}),  # a man goes forward alone
        ("B:W32:B18", {"18-22", "18-23"}),
        ("W:WK18:B1", {"18-14", "18-15", "18-22", "18-23"}),  # a king both ways
        ("W:W18,32:B14", {"18x9"}),  # who can capture must
        ("W:W14:B18", {"14-9", "14-10"}),  # a man does not capture backward
        ("W:WK14:B18", {"14x23"}),
        ("W:W22:B18,11,10", {"22x15x8", "22x15x6"}),  # any way, each to its end
        ("W:W22,30:B18,11,25", {"22x15x8", "30x21"}),  # one man rather than two
        ("W:W10:B6,7,8", {"10x1", "10x3"}),  # crowned, and the move ends there: 3x12 would go on
        ("W:WK10:B7,8", {"10x3x12"}),  # a king goes on
        ("W:W18:B14,9", {"18-15"}),  # nothing is jumped where the square behind is taken
    ],
)
def test_legal_moves_of_a_position(position: str, expected: set[str]) -> None:
    assert texts(position) == expected


def test_a_king_may_come_back_to_the_square_it_left_and_jumps_nothing_twice() -> None:
    round_trip = "B:W7,8,15,16:BK3"
    assert texts(round_trip) == {"3x10x19x12x3", "3x12x19x10x3"}
    (one, two) = captures(read_fen(round_trip))
    assert one.taken == two.taken == BIT[7] | BIT[8] | BIT[15] | BIT[16]
    assert played(read_fen(round_trip), one) == Position(BIT[3], 0, BIT[3], WHITE)


def test_a_captured_king_is_no_king_any_more() -> None:
    after = played(read_fen("W:W18:BK14,1"), captures(read_fen("W:W18:BK14,1"))[0])
    assert after == Position(BIT[1], BIT[9], 0, BLACK)


def test_a_man_is_crowned_on_the_farthest_row_alone() -> None:
    assert [fen(played(read_fen(text), legal_moves(read_fen(text))[0])) for text in ("W:W5:B12", "W:W12:B5")] == [
        "B:WK1:B12",
        "B:W8:B5",
    ]


# --- texts ---------------------------------------------------------------------------------------


def test_the_start_is_spelled_and_drawn() -> None:
    assert fen(START) == START_FEN
    assert diagram(START).splitlines()[0] == "     1b     2b     3b     4b"
    assert diagram(START).splitlines()[4:6] == ["    17.    18.    19.    20.", "21w    22w    23w    24w"]


def test_a_step_that_is_looked_up_is_the_one_among_all_legal_moves() -> None:
    for position in random_positions(Dice(bytes(32)).stream("steps"), 300):
        steps = {move.path: move for move in legal_moves(position) if not move.taken}
        for path in product(SQUARES, SQUARES):
            assert step_of(position, path) == steps.get(path)
        assert step_of(position, next(iter(steps), (1,))[:1]) is None


def test_every_position_is_read_from_its_own_fen() -> None:
    for position in random_positions(Dice(bytes(32)).stream("fen"), 2_000):
        assert read_fen(fen(position)) == position


@pytest.mark.parametrize(
    "text",
    [
        "",
        "W:W18",
        "X:W18:B1",
        "W:B1:W18",
        "W:W33:B1",
        "W:W0:B1",
        "W:W18:B18",
        "W:W18,18:B1",
        "W:W1:B5",
        "W:W18:B32",
        "W:WK:B1",
        "W:W18:B1 " + "x" * 200,
    ],
)
def test_a_text_that_is_no_position_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        read_fen(text)


@pytest.mark.parametrize("ballot", ["11-16 24-15", "9-13 22-18 13-22", "hello", "11-15 11-16"])
def test_a_ballot_that_is_not_legal_is_refused(ballot: str) -> None:
    with pytest.raises(ValueError, match="expected a legal move"):
        DraughtsGame(ballot)


# --- ends ----------------------------------------------------------------------------------------


def placed(position: str) -> DraughtsGame:
    """A game that stands so, as if nothing had been played before."""
    game = DraughtsGame("")
    game.position = read_fen(position)
    return game


def go_round(game: DraughtsGame, moves: str, plies: int, quiet: int = 500, limit: int = 1000) -> list[End | None]:
    """The ends after each of so many plies of a round of moves."""
    cycle, ends = moves.split(), []
    for ply in range(plies):
        game.play(cycle[ply % len(cycle)])
        ends.append(game.end(quiet, limit))
    return ends


def test_a_side_without_a_move_has_lost_though_it_has_a_piece() -> None:
    game = placed("W:W5,6,14:B1")
    game.play("14-10")
    assert game.end(40, 200) is End.NO_MOVE
    free = placed("W:W5,6,14:B1")
    free.play("14-9")
    assert free.end(40, 200) is None


def test_a_side_without_pieces_has_lost() -> None:
    game = placed("W:W18:B14")
    game.play("18x9")
    assert game.end(40, 200) is End.NO_MOVE


ROUND = "1-5 32-28 5-1 28-32"
KINGS = "W:WK1:BK32"


def test_a_position_is_drawn_at_its_third_time_with_the_same_side_to_move() -> None:
    """The first ply's position comes back after four more and eight more; the start of such a game is not counted."""
    assert go_round(placed(KINGS), ROUND, 9) == [None] * 8 + [End.THREEFOLD_REPETITION]


@pytest.mark.parametrize("moves", [1, 3])
def test_a_game_without_progress_is_drawn_after_so_many_moves_of_each_side(moves: int) -> None:
    ends = go_round(placed(KINGS), ROUND, 2 * moves, quiet=moves)
    assert ends == [None] * (2 * moves - 1) + [End.NO_PROGRESS]


@pytest.mark.parametrize(
    ("position", "moves", "end"),
    [
        ("W:WK1,21:BK32", "1-5 32-28 5-1 28-32", End.NO_PROGRESS),
        ("W:WK1,21:BK32", "1-5 32-28 21-17 28-32", None),
        ("W:WK1:BK32,K14", "1-5 14-9 5x14 32-28", None),
    ],
)
def test_a_move_of_a_man_and_a_capture_begin_the_count_anew(position: str, moves: str, end: End | None) -> None:
    assert go_round(placed(position), moves, 4, quiet=2) == [None, None, None, end]


def test_a_game_is_drawn_at_the_ply_limit_which_leaves_the_ballot_out() -> None:
    game = DraughtsGame(BALLOT)
    ends = go_round(game, "22-17 4-8 17-13", 3, limit=3)
    assert ends == [None, None, End.PLY_LIMIT]
    assert game.ply == 3
    assert len(game.moves) == 6


def test_a_side_without_a_move_has_lost_even_at_the_ply_limit() -> None:
    game = placed("W:W18:B14")
    game.play("18x9")
    assert game.end(1, 1) is End.NO_MOVE
