"""The version of the source that a bundle and an image's provenance name."""

import shutil
import subprocess
from pathlib import Path

import pytest

from agzamov_harness.foundation import program_and_machine as module
from agzamov_harness.foundation.program_and_machine import SourceVersion, source_version
from agzamov_verify.core import canon

GIT = ("git", "-c", "user.name=x", "-c", "user.email=x@example.invalid", "-c", "commit.gpgsign=false")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A git checkout with one commit."""
    path = tmp_path / "images" / "ground" / "image.toml"
    path.parent.mkdir(parents=True)
    path.write_text("about = 'x'\n")
    for command in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "x")):
        subprocess.run([*GIT, *command], cwd=tmp_path, check=True)
    return tmp_path


def head(checkout: Path) -> str:
    return subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=checkout, check=True, capture_output=True, text=True
    ).stdout.strip()


def test_a_checkout_is_named_by_its_commit(checkout: Path) -> None:
    found = source_version(checkout)
    assert (found.commit, found.modified) == (head(checkout), False)
    assert str(found) == f"commit {head(checkout)}"


def test_changes_that_are_in_no_commit_are_told(checkout: Path) -> None:
    (checkout / "verify").mkdir()
    (checkout / "verify" / "new.py").write_text("x")
    found = source_version(checkout)
    assert (found.commit, found.modified) == (head(checkout), True)
    assert str(found).endswith("with changes that are in no commit")


def test_a_plan_beside_the_program_is_no_change_of_it(checkout: Path) -> None:
    """The first page tells a new user to edit manifests/endpoint.yaml: an honest run had a warning at its head."""
    (checkout / "manifests").mkdir()
    (checkout / "manifests" / "mine.yaml").write_text("title: mine")
    assert not source_version(checkout).modified


def test_a_program_below_somebody_elses_repository_is_not_named_by_their_commit(checkout: Path) -> None:
    path = checkout / "venv" / "images" / "ground"
    path.mkdir(parents=True)
    (path / "image.toml").write_text("x")
    assert source_version(checkout / "venv").commit == "unknown"


def test_gits_own_variables_lead_to_no_other_repository(
    checkout: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path_factory.mktemp("other")
    shutil.copytree(checkout / "images", other / "images")
    monkeypatch.setenv("GIT_DIR", str(checkout / ".git"))
    assert source_version(other).commit == "unknown"


def test_without_git_the_version_is_what_can_be_said(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(checkout))
    found = source_version(checkout)
    assert (found.commit, found.modified) == ("unknown", False)
    assert str(found) == f"version {found.harness}, of no known commit"


def test_it_is_written_as_canonical_json_and_read_back(checkout: Path) -> None:
    found = source_version(checkout)
    assert canon.loads_as(canon.dumps(found), SourceVersion) == found


def test_this_programs_own_source_is_looked_up_where_it_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "__file__", str(tmp_path / "source_version.py"))
    assert source_version().commit == "unknown"
