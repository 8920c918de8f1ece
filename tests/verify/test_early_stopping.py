"""Matches that may end early: how many streams are due is a function of the games that are there, and of no more."""

from typing import Any

import chess
import msgspec
import pytest

from agzamov_verify.experiment.analysis_plan import SequentialRule
from agzamov_verify.experiment.matches import Match
from agzamov_verify.games.chess.game import ChessBlock
from agzamov_verify.games.chess.game_script import ChessRecord, Ending
from agzamov_verify.games.chess.rules import End
from agzamov_verify.games.holdem.game import Holdem
from agzamov_verify.games.holdem.hand_script import PokerRules
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.plan_problems import problems
from agzamov_verify.scoring.departures import departures
from agzamov_verify.scoring.early_stopping import open_ended, streams_due
from agzamov_verify.table.decision import Tally

CHESS, POKER = "p1-chess960-naked-a", "p1-holdem-naked-a"
PAIRS, PER_BLOCK = 40, 2
NEAR = "nearer bounds would move the mean of skewed results"
WON, DRAWN = Ending(End.CHECKMATE, 2), Ending(End.STALEMATE, 1)
LOST = Ending(End.CHECKMATE, 0)


def plan(match: str = CHESS, **rule: object) -> Plan:
    """Forty start pairs in blocks of two, and ten sessions of hands; at most one rule."""
    declared = {"match": match, **rule}
    wished: dict[str, Any] = {
        "title": "Looks",
        "seats": {"a": {"kind": "reference"}, "dice": {"kind": "random"}},
        "matches": [
            {"phase": 1, "game": "chess960", "a": "a", "b": "a", "games": 2 * PAIRS, "block_games": 2 * PER_BLOCK},
            {"phase": 1, "game": "holdem", "a": "a", "b": "a", "hands": 1000, "block_hands": 100},
            {"phase": 0, "game": "chess960", "a": "a", "b": "dice", "games": 30},
        ],
        "analysis": {"sequential": [declared] if rule else []},
    }
    return msgspec.convert(wished, Plan)


def blocks(count: int, a_scores: int) -> list[ChessBlock]:
    """Blocks of pairs in which seat A gets 0, 1 or 2 half-points of every game."""
    tallies = (Tally(), Tally())
    for_a = {0: (LOST, WON), 1: (DRAWN, DRAWN), 2: (WON, LOST)}[a_scores]
    games = [ChessRecord("g", chess.STARTING_FEN, (), ending, ending, tallies) for ending in for_a]
    return [ChessBlock(2 * PER_BLOCK * at, tuple(games * PER_BLOCK)) for at in range(count)]


def due(of: Plan, have: list[ChessBlock]) -> int:
    return len(streams_due(of.matches[0], of, have))


def test_a_match_that_nothing_may_end_is_due_whole() -> None:
    assert due(plan(), []) == due(plan(), blocks(20, 2)) == PAIRS // PER_BLOCK
    watched_only = plan(blocks_per_look=0)
    assert due(watched_only, blocks(20, 2)) == PAIRS // PER_BLOCK


def test_even_play_is_due_from_look_to_look_and_then_whole() -> None:
    of = plan(blocks_per_look=6)
    assert [due(of, blocks(count, 1)) for count in (0, 6, 12, 18, 20)] == [6, 12, 18, 20, 20]


@pytest.mark.parametrize(("per_look", "ends"), [(1, 4), (2, 4), (3, 6), (5, 5), (7, 7), (20, 20)])
def test_a_clear_lead_ends_the_match_at_the_first_look_after_it(per_look: int, ends: int) -> None:
    """Wins only: the average of 1.1875^n, 1.375^n, 1.625^n passes 20 at n = 8, in the fourth block of two."""
    of = plan(blocks_per_look=per_look, alternative="greater")
    assert due(of, blocks(ends, 2)) == ends
    assert due(of, blocks(20, 2)) == ends, "blocks after the end are too many"
    before = (3 // per_look) * per_look
    assert due(of, blocks(before, 2)) == min(before + per_look, 20), "before it, the match goes on"


def test_the_other_direction_ends_nothing() -> None:
    assert due(plan(blocks_per_look=5, alternative="greater"), blocks(20, 0)) == 20
    assert due(plan(blocks_per_look=5, alternative="less"), blocks(20, 0)) == 5


def test_a_match_without_an_effect_of_interest_ends_too() -> None:
    assert due(plan(blocks_per_look=1, of_interest="1.9"), blocks(20, 1)) == 1
    assert due(plan(blocks_per_look=1), blocks(20, 1)) == 20


def test_a_rule_looks_at_its_own_match_alone() -> None:
    of = plan(POKER, blocks_per_look=2)
    assert due(of, blocks(20, 2)) == 20
    assert len(streams_due(of.matches[1], of, [])) == 2


def test_a_match_that_may_end_early_has_no_fixed_size_however_it_ended() -> None:
    assert open_ended(plan(blocks_per_look=5)) == (CHESS,)
    assert open_ended(plan(blocks_per_look=0)) == open_ended(plan()) == ()


# --- what may be declared ----------------------------------------------------------------------------


def test_a_plan_whose_match_may_end_early_is_possible_and_departs_from_the_protocol() -> None:
    of = plan(blocks_per_look=5)
    assert problems(of) == []
    line = f"{CHESS}: may end early by its declared rule, whole length required"
    assert line in departures(of)
    assert line not in departures(plan(blocks_per_look=0))


def test_phase_0_and_mirrored_matches_are_played_whole() -> None:
    (phase0,) = problems(plan("p0-chess960-naked-a", blocks_per_look=1))
    assert str(phase0).endswith("blocks_per_look: expected 0: Phase 0 is decided by a whole match")
    of = plan(POKER, blocks_per_look=1)
    mirrored = msgspec.structs.replace(of, holdem=msgspec.structs.replace(of.holdem, mirrored=True))
    (found,) = problems(mirrored)
    assert str(found).endswith("blocks_per_look: expected 0: a mirrored match plays every deck from both sides")


@pytest.mark.parametrize(
    ("match", "rule", "told"),
    [
        (CHESS, {"alpha": "0.5"}, "alpha: expected at most 0.05, the significance level of agz-0.1, found 0.5"),
        (CHESS, {"of_interest": "2"}, "of_interest: expected less than 2, the greatest distance from chance"),
        (POKER, {"clip_chips": 9_999}, f"clip_chips: expected 10000 to 1000000 (a session) with 10 sessions: {NEAR}"),
        (POKER, {"of_interest": "40000"}, "of_interest: expected less than 40000, the greatest distance from chance"),
    ],
)
def test_a_rule_that_would_be_no_test_is_refused(match: str, rule: dict[str, object], told: str) -> None:
    assert [str(one) for one in problems(plan(match, **rule))] == [f"analysis.sequential[0].{told}"]


@pytest.mark.parametrize(
    ("hands", "rules", "least"),
    [
        (10_000, PokerRules(), 40_000),
        (20_000, PokerRules(), 80_000),
        (500_000, PokerRules(), 150_000),
        (1_000, PokerRules(), 10_000),
        (10_000, PokerRules(mirrored=True), 28_285),
        (400, PokerRules(session_hands=4), 40_000),
        (2_000, PokerRules(session_hands=20), 40_000),
    ],
)
def test_the_more_sessions_the_farther_off_the_bounds(hands: int, rules: PokerRules, least: int) -> None:
    """A stack times sqrt(max(hands of a session, 100)) min(3/2, sessions / 250), and at least a stack."""
    sessions = hands // rules.unit_hands
    assert list(Holdem().rule_problems(SequentialRule(POKER, clip_chips=least), rules, sessions)) == []
    (found,) = Holdem().rule_problems(SequentialRule(POKER, clip_chips=least - 1), rules, sessions)
    assert str(found).startswith(f"clip_chips: expected {least} to ")


def test_the_default_bounds_are_too_near_for_more_than_the_protocols_hands() -> None:
    of = plan(POKER, blocks_per_look=0)
    found = [
        [str(one) for one in problems(msgspec.structs.replace(of, matches=(longer(of, hands),)))]
        for hands in (10_000, 20_000)
    ]
    told = f"analysis.sequential[0].clip_chips: expected 80000 to 1000000 (a session) with 200 sessions: {NEAR}"
    assert found == [[], [told]]


def longer(of: Plan, hands: int) -> Match:
    return msgspec.structs.replace(of.matches[1], hands=hands)  # type: ignore[arg-type]


def test_a_match_that_takes_too_long_to_decide_again_is_not_watched() -> None:
    of = plan(POKER, blocks_per_look=0, clip_chips=150_000)
    found = [problems(msgspec.structs.replace(of, matches=(longer(of, hands),))) for hands in (500_000, 500_100)]
    (told,) = found[1]
    assert found[0] == []
    assert str(told) == "analysis.sequential[0]: expected a match of at most 5000 observations, found 5001"
