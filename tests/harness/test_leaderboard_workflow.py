"""The shell commands of the shipped workflow, run up to the program itself, on pull requests good and hostile."""

import subprocess
from pathlib import Path

import pytest
import yaml

from agzamov_harness.leaderboard.submissions import load_policy

SHIPPED = Path(__file__).parents[2] / "docs/leaderboard"
RECORD = '{"name":"kept"}\n'


@pytest.fixture
def runner(tmp_path: Path) -> Path:
    """A runner's folder: the base with its record, and what a pull request asks for."""
    base, asked = tmp_path / "base/submissions", tmp_path / "asked"
    base.mkdir(parents=True)
    asked.mkdir()
    (base / "record.jsonl").write_text(RECORD)
    return tmp_path


def commands() -> str:
    """The commands before the program, as GitHub's `bash -e` gets them."""
    workflow = yaml.safe_load((SHIPPED / "workflow.yaml").read_text())
    (script,) = (
        step["run"] for step in workflow["jobs"]["check"]["steps"] if "leaderboard build" in step.get("run", "")
    )
    before, docker, _ = script.partition("docker run")
    assert docker
    return str(before)


def prepared(runner: Path) -> subprocess.CompletedProcess[str]:
    arguments = ["bash", "-e", "-c", commands()]
    return subprocess.run(arguments, cwd=runner, capture_output=True, text=True, check=False)


def test_a_submission_is_put_beside_the_record_of_the_base(runner: Path) -> None:
    mine = runner / "asked/submissions/mine"
    mine.mkdir(parents=True)
    (mine / "bagit.txt").write_text("x")
    (mine.parent / "record.jsonl").write_text("forged")
    done = prepared(runner)
    assert done.returncode == 0, done.stderr
    assert (runner / "work/submissions/record.jsonl").read_text() == RECORD
    assert (runner / "work/submissions/mine/bagit.txt").read_text() == "x"


@pytest.mark.parametrize("target", ["../base/submissions", "/etc", "nowhere"])
def test_a_link_in_the_place_of_the_submissions_ends_the_job_before_anything_is_touched(
    runner: Path, target: str
) -> None:
    """`rm -rf work/submissions/record.jsonl` went through the link and deleted the record of the base."""
    (runner / "asked/submissions").symlink_to(target)
    done = prepared(runner)
    assert (done.returncode, done.stdout) == (1, "submissions is no plain folder\n")
    assert (runner / "base/submissions/record.jsonl").read_text() == RECORD
    assert not (runner / "work").exists()


def test_a_record_that_is_a_link_is_dropped_and_what_it_points_to_stays(runner: Path) -> None:
    (runner / "asked/submissions").mkdir()
    (runner / "asked/submissions/record.jsonl").symlink_to("../../base/submissions/record.jsonl")
    assert prepared(runner).returncode == 0
    assert not (runner / "work/submissions/record.jsonl").is_symlink()
    assert (runner / "base/submissions/record.jsonl").read_text() == RECORD


def test_the_shipped_policy_is_one() -> None:
    assert load_policy(SHIPPED / "policy.yaml").contenders_max == 10
