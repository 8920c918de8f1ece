"""The positive control of memory: its verdict on good figures and on bad ones, and a tiny run from plan to verdict."""

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agzamov_harness.positive_control.control_verdict import (
    GameVerdict,
    MeanRatio,
    PlayedArm,
    Role,
    delta_of,
    judged,
    ratio_of_means,
)
from agzamov_harness.positive_control.judged_bundle import (
    ControlVerdict,
    PlaceboCareer,
    placebo_matches,
    verdict_document,
    verdict_lines,
    with_placebo,
)
from agzamov_harness.run.plan_file import read_plan
from agzamov_verify.core import canon
from agzamov_verify.experiment.matches import Arm
from agzamov_verify.scoring.inference.estimate import Scale
from agzamov_verify.scoring.inference.unit_values import Units
from agzamov_verify.systems import MemorySystem, OracleSystem
from harness.commands import Commands

PLAN = Path(__file__).parents[2] / "manifests" / "positive-control.yaml"
SCALE = Scale("bb/100", Fraction(1))
UNITS = 15
NAKED = (10, -20, 5, 0, -5)
GOOD = {
    "full_text": (110, 70, 120, 105, 80),
    "noisy": (40, 10, 45, 30, 5),
    "placebo": (5, -10, 0, 5, -10),
    "oracle": (160, 130, 170, 140, 150),
}
ROLES = {"full_text": Role.MEMORY, "noisy": Role.NOISY, "placebo": Role.PLACEBO, "oracle": Role.ORACLE}
CAREER = PlaceboCareer("b00000", notes=90, entries=90, notes_bytes=9_990, entries_bytes=10_000, asked_again=100)


def units(career_means: tuple[int, ...]) -> Units:
    """Fifteen units of each career, around its mean."""
    values = tuple(mean + (-1) ** number * (number > 0) for mean in career_means for number in range(UNITS))
    return Units(values, SCALE, "decks", careers=len(career_means))


def verdict(arms: Mapping[str, tuple[int, ...]], game: str = "holdem") -> GameVerdict:
    played = [PlayedArm(name, ROLES[name], units(means)) for name, means in arms.items()]
    return judged(game, units(NAKED), played)


def failed(found: GameVerdict) -> list[str]:
    return [check.expected for check in found.checks if not check.holds]


def test_good_figures_hold() -> None:
    found = verdict(GOOD)
    assert failed(found) == []
    assert found.holds
    memory = found.memory
    assert memory
    assert memory.delta.value == pytest.approx(99)
    assert found.careers == 5
    assert memory.p
    assert memory.p < 0.001


@pytest.mark.parametrize(
    ("arm", "means", "expected"),
    [
        ("full_text", (60, -90, 70, 45, -40), ["full_text above 0 (p < 0.05)"]),
        ("placebo", (30, 0, 25, 20, 18), ["the placebo not away from 0 (p >= 0.05)"]),
        ("placebo", (-10, -42, -13, -21, -25), ["the placebo not away from 0 (p >= 0.05)"]),
        ("noisy", (111, 71, 121, 106, 81), ["noisy not above full_text"]),
        ("oracle", (90, 60, 100, 80, 70), ["full_text not above oracle", "no arm above the oracle (p < 0.05)"]),
        ("oracle", (100, 80, 110, 100, 90), ["full_text not above oracle"]),
    ],
)
def test_one_bad_arm_fails_with_its_own_line(arm: str, means: tuple[int, ...], expected: list[str]) -> None:
    arms = {**GOOD, arm: means}
    if arm == "full_text":
        arms["noisy"] = NAKED
    assert failed(verdict(arms)) == expected


def test_the_naked_arm_has_no_careers_and_is_parted_as_the_others_are() -> None:
    played = [PlayedArm(name, ROLES[name], units(means)) for name, means in GOOD.items()]
    naked = msgspec.structs.replace(units(NAKED), careers=0)
    assert judged("holdem", naked, played) == verdict(GOOD)


def test_an_arm_that_is_paired_with_nothing_has_a_delta_and_no_test() -> None:
    other = msgspec.structs.replace(units(GOOD["full_text"]), starts="other decks")
    delta = delta_of(other, units(NAKED))
    assert delta.value == pytest.approx(99)
    assert (delta.p_above, delta.low) == (None, None)


@pytest.mark.parametrize("role", ROLES)
def test_a_missing_arm_fails(role: str) -> None:
    found = verdict({name: means for name, means in GOOD.items() if name != role})
    assert "an arm of each role" in failed(found)


def test_a_placebo_that_is_played_alike_to_the_last_chip_is_not_away_from_0() -> None:
    assert verdict({**GOOD, "placebo": NAKED}).holds


def test_careers_that_are_too_short_for_a_test_hold_nothing() -> None:
    short = [
        PlayedArm(name, ROLES[name], Units(means, SCALE, "decks", careers=5, too_short="careers of 1 session"))
        for name, means in GOOD.items()
    ]
    found = judged("holdem", Units(NAKED, SCALE, "decks", careers=5, too_short="careers of 1 session"), short)
    assert {"full_text above 0 (p < 0.05)", "the placebo not away from 0 (p >= 0.05)"} <= {*failed(found)}


def test_the_share_of_the_oracle_is_fiellers() -> None:
    memory = verdict(GOOD).arms[0]
    assert memory.share
    assert memory.share.value == pytest.approx(99 / 152)
    assert memory.share.low
    assert memory.share.high
    assert memory.share.low < 99 / 152 < memory.share.high
    half = ratio_of_means([2.5, 3, 3.5], [5, 6, 7])
    assert half
    assert tuple(half) == pytest.approx((0.5, 0.5, 0.5))


def test_the_share_of_an_oracle_that_may_be_worth_nothing_has_no_bounds() -> None:
    assert ratio_of_means([1.0, 2.0, 3.0], [-5.0, 1.0, 5.0]) == MeanRatio(6.0, None, None)
    assert ratio_of_means([1.0], [0.0]) is None


def test_the_bounds_are_where_a_t_test_of_the_difference_turns() -> None:
    """At each bound r, mean(x) - r mean(y) stands t standard errors from 0."""
    x, y = [3.0, 5.0, 4.0, 6.0, 2.0], [8.0, 9.0, 7.0, 9.5, 8.5]
    share = ratio_of_means(x, y)
    assert share
    assert share.low
    assert share.high
    for bound in (share.low, share.high):
        away = [a - bound * b for a, b in zip(x, y, strict=True)]
        middle = sum(away) / 5
        error = (sum((value - middle) ** 2 for value in away) / 4 / 5) ** 0.5
        assert abs(middle) / error == pytest.approx(2.776445, abs=1e-5)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, []),
        ({"notes": 89}, ["as many placebo notes as entries, as long within 2 % in each career"]),
        ({"notes_bytes": 10_201}, ["as many placebo notes as entries, as long within 2 % in each career"]),
        ({"notes_bytes": 9_799}, ["as many placebo notes as entries, as long within 2 % in each career"]),
        ({"others": 46}, ["at most 15 % of decisions are others without the placebo's notes"]),
    ],
)
def test_a_placebo_is_as_many_and_as_long_as_what_it_stands_for_and_moves_nothing(
    change: dict[str, int], expected: list[str]
) -> None:
    changed = CAREER.plus(**{name: value - getattr(CAREER, name) for name, value in change.items()})
    assert failed(with_placebo(verdict(GOOD), [CAREER, changed, CAREER])) == expected


def test_the_last_line_has_delta_interval_and_p_of_each_game() -> None:
    *_, last = verdict_lines(ControlVerdict((verdict(GOOD, "chess960"), verdict(GOOD)), {}))
    assert last.startswith("positive control HOLDS: chess delta +99.000 [+")
    assert "; poker delta +99.000 [+" in last
    assert last.count(", p ") == 2


def test_one_game_alone_is_no_control() -> None:
    found = ControlVerdict((verdict(GOOD),), {})
    assert '"p_above":"' in canon.ascii_text(verdict_document(found))
    assert not found.holds
    assert "FAILS (two games or more, found 1)" in list(verdict_lines(found))[-1]


def test_the_plan_has_every_arm_in_both_games() -> None:
    plan = read_plan(PLAN)
    for game in ("chess960", "holdem"):
        matches = [match for match in plan.matches if match.game == game]
        arms = {(match.condition.arm, match.condition.system) for match in matches}
        assert {match.careers for match in matches} == {5}
        assert (Arm.NAKED, "") in arms
        assert (Arm.PLACEBO, "full_text") in arms
        for name, system in plan.systems.items():
            assert (Arm.REAL, name) in arms
            assert isinstance(system, MemorySystem | OracleSystem)


@pytest.mark.parametrize(("plan", "number"), [("positive-control", 2), ("full-control", 0), ("tools-control", 0)])
def test_placebos_of_memories_alone_are_weighed(plan: str, number: int) -> None:
    assert len(placebo_matches(read_plan(PLAN.with_stem(plan)))) == number


# --- a tiny run ----------------------------------------------------------------------------------


def tiny() -> dict[str, Any]:
    arms = [{}, *({"arm": arm, "system": name} for arm, name in (("placebo", "notes"), ("real", "notes")))]
    arms += [{"arm": "real", "system": name} for name in ("noisy", "oracle")]
    sizes = {"chess960": {"games": 4}, "holdem": {"hands": 8}}
    return {
        "title": "Tiny control",
        "seats": {"agent": {"kind": "random"}, "foe": {"kind": "random", "patterns": ["never_folds_pairs"]}},
        "chess960": {"plies_max": 6, "adjudication": {"policy": "none"}},
        "holdem": {"session_hands": 4},
        "systems": {
            "notes": {"kind": "memory", "server": "recent", "hits_max": 2},
            "noisy": {"kind": "memory", "server": "noisy", "noise_percent": 50, "hits_max": 2},
            "oracle": {"kind": "oracle", "facts": "It never folds a pair."},
        },
        "matches": [
            {
                "phase": 2,
                "game": game,
                "a": "agent",
                "b": "foe",
                "careers": 1,
                **size,
                "condition": {"augmentation": "memory", **arm},
            }
            for arm in arms
            for game, size in sizes.items()
        ],
    }


@pytest.fixture
def commands(tmp_path: Path) -> Iterator[Commands]:
    with Commands(tmp_path) as made:
        yield made


@pytest.mark.slow
def test_a_tiny_control_is_played_verified_and_judged(commands: Commands, tmp_path: Path) -> None:
    (tmp_path / "tiny.yaml").write_text(json.dumps(tiny()))
    commands.run("keygen", "key.pem", cwd=tmp_path)
    ended = commands.run("memory", "control", "--plan", "tiny.yaml", "--key", "key.pem", cwd=tmp_path)
    assert ended.code == 1, ended
    last = ended.out.splitlines()[-1]
    assert last.startswith("positive control FAILS (")
    assert "chess delta" in last
    assert "poker delta" in last
    (bundle,) = (tmp_path / "bundles").iterdir()
    again = commands.run("memory", "control", str(bundle), "--json", cwd=tmp_path)
    assert again.code == 1, again
    document = json.loads(again.out)
    assert [game["game"] for game in document["games"]] == ["chess960", "holdem"]
    in_the_plans_order = ["placebo of notes", "notes", "noisy", "oracle"]
    assert all([arm["name"] for arm in game["arms"]] == in_the_plans_order for game in document["games"])
    for careers in document["placebo"].values():
        (career,) = careers
        assert career["notes"] == career["entries"] > 0
        assert career["asked_again"] > 0
        assert career["others"] == 0


def test_a_bundle_that_is_none_is_wrong_use(commands: Commands, tmp_path: Path) -> None:
    ended = commands.run("memory", "control", str(tmp_path), cwd=tmp_path)
    assert ended.code == 2
    assert len(ended.err.splitlines()) == 1
