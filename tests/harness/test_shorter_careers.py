"""More and shorter careers of a plan: as many as every match can be cut into, what they save, and what they change."""

from fractions import Fraction
from typing import Any

import pytest

from agzamov_harness.planning.forecast import Forecast
from agzamov_harness.planning.plan_summary import summary_lines
from agzamov_harness.planning.shorter_careers import MoreCareers, ShorterCareers, shorter_careers
from agzamov_harness.planning.shortest_time import shortest_time
from agzamov_harness.planning.spreads import assumed_spreads
from agzamov_harness.run.assumptions import Assumptions
from agzamov_harness.run.plan_file import plan_from, read_plan
from agzamov_verify.plan.manifest import Plan
from harness.phase_plans import MANIFESTS

MODEL = {"kind": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1"}
CHESS = {"phase": 2, "game": "chess960", "a": "model", "b": "model", "games": 500, "careers": 5}
HOLDEM = {"phase": 2, "game": "holdem", "a": "model", "b": "model", "hands": 10_000, "careers": 5}
SHIFT = {"b": "other", "shifts": [{"after": 50, "patterns": ["never_retreats"]}]}


def remembering(*sizes: dict[str, Any]) -> Plan:
    """A match without and one with a memory of each size."""
    arms = ({"augmentation": "memory", "arm": "naked"}, {"augmentation": "memory", "arm": "real", "system": "notes"})
    plan = {
        "title": "Careers",
        "seats": {"model": MODEL, "other": MODEL},
        "systems": {"notes": {"kind": "memory", "server": "full_text"}},
        "matches": [size | {"condition": arm} for size in sizes for arm in arms],
    }
    return plan_from(plan)


def forecast(plan: Plan) -> Forecast:
    return Forecast(plan, assumed_spreads(plan, {}, None), [], Assumptions(), None)


def found(plan: Plan) -> ShorterCareers | None:
    spreads = assumed_spreads(plan, {}, None)
    scorings = {game: of_game[0] for game, of_game in spreads.performance.items()}
    icc = {game: one.value for game, one in spreads.icc.items()}
    return shorter_careers(plan, Assumptions(), scorings, icc, Fraction(1, 20))


def more(plan: Plan) -> list[MoreCareers]:
    shorter = found(plan)
    return list(shorter.games) if shorter else []


@pytest.mark.parametrize(
    ("size", "most", "results"),
    [(CHESS, 10, 50), (CHESS | {"games": 300}, 10, 30), (HOLDEM, 5, 2_000), (HOLDEM | {"hands": 18_000}, 12, 1_500)],
    ids=["250 start pairs", "150 start pairs: 10 of 15", "100 sessions: 5 of 20", "180 sessions: 12 of 15"],
)
def test_careers_are_as_many_as_have_15_units_each_and_divide_all(
    size: dict[str, Any], most: int, results: int
) -> None:
    found = more(remembering(size))
    assert [(one.planned, one.most, one.results) for one in found] == ([(5, most, results)] if most > 5 else [])


def test_every_match_of_a_game_has_as_many() -> None:
    """250 and 75 start pairs are both 5 or 25 careers of whole pairs, and 25 of 3 pairs are too short."""
    assert more(remembering(CHESS, CHESS | {"games": 150, "a": "other", "b": "other"})) == []


def test_a_game_with_forced_shifts_keeps_its_careers() -> None:
    assert more(remembering(CHESS | SHIFT)) == []


def test_the_time_is_that_of_a_plan_with_these_careers() -> None:
    planned, shorter = found(remembering(CHESS)), remembering(CHESS | {"careers": 10})
    before = shortest_time(remembering(CHESS), Assumptions())
    assert planned
    assert before
    assert planned.time == shortest_time(shorter, Assumptions())
    assert Fraction(2, 5) < planned.time.seconds / before.seconds < Fraction(3, 5)


@pytest.mark.slow
def test_the_effects_are_those_of_the_table_of_careers() -> None:
    planned = forecast(remembering(CHESS))
    assert planned.shorter
    (row,), (one,) = planned.careers, planned.shorter.games
    assert dict(row.effects)[5] == one.effect_planned
    assert dict(row.effects)[10] == one.effect_most


def test_the_first_screen_says_time_effect_and_what_they_take() -> None:
    said = " ".join(" ".join(summary_lines(forecast(remembering(CHESS)))).split())
    assert "With 10 careers of 50 games it would be " in said
    assert "would then probably miss effects below 0.138 points of win rate (below 0.191 in 5 careers)." in said
    assert "the score could not be compared with those of the protocol's 5 careers." in said


def test_where_one_career_finds_no_effect_the_first_screen_says_so() -> None:
    said = " ".join(" ".join(summary_lines(forecast(remembering(CHESS | {"careers": 1})))).split())
    assert "(any effect in 1 career)." in said


@pytest.mark.parametrize("name", ["phase2", "phase3"])
def test_normative_plans_have_as_many_careers_as_they_can(name: str) -> None:
    assert more(read_plan(MANIFESTS / f"{name}.yaml")) == []
