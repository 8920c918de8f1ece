"""A new kind of seat is one file and one line, two of each where it needs the outside world.

Two kinds are added to a copy of the source tree, and the copy's `agzamov` plans, plays, verifies and shows them.
"""

import json
import re
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from extending.source_tree import SourceTree, require_golden

HERE = Path(__file__).parent
REGISTRY, ROWS = "agzamov_verify/seats/__init__.py", "agzamov_harness/seat_kind.py"


class Added(NamedTuple):
    """One file that is copied to a folder, and one line that stands after another in a registry."""

    file: str
    folder: str
    registry: str
    after: str
    line: str


LAST_KIND = "from .ollama_seat import OllamaSeat as OllamaSeat\n"
LAST_ROW = '    "stockfish": "stockfish_kind",\n'
ADDED = (
    Added(
        "first_legal_seat.py",
        "agzamov_verify/seats",
        REGISTRY,
        LAST_KIND,
        "from .first_legal_seat import FirstLegalSeat as FirstLegalSeat\n",
    ),
    Added(
        "fixed_model_seat.py",
        "agzamov_verify/seats",
        REGISTRY,
        LAST_KIND,
        "from .fixed_model_seat import FixedModelSeat as FixedModelSeat\n",
    ),
    Added(
        "fixed_model_kind.py",
        "agzamov_harness/seat_kinds",
        ROWS,
        LAST_ROW,
        '    "fixed_model": "fixed_model_kind",\n',
    ),
)
SMALL = {"phase": 0, "game": "holdem", "b": "dice", "hands": 4, "block_hands": 2}
PLAN: dict[str, Any] = {
    "title": "Kinds of seat that are new",
    "protocol": "agz-next",
    "seats": {
        "first": {"kind": "first_legal"},
        "fixed": {"kind": "fixed_model"},
        "dice": {"kind": "random"},
        "guest": {"kind": "fixed_model"},
    },
    "holdem": {"session_hands": 2},
    "systems": {"basics": {"kind": "rag", "documents": "basics"}},
    "matches": [
        {**SMALL, "a": "first"},
        {**SMALL, "a": "fixed"},
        {**SMALL, "phase": 4, "a": "guest", "b": "first", "condition": {"augmentation": "rag"}},
    ],
}


class Copy(NamedTuple):
    """A copy of both distributions, and a folder to work in."""

    tree: SourceTree
    folder: Path

    def agzamov(self, *words: str) -> str:
        """What the copy's `agzamov` prints; it must end well."""
        return self.tree.run(*words, cwd=self.folder)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    tree, folder = SourceTree(tmp_path_factory.mktemp("source")), tmp_path_factory.mktemp("run")
    for added in ADDED:
        shutil.copy(HERE / added.file, tree.folder / added.folder)
        registry = tree.folder / added.registry
        text = registry.read_text()
        assert text.count(added.after) == 1
        registry.write_text(text.replace(added.after, added.after + added.line))
    tree.add_protocol()
    (folder / "plan.yaml").write_text(json.dumps(PLAN))
    return Copy(tree, folder)


@pytest.fixture(scope="module")
def bundle(copy: Copy) -> str:
    """The folder of a bundle of the plan."""
    copy.agzamov("keygen", "key")
    return str(json.loads(copy.agzamov("run", "plan.yaml", "--key", "key", "--json"))["bundle"])


def test_a_bundle_of_new_kinds_is_verified_and_what_a_script_said_is_computed_again(copy: Copy, bundle: str) -> None:
    told = " ".join(copy.agzamov("verify", bundle, "--details").split())
    assert re.search(r"all [\d,]+ replies of (random and )?first_legal players", told), told
    assert "first: player of the first legal action, no model" in told
    assert 'fixed: model that always says the same: "ACTION: fold"; at most 64 tokens a reply' in told


@pytest.mark.slow
def test_unlike_models_meet_where_the_protocol_lets_them(copy: Copy, bundle: str) -> None:
    told = json.loads(copy.agzamov("verify", bundle, "--json"))
    assert told["level"] == "V1"
    assert [match["id"] for match in told["results"]["matches"]][-1] == "p4-holdem-rag_naked-guest-first"


@pytest.mark.slow
def test_the_golden_bundles_are_verified_as_before(copy: Copy) -> None:
    require_golden(copy.tree)


@pytest.mark.parametrize(("seat", "said"), [("first", "The first that is offered."), ("fixed", "ACTION: fold")])
def test_a_hand_of_a_new_kind_is_shown(copy: Copy, bundle: str, seat: str, said: str) -> None:
    assert said in copy.agzamov("show", bundle, "--game", f"p0-holdem-naked-{seat}-h0000000", "--prompts")


@pytest.mark.slow
def test_a_plan_of_new_kinds_is_forecast(copy: Copy) -> None:
    told = copy.agzamov("plan", "plan.yaml", "--details")
    assert "first_legal" in told
    assert "fixed_model" in told
