"""The spellings of a move of draughts, each row of docs/reading.md with its class."""

import pytest

from agzamov_verify.core.questions import Reply
from agzamov_verify.games.draughts.board import read_fen
from agzamov_verify.games.draughts.prompt import TAG
from agzamov_verify.games.draughts.rules import DraughtsGame
from agzamov_verify.games.draughts.spelling import read_move, spelled
from agzamov_verify.table.declared import Accepted, FaultKind, read_declared

STEP, JUMPS, TWO_WAYS = "B:W32:B11,9", "B:W18,27:B15", "B:W6,15,14,7:BK1"
FORCED = "B:W18,27,32:B15,11"


def at(position: str) -> DraughtsGame:
    game = DraughtsGame("")
    game.position = read_fen(position)
    return game


@pytest.mark.parametrize(
    ("position", "text", "move", "exact"),
    [
        (STEP, "11-15", "11-15", True),
        (STEP, "11x15", "11-15", False),
        (STEP, "11 to 15", "11-15", False),
        (STEP, "11 15", "11-15", False),
        (STEP, "11->15", "11-15", False),
        (STEP, "4. 11-15", "11-15", False),
        (STEP, "4... 11-15!", "11-15", False),
        (STEP, "09-13", "9-13", False),
        (STEP, "9-13", "9-13", True),
        (JUMPS, "15x22x31", None, False),
        (JUMPS, "15x22", "15x22", True),
        (JUMPS, "15-22", "15x22", False),
        (JUMPS, "15:22", "15x22", False),
        (JUMPS, "15 X 22", "15x22", False),
        (JUMPS, "15 takes 22", "15x22", False),
    ],
)
def test_a_spelling_is_read(position: str, text: str, move: str | None, exact: bool) -> None:
    read = read_move(text, at(position))
    if move is None:
        assert not isinstance(read, Accepted)
    else:
        assert isinstance(read, Accepted)
        assert (read.action.text, read.exact) == (move, exact)


LONG = "W:W22:B18,11"


@pytest.mark.parametrize(("text", "exact"), [("22x15x8", True), ("22-15-8", False), ("22x8", False), ("22-8", False)])
def test_a_long_capture_may_be_told_by_its_ends_alone(text: str, exact: bool) -> None:
    read = read_move(text, at(LONG))
    assert isinstance(read, Accepted)
    assert (read.action.text, read.exact) == ("22x15x8", exact)


ROUND_TRIP = "B:W7,8,15,16:BK3"


@pytest.mark.parametrize(
    ("position", "text", "kind", "why"),
    [
        (ROUND_TRIP, "3x3", FaultKind.AMBIGUOUS, "more than one legal capture"),
        (LONG, "22x15", FaultKind.ILLEGAL, "the capture must go on to its end"),
        (LONG, "22x15x6", FaultKind.ILLEGAL, "not legal"),
        (FORCED, "11-16", FaultKind.ILLEGAL, "a capture must be made"),
        (STEP, "11-20", FaultKind.ILLEGAL, "not legal"),
        (STEP, "11", FaultKind.NO_ACTION, "not a move"),
        (STEP, "", FaultKind.NO_ACTION, "not a move"),
        (STEP, "c3-d4", FaultKind.NO_ACTION, "not a move"),
        (STEP, "11-15 (best)", FaultKind.NO_ACTION, "not a move"),
        (STEP, "11-15 or 9-13", FaultKind.NO_ACTION, "not a move"),
        (STEP, "11-33", FaultKind.NO_ACTION, "not a move"),
        (STEP, "0-15", FaultKind.NO_ACTION, "not a move"),
        (STEP, "11-1\u0665", FaultKind.NO_ACTION, "not a move"),
        (STEP, "1115", FaultKind.NO_ACTION, "not a move"),
        (STEP, "-".join(["11"] * 40), FaultKind.NO_ACTION, "not a move"),
        (STEP, "jump 15 over 18", FaultKind.NO_ACTION, "not a move"),
    ],
)
def test_what_is_not_listed_is_refused(position: str, text: str, kind: FaultKind, why: str) -> None:
    read = read_move(text, at(position))
    assert not isinstance(read, Accepted)
    assert read.kind is kind
    assert why in read.why


@pytest.mark.parametrize(
    ("one", "other"), [("11-15", "4. 11 to 15"), ("22x15x8", "22-15-8"), ("09-13", "9-13"), ("hello", " hello ")]
)
def test_one_move_has_one_spelling_for_comparing(one: str, other: str) -> None:
    assert spelled(one) == spelled(other)
    assert spelled(one) != spelled("1-5")


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("I take.\nMOVE: 22x15x8", "22x15x8"),
        ("**Move: 22\u00d715\u00d78.**", "22x15x8"),
        ("MOVE: 1-5\nMOVE: `22-8`", "22x15x8"),
        ("<think>MOVE: 22x15x8</think>\nWhat now?", None),
        ("MOVE: 22x15x8 because it takes two", None),
    ],
)
def test_a_reply_is_read_by_its_last_declared_line(text: str, move: str | None) -> None:
    game = at(LONG)
    read = read_declared(Reply(text=text), TAG, lambda declared: read_move(declared, game))
    assert (read.action.text if isinstance(read, Accepted) else None) == move
