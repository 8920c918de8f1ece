"""Signals are counts: of replies, of those without tokens, of text, and of moves that are the engine's."""

from agzamov_verify.games.chess.game_script import ChessRecord, Ending
from agzamov_verify.games.chess.judged_moves import JUDGED_MOVES
from agzamov_verify.games.chess.rules import End
from agzamov_verify.plan.manifest import Price
from agzamov_verify.scoring.quality.quality_questions import MoveEvaluation
from agzamov_verify.scoring.seat_stats import EngineMatch, Signals, engine_match, seat_stats
from agzamov_verify.show.text.match_details import signal_words
from agzamov_verify.table.decision import Tally

DRAW = Ending(End.PLY_LIMIT, 1)


def record(game: str, substituted: tuple[int, ...] = ()) -> ChessRecord:
    moves = ("e2e4", "e7e5", "g1f3", "b8c6")
    return ChessRecord(game, "start", moves, DRAW, DRAW, (Tally(), Tally()), substituted)


def judged(game: str, *best: str) -> list[MoveEvaluation]:
    return [MoveEvaluation(move, game, None, ply, "cp 0") for ply, move in enumerate(best)]


def test_moves_count_for_who_played_them_and_substitutes_for_nobody() -> None:
    answers = {
        "g0": judged("g0", "e2e4", "c7c5", "g1f3", "b8c6", "f1b5"),
        "g1": judged("g1", "e2e4", "e7e5", "d2d4", "g8f6", "f1b5"),
    }
    records = [record("g0"), record("g1", substituted=(1,))]  # A has White in the first and Black in the second
    assert engine_match(JUDGED_MOVES, records, answers) == (EngineMatch(3, 2), EngineMatch(4, 2))
    assert engine_match(JUDGED_MOVES, records, {}) == (EngineMatch(0, 0), EngineMatch(0, 0))


def test_a_seats_line_says_what_was_counted_and_that_nobody_judged_it() -> None:
    tally = Tally(decisions=8, calls=10, failed_attempts=5, completion_tokens=40)
    tally.replies, tally.replies_without_tokens, tally.text_characters = 9, 3, 100
    found = seat_stats("agent", tally, Price(), 10)
    assert found.signals == Signals(9, 3, 100)
    assert signal_words(found, EngineMatch(8, 7)) == (
        "0.50 retries a call, 3 of 9 replies without tokens, 2.50 characters of text a token,"
        " 7 of 8 moves the engine's first choice (not judged)"
    )


def test_where_nothing_was_said_or_judged_no_share_is_made_up() -> None:
    told = signal_words(seat_stats("agent", Tally(), Price(), 10), None)
    assert told == "no retries a call, 0 of 0 replies without tokens, no characters of text a token (not judged)"
