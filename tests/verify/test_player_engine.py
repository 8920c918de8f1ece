"""Any UCI engine as a player: its declared options, its moves, and every way in which a program is no engine."""

import stat
import sys
from pathlib import Path

import chess
import pytest

from agzamov_verify.engines.player_engine import Declared, PlayerEngine, PlayerSettings, declared_option
from agzamov_verify.engines.uci_engine import EngineFault

PLAIN = PlayerSettings(16, 0, {})
AFTER_E4_E5 = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
CASTLES = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
FAKE = """\
#!{python}
import sys, time
def say(text):
    print(text, flush=True)
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["uci"]:
        say("id name Fakefish 1\\nid author nobody")
        say("option name Hash type spin default 16 min 4 max 64")
        say("option name Style type combo default Calm var Calm var Very Wild")
        say("option name Debug Log File type string default")
        say("{declares}")
        say("uciok")
    elif words[:1] == ["isready"]:
        say("readyok")
    elif words[:1] == ["go"]:
        {answer}
    elif words[:1] == ["quit"]:
        break
"""


def fake(folder: Path, answer: str, declares: str = "") -> Path:
    """An engine that answers every `go` by a line of Python."""
    path = folder / "fakefish"
    path.write_text(FAKE.format(python=sys.executable, answer=answer, declares=declares))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


LINES = {
    "option name Hash type spin default 16 min 1 max 33554432": Declared("Hash", "spin", 1, 33554432),
    "option name UCI_Chess960 type check default false": Declared("UCI_Chess960", "check"),
    "option name Style type combo default Calm var Calm var Very Wild": Declared(
        "Style", "combo", choices=("Calm", "Very Wild")
    ),
    "option name Clear Hash type button": Declared("Clear Hash", "button"),
    "option name Book File type string default book.bin": Declared("Book File", "string"),
    "option name Odd type spin default x min y max": Declared("Odd", "spin"),
    "option name No type": None,
    "id name Fakefish": None,
    "": None,
}


@pytest.mark.parametrize("line", LINES)
def test_an_option_is_read_as_the_engine_declares_it(line: str) -> None:
    assert declared_option(line) == LINES[line]


@pytest.mark.parametrize(
    ("options", "elo", "words"),
    [
        ({"Contempt": "1"}, 0, "Fakefish 1 has no option Contempt"),
        ({}, 1500, "Fakefish 1 has no option UCI_LimitStrength"),
        ({"Style": "Mild"}, 0, "option Style of Fakefish 1: expected one of Calm, Very Wild, found Mild"),
        ({"Debug Log File": "log"}, 0, "expected no value: an option of type string can reach files"),
    ],
)
def test_an_option_that_does_not_fit_is_told(options: dict[str, str], elo: int, words: str, tmp_path: Path) -> None:
    with pytest.raises(EngineFault, match=words):
        PlayerEngine(fake(tmp_path, "say('bestmove e2e4')"), PlayerSettings(16, elo, options))


def test_options_that_fit_are_set_and_small_letters_are_capitals(tmp_path: Path) -> None:
    path = fake(tmp_path, "say('bestmove e2e4')")
    with PlayerEngine(path, PlayerSettings(16, 0, {"style": "Very Wild"})) as engine:
        assert (engine.name, engine.plays_chess960) == ("Fakefish 1", False)
        assert engine.move(chess.STARTING_FEN, "nodes 1") == "e2e4"
    with pytest.raises(EngineFault, match="option Hash of Fakefish 1: expected a number from 4 to 64, found 1"):
        PlayerEngine(path, PlayerSettings(1, 0, {}))


def test_castling_of_an_engine_without_chess960_is_told_as_the_king_takes_its_rook(tmp_path: Path) -> None:
    with PlayerEngine(fake(tmp_path, "say('bestmove e1g1')"), PLAIN) as engine:
        assert engine.move(CASTLES, "depth 1") == "e1h1"


def test_castling_of_an_engine_with_chess960_is_its_own(tmp_path: Path) -> None:
    declares = "option name UCI_Chess960 type check default false"
    with PlayerEngine(fake(tmp_path, "say('bestmove e1a1')", declares), PLAIN) as engine:
        assert engine.plays_chess960
        assert engine.move(CASTLES, "depth 1") == "e1a1"


FAULTS = {
    "sys.exit(3)": "the engine process has ended",
    "time.sleep(600)": "Fakefish 1 gave no answer in 1 s",
    "[say('info string ' + 'x' * 100) for _ in iter(int, 1)]": "Fakefish 1 gave no answer in 1 s",
    "[sys.stdout.write('x' * 10000) for _ in iter(int, 1)]": "Fakefish 1 gave no answer in 1 s",
    "say('bestmove e2e5')": "answered 'e2e5', which is no legal move",
    "say('bestmove (none)')": r"answered '\(none\)', which is no legal move",
    "say('bestmove 0000')": "answered '0000', which is no move",
    "say('bestmove')": "answered '', which is no legal move",
    "sys.stdout.buffer.write(b'\\xff\\xfe\\x00bestmove\\nbestmove \\xff\\n'), sys.stdout.flush()": "no legal move",
}


@pytest.mark.parametrize("answer", FAULTS)
def test_a_program_that_gives_no_legal_move_is_a_fault_of_the_machine(answer: str, tmp_path: Path) -> None:
    engine = PlayerEngine(fake(tmp_path, answer), PLAIN, move_s_max=60.0)
    with engine:
        engine._move_s_max = 1.0
        with pytest.raises(EngineFault, match=FAULTS[answer]):
            engine.move(AFTER_E4_E5, "nodes 1")
