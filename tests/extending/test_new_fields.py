"""New keys of plan and match, a figure of a run, new types and fields of questions and answers, a text of a system:
old bundles hold.
"""

import json
from pathlib import Path

import pytest

from extending.source_tree import SourceTree, require_golden

QUESTION = '''class Knock(msgspec.Struct, frozen=True, kw_only=True, tag_field="ask", tag="knock"):
    """A question that no script asks yet."""

    attempt: int
    game: str
    to: str
    turn: int


'''
PLAN = """
title: New keys
protocol: {protocol}
spectators: 3
seats:
  agent: {{kind: random}}
systems: {{papers: {{kind: rag}}}}
chess960: {{plies_max: 4, adjudication: {{policy: none}}}}
matches:
  - {{phase: 1, game: chess960, a: agent, b: agent, games: 2, image_input: {image}}}
"""


def add_after(file: Path, line: str, new: str) -> None:
    """Add a line after one that is there once."""
    text = file.read_text()
    assert text.count(line) == 1
    file.write_text(text.replace(line, line + new))


def with_last_field(text: str, kind: str, field: str) -> str:
    """Source text with one more field of a question or an answer."""
    before, head, after = text.partition(f"class {kind}(")
    assert head
    fields, gap, rest = after.partition("\n\n\n")
    return f"{before}{head}{fields}\n    {field}{gap}{rest}"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> SourceTree:
    tree = SourceTree(tmp_path_factory.mktemp("tree"))
    verify = tree.verify
    add_after(verify / "plan" / "manifest.py", "    protocol: ProtocolId = CURRENT\n", "    spectators: int = 0\n")
    chess = verify / "games" / "chess" / "game.py"
    add_after(chess, "    positions: PositionClass | None = None\n", "    image_input: bool = False\n")
    add_after(verify / "scoring" / "analysis.py", "    planted: PlantedAnalysis\n", "    applause: int = 7\n")
    library = verify / "documents" / "library.py"
    text, shared = library.read_text(), 'own = {"documents/heading"'
    assert text.count(shared) == 1
    library.write_text(text.replace(shared, 'own = {"documents/none": "Nothing.", "documents/heading"'))
    questions = verify / "core" / "questions.py"
    text = questions.read_text()
    text = text.replace("Question: TypeAlias = Chat | Evaluate |", "Question: TypeAlias = Chat | Knock | Evaluate |")
    before, chat, after = text.partition("class Chat(")
    after = after.replace("    turn: int\n", '    turn: int\n    image: str = ""\n', 1)
    for kind in ("Search", "Calculate", "EndGame", "Hit", "Settled", "Calculated", "ExaminedMove"):
        after = with_last_field(after, kind, "zones: int = 0")
    questions.write_text(f"{before}{QUESTION}{chat}{after}")
    tree.add_protocol()
    return tree


@pytest.mark.slow
def test_the_golden_bundles_are_verified_as_before(tree: SourceTree) -> None:
    require_golden(tree)


@pytest.mark.slow
def test_the_next_protocol_has_them(tree: SourceTree, tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(PLAN.format(protocol="agz-next", image="true"))
    tree.run("keygen", "key.pem", cwd=tmp_path)
    bundle = tmp_path / tree.run("run", "plan.yaml", "--key", "key.pem", cwd=tmp_path).splitlines()[-1].removeprefix(
        "bundle: "
    )
    assert json.loads(tree.run("verify", str(bundle), "--json", cwd=tmp_path))["level"] == "V1"
    manifest = json.loads((bundle / "data" / "manifest.json").read_bytes())
    sealed = manifest["plan"]
    assert "documents/none" in manifest["prompts_sha256"]
    assert (sealed["spectators"], sealed["matches"][0]["image_input"], sealed["name"]) == (3, True, "New keys")
    assert json.loads((bundle / "data" / "results" / "analysis.json").read_bytes())["applause"] == 7
    assert tree.run("show", str(bundle), cwd=tmp_path), "an analysis with the figure is read, too"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plan", "named"),
    [
        (PLAN.replace("image_input: {image}", "image_input: false"), "spectators"),
        (PLAN.replace("spectators: 3\n", ""), "matches.*.image_input"),
    ],
)
def test_a_key_that_a_protocol_lacks_is_refused_in_one_line(
    tree: SourceTree, tmp_path: Path, plan: str, named: str
) -> None:
    (tmp_path / "plan.yaml").write_text(plan.format(protocol="agz-0.1", image="true"))
    tree.run("keygen", "key.pem", cwd=tmp_path)
    told = tree.run("run", "plan.yaml", "--key", "key.pem", cwd=tmp_path, code=2, errors=True)
    assert told == f"error: plan.yaml: {named}: expected nothing, this format has no such field (agz-0.1)\n"
