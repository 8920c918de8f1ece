"""A flagged error rate is said to be above the bound only where its interval is."""

from types import SimpleNamespace
from typing import Any

import pytest

from agzamov_verify.plan.manifest import Price
from agzamov_verify.scoring.inference.samples import Interval
from agzamov_verify.scoring.seat_stats import seat_stats
from agzamov_verify.show.text.figure_warnings import ErrorFlag, error_flags, flag_warning
from agzamov_verify.table.decision import Tally


def flags(
    rate: float, ci: tuple[str, str] | None, note: str = "", *, limit: int = 0, tokens: int = 0, **faults: int
) -> list[ErrorFlag]:
    """The flags of a match in which one seat has this rate and interval, and faults of these classes or of two."""
    errors = round(100 * rate)
    faults = faults or {"first_illegal": errors - errors // 2, "first_no_action": errors // 2}
    decisions = round(sum(faults.values()) / rate)
    exact = decisions - sum(faults.values())
    tally = Tally(decisions=decisions, first_exact=exact, completion_tokens=tokens, **faults)
    match: Any = SimpleNamespace(match="m", seat_stats=(seat_stats("a", tally, Price(), FLAG_PERCENT, limit),))
    row = SimpleNamespace(ci=Interval(*ci, "cluster-wilson") if ci else None, ci_note=note)
    analysed: Any = SimpleNamespace(first_errors=lambda side: row if side == "a" else None)
    return error_flags(match, analysed, FLAG_PERCENT)


FLAG_PERCENT = 5
FEW = "9 games, an interval needs 30"


@pytest.mark.parametrize(
    ("rate", "ci", "note", "sure", "words"),
    [
        (0.09, ("0.060000", "0.130000"), "", True, "9.0 % errors (95 % interval 6.0 % to 13.0 %), above 5 %"),
        (
            0.06,
            ("0.030000", "0.110000"),
            "",
            False,
            "6.0 % errors (95 % interval 3.0 % to 11.0 %), not surely above 5 %",
        ),
        (
            0.08,
            None,
            "9 games, an interval needs 30",
            False,
            "8.0 % errors (no interval: 9 games, an interval needs 30), not surely above 5 %",
        ),
    ],
)
def test_the_words_follow_the_interval(
    rate: float, ci: tuple[str, str] | None, note: str, sure: bool, words: str
) -> None:
    (flag,) = flags(rate, ci, note)
    assert (flag.is_sure, flag.words) == (sure, words)
    reliable = "its figures are not reliable" if sure else "its figures may not be reliable"
    assert flag_warning(flag) == f"seat a: {words} in m: {reliable}"


def test_a_seat_that_is_not_flagged_has_no_words() -> None:
    assert flags(0.04, ("0.010000", "0.090000")) == []


def test_all_errors_need_no_interval_and_have_their_reason() -> None:
    (flag,) = flags(1.0, None, FEW, first_cut=24)
    assert flag.is_sure
    cut = "replies that the server cut, as at a limit of tokens"
    assert flag.words == f"100.0 % errors (all of 24 decisions), all of them {cut}, above 5 %"


def test_replies_that_the_plan_cut_are_told_with_its_limit() -> None:
    (flag,) = flags(1.0, None, FEW, first_cut=24, limit=16, tokens=384)
    assert "all of them replies that the plan's limit of 16 tokens cut" in flag.words
    (flag,) = flags(1.0, None, FEW, first_cut=24, limit=16, tokens=383)
    assert "the plan's limit" not in flag.words, "one of them was shorter: something else cut it"


def test_a_rate_of_all_decisions_is_not_said_to_be_perhaps_above_the_bound() -> None:
    (flag,) = flags(1.0, None, FEW, first_cut=4)
    assert (flag.is_sure, "surely" in flag.words) == (False, False)


@pytest.mark.parametrize(
    ("faults", "why"),
    [
        ({"first_illegal": 19, "first_cut": 1}, ", nearly all of them illegal actions,"),
        ({"first_illegal": 10, "first_cut": 10}, ""),
        ({"first_no_reply": 3}, ", all of them calls with no reply,"),
    ],
)
def test_a_reason_is_told_where_it_is_that_of_nearly_all(faults: dict[str, int], why: str) -> None:
    (flag,) = flags(0.5, None, FEW, **faults)
    assert why in flag.words
    assert ("of them" in flag.words) == bool(why)
    assert "not surely above" in flag.words
