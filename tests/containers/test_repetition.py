"""Two runs of one sealed strict manifest in containers have the same journals, to the byte."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from containers.engines import ROOT
from containers.runs import sealed
from harness.commands import Commands

PLAN: dict[str, Any] = {
    "title": "Twice",
    "isolation": "container",
    "seats": {
        "tiny": {
            "kind": "gguf",
            "weights": "tinymodel.gguf",
            "context_tokens": 4096,
            "tokens_max": 16,
            "temperature": "0.8",
            "concurrency": 2,
        },
        "dice": {"kind": "random"},
    },
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 8},
    "holdem": {"session_hands": 2},
    "matches": [
        {"phase": 0, "game": "chess960", "a": "tiny", "b": "dice", "games": 4},
        {"phase": 0, "game": "holdem", "a": "tiny", "b": "dice", "hands": 4, "block_hands": 2},
    ],
}


def journals(run: Path) -> dict[str, bytes]:
    """Every segment of a run's journals, by its name. Logs of executions hold times, and are none."""
    return {str(path.relative_to(run)): path.read_bytes() for path in sorted((run / "journal").glob("*/[0-9]*.jsonl"))}


@pytest.mark.slow
def test_the_journals_of_two_runs_of_a_strict_manifest_are_equal_to_the_byte(
    commands: Commands, key: Path, tmp_path: Path
) -> None:
    shutil.copy(ROOT / "images/tinymodel/tinymodel.gguf", tmp_path)
    first = sealed(PLAN, tmp_path, key)
    second = tmp_path / "again" / first.path.name
    shutil.copytree(first.path, second)
    for run, bundles in ((first.path, "one"), (second, "two")):
        ended = commands.start("resume", run, "--key", key, "--out", tmp_path / bundles, "--json", cwd=tmp_path)
        assert ended.ended().code == 0
    played, repeated = journals(first.path), journals(second)
    assert sum(data.count(b"\n") for data in played.values()) >= 2 * 4 + 4  # a question and a reply for each result
    assert played.keys() == repeated.keys()
    assert [name for name in played if played[name] != repeated[name]] == []
