"""What is asked about a game, and what an answer may look like."""

import msgspec
import pytest

from agzamov_verify.core import canon
from agzamov_verify.core.limits import EVALUATION_LINE_BYTES_MAX
from agzamov_verify.core.questions import Evaluation
from agzamov_verify.games.chess.judged_moves import positions_of
from agzamov_verify.games.chess.rules import End
from agzamov_verify.scoring.quality.quality_questions import Position, decode, encode, judge, misfit
from verify.quality.games import FOOLS_MATE, START, ScriptedEngine, record, said

LINE = b'{"best":"e2e4","game":"g","played":"cp -6","ply":0,"value":"cp 31"}'
ROOT = Position(False, "g", "", "e2e4", 0, START)


def test_a_game_that_the_rules_ended_has_a_position_for_each_ply() -> None:
    positions = list(positions_of(record(FOOLS_MATE, End.CHECKMATE)))
    assert [one.played for one in positions] == FOOLS_MATE.split()
    assert [one.moves for one in positions] == ["", "f2f3", "f2f3 e7e5", "f2f3 e7e5 g2g4"]
    assert [one.ends for one in positions] == [False, False, False, True]
    assert [one.ply for one in positions] == [0, 1, 2, 3]


@pytest.mark.parametrize("end", [End.ADJUDICATION, End.PLY_LIMIT, End.FORFEIT, End.UNFINISHED])
def test_a_game_that_was_stopped_has_one_more_position_after_its_last_move(end: End) -> None:
    *_, last = positions_of(record("e2e4 e7e5", end))
    assert (last.moves, last.played, last.ply, last.ends) == ("e2e4 e7e5", "", 2, False)


def test_a_game_without_a_move_has_its_start_only() -> None:
    assert [one.moves for one in positions_of(record("", End.FORFEIT))] == [""]


def test_the_played_move_is_asked_where_it_is_not_the_engines_own() -> None:
    engine = ScriptedEngine({("", ""): ("d2d4", Evaluation(31, None)), ("", "e2e4"): ("e2e4", Evaluation(-6, None))})
    assert judge(ROOT, engine) == said("d2d4", "cp 31", "cp -6")
    engine.finish()


def test_the_engines_own_move_is_not_asked_twice() -> None:
    engine = ScriptedEngine({("", ""): ("e2e4", Evaluation(31, None))})
    assert judge(ROOT, engine) == said("e2e4", "cp 31")
    engine.finish()


def test_a_move_that_ends_the_game_is_not_asked_and_a_mate_is_spelled_as_one() -> None:
    *_, last = positions_of(record(FOOLS_MATE, End.CHECKMATE))
    engine = ScriptedEngine({("f2f3 e7e5 g2g4", ""): ("a7a6", Evaluation(None, -3))})
    assert judge(last, engine) == said("a7a6", "mate -3", ply=3)


def test_an_answer_is_one_canonical_line_within_the_limit() -> None:
    judgement = said("e7e8q", "mate -12345", "cp -123456", 2**20, "p1-chess960-naked-" + "x" * 32 + "-g00000")
    assert canon.loads(encode(judgement)) == msgspec.to_builtins(judgement)
    assert len(encode(judgement)) < EVALUATION_LINE_BYTES_MAX
    assert decode(LINE) == said("e2e4", "cp 31", "cp -6")


@pytest.mark.parametrize(
    "line",
    [
        LINE.replace(b"cp 31", b"cp 031"),
        LINE.replace(b"cp 31", b"cp -0"),
        LINE.replace(b"cp 31", b"mate 0"),
        LINE.replace(b"cp 31", b"cp 31\\n"),
        LINE.replace(b"cp 31", b"cp 3.1"),
        LINE.replace(b"e2e4", b"e2e9"),
        LINE.replace(b'"ply":0', b'"ply":-1'),
        LINE.replace(b'"ply":0', b'"ply":0,"x":1'),
        LINE.replace(b'"played":"cp -6",', b""),
        LINE.replace(b":0,", b": 0,"),
        LINE[:-1],
        b"[" * 5000,
        b"\xff",
        b"",
    ],
)
def test_another_line_is_refused(line: bytes) -> None:
    with pytest.raises(canon.NotCanonical):
        decode(line)


def test_an_answer_fits_its_position_and_no_other() -> None:
    good = said("d2d4", "cp 31", "cp -6")
    assert misfit(ROOT, good) is None
    assert misfit(ROOT, said("e2e4", "cp 31")) is None
    assert misfit(ROOT, said("d2d4", "cp 31")) == ("a score of the played move", "no score of the played move")
    assert misfit(ROOT, said("e2e4", "cp 31", "cp 31")) == ("no score of the played move", "a score of the played move")
    assert misfit(ROOT, said("d2d4", "cp 31", "cp -6", ply=1)) == ("g ply 0", "g ply 1")
    assert misfit(ROOT, said("d2d4", "cp 31", "cp -6", game="h")) == ("g ply 0", "h ply 0")
