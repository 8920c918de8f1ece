"""Cells as units: pairs and sessions, what is kept, luck taken out, decks played from both sides."""

from fractions import Fraction

import msgspec
import pytest

from agzamov_verify.games.chess960.rules import End
from agzamov_verify.games.decision import Tally
from agzamov_verify.games.holdem.rules import HandEnd
from agzamov_verify.games.holdem.script import PokerRules
from agzamov_verify.scoring.agzamov.cells import (
    LUCK_METHODS,
    CellKey,
    ChessCell,
    ChessGame,
    PokerCell,
    PokerHand,
    poker_cell,
)
from agzamov_verify.scoring.agzamov.measures import (
    Measure,
    adjusted_units,
    error_units,
    kept_units,
    units_of,
)
from agzamov_verify.scoring.luck.adjusted import PER_CHIP, Method, net_chips
from agzamov_verify.scoring.matches import by_play, without_errors
from verify.agzamov.generator import CHESS, POKER, chess_record, hand_record

KEY, HANDS_KEY = CellKey("m", CHESS, 1), CellKey("m", POKER, 1)


def game(points: int, end: End = End.CHECKMATE, errors: int = 0) -> ChessGame:
    return ChessGame(points, points, end, substituted=False, errors=(errors, 0), plies=40, decisions=(20, 20))


def hand(chips: int, errors: int = 0, decisions: int = 2) -> PokerHand:
    return PokerHand(chips, HandEnd.FOLD, (errors, 0), (decisions, decisions))


def mean(units) -> Fraction:  # type: ignore[no-untyped-def]
    return sum(units.values) * units.scale.factor / len(units.values)


def test_a_drawn_game_is_half_a_point_of_score_and_no_win() -> None:
    cell = ChessCell(KEY, (game(2), game(1), game(1), game(0)))
    assert mean(units_of(cell)) == Fraction(1, 4)
    assert mean(units_of(cell, Measure.SCORE)) == Fraction(1, 2)


def test_a_pair_with_one_adjudicated_game_is_left_out_whole() -> None:
    cell = ChessCell(KEY, (game(2), game(2, End.ADJUDICATION), game(0), game(1)))
    kept = kept_units(cell, by_play, Measure.SCORE)
    assert kept.values == (1,)
    assert kept.starts == ""  # what is left is no longer paired with another cell


def test_a_session_of_fewer_hands_keeps_their_mean() -> None:
    cell = PokerCell(HANDS_KEY, (hand(100), hand(-40, errors=1), hand(60), hand(20)), 4)
    assert mean(kept_units(cell, without_errors, Measure.PERFORMANCE)) == 60
    assert mean(units_of(cell)) == 35


def test_a_session_in_which_every_hand_has_an_error_is_left_out() -> None:
    cell = PokerCell(HANDS_KEY, (hand(100, errors=1),) * 2 + (hand(10), hand(30)), 2)
    assert kept_units(cell, without_errors, Measure.PERFORMANCE).values == (40,)


def test_hands_that_fill_no_session_are_left_out() -> None:
    assert units_of(PokerCell(HANDS_KEY, (hand(1),) * 5, 2)).values == (2, 2)


@pytest.mark.parametrize("method", LUCK_METHODS)
def test_luck_is_taken_out_as_the_records_say(method: Method) -> None:
    records = [hand_record(chips) for chips in (500, -300, 800, -1200)]
    cell = poker_cell(HANDS_KEY, records, (Tally(), Tally()), "", PokerRules(session_hands=2))
    found = adjusted_units(cell, method)
    assert found is not None
    signed = [net_chips(record, method) * (1 if at % 2 == 0 else -1) for at, record in enumerate(records)]
    assert float(mean(found)) == pytest.approx(float(sum(signed) / 4), abs=0.001)


def test_every_correction_is_analysed() -> None:
    assert (Method.RAW, *LUCK_METHODS) == tuple(Method)


def test_without_the_cards_no_luck_is_taken_out() -> None:
    bare = PokerCell(HANDS_KEY, (hand(100), hand(-100)), 2)
    assert adjusted_units(bare, Method.ALL_IN) is None
    one = msgspec.structs.replace(hand(100), adjusted=(100 * PER_CHIP,) * len(LUCK_METHODS))
    assert adjusted_units(PokerCell(HANDS_KEY, (one, hand(1)), 2), Method.ALL_IN) is None


def test_both_sides_of_a_deck_are_one_unit_of_half_the_worth() -> None:
    cell = PokerCell(HANDS_KEY, tuple(map(hand, (10, 20, 30, 40, -4, -6, 8, 2))), 2, mirrored=True)
    both, alone = units_of(cell), units_of(msgspec.structs.replace(cell, mirrored=False))
    assert both.values == (30 - 10, 70 + 10)
    assert mean(both) == mean(alone)
    assert len(alone.values) == 4


def test_of_a_unit_with_its_mirror_all_hands_that_are_kept_count_alike() -> None:
    hands = (hand(10), hand(20, errors=1), hand(30, errors=1), hand(40), hand(-5), hand(6), hand(8), hand(2))
    cell = PokerCell(HANDS_KEY, hands, 2, mirrored=True)
    assert kept_units(cell, without_errors, Measure.PERFORMANCE).values == (15, 67)


def test_the_course_of_mirrored_halves_is_hand_by_hand() -> None:
    cell = PokerCell(HANDS_KEY, tuple(map(hand, (10, 20, 30, 40, -4, -6, 8, 2))), 2, mirrored=True)
    assert cell.course == [6, 14, 38, 42]
    assert msgspec.structs.replace(cell, mirrored=False).course == cell.chips


def test_errors_are_counted_a_million_decisions_of_the_measured_seat() -> None:
    cell = ChessCell(KEY, (game(2, errors=1), game(2), game(0), game(0)))
    units = error_units(cell)
    assert units is not None
    assert [value * units.scale.factor for value in units.values] == [Fraction(1, 40), 0]
    assert error_units(PokerCell(HANDS_KEY, (hand(1, decisions=0),) * 2, 2)) is None


def test_records_of_the_real_scripts_say_who_erred_and_who_decided() -> None:
    failed, clean = chess_record(2, 1), chess_record(2)
    assert (failed.tallies[0].faults, clean.tallies[0].faults) == (1, 0)
    dealt = poker_cell(HANDS_KEY, [hand_record(500, 1), hand_record(500)], (Tally(), Tally()), "", PokerRules())
    assert [one.errors for one in dealt.hands] == [(1, 0), (0, 0)]
    assert [one.decisions for one in dealt.hands] == [(2, 2), (2, 2)]
    assert [one.chips for one in dealt.hands] == [500, -500]
