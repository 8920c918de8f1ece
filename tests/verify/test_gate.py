"""The gate: what Phase 0 must show, and what a failed Phase 0 stops."""

from typing import Any

import chess
import msgspec
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.games.chess.game import ChessBlock
from agzamov_verify.games.chess.game_script import ChessRecord, Ending
from agzamov_verify.games.chess.rules import End
from agzamov_verify.games.holdem.game import PokerBlock
from agzamov_verify.games.holdem.hand_script import HandRecord
from agzamov_verify.games.holdem.rules import HandEnd
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.early_stopping import matches_to_play, streams_to_play
from agzamov_verify.scoring.gate import Gate
from agzamov_verify.scoring.results import MatchResult, match_result, results_of
from agzamov_verify.show.text.gate_words import failed_gates
from agzamov_verify.table.decision import Tally

DICE = Dice(bytes(32))
SEATS = {"model": {"kind": "reference"}, "other": {"kind": "reference"}, "dice": {"kind": "random"}}
PLAN = msgspec.convert(
    {
        "title": "Gate",
        "seats": SEATS,
        "holdem": {"session_hands": 2},
        "matches": [
            {"phase": 1, "game": "chess960", "a": "model", "b": "model", "games": 4, "block_games": 2},
            {"phase": 0, "game": "chess960", "a": "model", "b": "dice", "games": 30, "block_games": 10},
            {"phase": 0, "game": "holdem", "a": "model", "b": "dice", "hands": 60, "block_hands": 60},
            {"phase": 1, "game": "holdem", "a": "model", "b": "model", "hands": 4, "block_hands": 4},
            {"phase": 1, "game": "chess960", "a": "other", "b": "other", "games": 2},
        ],
    },
    Plan,
)
CHESS1, CHESS0, POKER0, POKER1, OTHER1 = PLAN.matches


def chess_phase0(wins: int, draws: int = 0, faults: int = 0, decisions: int = 1000) -> MatchResult:
    """Phase 0 in chess with so many wins of 30; the model's faults are all in its first game."""
    points = [2] * wins + [1] * draws + [0] * (30 - wins - draws)
    records = []
    for at, halfpoints in enumerate(points):
        white = halfpoints if at % 2 == 0 else 2 - halfpoints
        tally = Tally(decisions=decisions, first_illegal=faults) if at == 0 else Tally()
        ending = Ending(End.CHECKMATE, white)
        records.append(ChessRecord("g", chess.STARTING_FEN, (), ending, ending, (tally, Tally())))
    return match_result(CHESS0, 0, [ChessBlock(0, tuple(records))], PLAN)


def poker_phase0(sessions_won: int, faults: int = 0, decisions: int = 1000) -> MatchResult:
    """Phase 0 in hold'em with so many sessions won of 30; the others are even."""
    records = [
        HandRecord("h", HandEnd.FOLD, 100 if at // 2 < sessions_won and at % 2 == 0 else 0, (0, 0)) for at in range(60)
    ]
    tallies = (Tally(decisions=decisions, first_no_action=faults), Tally())
    return match_result(POKER0, 0, [PokerBlock(0, tuple(records), tallies)], PLAN)


def gate(result: MatchResult) -> Gate:
    assert result.gate
    return result.gate


# --- what Phase 0 must show ----------------------------------------------------------------------


def test_the_papers_29_wins_of_30_pass() -> None:
    found = gate(chess_phase0(29, 1))
    assert (found.passed, found.reason) == (True, "")
    assert chess_phase0(29, 1).result.wins == (29, 30)


@pytest.mark.parametrize(
    ("wins", "reason"),
    [
        (22, ""),
        (21, "21 wins of 30 are not above 70 %"),
        (19, "19 wins of 30 are not above 70 %; the binomial p is not below 0.05"),
        (0, "0 wins of 30 are not above 70 %; the binomial p is not below 0.05"),
    ],
)
@pytest.mark.parametrize("phase0", [chess_phase0, poker_phase0])
def test_more_than_70_percent_must_be_won(phase0: Any, wins: int, reason: str) -> None:
    assert (gate(phase0(wins)).passed, gate(phase0(wins)).reason) == (not reason, reason)


@pytest.mark.parametrize(
    ("faults", "passed"), [(0, True), (199, True), (200, False), (1000, False)], ids=["none", "19.9 %", "20 %", "all"]
)
@pytest.mark.parametrize("phase0", [chess_phase0, poker_phase0])
def test_less_than_20_percent_of_decisions_may_go_wrong_at_first(phase0: Any, faults: int, passed: bool) -> None:
    found = gate(phase0(30, faults=faults))
    assert found.passed == passed
    assert found.reason == ("" if passed else "the error rate is not below 20 %")


def test_draws_are_no_wins() -> None:
    assert gate(chess_phase0(21, 9)).passed is False


def test_a_seat_that_decided_nothing_has_not_shown_that_it_can() -> None:
    found = gate(chess_phase0(30, decisions=0))
    assert (found.passed, found.reason) == (False, "the error rate is not below 20 %")


def test_faults_of_the_random_seat_do_not_count() -> None:
    records = [HandRecord("h", HandEnd.FOLD, 100 if at % 2 == 0 else 0, (0, 9)) for at in range(60)]
    block = PokerBlock(0, tuple(records), (Tally(decisions=100), Tally(decisions=10, first_illegal=10)))
    assert gate(match_result(POKER0, 0, [block], PLAN)).passed


def test_few_games_cannot_pass_however_they_end() -> None:
    few = msgspec.convert({**msgspec.to_builtins(PLAN), "matches": [msgspec.to_builtins(CHESS0) | {"games": 4}]}, Plan)
    ending = Ending(End.CHECKMATE, 2), Ending(End.CHECKMATE, 0)
    records = tuple(
        ChessRecord(
            "g", chess.STARTING_FEN, (), ending[at % 2], ending[at % 2], (Tally(decisions=9), Tally(decisions=9))
        )
        for at in range(4)
    )
    played = match_result(few.matches[0], 0, [ChessBlock(0, records)], few)
    assert gate(played).reason == "the binomial p is not below 0.05"
    (named,) = failed_gates([played], load_protocol("agz-0.1").phase0)
    assert named.startswith("model failed Phase 0, the entry test, in Chess960 (4 of 4 games won")
    assert named.endswith("; too few to tell from even chances, p is not under 0.05)")


def test_phase_1_has_no_gate() -> None:
    record = ChessRecord(
        "g", chess.STARTING_FEN, (), Ending(End.STALEMATE, 1), Ending(End.STALEMATE, 1), (Tally(), Tally())
    )
    assert match_result(CHESS1, 0, [ChessBlock(0, (record,) * 4)], PLAN).gate is None


# --- what a failed Phase 0 stops -----------------------------------------------------------------


def test_phase_0_is_always_played() -> None:
    assert matches_to_play(PLAN, 0, []) == matches_to_play(PLAN, 0, [chess_phase0(0)]) == [CHESS0, POKER0]


@pytest.mark.parametrize(
    ("phase0", "follows"),
    [
        ([chess_phase0(30), poker_phase0(30)], [CHESS1, POKER1, OTHER1]),
        ([chess_phase0(0), poker_phase0(30)], [POKER1, OTHER1]),
        ([chess_phase0(30), poker_phase0(0)], [CHESS1, OTHER1]),
        ([chess_phase0(0), poker_phase0(0)], [OTHER1]),
        ([], [CHESS1, POKER1, OTHER1]),
    ],
    ids=["both passed", "chess failed", "hold'em failed", "both failed", "nothing was played"],
)
def test_a_failed_phase_0_stops_that_seat_in_that_game_alone(phase0: list[MatchResult], follows: list[Any]) -> None:
    assert matches_to_play(PLAN, 1, phase0) == follows


def test_streams_come_in_the_order_of_phases_and_then_of_the_plan() -> None:
    names = [stream.id for stream in streams_to_play(PLAN, [chess_phase0(30), poker_phase0(30)], {})]
    assert names == [
        "p0-chess960-naked-model-b00000",
        "p0-chess960-naked-model-b00001",
        "p0-chess960-naked-model-b00002",
        "p0-holdem-naked-model-b00000",
        "p1-chess960-naked-model-b00000",
        "p1-chess960-naked-model-b00001",
        "p1-holdem-naked-model-b00000",
        "p1-chess960-naked-other-b00000",
    ]


def test_a_match_that_was_not_played_is_named_in_the_results() -> None:
    draw = Ending(End.STALEMATE, 1)
    record = ChessRecord("g", chess.STARTING_FEN, (), draw, draw, (Tally(decisions=1), Tally(decisions=1)))
    results = results_of("0" * 16, PLAN, {CHESS0.id: [ChessBlock(0, (record,) * 30)]})
    assert results.not_played == (CHESS1.id, POKER0.id, POKER1.id, OTHER1.id)
    assert [match.id for match in results.matches] == [CHESS0.id]
    assert results.format == "agz-results-1"
