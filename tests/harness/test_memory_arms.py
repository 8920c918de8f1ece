"""All arms of a memory in one run: naked, filler, placebo, stale and real, played side by side, verified, and told."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from agzamov_verify.checks.check_log import Number
from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.experiment.matches import Arm
from harness.commands import Commands
from harness.sealed_runs import Json, finish, journals, seal

CAREERS, SESSIONS, UNTIL = 2, 4, 2
ARMS = tuple(arm for arm in Arm if arm is not Arm.NAKED)


def match(arm: Arm) -> Json:
    condition = {"augmentation": "memory", "arm": arm.value, **({} if arm is Arm.NAKED else {"system": "notes"})}
    played = {"hands": 4 * CAREERS * SESSIONS, "careers": CAREERS, "condition": condition}
    return {"phase": 2, "game": "holdem", "a": "agent", "b": "foe", **played}


def plan_of(*arms: Arm) -> Json:
    return {
        "title": "Arms of a memory",
        "seats": {"agent": {"kind": "reference"}, "foe": {"kind": "reference", "patterns": ["never_folds_pairs"]}},
        "holdem": {"session_hands": 4},
        "systems": {"notes": {"kind": "memory", "server": "recent", "hits_max": 3, "stale_after": UNTIL}},
        "matches": [match(Arm.NAKED), *map(match, arms)],
    }


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    with Commands(tmp_path_factory.mktemp("printed")) as made:
        yield made


@pytest.fixture(scope="module")
def run(commands: Commands, tmp_path_factory: pytest.TempPathFactory) -> Path:
    sealed = seal(commands, tmp_path_factory.mktemp("all"), plan=plan_of(*ARMS))
    finish(commands, sealed)
    return sealed


@pytest.fixture(scope="module")
def without(commands: Commands, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run without filler and without a stale arm."""
    sealed = seal(commands, tmp_path_factory.mktemp("real"), plan=plan_of(Arm.REAL))
    finish(commands, sealed)
    return sealed


def bundle_of(run: Path) -> Path:
    return run.parents[1] / "bundles" / run.name


@pytest.fixture(scope="module")
def verdict(run: Path) -> Verdict:
    return verify(bundle_of(run), Options())


def printed(commands: Commands, *arguments: str | Path, cwd: Path) -> str:
    ended = commands.run(*map(str, arguments), cwd=cwd)
    assert ended.code == 0, ended
    return ended.out


def test_the_arms_verify_and_the_step_says_until_when_the_stale_one_stored(verdict: Verdict) -> None:
    step = verdict.steps[Number.MEMORY - 1]
    assert (verdict.level, step.status) == ("V1", "pass")
    stale = "system notes stores nothing after contest 2 of 4 of each career"
    assert f"p2-holdem-memory_stale_notes-agent-foe: {stale}" in step.remark


def test_a_stale_memory_is_searched_on_and_stores_its_share(run: Path) -> None:
    asked: dict[str, Counter[str]] = {}
    for name, data in journals(run).items():
        arm = next((arm.value for arm in ARMS if f"_{arm}_" in name), "")
        for line in data.splitlines():
            asked.setdefault(arm, Counter())[json.loads(line)["answer"]["as"]] += 1
    assert asked["stale"]["stored"] == CAREERS * UNTIL
    assert {asked[arm.value]["stored"] for arm in ARMS if arm is not Arm.STALE} == {CAREERS * SESSIONS}
    assert all(asked[arm.value]["settled"] == CAREERS * SESSIONS for arm in ARMS)
    assert asked["stale"]["hits"] > CAREERS * 6


def test_the_analysis_has_the_real_arm_less_each_other_one(verdict: Verdict) -> None:
    assert verdict.analysis
    (delta,) = verdict.analysis.deltas
    assert all((delta.less_placebo, delta.less_filler, delta.less_stale, delta.less_stale_late))


def played(told: str, arm: str) -> str:
    """How much was played, by the row of the table of matches whose name begins so."""
    row = next(line for line in told.splitlines() if line.startswith(f"Phase 2 {arm}"))
    return row.split("  ")[-1].strip() if "not played" in row else row.partition("  ")[2].strip()[:8]


def test_details_have_a_row_for_each_arm(commands: Commands, run: Path, without: Path) -> None:
    told = printed(commands, "verify", bundle_of(run), "--details", cwd=run.parent)
    plain = " ".join(told.split())
    for row in (
        "less its placebo",
        "less its filler (no memory, as many bytes)",
        "less its stale arm",
        "from where they",
    ):
        assert row in plain
    assert played(told, "with filler as long as memory") == played(told, "with a stale memory") == "32 hands"
    assert "not played" not in plain
    lacking = printed(commands, "verify", bundle_of(without), "--details", cwd=without.parent)
    assert "less its filler (no memory, as many bytes): not played" in " ".join(lacking.split())
    assert played(lacking, "with filler as long as memory") == "not played"


def test_the_matrix_has_them_too(commands: Commands, run: Path, without: Path) -> None:
    told = json.loads(printed(commands, "matrix", bundle_of(run), "--json", cwd=run.parent))
    (entry,) = told["matrix"]["entries"]
    assert list(entry["less"]) == ["filler", "stale"]
    assert all(entry["less"].values())
    lines = printed(commands, "matrix", bundle_of(without), cwd=without.parent).splitlines()
    assert [line.split() for line in lines if "filler" in line] == [["less", "its", "filler", "not", "played"]]


def test_the_report_has_them_too(commands: Commands, run: Path, without: Path) -> None:
    for of, row in ((run, "real less stale, notes"), (without, "filler, notes</th><td></td><td>not played")):
        out = of.parent / f"report-{of.name}"
        printed(commands, "report", bundle_of(of), "--out", out, cwd=of.parent)
        page = (out / "index.html").read_text()
        assert row in page.replace('<td class="n">', "<td>"), row


def test_an_export_has_the_arms_by_name(commands: Commands, run: Path) -> None:
    out = run.parent / "all.sqlite"
    printed(commands, "export", bundle_of(run), "--to", "sqlite", "--out", out, cwd=run.parent)
    with sqlite3.connect(out) as tables:
        arms = [arm for (arm,) in tables.execute("select arm from matches")]
    assert arms == ["naked", *(arm.value for arm in ARMS)]
