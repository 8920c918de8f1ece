"""What a chess program writes: positions in every spelling, and clocks."""

import chess
import pytest

from agzamov_harness.exhibition.move_clock import Limits, limits_of
from agzamov_harness.exhibition.position_line import BadPosition, read_option, read_position, start_position
from agzamov_harness.exhibition.uci_output import plain

START_960 = chess.Board.from_chess960_pos(356)


def read(line: str) -> tuple[str, str]:
    position = read_position(line.split())
    return position.start_fen, " ".join(position.moves)


def test_the_start_and_moves_are_read() -> None:
    assert read("startpos moves e2e4 e7e5") == (chess.STARTING_FEN, "e2e4 e7e5")
    assert read("startpos") == (chess.STARTING_FEN, "")
    assert start_position().moves == ()


@pytest.mark.parametrize("spelled", [START_960.fen(), START_960.shredder_fen()])
def test_a_start_of_chess960_is_the_same_in_both_spellings(spelled: str) -> None:
    assert read(f"fen {spelled}") == (START_960.fen(), "")


CASTLES = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"


def test_castling_is_told_as_the_king_takes_its_rook_and_told_back_as_the_program_writes_it() -> None:
    assert read(f"fen {CASTLES} moves e1g1") == (CASTLES, "e1h1")
    assert read(f"fen {CASTLES} moves e1h1") == (CASTLES, "e1h1")
    position = read_position(["fen", *CASTLES.split()])
    assert position.spelled("e1a1", is_960=False) == "e1c1"
    assert position.spelled("e1a1", is_960=True) == "e1a1"
    assert position.spelled("e1e2", is_960=True) == "e1e2"


def test_a_king_step_that_looks_like_castling_is_none() -> None:
    """King f1, rook h1: f1g1 is a step, f1h1 is castling."""
    fen = "4k3/8/8/8/8/8/8/5K1R w H - 0 1"
    assert read(f"fen {fen} moves f1g1")[1] == "f1g1"
    assert read(f"fen {fen} moves f1h1")[1] == "f1h1"


@pytest.mark.parametrize(
    "line",
    [
        "",
        "fen",
        "fen 8/8",
        "fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "startpos moves e2e5",
        "startpos moves e2e4 nonsense",
        "startpos moves 0000",
        f"fen {CASTLES} moves e1f1 e8e7 e1g1",
        "somewhere moves e2e4",
        "fen k7/8/8/8/8/8/8/K7 x - - 0 1",
    ],
)
def test_what_is_no_position_is_refused(line: str) -> None:
    with pytest.raises(BadPosition, match=r"^expected "):
        read_position(line.split())


def test_a_fen_without_counters_is_read() -> None:
    assert read("fen 4k3/8/8/8/8/8/8/4K2R w K -")[0] == "4k3/8/8/8/8/8/8/4K2R w K - 0 1"


def test_options_are_read() -> None:
    assert read_option(["name", "Move", "Overhead", "value", "20"]) == ("Move Overhead", "20")
    assert read_option(["name", "Clear", "Hash"]) == ("Clear Hash", "")
    assert read_option([]) == ("", "")


CLOCKS = {
    "": Limits(None, None),
    "nodes 1": Limits(None, None),
    "depth 5": Limits(None, None),
    "infinite": Limits(None, None, waits=True),
    "ponder wtime 1000 btime 1000": Limits(None, None, waits=True),
    "movetime 3000": Limits(2.0, 8 / 3),
    "movetime 1000": Limits(0.5, 1 - 1 / 6),
    "wtime 100000 btime 1": Limits(3.0, 4 - 1 / 3),
    "wtime 100000 winc 1000 btime 1": Limits(3.8, 4.8 - 1 / 3),
    "wtime 8000 movestogo 1": Limits(7.0, 8 - 1 / 3),
    "wtime 8000 movestogo 2": Limits(3.0, 4 - 1 / 3),
    "wtime -5 winc 0": Limits(0.0, 0.0),
    "wtime 100 winc 5000": Limits(0.05, 0.1 - 0.05 / 3),
    "movetime": Limits(0.0, 0.0),
    "wtime x btime 1": Limits(0.0, 0.0),
}


@pytest.mark.parametrize("words", CLOCKS)
def test_a_move_gets_its_share_of_the_clock_less_the_overhead(words: str) -> None:
    limits = limits_of(words.split(), is_white=True, overhead_ms=1_000)
    assert limits == (
        pytest.approx(CLOCKS[words].give_up_s),
        pytest.approx(CLOCKS[words].play_s),
        CLOCKS[words].waits,
    )


def test_black_reads_its_own_clock() -> None:
    assert limits_of(["wtime", "1", "btime", "50000"], is_white=False, overhead_ms=0).give_up_s == pytest.approx(2.0)


def test_a_text_is_one_short_line_of_ascii() -> None:
    assert plain("a\nbestmove e2e4\r\x00\té") == "a bestmove e2e4 \\xe9"
    assert len(plain("x" * 1000)) == 300


def test_a_game_goes_on_from_the_position_before() -> None:
    words = ["startpos", "moves", "e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "g8f6", "e1g1"]
    before = start_position()
    for count in range(2, len(words) + 1):
        before = read_position(words[:count], before)
        assert before == read_position(words[:count])
    assert before.moves[-1] == "e1h1"
    other = read_position(["startpos", "moves", "d2d4"], before)
    assert other == read_position(["startpos", "moves", "d2d4"])
