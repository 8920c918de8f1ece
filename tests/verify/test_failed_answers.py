"""Failed answers: "cannot format" and "cannot play" come apart, with their counts and what to try."""

from typing import Any

import msgspec
import pytest

from agzamov_verify.plan.manifest import Plan, Price
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.failed_answers import Cannot, FailedAnswers, added
from agzamov_verify.scoring.seat_stats import SeatStats, seat_stats
from agzamov_verify.show.text.failed_answer_words import failed_answer_words
from agzamov_verify.table.decision import Tally

BOUND = load_protocol("agz-0.1").phase0.error_percent_below
ONE_SHOT = "a worked example before each decision (chess960: {shots: 1})"
LEGAL_MOVES = "chess960: {prompt: legal_moves} (the legal moves are listed)"


def plan(**other: Any) -> Plan:
    match = {"phase": 0, "game": "chess960", "a": "smol", "b": "dice", "games": 2}
    seats = {"smol": {"kind": "reference"}, "dice": {"kind": "random"}}
    return msgspec.convert({"title": "Failed", "seats": seats, "matches": [match], **other}, Plan)


def stats(legal: int = 0, tokens_max: int = 24, cut_at: int = 24, **faults: int) -> SeatStats:
    """A seat with so many legal first attempts, and faults by class; replies that were cut have `cut_at` tokens."""
    first = {f"first_{name}": count for name, count in faults.items()}
    tally = Tally(
        decisions=legal + sum(faults.values()),
        first_exact=legal,
        completion_tokens=cut_at * faults.get("cut", 0),
        **first,
    )
    return seat_stats("smol", tally, Price(), 5, tokens_max)


def answers(*rows: SeatStats, game: str = "chess960") -> FailedAnswers:
    return added("smol", game, rows, BOUND)


@pytest.mark.parametrize(
    ("row", "cannot"),
    [
        (stats(legal=100, no_action=100), (Cannot.FORMAT,)),
        (stats(legal=100, illegal=100), (Cannot.PLAY,)),
        (stats(no_action=80, illegal=20), (Cannot.FORMAT, Cannot.PLAY)),
        (stats(no_action=100), (Cannot.FORMAT,)),
        (stats(legal=81, illegal=19), ()),
        (stats(legal=80, illegal=20), (Cannot.PLAY,)),
        (stats(legal=81, ambiguous=19), ()),
        (stats(legal=80, ambiguous=20), (Cannot.FORMAT,)),
        (stats(legal=8, illegal=2, no_action=90), (Cannot.FORMAT, Cannot.PLAY)),
        (stats(legal=9, illegal=1, no_action=90), (Cannot.FORMAT,)),
        (stats(legal=8, illegal=2, no_reply=90), (Cannot.PLAY,)),
        (stats(no_reply=100), ()),
        (stats(legal=100), ()),
    ],
)
def test_form_is_a_share_of_all_answers_and_play_of_those_that_declare(
    row: SeatStats, cannot: tuple[Cannot, ...]
) -> None:
    assert answers(row).cannot == cannot


def test_matches_of_one_game_are_added() -> None:
    both = answers(stats(legal=5, no_action=3, cut=1), stats(illegal=2, no_reply=1))
    assert (both.decisions, both.answers, both.unread, both.declared, both.illegal) == (12, 11, 4, 7, 2)


UNKNOWN = "none declares an action, so whether it can play is not known"
NO_DECLARATION = "answers have no declaration that can be read"


@pytest.mark.parametrize(
    ("row", "cannot", "counts", "advice"),
    [
        (
            stats(legal=2, illegal=5, no_action=73, cut=7),
            "cannot format and cannot play",
            f"80 of 87 {NO_DECLARATION} (no action 73, cut 7), and of the 7 that have one, 5 are not legal",
            f"a tokens_max above 24, {ONE_SHOT}, {LEGAL_MOVES}",
        ),
        (
            stats(no_action=8),
            "cannot format",
            f"8 of 8 {NO_DECLARATION} (no action 8), and {UNKNOWN}",
            ONE_SHOT,
        ),
        (
            stats(cut=8, tokens_max=0),
            "did not end its answers",
            f"8 of 8 {NO_DECLARATION} (cut 8), and {UNKNOWN}",
            f"a server that does not cut replies, {ONE_SHOT}",
        ),
        (
            stats(cut=8, cut_at=23),
            "did not end its answers",
            f"8 of 8 {NO_DECLARATION} (cut 8), and {UNKNOWN}",
            f"a server that does not cut replies (or a greater tokens_max), {ONE_SHOT}",
        ),
        (
            stats(illegal=5, legal=2, no_reply=1),
            "cannot play",
            "of 7 declared actions, 5 are not legal, and 1 with no reply",
            LEGAL_MOVES,
        ),
    ],
)
def test_counts_of_both_are_told_and_what_to_try(row: SeatStats, cannot: str, counts: str, advice: str) -> None:
    limited = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "smol", "tokens_max": 24}
    planned = plan(seats={"smol": limited, "dice": {"kind": "random"}}) if row.reply_tokens_max else plan()
    assert failed_answer_words(answers(row), planned) == f"smol {cannot} in Chess960: {counts}; next, try {advice}"


def test_what_a_plan_has_already_is_not_advised() -> None:
    listed = plan(chess960={"prompt": "legal_moves"})
    for game, planned in (("chess960", listed), ("holdem", plan())):
        told = failed_answer_words(answers(stats(illegal=5), game=game), planned)
        assert told.endswith("next, try a stronger model")
    shown = plan(chess960={"shots": 1})
    assert failed_answer_words(answers(stats(no_action=5)), shown).endswith(
        "next, try a model that follows instructions"
    )
