"""docs/extending.md walked: what it tells to add is added to a copy of the source tree, and played."""

import json
import re
import shutil
from pathlib import Path

import pytest

from agzamov_verify.scoring.units.cells import Outcome
from extending.source_tree import ROOT, SourceTree, require_golden

PAGE = ROOT / "docs" / "extending.md"
HERE = Path(__file__).parent
NOUGHTS = "p4-noughts-rag_real_proverbs-agent-dice"
PLAN = """
title: Everything new
protocol: agz-next
seats:
  agent: {kind: reference}
  dice: {kind: random}
systems:
  proverbs: {kind: proverb}
matches:
  - {phase: 1, game: noughts, a: agent, b: agent, games: 4}
  - phase: 4
    game: noughts
    a: agent
    b: dice
    games: 4
    condition: {augmentation: rag, arm: real, system: proverbs}
"""


def told(start: str) -> str:
    """The block of code on the page that begins so; it must be there once."""
    (block,) = [
        one for one in re.findall(r"```(?:python|text)\n(.*?)```", PAGE.read_text(), re.DOTALL) if one.startswith(start)
    ]
    return str(block)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> SourceTree:
    tree = SourceTree(tmp_path_factory.mktemp("tree"))
    registry = tree.verify / "table" / "registry.py"
    shutil.copytree(HERE / "noughts", tree.verify / "games" / "noughts")
    text = registry.read_text()
    names = told("NAMES")
    assert names.replace('    "noughts",\n', "") in text, "the page has the names that there are, and a new one"
    registry.write_text(re.sub(r"NAMES: Final = \(.*?\n\)\n", lambda _: names, text, flags=re.DOTALL))
    shutil.copy(HERE / "proverb_system.py", tree.verify / "systems")
    tree.add_line(tree.verify / "systems" / "__init__.py", "", told("from .proverb_system").strip())
    scoring = tree.verify / "games" / "noughts" / "scoring.py"
    tree.add_line(scoring, "    p_wins: str | None", told("    drawn").rstrip())
    counted = "            p_above_half(cell.course.count(2), len(cell.games), setting, cell),"
    tree.add_line(scoring, counted, told("            share_estimate").rstrip())
    names = "from ...scoring.inference.estimate import PAIR_SCORE"
    scoring.write_text(scoring.read_text().replace(names, f"{names}, Estimate, share_estimate"))
    tree.add_protocol()
    assert told("        Phase.HUMAN") in (tree.verify / "protocols" / "agz_next" / "__init__.py").read_text()
    assert told("from .agz_next") in (tree.verify / "protocols" / "__init__.py").read_text()
    return tree


def test_every_page_and_file_that_it_names_is_there() -> None:
    text = PAGE.read_text()
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert (PAGE.parent / target).exists(), target
    for name in re.findall(r"`((?:harness|tests)?[\w/]*/[\w/]+(?:\.py)?/?)`", text):
        there = [ROOT / name, ROOT / "verify" / "agzamov_verify" / name]
        assert any(path.exists() for path in there) or "noughts" in name, name


@pytest.mark.parametrize("game", ["noughts", "high_card", "blind_bids", "village"])
def test_a_result_of_an_example_has_all_that_figures_ask_for(game: str) -> None:
    text = (HERE / game / "scoring.py").read_text()
    (kind,) = re.findall(r"def results\(self\) -> tuple\[(\w+), \.\.\.\]", text)
    (body,) = re.findall(rf"^class {kind}\(.*?(?=^\S)", text, re.MULTILINE | re.DOTALL)
    wanted = {name for name in vars(Outcome) if not name.startswith("_")}
    assert wanted <= set(re.findall(r"^    (?:def )?(\w+)(?:\(self\)|: )", body, re.MULTILINE))


@pytest.mark.slow
def test_the_golden_bundles_are_verified_as_before(tree: SourceTree) -> None:
    require_golden(tree)


@pytest.mark.slow
def test_all_of_it_is_played_verified_and_scored(tree: SourceTree, tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(PLAN)
    tree.run("keygen", "key.pem", cwd=tmp_path)
    bundle = tree.run("run", "plan.yaml", "--key", "key.pem", cwd=tmp_path).splitlines()[-1].removeprefix("bundle: ")
    checked = json.loads(tree.run("verify", bundle, "--json", cwd=tmp_path))
    assert checked["level"] == "V1"
    analysis = json.loads((tmp_path / bundle / "data" / "results" / "analysis.json").read_bytes())
    shares = {match["id"]: match["drawn"]["value"] for match in analysis["matches"]}
    assert set(shares) == {"p1-noughts-naked-agent", NOUGHTS}
    assert all(share is not None for share in shares.values())
    assert "a proverb in every prompt" in tree.run("verify", bundle, "--details", cwd=tmp_path)
    tree.run("report", bundle, "--out", "report", cwd=tmp_path)
    assert "a proverb in every prompt" in (tmp_path / "report" / "index.html").read_text()
    shown = tree.run("show", bundle, "--game", f"{NOUGHTS}-g00000", "--prompts", cwd=tmp_path)
    assert "- Look before you leap." in shown
    assert "- Look before" not in tree.run(
        "show", bundle, "--game", "p1-noughts-naked-agent-g00000", "--prompts", cwd=tmp_path
    )
