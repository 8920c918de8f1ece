"""The bundles in results/: each verifies, the page has their figures, and a leaderboard is built of them."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_verify.bundle import MANIFEST_FILE
from agzamov_verify.plan.manifest import load_manifest
from script_modules import script

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results"
BUNDLES = sorted(path for path in (RESULTS / "bundles").iterdir() if path.is_dir())


@pytest.mark.slow
def test_the_page_has_the_figures_of_bundles_that_verify_under_the_projects_key() -> None:
    """The script verifies each, and refuses one below V1 or by another key."""
    assert (RESULTS / "README.md").read_text() == script("write_results").results_text()


@pytest.mark.exhaustive
def test_a_leaderboard_and_reports_are_built_of_them_all(tmp_path: Path) -> None:
    submissions = tmp_path / "bundles"
    shutil.copytree(RESULTS / "bundles", submissions)
    command = ["leaderboard", "build", str(submissions), "--policy", str(RESULTS / "policy.yaml")]
    done = CliRunner().invoke(main, [*command, "--out", str(tmp_path / "site")])
    assert done.exit_code == 0, done.output
    assert_on_site(tmp_path / "site", BUNDLES)


def assert_on_site(site: Path, bundles: Sequence[Path]) -> None:
    """Each bundle has its row and its report, with every game to replay, and the ranks are there to be read."""
    index = (site / "index.html").read_text()
    for bundle in bundles:
        run = load_manifest((bundle / MANIFEST_FILE).read_bytes()).run_id
        assert f'href="{run}/' in index
        assert (site / run / "index.html").exists()
    assert json.loads((site / "ranks.json").read_bytes())


@pytest.mark.slow
def test_the_commands_for_who_runs_a_leaderboard_work_when_typed(tmp_path: Path) -> None:
    """From a folder that has what a clone has; the browser is `echo`."""
    page = (ROOT / "docs/leaderboard.md").read_text()
    commands = page.partition("```sh\n")[2].partition("```")[0]
    for name in ("results", "docs"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    environment = {**os.environ, "BROWSER": "echo"}
    done = subprocess.run(
        ["sh", "-ec", commands], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 accepted" in done.stdout
    submissions = tmp_path / "build/board/submissions"
    assert_on_site(tmp_path / "build/board/site", [path for path in submissions.iterdir() if path.is_dir()])
    site = (tmp_path / "build/board/site/index.html").read_text()
    assert "How much the full stack helps in hold'em" in site
    assert f"file://{tmp_path}/build/board/site/index.html" in done.stdout


def test_what_has_a_result_is_a_row_and_all_else_a_sentence_whatever_its_words_begin_with() -> None:
    """Lines that began with "| " were taken for rows of the table."""
    module = script("write_results")
    subjects = ["| memory by a", "memory by b"]
    (line,) = module._told([module.Told("No result for ", subject, " in hold'em: few") for subject in subjects])
    assert line == "- No result for \\| memory by a, memory by b in hold'em: few."
    others = [module.Told("x ", "y", " one"), module.Told("x ", "y", " two")]
    assert len(list(module._told(others))) == 2, "other reasons, other sentences"


def test_what_no_result_may_be_read_without_stands_under_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page left out what `verify` says beside its answers: a memory that reached no prompt, a tool without use."""
    module = script("write_results")
    monkeypatch.setattr(module, "_answers", lambda *_: [module.Effect(("a",) * len(module.HEADINGS))])
    manifest = SimpleNamespace(plan=SimpleNamespace(title="A run"))
    for caveats in ((), ("But the tool had no effect there.", "But nothing of a_b reached a prompt.")):
        monkeypatch.setattr(module, "unused_sentences", lambda _, told=caveats: iter(told))
        verdict = SimpleNamespace(results=SimpleNamespace(matches=()))
        *_, row = text = list(module._section("run", verdict, manifest))
        below = text[text.index(f"| {' | '.join('a' * len(module.HEADINGS))} |") + 1 :]
        assert below == [part for line in caveats for part in ("", line.replace("_", "\\_"))]
        assert bool(caveats) == (not row.startswith("|"))
