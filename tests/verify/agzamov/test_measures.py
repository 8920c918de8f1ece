"""Cells as units: pairs and sessions, what is kept, chance-adjusted results, decks played from both sides."""

from fractions import Fraction

import msgspec
import pytest

from agzamov_verify.games.chess.cell import ChessCell, ChessGame
from agzamov_verify.games.chess.rules import End
from agzamov_verify.games.holdem.cell import ADJUSTED_METHODS, PokerCell, PokerHand, decisions_of, poker_cell
from agzamov_verify.games.holdem.control_variates import PER_CHIP, Method, net_chips
from agzamov_verify.games.holdem.hand_script import HandRecord, PokerRules
from agzamov_verify.games.holdem.match_analysis import KINDS
from agzamov_verify.games.holdem.rules import HandEnd
from agzamov_verify.scoring.inference.unit_values import Measure
from agzamov_verify.scoring.match_figures import by_play, without_errors
from agzamov_verify.scoring.units.cells import CellKey, error_ratio
from agzamov_verify.table.decision import Tally
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
    assert mean(cell.measured()) == Fraction(1, 4)
    assert mean(cell.measured(Measure.SCORE)) == Fraction(1, 2)


def test_a_pair_with_one_adjudicated_game_is_left_out_whole() -> None:
    cell = ChessCell(KEY, (game(2), game(2, End.ADJUDICATION), game(0), game(1)))
    kept = cell.kept(by_play, Measure.SCORE)
    assert kept.values == (1,)
    assert kept.starts == ""  # what is left is no longer paired with another cell


def ratio(found) -> Fraction:  # type: ignore[no-untyped-def]
    return Fraction(sum(found.above), sum(found.below)) * found.scale.factor


def test_hands_that_are_kept_count_alike_however_many_their_session_has() -> None:
    cell = PokerCell(HANDS_KEY, (hand(100), hand(-40, errors=1), hand(60), hand(20)), 4)
    assert ratio(cell.kept(without_errors, Measure.PERFORMANCE)) == 60
    assert mean(cell.measured()) == 35


def test_a_session_with_one_hand_left_weighs_as_one_hand() -> None:
    """The mean of the sessions would be (-5000 + 3) / 2."""
    kept = (hand(-5000), *(hand(0, errors=1),) * 99, *(hand(3),) * 100)
    found = PokerCell(HANDS_KEY, kept, 100).kept(without_errors, Measure.PERFORMANCE)
    assert ratio(found) == Fraction(-5000 + 300, 101)


def test_a_session_in_which_every_hand_has_an_error_counts_for_nothing() -> None:
    cell = PokerCell(HANDS_KEY, (hand(100, errors=1),) * 2 + (hand(10), hand(30)), 2)
    found = cell.kept(without_errors, Measure.PERFORMANCE)
    assert (found.below, ratio(found)) == ((0, 2), 20)


def test_hands_that_fill_no_session_are_left_out() -> None:
    assert PokerCell(HANDS_KEY, (hand(1),) * 5, 2).measured().values == (2, 2)


@pytest.mark.parametrize("method", ADJUSTED_METHODS)
def test_results_are_adjusted_as_the_records_say(method: Method) -> None:
    records = [hand_record(chips) for chips in (500, -300, 800, -1200)]
    cell = poker_cell(HANDS_KEY, records, 0, (Tally(), Tally()), "", PokerRules(session_hands=2))
    found = cell.adjusted(method)
    assert found is not None
    signed = [net_chips(record, method) * (1 if at % 2 == 0 else -1) for at, record in enumerate(records)]
    assert float(mean(found)) == pytest.approx(float(sum(signed) / 4), abs=0.001)


def test_every_correction_is_analysed() -> None:
    assert (Method.RAW, *ADJUSTED_METHODS) == tuple(Method)


def test_without_the_cards_nothing_is_adjusted() -> None:
    bare = PokerCell(HANDS_KEY, (hand(100), hand(-100)), 2)
    assert bare.adjusted(Method.ALL_IN) is None
    one = msgspec.structs.replace(hand(100), adjusted=(100 * PER_CHIP,) * len(ADJUSTED_METHODS))
    assert PokerCell(HANDS_KEY, (one, hand(1)), 2).adjusted(Method.ALL_IN) is None


def test_both_sides_of_a_deck_are_one_unit_of_half_the_worth() -> None:
    cell = PokerCell(HANDS_KEY, tuple(map(hand, (10, 20, 30, 40, -4, -6, 8, 2))), 2, mirrored=True)
    both, alone = cell.measured(), msgspec.structs.replace(cell, mirrored=False).measured()
    assert both.values == (30 - 10, 70 + 10)
    assert mean(both) == mean(alone)
    assert len(alone.values) == 4


def test_of_a_unit_with_its_mirror_all_hands_that_are_kept_count_alike() -> None:
    hands = (hand(10), hand(20, errors=1), hand(30, errors=1), hand(40), hand(-5), hand(6), hand(8), hand(2))
    cell = PokerCell(HANDS_KEY, hands, 2, mirrored=True)
    found = cell.kept(without_errors, Measure.PERFORMANCE)
    assert (found.above, found.below) == ((11, 50), (3, 3))


def test_the_course_of_mirrored_halves_is_hand_by_hand() -> None:
    cell = PokerCell(HANDS_KEY, tuple(map(hand, (10, 20, 30, 40, -4, -6, 8, 2))), 2, mirrored=True)
    assert cell.course == [6, 14, 38, 42]
    assert msgspec.structs.replace(cell, mirrored=False).course == cell.chips


def test_errors_are_counted_by_game_or_session_and_by_decisions_of_the_measured_seat() -> None:
    found = error_ratio(ChessCell(KEY, (game(2, errors=1), game(2), game(0), game(0))))
    assert found is not None
    assert (found.above, found.below) == ((1, 0, 0, 0), (20, 20, 20, 20))
    sessions = error_ratio(PokerCell(HANDS_KEY, (hand(1, 1), hand(1), hand(1), hand(1)), 2))
    assert sessions is not None
    assert (sessions.above, sessions.below) == ((1, 0), (4, 4))
    assert error_ratio(PokerCell(HANDS_KEY, (hand(1, decisions=0),) * 2, 2)) is None


def test_games_that_were_played_alike_are_one_cluster_and_one_trial() -> None:
    """Self-play without randomness: both games of a start are the same game."""
    twice = [msgspec.structs.replace(game(points, errors=1), identity=name) for name in "xy" for points in (2, 0)]
    cell = ChessCell(KEY, (*twice, game(1)))
    assert cell.tallied(lambda one: one.errors[0], lambda one: one.decisions[0]).below == (40, 40, 20)
    assert cell.distinct_wins == [False, True, True]


def test_a_forfeit_is_a_decision_of_its_loser() -> None:
    story = hand_record(500).story
    assert story is not None
    played = tuple(sum(one.player == at for one in story.history) for at in (0, 1))
    lost = HandRecord("h", HandEnd.FORFEIT, -300, (1, 0), story)
    assert decisions_of(lost) == (played[0] + 1, played[1])
    assert decisions_of(msgspec.structs.replace(lost, net_chips=300)) == (played[0], played[1] + 1)


def test_records_of_the_real_scripts_say_who_erred_and_who_decided() -> None:
    failed, clean = chess_record(2, 1), chess_record(2)
    assert (failed.tallies[0].faults, clean.tallies[0].faults) == (1, 0)
    dealt = poker_cell(HANDS_KEY, [hand_record(500, 1), hand_record(500)], 0, (Tally(), Tally()), "", PokerRules())
    assert [one.errors for one in dealt.hands] == [(1, 0), (0, 0)]
    assert [one.decisions for one in dealt.hands] == [(2, 2), (2, 2)]
    assert [one.chips for one in dealt.hands] == [500, -500]


@pytest.mark.parametrize(
    ("hand", "kinds"),
    [
        (PokerHand(100, HandEnd.FOLD, (0, 0)), {"by_play"}),
        (PokerHand(100, HandEnd.FOLD, (1, 0)), {"fault"}),
        (PokerHand(100, HandEnd.FOLD, (0, 1)), {"fault"}),
        (PokerHand(100, HandEnd.FORFEIT, (0, 0)), {"forfeit"}),
        (PokerHand(100, HandEnd.FORFEIT, (0, 1)), {"forfeit", "fault"}),
    ],
)
def test_a_fault_of_either_seat_is_one_of_the_hand(hand: PokerHand, kinds: set[str]) -> None:
    assert {kind for kind, is_one in KINDS.items() if is_one(hand)} == kinds
