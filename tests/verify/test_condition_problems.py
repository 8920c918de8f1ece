"""Conditions of a plan: arms that are compared differ in nothing else, and what a condition names is there."""

from typing import Any

import msgspec
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Chat
from agzamov_verify.core.untrusted_input import NAME_PART
from agzamov_verify.experiment.matches import ID_CHARS_MAX, Match
from agzamov_verify.experiment.plan_fields import Problem
from agzamov_verify.plan.condition_problems import SHIFTS_MAX, SYSTEMS_NAMED_MAX
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.plan_problems import MEMORY_CONTAINERS_MAX, problems
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.scoring.game_scoring import Played
from agzamov_verify.scoring.scorings import SCORINGS
from agzamov_verify.scoring.units.cells import Cell, CellKey
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.prompt_lines import FORM

FACTS, PLACEBO = "- Folds to 3-bet: 85%", "- Likes the sea a lot"
CONTROL: dict[str, Any] = {
    "phase": 2,
    "game": "chess960",
    "a": "agent",
    "b": "habit",
    "games": 40,
    "condition": {"augmentation": "memory"},
}
REAL = {**CONTROL, "condition": {"augmentation": "memory", "arm": "real", "system": "oracle"}}
FAKE = {**CONTROL, "condition": {"augmentation": "memory", "arm": "placebo", "system": "oracle"}}
HANDS = {"hands": 200, **{key: value for key, value in CONTROL.items() if key != "games"}, "game": "holdem"}
SHIFT = {"after": 20, "patterns": []}
PLAN: dict[str, Any] = {
    "title": "Arms",
    "seats": {
        "agent": {"kind": "reference"},
        "habit": {"kind": "reference", "patterns": ["castles_early"]},
        "easy": {"kind": "reference", "briefing": "Lose."},
    },
    "systems": {"oracle": {"kind": "oracle", "facts": FACTS, "placebo": PLACEBO}},
    "matches": [CONTROL, REAL, FAKE],
}
NAME = "x" * 32


def plan(*matches: dict[str, Any], **changes: object) -> Plan:
    return msgspec.convert({**PLAN, "matches": matches or PLAN["matches"], **changes}, Plan)


WITH_NOTES = {**PLAN["systems"], "notes": {"kind": "memory", "server": "recent"}}
BOTH = {**REAL, "phase": 3, "b_condition": {"augmentation": "memory", "arm": "real", "system": "oracle"}}
"""A match of Phase 3: both seats have a system."""


def oracle(**changes: object) -> dict[str, Any]:
    return {"oracle": {**PLAN["systems"]["oracle"], **changes}}


def shifted(match: dict[str, Any], *shifts: dict[str, Any]) -> dict[str, Any]:
    return {**match, "shifts": list(shifts)}


@pytest.mark.parametrize(
    "good",
    [
        plan(),
        plan(*(shifted(match, SHIFT) for match in (CONTROL, REAL, FAKE))),
        plan({**CONTROL, "b": "agent"}, {**REAL, "b": "agent"}),
        plan(REAL),
        plan(HANDS, holdem={"mirrored": True}),
        plan(shifted(HANDS, SHIFT)),
        plan(CONTROL, {**CONTROL, "b": "easy", "condition": {"augmentation": "tools"}}),
    ],
)
def test_arms_that_differ_in_their_condition_alone_have_no_problem(good: Plan) -> None:
    assert problems(good) == []


@pytest.mark.parametrize(
    ("bad", "path", "message"),
    [
        (
            plan(CONTROL, {**REAL, "b": "easy"}),
            "matches[1].b",
            "expected habit as in p2-chess960-memory_naked-agent-habit: arms meet one opponent",
        ),
        (
            plan(CONTROL, {**CONTROL, "b": "easy"}),
            "matches[1].b",
            "expected habit as in p2-chess960-memory_naked-agent-habit: arms meet one opponent",
        ),
        (
            plan(CONTROL, shifted(REAL, SHIFT)),
            "matches[1].shifts",
            "expected those of p2-chess960-memory_naked-agent-habit: arms meet one strategy",
        ),
        (
            plan(shifted({**CONTROL, "b": "agent"}, SHIFT)),
            "matches[0].shifts",
            "expected none in self-play: they change the strategy of another seat",
        ),
        (
            plan(shifted(CONTROL, *({"after": at} for at in range(1, SHIFTS_MAX + 2)))),
            "matches[0].shifts",
            f"expected at most {SHIFTS_MAX}, found {SHIFTS_MAX + 1}",
        ),
        (
            plan(shifted(CONTROL, {"after": 20}, {"after": 20})),
            "matches[0].shifts[1].after",
            "expected more than 20 and fewer than 40, found 20",
        ),
        (
            plan(shifted(CONTROL, {"after": 40})),
            "matches[0].shifts[0].after",
            "expected more than 0 and fewer than 40, found 40",
        ),
        (
            plan(shifted({**HANDS, "hands": 400}, SHIFT), holdem={"mirrored": True}),
            "matches[0].shifts",
            "expected none where decks are mirrored: both strategies would play one deck",
        ),
        (plan(systems=oracle(facts=" \n")), "systems.oracle.facts", "expected the text that is told"),
        (plan(systems=oracle(placebo=FACTS)), "systems.oracle.placebo", "expected another text than the facts"),
        (
            plan(systems=oracle(traits=["graph"])),
            "systems.oracle.traits",
            "expected none that the system cannot have, found graph",
        ),
        (
            plan({**CONTROL, "phase": 4}),
            "matches[0].phase",
            "expected one of 0, 1, 2, 3, 5, found 4",
        ),
        (
            plan({**CONTROL, "phase": 5}),
            "matches[0]",
            "expected positions in Phase 5: a class that its game has, as chess960",
        ),
        (
            plan({**HANDS, "phase": 5}),
            "matches[0]",
            "expected positions in Phase 5: a class that its game has, as chess960",
        ),
        (
            plan({**CONTROL, "positions": "slight"}),
            "matches[0].positions",
            "expected none in Phase 2, which is played from starts",
        ),
        (
            plan({**CONTROL, "phase": 5, "positions": "slight", "games": 62}),
            "matches[0].games",
            "expected at most 60: each of 30 slight positions once with both colours",
        ),
        (
            plan({**CONTROL, "phase": 5, "positions": "slight", "games": 310, "careers": 5}),
            "matches[0].games",
            "expected at most 60 a career: each of 30 slight positions once with both colours",
        ),
        (
            plan({**REAL, "b_condition": BOTH["b_condition"]}),
            "matches[0].b_condition",
            "expected none in Phase 2: seat A alone has a system",
        ),
        (
            plan({**REAL, "phase": 3}),
            "matches[0].b_condition",
            "expected an augmentation with arm real in Phase 3: both seats have a system",
        ),
        (
            plan({**BOTH, "b_condition": FAKE["condition"]}),
            "matches[0].b_condition",
            "expected an augmentation with arm real in Phase 3: both seats have a system",
        ),
        (
            plan({**BOTH, "b": "agent"}),
            "matches[0].b",
            "expected another seat than agent, of the same model: each has a store and a record of its own",
        ),
        (
            plan({**BOTH, "b": "other"}, seats={**PLAN["seats"], "other": {"kind": "random"}}),
            "matches[0].b",
            (
                "expected agent, or a seat that differs from it in patterns and briefing alone: "
                "Phase 3 compares a model with itself"
            ),
        ),
        (
            plan({**BOTH, "b_condition": {**BOTH["b_condition"], "system": "nobody"}}),
            "matches[0].b_condition.system",
            "expected one of the systems oracle; found nobody",
        ),
        (
            plan({**BOTH, "b_condition": {**BOTH["b_condition"], "system": "notes"}}, systems=WITH_NOTES),
            "matches[0].careers",
            "expected a number of careers: notes keeps a store from game to game",
        ),
        (
            plan(
                BOTH,
                {
                    **BOTH,
                    "condition": {"augmentation": "memory", "arm": "real", "system": "notes"},
                    "b_condition": {"augmentation": "memory", "arm": "real", "system": "notes"},
                },
                systems=WITH_NOTES,
            ),
            "matches[1].b_condition",
            "expected that of p3-chess960-memory_real_oracle-agent-habit: arms meet one opponent",
        ),
    ],
)
def test_a_fault_of_a_condition_names_its_place(bad: Plan, path: str, message: str) -> None:
    assert Problem(path, message) in problems(bad)


def test_seats_of_phase_3_have_systems_of_their_own_and_seat_b_may_shift() -> None:
    control = {**BOTH, "condition": {"augmentation": "memory"}}
    assert problems(plan(shifted(BOTH, SHIFT), shifted(control, SHIFT))) == []
    other = {**BOTH, "condition": {"augmentation": "tools", "arm": "real", "system": "engine"}}
    assert problems(plan(BOTH, other, systems={**PLAN["systems"], "engine": {"kind": "tools"}})) == []


def test_a_plan_of_many_systems_is_not_listed_whole() -> None:
    many = {f"s{at}": PLAN["systems"]["oracle"] for at in range(1000)}
    (problem,) = problems(plan(REAL, systems=many))
    assert problem.message.count("s") < 2 * SYSTEMS_NAMED_MAX


def test_names_too_long_for_the_files_of_a_bundle_are_refused_before_the_run() -> None:
    long = {**PLAN, "seats": {NAME: {"kind": "reference"}}, "systems": {NAME: PLAN["systems"]["oracle"]}}
    condition = {"augmentation": "memory", "arm": "real", "system": NAME}
    match = {**REAL, "a": NAME, "b": NAME, "condition": condition}
    (problem,) = problems(msgspec.convert({**long, "matches": [match]}, Plan))
    assert problem.path == "matches[0]"
    assert f"at most {ID_CHARS_MAX} characters, found" in problem.message
    longest = next(streams_of(plan().matches[0])).id
    file = longest.replace(plan().matches[0].id, "x" * ID_CHARS_MAX) + ".jsonl.gz"
    assert NAME_PART.fullmatch(file)
    assert not NAME_PART.fullmatch("x" + file)


@pytest.mark.parametrize("briefing", ["Be brave.", ""])
def test_what_a_system_tells_begins_on_a_line_of_its_own(briefing: str) -> None:
    told = plan(REAL, seats={**PLAN["seats"], "agent": {"kind": "reference", "briefing": briefing}})
    question = next(block_script(StreamPlan("s", told.matches[0], 0, 2), told, Dice(bytes(32))))
    assert isinstance(question, Chat)
    own = f"{briefing}\n" if briefing else ""
    assert question.messages[1].content.partition(FORM)[0].endswith(f"\nOpponent profile:\n{own}{FACTS}")


@pytest.mark.parametrize(("change", "same"), [({}, True), ({"b": "agent"}, False), ({"phase": 1}, False)])
def test_hands_are_paired_where_their_decks_are_the_same(change: dict[str, Any], same: bool) -> None:
    matches = [{**match, "game": "holdem"} for match in (CONTROL, {**REAL, **change})]
    for match in matches:
        del match["games"]
    both = plan(*matches)
    starts = {poker_cell(both, match).starts for match in both.matches}
    assert (len(starts) == 1) is same
    assert (len({match.draws for match in both.matches}) == 1) is same


def poker_cell(plan: Plan, match: Match) -> Cell:
    return SCORINGS["holdem"].cell(CellKey("m", "holdem", match.phase), Played("run", plan, match, 0, ()))


def test_containers_take_a_limited_number_of_careers_with_a_memory() -> None:
    notes = {"notes": {"kind": "memory", "server": "recent"}}

    def found(careers: int, **more: object) -> list[str]:
        control = {**CONTROL, "careers": careers, "games": 2 * careers, **more}
        real = {**control, "condition": {"augmentation": "memory", "arm": "real", "system": "notes"}}
        contained = plan(*([real] if more else [control, real]), systems=notes, isolation="container")
        return [str(problem) for problem in problems(contained)]

    both = {"phase": 3, "b_condition": {"augmentation": "memory", "arm": "real", "system": "notes"}}
    assert found(MEMORY_CONTAINERS_MAX) == found(MEMORY_CONTAINERS_MAX // 2, **both) == []
    assert found(101, **both) == ["isolation: expected process: containers take 200 careers with a memory, found 202"]
    assert found(201) == ["isolation: expected process: containers take 200 careers with a memory, found 201"]


@pytest.mark.parametrize(
    ("name", "system", "found"),
    [
        ("recent", {"kind": "memory", "server": "recent"}, ""),
        ("mem0_of_mine", {"kind": "memory", "server": "recent"}, ""),
        ("graph", {"kind": "memory", "server": "recent"}, "graph, found the server recent"),
        ("mem0", {"kind": "memory", "server": "recent"}, "mem0, found the server recent"),
        ("server_memory", {"kind": "memory", "server": "recent"}, "server-memory, found the server recent"),
        ("mem0", {"kind": "oracle", "facts": FACTS}, "mem0, found a system without a server"),
    ],
)
def test_the_name_of_a_known_server_is_for_no_other_system(name: str, system: dict[str, str], found: str) -> None:
    """Reports call a memory by the name that its plan gave it."""
    control = {**CONTROL, "careers": 5}
    real = {**control, "condition": {"augmentation": "memory", "arm": "real", "system": name}}
    expected = f"systems.{name}: expected another name: {name} is the name of the server {found}"
    faults = [str(problem) for problem in problems(plan(control, real, systems={name: system}))]
    assert faults == ([expected] if found else [])
