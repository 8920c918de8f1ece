"""`agzamov plan` describes the tests that the analysis makes: what is paired, over how many careers, how it spreads."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from click.testing import CliRunner
from scipy import stats

from agzamov_harness.cli import main
from agzamov_harness.planning.contrasts import share_starts
from agzamov_harness.planning.hypothesis_tests import ONE_ARM
from agzamov_harness.run.plan_file import read_plan
from agzamov_verify.experiment.matches import Arm, Match
from agzamov_verify.plan.manifest import Manifest
from agzamov_verify.scoring.hypotheses.declarations import BY_ID, REGISTRY
from agzamov_verify.scoring.hypotheses.evidence import Evidence, Insufficient, parts_of, traits_of
from agzamov_verify.scoring.match_cells import key_of
from agzamov_verify.scoring.units.cells import Cell
from harness.phase_plans import MANIFESTS, forecast
from verify.agzamov.generator import CHESS, World, cell, evidence

ICC, CAREERS = 0.011, 5
ALPHA, POWER = 0.01, 0.8**0.5
RESULTS = {CHESS: 20, "holdem": 1_000}
"""Results of each match that is made up: two start pairs or sessions a career, since only the design is looked at."""


def planned(name: str, hypothesis: str) -> list[Any]:
    tests = [*forecast(name)["declared"], *forecast(name)["exploratory"]]
    (rows,) = [test["rows"] for test in tests if test["id"] == hypothesis]
    rows = [row for row in rows if row["whose"] != ONE_ARM]
    return list(rows)


@cache
def played(name: str) -> Evidence:
    """Evidence of all matches of a plan, on the starts and decks that its matches would share."""
    plan = read_plan(MANIFESTS / f"{name}.yaml")
    blank = read_plan(MANIFESTS / "quickstart.yaml")
    manifest = Manifest("agz-manifest-1", blank, "0" * 64, {}, None, "0" * 64, "0" * 64, "0" * 32)
    manifest = msgspec.structs.replace(manifest, plan=plan)
    cells = [_cell(manifest, match) for match in plan.matches if match.phase and match.measured not in plan.repeats]
    return evidence(cells, (), traits_of(plan.systems), parts_of(plan.systems))


def _cell(manifest: Manifest, match: Match) -> Cell:
    """As `match_cells.cell_of` labels it: the starts of chess are those of the class, decks those of the seats."""
    key = key_of(manifest, match, 0)
    made = cell(key, World(), RESULTS[match.game])
    keeps = any(condition.arm is not Arm.NAKED for condition in match.conditions)
    starts = f"run/{match.part if match.game == CHESS else match.draws}"
    return msgspec.structs.replace(made, careers=match.careers if keeps else 0, starts=starts)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "hypothesis"),
    [
        *(pytest.param("phase2", one, marks=pytest.mark.slow) for one in ("H1", "H2", "H4")),
        ("phase3", "E4"),
        ("phase5", "E3"),
    ],
)
def test_what_is_repeated_is_what_the_scorer_repeats(name: str, hypothesis: str) -> None:
    """The plan said "5 careers, 250 starts" of tests whose n is 5: tools and documents share the starts."""
    contrast = BY_ID[next(one.id for one in REGISTRY if one.id == hypothesis)].contrast
    assert contrast
    found = contrast(played(name))
    assert not isinstance(found, Insufficient), found.reason
    parts = [part for part in found.parts if not part.name.startswith("beside")]
    rows = planned(name, hypothesis)
    assert len(rows) == len(parts)
    for row, part in zip(rows, parts, strict=True):
        assert {*part.test.n} == {CAREERS}
        assert {*part.over} == {"careers"}
        assert row["over"] == "5 careers"


def errors_needed(df: int) -> float:
    """The effect in standard errors that a one-sided test finds with the power, by scipy's noncentral t."""
    critical = stats.t.ppf(1 - ALPHA, df)
    low, high = 0.0, 50.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (low, middle) if stats.nct.sf(critical, df, middle) >= POWER else (middle, high)
    return high


@pytest.mark.slow
def test_h4_is_planned_over_careers_in_which_a_memory_is_part() -> None:
    """Eight arms of 100 sessions, of which the full stack's and the memory's have a store; four degrees of freedom."""
    _, poker = planned("phase2", "H4")
    variance = (8 + 2 * 19 * ICC) / 100
    expected = [errors_needed(CAREERS - 1) * sd * variance**0.5 for sd in (90, 182, 397)]
    assert [float(effect) for effect in poker["effects"]] == pytest.approx(expected, rel=1e-3)


@pytest.mark.slow
def test_h1_is_planned_over_careers_with_the_control_of_six_memories_counted_once() -> None:
    """Nine real arms, seven of them with a store; four controls, of which one serves six."""
    _, poker = planned("phase2", "H1")
    variance = (9 + 7 * 19 * ICC + 6**2 + 3) / 9**2 / 100
    expected = [errors_needed(CAREERS - 1) * sd * variance**0.5 for sd in (90, 182, 397)]
    assert [float(effect) for effect in poker["effects"]] == pytest.approx(expected, rel=1e-3)


@pytest.mark.slow
def test_arms_without_common_starts_are_samples_of_their_own(tmp_path: Path) -> None:
    """A naked arm has units, not careers, also where it is played in careers. Of six memories one is enough here."""
    text = yaml.safe_load((MANIFESTS / "phase2.yaml").read_text())
    others = {"full_text_aged", "graph", "noisy", "file", "recent"}
    text["systems"] = {name: system for name, system in text["systems"].items() if name not in others}
    text["matches"] = [
        match
        for match in text["matches"]
        if match["a"] == "model" and match.get("condition", {}).get("system") not in others
    ]
    for match in text["matches"]:
        if match["game"] == "chess960" and match.get("condition", {}).get("augmentation") == "rag":
            match["games"] = 600
    path = tmp_path / "plan.yaml"
    path.write_text(yaml.safe_dump(text))
    result = CliRunner().invoke(main, ["plan", str(path), "--json"])
    assert result.exit_code == 0, result.output
    (h1,) = [test for test in json.loads(result.output)["declared"] if test["id"] == "H1"]
    assert [row["over"] for row in h1["rows"] if row["whose"] != ONE_ARM] == [
        "5 careers, 250 starts played with both colours, 300 starts played with both colours",
        "5 careers",
    ]


def test_matches_of_one_run_share_starts_as_the_scorer_pairs_them() -> None:
    """Every two of the plan's cells, by `Units.pairs_with`."""
    for name in ("phase2", "phase3", "phase5"):
        found = played(name)
        plan = read_plan(MANIFESTS / f"{name}.yaml")
        blank = Manifest("agz-manifest-1", plan, "0" * 64, {}, None, "0" * 64, "0" * 64, "0" * 32)
        matches = [match for match in plan.matches if match.phase > 1 and match.measured not in plan.repeats]
        cells = {match.id: found.cells[key_of(blank, match, 0)] for match in matches}
        for first in matches:
            for other in matches:
                if (first.game, first.planned) == (other.game, other.planned):
                    paired = cells[first.id].measured().pairs_with(cells[other.id].measured())
                    assert share_starts([first, other]) == paired, (first.id, other.id)


@pytest.mark.slow
def test_a_naked_arm_stands_in_the_table_with_the_units_that_it_is_scored_by() -> None:
    rows = [row for row in forecast("phase2")["detectable"] if row["method"] == "score by pairs"]
    (naked,) = [row for row in rows if "p2-chess960-memory_naked-model-opponent" in row["matches"]]
    (tools,) = [row for row in rows if "p2-chess960-tools_real_tools-model-opponent" in row["matches"]]
    (real,) = [row for row in rows if "p2-chess960-memory_real_full_text-model-opponent" in row["matches"]]
    assert naked["one_match"] == tools["one_match"] != real["one_match"]
