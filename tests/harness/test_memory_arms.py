"""All arms of a memory in one run: naked, filler, placebo, stale and real, played side by side, verified, and told."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from agzamov_verify.checks.check_log import CheckLog, Number
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.checks.recalls import SHARE_OF_REPLIES
from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.experiment.matches import Arm
from agzamov_verify.show.games_of_bundle import played_streams
from agzamov_verify.show.xray import seats_with_memory, xray
from harness.commands import Commands
from harness.sealed_runs import Json, journals, seal, start

pytestmark = pytest.mark.slow

CAREERS, SESSIONS, UNTIL = 2, 4, 2
ARMS = tuple(arm for arm in Arm if arm is not Arm.NAKED)


def match(arm: Arm) -> Json:
    condition = {"augmentation": "memory", "arm": arm.value, **({} if arm is Arm.NAKED else {"system": "notes"})}
    played = {"hands": 2 * CAREERS * SESSIONS, "careers": CAREERS, "condition": condition}
    return {"phase": 2, "game": "holdem", "a": "agent", "b": "foe", **played}


def plan_of(*arms: Arm) -> Json:
    return {
        "title": "Arms of a memory",
        "seats": {"agent": {"kind": "reference"}, "foe": {"kind": "reference", "patterns": ["never_folds_pairs"]}},
        "holdem": {"session_hands": 2},
        "systems": {"notes": {"kind": "memory", "server": "recent", "hits_max": 3, "stale_after": UNTIL}},
        "matches": [match(Arm.NAKED), *map(match, arms)],
    }


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    with Commands(tmp_path_factory.mktemp("printed")) as made:
        yield made


@pytest.fixture(scope="module")
def run(commands: Commands, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played_run(commands, tmp_path_factory.mktemp("all"), *ARMS)


@pytest.fixture(scope="module")
def without(commands: Commands, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run without filler and without a stale arm."""
    return played_run(commands, tmp_path_factory.mktemp("real"), Arm.REAL)


def played_run(commands: Commands, folder: Path, *arms: Arm) -> Path:
    sealed = seal(commands, folder, plan=plan_of(*arms))
    ended = start(commands, sealed).ended()
    assert ended.code == 0, ended
    return sealed


def bundle_of(run: Path) -> Path:
    return run.parents[1] / "bundles" / run.name


@pytest.fixture(scope="module")
def verdict(run: Path) -> Verdict:
    return verify(bundle_of(run), Options())


@pytest.fixture(scope="module")
def details(commands: Commands, run: Path) -> str:
    """What `verify --details` prints of the run with all arms."""
    return printed(commands, "verify", bundle_of(run), "--details", cwd=run.parent)


@pytest.fixture(scope="module")
def report(commands: Commands, run: Path) -> str:
    return page_of(commands, run)


def page_of(commands: Commands, run: Path) -> str:
    out = run.parent / f"report-{run.name}"
    printed(commands, "report", bundle_of(run), "--out", out, cwd=run.parent)
    return (out / "index.html").read_text()


def printed(commands: Commands, *arguments: str | Path, cwd: Path) -> str:
    ended = commands.run(*map(str, arguments), cwd=cwd)
    assert ended.code == 0, ended
    return ended.out


def test_the_arms_verify_and_the_step_says_until_when_the_stale_one_stored(verdict: Verdict) -> None:
    step = verdict.steps[Number.MEMORY - 1]
    assert (verdict.level, verdict.findings, step.status) == ("V1", [], "pass")
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


def test_what_each_memory_told_is_counted_and_asked_again_without(verdict: Verdict) -> None:
    """The reference player decides by real notes alone: neither filler nor the donor's notes say anything to it."""
    uses = {use.arm: use for use in verdict.memory_use}
    assert list(uses) == list(ARMS)
    for use in uses.values():
        assert (use.system, use.side, use.contests) == ("notes", "a", CAREERS * SESSIONS)
        assert 0 < use.delivered < use.decisions
        assert use.asked == min(use.delivered, 1_000 // SHARE_OF_REPLIES // len(ARMS))
        assert use.bytes > use.delivered * 20
    assert uses[Arm.FILLER].used == 0


def test_the_counts_are_those_of_the_prompts_of_each_game(run: Path, verdict: Verdict) -> None:
    """The X-ray of every game reads entries, not prompts: both come to the same decisions."""
    opened = open_bundle(bundle_of(run), CheckLog())
    plan = opened.manifest.plan
    for use in verdict.memory_use:
        match = next(one for one in plan.matches if one.id == use.match)
        (of,) = seats_with_memory(plan, match)
        decisions = [one for stream in played_streams(opened, match) for game in stream.games for one in xray(game, of)]
        told = [one for one in decisions if one.told]
        assert (len(decisions), len(told)) == (use.decisions, use.delivered)
        assert sum(len(one.told.encode()) for one in told) == use.bytes
        changed = [one.changes for one in told]
        if use.asked == use.delivered:
            assert changed.count(True) == use.used


def test_details_and_report_have_delivered_used_and_outcome(
    commands: Commands, run: Path, verdict: Verdict, details: str, report: str
) -> None:
    told = " ".join(details.split())
    use = verdict.memory_use[0]
    assert f"delivered {use.delivered} of {use.decisions} decisions (" in told
    assert "used 0 of " in told
    assert f"outcome {use.otherwise} of 8 sessions ended otherwise than without memory, from the same start" in told
    document = json.loads(printed(commands, "verify", bundle_of(run), "--json", cwd=run.parent))
    assert [one["arm"] for one in document["memory_use"]] == [arm.value for arm in ARMS]
    assert "Did memory change anything?" in report


def test_the_analysis_has_the_real_arm_less_each_other_one(verdict: Verdict) -> None:
    assert verdict.analysis
    (delta,) = verdict.analysis.deltas
    assert all((delta.less_placebo, delta.less_filler, delta.less_stale, delta.less_stale_late))


def played(told: str, arm: str) -> str:
    """How much was played, by the row of the table of matches whose name begins so; the rest of the name may wrap."""
    row = next(line for line in told.splitlines() if line.startswith(f"Phase 2 {arm}"))
    return row.split("  ")[-1].strip() if "not played" in row else row.partition("  ")[2].strip()[:8]


def test_details_have_a_row_for_each_arm(commands: Commands, details: str, without: Path) -> None:
    plain = " ".join(details.split())
    for row in (
        "less its placebo",
        "less its filler (no memory, as many bytes)",
        "less its stale arm",
        "from where they",
    ):
        assert row in plain
    assert played(details, "with filler") == played(details, "with a stale") == "16 hands"
    assert "not played" not in plain
    lacking = printed(commands, "verify", bundle_of(without), "--details", cwd=without.parent)
    assert "less its filler (no memory, as many bytes): not played" in " ".join(lacking.split())
    assert played(lacking, "with filler") == "not played"


def test_the_matrix_has_them_too(commands: Commands, run: Path, without: Path) -> None:
    told = json.loads(printed(commands, "matrix", bundle_of(run), "--json", cwd=run.parent))
    (entry,) = told["matrix"]["entries"]
    assert list(entry["less"]) == ["filler", "stale"]
    assert all(entry["less"].values())
    lines = printed(commands, "matrix", bundle_of(without), cwd=without.parent).splitlines()
    assert [line.split() for line in lines if "filler" in line] == [["less", "its", "filler", "not", "played"]]


def test_the_report_has_them_too(commands: Commands, report: str, without: Path) -> None:
    lacking = page_of(commands, without)
    for page, row in (
        (report, "real less stale, notes"),
        (lacking, "filler, notes</th><td></td><td>not played"),
        (lacking, "less filler</th><td>not played"),
    ):
        assert row in page.replace('<td class="n">', "<td>"), row


def test_an_export_has_the_arms_by_name_and_what_was_delivered(commands: Commands, run: Path, verdict: Verdict) -> None:
    out = run.parent / "all.sqlite"
    printed(commands, "export", bundle_of(run), "--to", "sqlite", "--out", out, cwd=run.parent)
    with sqlite3.connect(out) as tables:
        arms = [arm for (arm,) in tables.execute("select arm from matches")]
        recalls = tables.execute("select sum(is_delivered), sum(bytes) from memory_recalls").fetchone()
    assert arms == ["naked", *(arm.value for arm in ARMS)]
    assert recalls == (sum(use.delivered for use in verdict.memory_use), sum(use.bytes for use in verdict.memory_use))
