"""The bundles in results/: each verifies, the page has their figures, and a leaderboard is built of them."""

import importlib.util
import json
import shutil
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_verify.bundle import MANIFEST_FILE
from agzamov_verify.plan.manifest import load_manifest

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results"
BUNDLES = sorted(path for path in (RESULTS / "bundles").iterdir() if path.is_dir())


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("write_results", ROOT / "scripts/write_results.py")
    assert spec
    assert spec.loader
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.mark.slow
def test_the_page_has_the_figures_of_bundles_that_verify_under_the_projects_key() -> None:
    """The script verifies each, and refuses one below V1 or by another key."""
    assert (RESULTS / "README.md").read_text() == script().results_text()


@pytest.mark.slow
def test_a_leaderboard_and_reports_are_built_of_them(tmp_path: Path) -> None:
    submissions = tmp_path / "bundles"
    shutil.copytree(RESULTS / "bundles", submissions)
    command = ["leaderboard", "build", str(submissions), "--policy", str(RESULTS / "policy.yaml")]
    done = CliRunner().invoke(main, [*command, "--out", str(tmp_path / "site")])
    assert done.exit_code == 0, done.output
    index = (tmp_path / "site/index.html").read_text()
    for bundle in BUNDLES:
        run = load_manifest((bundle / MANIFEST_FILE).read_bytes()).run_id
        assert f'href="{run}/' in index
        assert (tmp_path / "site" / run / "index.html").exists(), "its report, with every game to replay"
    assert json.loads((tmp_path / "site/ranks.json").read_bytes())


def test_readme_quotes_no_figure_that_is_not_on_the_page() -> None:
    page = (RESULTS / "README.md").read_text()
    quoted = (ROOT / "README.md").read_text().partition("<!-- results -->")[2].partition("<!-- /results -->")[0]
    rows = [line for line in quoted.splitlines() if line.startswith("| ") and "[" in line]
    assert rows
    for row in rows:
        assert row in page
