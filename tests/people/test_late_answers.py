"""Answers that came later than their hold: drawn again from the seed, and held against the attested times of calls."""

from collections.abc import Sequence

import pytest

from agzamov_verify.checks.late_answers import LateAnswers, lateness
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.journal import VERSION, Asked, Entry
from agzamov_verify.core.questions import Reply
from agzamov_verify.experiment.people_settings import Hold
from agzamov_verify.plan.study_hold import hold_s
from agzamov_verify.scoring.call_records import CallRecord
from agzamov_verify.show.study_words import late_words

DICE, HOLD = Dice(bytes(32)), Hold(10, 30)
GAME = "p4-chess960-naked-machine-ada-g00000"
Call = tuple[str, str, int, int, float]
"""Kind of the question, who is asked, turn, attempt, and seconds of the call."""


def due_s(turn: int) -> float:
    return hold_s(HOLD, DICE, Asked("chat", 0, "", GAME, "ada", turn))


def late(*calls: Call) -> list[bool]:
    entries: Sequence[Entry] = [
        Entry(Reply(text=""), "", Asked(ask, attempt, "", GAME, to, turn), "", seq, "", VERSION)
        for seq, (ask, to, turn, attempt, _) in enumerate(calls)
    ]
    records = [CallRecord(to=to, us=round(seconds * 1_000_000)) for _, to, _, _, seconds in calls]
    return list(lateness(entries, records, "ada", HOLD, DICE))


@pytest.mark.parametrize(("extra_s", "is_late"), [(-0.01, False), (0.01, True)])
def test_an_answer_is_late_where_machine_tool_and_memory_together_took_longer(extra_s: float, is_late: bool) -> None:
    machine = due_s(1) - 2 + extra_s
    calls = [("chat", "ada", 0, 0, 99.0), ("recall", "memory_a", 0, 0, 1.0), ("examine", "tool_a", 0, 0, 1.0)]
    assert late(*calls, ("chat", "model", 0, 0, machine), ("chat", "ada", 1, 0, 5.0)) == [False, is_late]


def test_what_the_person_took_themselves_makes_nothing_late() -> None:
    thinks = ("chat", "ada", 0, 0, 500.0)
    assert late(("survey", "survey_b", 0, 0, 500.0), thinks, ("chat", "ada", 1, 0, 1.0)) == [False, False]
    assert late(("chat", "model", 0, 0, 99.0), ("survey", "survey_b", 0, 0, 1.0), thinks) == [False]


def test_a_position_that_is_asked_again_counts_once() -> None:
    assert late(("chat", "model", 0, 0, 99.0), ("chat", "ada", 0, 0, 1.0), ("chat", "ada", 0, 1, 1.0)) == [True]


def test_the_count_is_told_arm_by_arm_and_nothing_is_told_where_nothing_was_held() -> None:
    told = late_words([LateAnswers("4a", 1200, 0), LateAnswers("4c", 118, 7)])
    assert told.startswith("0 of 1,200 in 4a, 7 of 118 in 4c (by attested times)")
    assert late_words(()) == ""
