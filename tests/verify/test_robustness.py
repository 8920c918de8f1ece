"""The robustness check: which seats repeat another, what of them counts, and whether a delta moved."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from agzamov_verify.bundle import MANIFEST_FILE
from agzamov_verify.experiment.matches import Augmentation, SeatAt, Shift
from agzamov_verify.plan.manifest import Plan, load_manifest
from agzamov_verify.plan.plan_problems import problems
from agzamov_verify.scoring.analysis import Analysis
from agzamov_verify.scoring.deltas import RobustnessRow, robustness
from agzamov_verify.scoring.departures import departures
from agzamov_verify.scoring.early_stopping import matches_to_play
from agzamov_verify.scoring.match_cells import model_of
from agzamov_verify.scoring.units.cells import Cell
from agzamov_verify.seats import EndpointSeat, GgufSeat, ReferenceSeat
from agzamov_verify.table.scripted_players import random_answer
from bundles.bundle_factory import MODEL, Draft, check, make
from conditions import arms_of
from verify.agzamov.generator import CHESS, EVEN, POKER, World, arms, evidence, relabelled
from verify.test_gate import chess_phase0

COLD = EndpointSeat(base_url="http://127.0.0.1/v1", model="m")
WARM = msgspec.structs.replace(COLD, temperature="0.3")


def again(cells: list[Cell], temperature: str = "0.3") -> list[Cell]:
    return [relabelled(cell, temperature=temperature) for cell in cells]


def rows(cells: list[Cell]) -> list[RobustnessRow]:
    return list(robustness(evidence(cells)))


# --- which seats repeat another -------------------------------------------------------------------


def test_a_model_at_another_temperature_repeats_itself_at_0() -> None:
    assert WARM.repeats_at(COLD) == "0.3"
    assert WARM.repeats_at(msgspec.structs.replace(COLD, temperature="0.0")) == "0.3"


@pytest.mark.parametrize(
    ("seat", "other"),
    [
        (COLD, WARM),
        (COLD, COLD),
        (WARM, WARM),
        (WARM, msgspec.structs.replace(COLD, temperature="0.1")),
        (WARM, msgspec.structs.replace(COLD, model="other")),
        (WARM, msgspec.structs.replace(COLD, briefing="It plays e4.")),
        (WARM, ReferenceSeat()),
        (WARM, GgufSeat(weights="m")),
        (msgspec.structs.replace(WARM, accepts=("seed",)), msgspec.structs.replace(COLD, accepts=("seed",))),
    ],
    ids=["colder", "same", "both warm", "none at 0", "model", "briefing", "scripted", "kind", "never sent"],
)
def test_any_other_seat_repeats_nothing(seat: Any, other: Any) -> None:
    assert seat.repeats_at(other) == ""


# --- what of it counts ----------------------------------------------------------------------------


def test_a_delta_that_moved_by_more_than_its_standard_error_says_so() -> None:
    base = arms(World(win=0.7), games=[CHESS])
    same, other = again(base), again(arms(World(win=0.2), games=[CHESS]))
    unmoved, moved = rows(base + same)[0], rows(base + other)[0]
    assert (unmoved.moved, moved.moved) == (False, True)
    assert unmoved.change.value is not None
    assert unmoved.change.value.exact == "0/1"
    assert moved.delta == unmoved.delta == unmoved.repeated


def test_the_standard_error_is_that_of_four_independent_samples() -> None:
    base, other = arms(World(win=0.7), games=[POKER]), again(arms(World(mean=40), games=[POKER]))
    row = rows(base + other)[0]
    samples = [np.array(cell.measured().values) for cell in base + other]
    factor = float(base[0].measured().scale.factor)
    expected = factor * np.sqrt(sum(np.var(sample, ddof=1) / len(sample) for sample in samples))
    assert row.standard_error is not None
    assert float(row.standard_error.decimal) == pytest.approx(expected, rel=1e-6)


def test_a_delta_within_one_career_has_no_standard_error() -> None:
    base = arms(World(win=0.7), games=[CHESS])
    one = [msgspec.structs.replace(cell, careers=int(cell.key.arm == "real")) for cell in again(base)]
    row = rows(base + one)[0]
    assert (row.standard_error, row.moved) == (None, None)


@pytest.mark.slow
def test_no_score_and_no_hypothesis_rests_on_a_repeat() -> None:
    base = arms(World(win=0.7))
    with_repeat, without = evidence(base + again(arms(EVEN))), evidence(base)
    assert with_repeat.cells == without.cells
    assert with_repeat.deltas(CHESS) == without.deltas(CHESS)
    assert [with_repeat.learned(cell) for cell in base] == [without.learned(cell) for cell in base]


@pytest.mark.parametrize("lost", ["real", "naked"])
def test_without_both_arms_again_there_is_no_row(lost: str) -> None:
    base = arms(World(win=0.7), games=[CHESS])
    assert rows(base + [cell for cell in again(base) if cell.key.arm != lost]) == []
    assert rows(base + again(arms(World(win=0.7), games=[CHESS], augmentation=Augmentation.RAG))) == []


# --- a plan ---------------------------------------------------------------------------------------


def planned(games: int = 50, temperature: str = "0.3", lost: int = 0) -> Plan:
    """All arms of documents in chess, and again at another temperature, less the last `lost` of those."""
    matches: list[dict[str, Any]] = [{"phase": 0, "game": "chess960", "a": "cold", "b": "dice", "games": 30}]
    for name, size in (("cold", 500), ("warm", games)):
        matches += [
            {"phase": 2, "game": "chess960", "a": name, "b": name, "games": size, "condition": condition}
            for condition in arms_of("rag").values()
        ]
    value = {
        "title": "Robustness",
        "seats": {"cold": MODEL, "warm": {**MODEL, "temperature": temperature}, "dice": {"kind": "random"}},
        "systems": {"rag": {"kind": "rag"}},
        "matches": matches[: len(matches) - lost],
    }
    return msgspec.convert(value, Plan)


def test_a_plan_with_the_check_is_compliant() -> None:
    assert departures(planned()) == ()


def test_a_warm_opponent_is_excused_in_the_check_alone() -> None:
    plan = planned()
    seats = {**plan.seats, "habit_warm": msgspec.structs.replace(plan.seats["warm"], patterns=("castles_early",))}
    seats["habit"] = msgspec.structs.replace(seats["habit_warm"], temperature="0")

    def against(cold: str, warm: str) -> tuple[str, ...]:
        opponents = {"cold": cold, "warm": warm, "dice": "dice"}
        matches = [m if not m.phase else msgspec.structs.replace(m, b=opponents[m.a]) for m in plan.matches]
        return departures(msgspec.structs.replace(plan, seats=seats, matches=tuple(matches)))

    assert against("habit", "habit_warm") == ()
    assert "seat habit_warm at temperature 0.3, 0 required" in against("habit_warm", "habit_warm")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({"patterns": ()}, ["matches[4].b", "matches[5].b", "matches[6].b"]),
        ({"briefing": "Lose."}, ["matches[4].b", "matches[5].b", "matches[6].b"]),
    ],
    ids=["the same", "patterns", "briefing"],
)
def test_the_check_is_against_an_opponent_that_is_told_the_same(
    changes: dict[str, object], expected: list[str]
) -> None:
    plan = planned()
    habit = msgspec.structs.replace(plan.seats["cold"], patterns=("castles_early",))
    warm = msgspec.structs.replace(habit, temperature="0.3", **changes)
    opponents = {"cold": "habit", "warm": "habit_warm"}
    matches = tuple(m if not m.phase else msgspec.structs.replace(m, b=opponents[m.a]) for m in plan.matches)
    seats = {**plan.seats, "habit": habit, "habit_warm": warm}
    found = problems(msgspec.structs.replace(plan, seats=seats, matches=matches))
    assert [problem.path for problem in found] == expected
    words = "expected a seat with the patterns and briefing of habit, as in p2-chess960-rag_naked-cold-habit: warm"
    assert all(problem.message.startswith(words) for problem in found)


def test_a_strategy_that_shifts_in_the_check_alone_is_refused() -> None:
    plan = planned()
    habits = {name: msgspec.structs.replace(plan.seats[name], patterns=("castles_early",)) for name in ("cold", "warm")}
    seats = {**plan.seats, **{f"habit_{name}": seat for name, seat in habits.items()}}
    matches = [m if not m.phase else msgspec.structs.replace(m, b=f"habit_{m.a}") for m in plan.matches]
    shift = (Shift(20),)
    shifted = [msgspec.structs.replace(m, shifts=shift) if m.a == "warm" else m for m in matches]
    found = problems(msgspec.structs.replace(plan, seats=seats, matches=tuple(shifted)))
    assert [problem.path for problem in found] == [f"matches[{at}].shifts" for at in (4, 5, 6)]
    every = [msgspec.structs.replace(m, shifts=shift) if m.phase else m for m in matches]
    assert problems(msgspec.structs.replace(plan, seats=seats, matches=tuple(every))) == []


@pytest.mark.parametrize(
    ("plan", "missing"),
    [(planned(games=48), 3), (planned(temperature="0.5"), 3), (planned(lost=1), 1), (planned(lost=3), 3)],
    ids=["too few games", "another temperature", "an arm less", "none"],
)
def test_a_plan_without_it_departs(plan: Plan, missing: int) -> None:
    words = f"{missing} of 3 conditions of Phase 2 without the robustness check"
    required = "50 games (or sessions of hands) of each at temperature 0.3 required"
    assert departures(plan) == (f"seat cold: {words}, {required}",)


def test_a_seat_that_fails_phase_0_is_not_repeated_either() -> None:
    plan = planned()
    failed, passed = (
        msgspec.structs.replace(chess_phase0(wins), table=(SeatAt("cold"), SeatAt("dice"))) for wins in (0, 30)
    )
    assert matches_to_play(plan, 2, [failed]) == []
    assert len(matches_to_play(plan, 2, [passed])) == 6


# --- a bundle -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    conditions = [condition for arm, condition in arms_of("rag").items() if arm != "placebo"]
    wished = {
        "title": "Robustness",
        "seats": {"cold": MODEL, "warm": {**MODEL, "temperature": "0.3"}},
        "systems": {"rag": {"kind": "rag"}},
        "chess960": {"plies_max": 4, "adjudication": {"policy": "none"}},
        "matches": [
            {"phase": 2, "game": "chess960", "a": name, "b": name, "games": 4, "condition": condition}
            for name in ("cold", "warm")
            for condition in conditions
        ],
    }
    return make(wished, tmp_path_factory.mktemp("robustness"), random_answer)


def test_a_bundle_has_the_row_and_both_are_one_model(played: Path) -> None:
    verdict = check(played)
    assert verdict.level == "V1"
    manifest = load_manifest((played / MANIFEST_FILE).read_bytes())
    assert model_of(manifest, "warm") == model_of(manifest, "cold") == "openai:scripted"
    analysis = msgspec.convert(Draft.of(played).json("data/results/analysis.json"), Analysis)
    assert [(row.model, row.temperature, row.augmentation) for row in analysis.robustness] == [
        ("openai:scripted", "0.3", "rag")
    ]
    assert len(analysis.deltas) == 1
