"""Forced shifts: of which kind one is, and what departs from the protocol in Phase 3."""

from typing import Any

import chess
import msgspec
import pytest

from agzamov_verify.experiment.opponent_patterns import Pattern, ShiftKind, shift_kinds
from agzamov_verify.games.chess.pattern_sentences import ChessPattern
from agzamov_verify.games.chess.patterns import keeping
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.plan_problems import problems
from agzamov_verify.scoring.departures import departures, kinds_of_shifts
from agzamov_verify.table.registry import GAMES

PASSIVE, BALANCED, BREAK = ShiftKind
CHESS, POKER = "p3-chess960-memory_real_notes-agent-rival", "p3-holdem-memory_real_notes-agent-rival"
REAL = {"augmentation": "memory", "arm": "real", "system": "notes"}
SHIFTS = {
    "chess960": [
        {"after": 160, "patterns": ["keeps_own_half", "king_answers_checks"]},
        {"after": 230, "patterns": ["pieces_answer_checks"]},
        {"after": 300, "patterns": []},
    ],
    "holdem": [
        {"after": 5000, "patterns": ["limps_button", "never_folds_pairs"]},
        {"after": 6700, "patterns": ["folds_rivers"]},
        {"after": 8400, "patterns": []},
    ],
}


def plan(**shifts: list[dict[str, Any]]) -> Plan:
    match = {"phase": 3, "a": "agent", "b": "rival", "careers": 5, "condition": REAL, "b_condition": REAL}
    shifts = {**SHIFTS, **shifts}
    return msgspec.convert(
        {
            "title": "An arms race",
            "seats": {
                "agent": {"kind": "reference"},
                "rival": {"kind": "reference", "patterns": ["never_retreats", "king_answers_checks", "always_cbets"]},
            },
            "systems": {"notes": {"kind": "memory", "server": "recent"}},
            "matches": [
                {**match, "game": "chess960", "games": 1900, "shifts": shifts["chess960"]},
                {**match, "game": "holdem", "hands": 50_000, "shifts": shifts["holdem"]},
            ],
        },
        Plan,
    )


@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        (["always_cbets"], ["limps_button"], [PASSIVE]),
        (["always_cbets"], ["never_cbets"], [PASSIVE, BREAK]),
        (["never_cbets"], ["always_cbets"], [BREAK]),
        (["never_retreats"], [], [BALANCED]),
        (["king_answers_checks", "castles_early"], ["pieces_answer_checks"], [BREAK]),
        (["never_retreats", "castles_early"], ["keeps_own_half"], [PASSIVE]),
        (["never_retreats"], ["keeps_own_half", "pushes_rook_pawns"], []),
        (["limps_button", "always_cbets"], ["limps_button"], []),
        (["king_answers_checks", "pieces_answer_checks"], ["pieces_answer_checks"], []),
        ([], ["limps_button"], []),
        ([], [], []),
    ],
)
def test_the_kind_of_a_shift_follows_from_its_patterns(
    before: list[str], after: list[str], kinds: list[ShiftKind]
) -> None:
    game = next(game for game in GAMES.values() if {*before, *after} <= game.patterns.keys())
    assert list(shift_kinds(before, after, game.pattern_sorts)) == kinds


def test_a_shift_is_judged_by_the_patterns_of_its_game() -> None:
    chess960, holdem = plan().matches
    assert [*kinds_of_shifts(chess960, plan())] == [(PASSIVE,), (BREAK,), (BALANCED,)]
    assert [*kinds_of_shifts(holdem, plan())] == [(PASSIVE,), (BREAK,), (BALANCED,)]


def test_shifts_at_the_protocols_size_are_no_departure() -> None:
    """Of such a plan departs alone what any plan of Phase 3 without its other phases lacks."""
    assert problems(plan()) == []
    assert list(departures(plan())) == [f"{match}: no Phase 0 match of agent in this game" for match in (CHESS, POKER)]


@pytest.mark.parametrize(
    ("shifts", "departure"),
    [
        (
            {"chess960": []},
            f"{CHESS}: no forced shift of the opponent's strategy, one after 300 games is the protocol's",
        ),
        (
            {"holdem": []},
            f"{POKER}: no forced shift of the opponent's strategy, one after 5,000 hands is the protocol's",
        ),
        (
            {"chess960": [{"after": 300, "patterns": ["castles_early"]}]},
            f"{CHESS}: the shift after 300 is of no kind of the protocol ({', '.join(ShiftKind)})",
        ),
        (
            {"chess960": [{"after": 49, "patterns": []}]},
            f"{CHESS}: fewer than 50 games before, between or after shifts, recovery is not tested there",
        ),
        (
            {"holdem": [{"after": 9501, "patterns": []}]},
            f"{POKER}: fewer than 500 hands before, between or after shifts, recovery is not tested there",
        ),
    ],
)
def test_a_shift_that_departs_is_named(shifts: dict[str, list[dict[str, Any]]], departure: str) -> None:
    assert departure in departures(plan(**shifts))


def test_the_last_room_that_recovery_needs_is_no_departure() -> None:
    exact = plan(chess960=[{"after": 330, "patterns": []}], holdem=[{"after": 500, "patterns": []}])
    assert not any("recovery" in line for line in departures(exact))


@pytest.mark.parametrize(
    ("fen", "pattern", "kept"),
    [
        ("4k3/8/8/8/8/8/3P4/r3K2R w - - 0 1", ChessPattern.PIECES_ANSWER_CHECKS, set()),
        ("4k3/8/8/8/8/5N2/5P2/r4K2 w - - 0 1", ChessPattern.PIECES_ANSWER_CHECKS, {"f3e1"}),
        ("4k3/8/8/8/8/5N2/5P2/4K3 w - - 0 1", ChessPattern.PIECES_ANSWER_CHECKS, set()),
        ("4k3/8/8/R7/8/8/8/4K3 w - - 0 1", ChessPattern.KEEPS_OWN_HALF, {"a5a1", "a5a2", "a5a3", "a5a4"}),
        ("4k3/8/8/8/r7/8/8/4K3 b - - 0 1", ChessPattern.KEEPS_OWN_HALF, {"a4a5", "a4a6", "a4a7", "a4a8"}),
    ],
)
def test_the_moves_that_keep_a_pattern_are_those_that_it_names(fen: str, pattern: Pattern, kept: set[str]) -> None:
    """Of a king, which the second pattern leaves free, nothing is compared."""
    board = chess.Board(fen, chess960=True)
    found = {move for move in keeping(board, pattern, None) if not board.kings & chess.BB_SQUARES[move.from_square]}
    assert {move.uci() for move in found} == kept
