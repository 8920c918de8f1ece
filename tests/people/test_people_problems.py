"""Plans of studies that cannot be run: one fault each, named with its path."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from agzamov_verify.experiment.people_settings import SubPhase
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.people_study import people_of, sub_phases_of
from agzamov_verify.plan.plan_problems import problems
from people.people_worlds import ARMS, study

PEOPLE = {"ada": "random", "ben": "random"}


def found(wished: dict[str, Any]) -> list[str]:
    return [str(problem) for problem in problems(msgspec.convert(wished, Plan))]


def test_a_study_of_three_or_five_arms_can_be_run() -> None:
    assert found(study(PEOPLE)) == []
    assert found(study(PEOPLE, arms=tuple(ARMS))) == []


def test_a_study_knows_its_people_and_their_sub_phases() -> None:
    plan = msgspec.convert(study(PEOPLE, arms=tuple(ARMS)), Plan)
    assert [person.name for person in people_of(plan)] == ["ada", "ben"]
    assert [person.stratum for person in people_of(plan)] == ["machine", "machine"]
    assert sub_phases_of(plan) == tuple(SubPhase)
    assert {one.value for one in people_of(plan)[0].matches} == set(ARMS)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda plan: plan.pop("people"), "people: expected the settings of the study, {} for the defaults"),
        (
            lambda plan: plan.update(people={"hold": {"median_s": 9, "most_s": 8}}),
            "people.hold.most_s: expected 9 or more, found 8",
        ),
        (
            lambda plan: plan["matches"].pop(),
            "matches: expected matches of ben in 4c: each plays all arms",
        ),
        (
            lambda plan: plan["matches"][0].update(games=8),
            "matches: expected as many games of ada in each sub-phase as of all, found 4, 8",
        ),
        (
            lambda plan: plan["matches"][2].update(careers=2),
            "matches[2].careers: expected 1: a person's games of a sub-phase are one career, found 2",
        ),
        (
            lambda plan: plan["matches"][1].update(block_games=4),
            "matches[1].block_games: expected 2: the order is drawn by start pairs",
        ),
        (
            lambda plan: plan["matches"][1]["condition"].update(arm="placebo"),
            "matches[1].condition: expected none (4a), tools with arm real (4b), full with arm real (4c), or memory",
        ),
        (
            lambda plan: plan["matches"][0].update(b="model"),
            "matches[0].b: expected a person, found model, which is measured",
        ),
        (
            lambda plan: (
                plan["matches"].append({**plan["matches"][0], "a": "second"})
                or plan["seats"].update(second={"kind": "random"})
            ),
            "matches[6]: expected one match of ada in 4a, found another: a person meets one engine at one strength",
        ),
        (
            lambda plan: plan["systems"]["both"].update(tools="recent"),
            "systems.both.tools: expected another system than the memory, found recent twice",
        ),
    ],
)
def test_a_study_with_one_fault_is_refused(change: Callable[[dict[str, Any]], object], expected: str) -> None:
    wished = study({"ada": "random", "ben": "random"})
    wished["matches"] = [
        {**match, **({"condition": dict(match["condition"])} if "condition" in match else {})}
        for match in wished["matches"]
    ]
    wished["systems"] = {name: dict(system) for name, system in wished["systems"].items()}
    change(wished)
    assert any(one.startswith(expected) for one in found(wished)), found(wished)


def test_another_protocol_has_no_people() -> None:
    wished = {
        "title": "Other", "protocol": "agz-0.1", "people": {}, "seats": {"dice": {"kind": "random"}},
        "matches": [{"phase": 1, "game": "chess960", "a": "dice", "b": "dice", "games": 2}],
    }  # fmt: skip
    assert "people: expected nothing: agz-0.1 is no protocol of studies with people" in found(wished)
