"""The benchmark player in a plan: where it may sit, its matches' names, and that they are told as no self-play."""

from typing import Any

import msgspec
import pytest

from agzamov_verify.experiment.plan_fields import Problem
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.plan_problems import problems
from agzamov_verify.scoring.departures import departures

PLAN: dict[str, Any] = {
    "title": "Benchmark",
    "seats": {"model": {"kind": "reference"}, "dice": {"kind": "random"}, "bank": {"kind": "benchmark"}},
    "matches": [
        {"phase": 0, "game": "holdem", "a": "model", "b": "dice", "hands": 3000},
        {"phase": 1, "game": "holdem", "a": "model", "b": "model", "hands": 10_000},
        {"phase": 1, "game": "holdem", "a": "model", "b": "bank", "hands": 10_000},
    ],
}


def plan(**changes: object) -> Plan:
    return msgspec.convert({**PLAN, **changes}, Plan)


def one_match(**changes: object) -> Plan:
    return plan(matches=[{**PLAN["matches"][2], **changes}])


def test_self_play_and_play_against_the_benchmark_player_stand_side_by_side_under_names_of_their_own() -> None:
    assert problems(plan()) == []
    names = [match.id for match in plan().matches]
    assert names == ["p0-holdem-naked-model", "p1-holdem-naked-model", "p1-holdem-naked-model-bank"]


def test_the_benchmark_player_may_be_measured_too() -> None:
    assert problems(one_match(phase=0, a="bank", b="dice")) == []
    assert problems(one_match(a="bank", b="bank")) == []


@pytest.mark.parametrize(
    ("found", "problem"),
    [
        (
            plan(matches=[{"phase": 1, "game": "chess960", "a": "model", "b": "bank", "games": 2}]),
            Problem("matches[0].b", "expected a seat that plays Chess960, found the benchmark player"),
        ),
        (one_match(phase=0), Problem("matches[0].b", "expected a random seat in Phase 0")),
        (
            one_match(a="bank", b="model"),
            Problem("matches[0].b", "expected bank or a benchmark seat: Phase 1 is self-play"),
        ),
        (
            plan(seats={**PLAN["seats"], "bank": {"kind": "benchmark", "briefing": "It folds too much."}}),
            Problem("seats.bank", "expected no patterns and no briefing: the benchmark player keeps to its policy"),
        ),
        (
            plan(seats={**PLAN["seats"], "bank": {"kind": "benchmark", "patterns": ["min_raises_pairs"]}}),
            Problem("seats.bank", "expected no patterns and no briefing: the benchmark player keeps to its policy"),
        ),
    ],
)
def test_where_the_benchmark_player_cannot_sit_is_said(found: Plan, problem: Problem) -> None:
    assert problems(found) == [problem]


def test_a_match_against_the_benchmark_player_is_told_as_a_departure() -> None:
    assert departures(plan()) == ("p1-holdem-naked-model-bank: bank is the opponent, self-play required",)
