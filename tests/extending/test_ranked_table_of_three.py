"""A table of three has a row of the matrix and of a leaderboard, with a rank: what a memory adds to a model there.

A served reference player is the model, so the row is ranked as that of any model.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from agzamov_harness.run import signing_keys
from agzamov_verify.core.envelope import key_id
from extending.source_tree import SourceTree

HERE = Path(__file__).parent
MATCH = "phase: 2, game: high_card, a: model, b: foe, others: [{seat: foe}], rounds: 225, careers: 5"
PLAN = f"""
title: What a memory adds at a table of three
protocol: agz-next
seats:
  model: {{kind: openai, base_url: ADDRESS, model: reference}}
  foe: {{kind: openai, base_url: ADDRESS, model: reference, briefing: Two others sit with you.}}
systems: {{recent: {{kind: memory, server: recent, hits_max: 2}}}}
matches:
  - {{{MATCH}, condition: {{augmentation: memory, arm: naked}}}}
  - {{{MATCH}, condition: {{augmentation: memory, arm: real, system: recent}}}}
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> SourceTree:
    tree = SourceTree(tmp_path_factory.mktemp("tree"))
    shutil.copytree(HERE / "high_card", tree.verify / "games" / "high_card")
    tree.add_line(tree.verify / "table" / "registry.py", ")", '    "high_card",')
    tree.add_protocol()
    return tree


@pytest.fixture(scope="module")
def served(tree: SourceTree) -> Iterator[str]:
    """The address of the reference players of this tree."""
    with tree.start("serve-reference", "--port", "0", cwd=tree.folder) as server:
        assert server.stdout
        yield server.stdout.readline().strip()
        server.terminate()


@pytest.fixture(scope="module")
def bundle(tree: SourceTree, served: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played")
    (folder / "plan.yaml").write_text(PLAN.replace("ADDRESS", served))
    tree.run("keygen", "key.pem", cwd=folder)
    told = tree.run("run", "plan.yaml", "--key", "key.pem", "--out", "run", cwd=folder)
    return folder / told.splitlines()[-1].removeprefix("bundle: ")


def test_the_matrix_has_the_cell_of_a_memory_with_what_it_adds(tree: SourceTree, bundle: Path) -> None:
    matrix = json.loads(tree.run("matrix", str(bundle), "--json", cwd=bundle.parent))["matrix"]
    (cell,) = matrix["entries"]
    assert (cell["game"], cell["model"]) == ("high_card", "openai:reference")
    assert cell["delta"]["ci"], cell["delta"]


def test_the_leaderboard_ranks_the_model_by_what_its_memory_adds(
    tree: SourceTree, bundle: Path, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    shutil.copytree(bundle, tmp_path / "submitted" / "one")
    key = key_id(signing_keys.load(bundle.parent.parent / "key.pem").public_key())
    (tmp_path / "policy.yaml").write_text(f"title: Board\nkeys: {{ada: {key}}}\ndepartures: true\n")
    options = ("--policy", "policy.yaml", "--out", str(site), "--jobs", "1")
    tree.run("leaderboard", "build", "submitted", *options, cwd=tmp_path)
    page = (site / "index.html").read_text()
    assert "high card: what memory adds to a model against 2 x itself, briefed by" in page
    assert ">1</th><td>openai:reference</td><td>recent</td>" in page
