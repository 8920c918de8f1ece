"""Tools, documents, the full stack, and two seats with a system each, in containers that are killed in the middle."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agzamov_harness.containers.container_engine import ContainerEngine
from agzamov_harness.containers.container_lifecycle import RUN_LABEL
from agzamov_harness.run import run_folder
from agzamov_harness.run.run_folder import RunDirectory
from agzamov_verify.checks.check_log import Number
from containers.engines import until
from containers.runs import Json, require_v1, sealed
from harness.commands import Commands
from harness.sealed_runs import entries, journals, twin

ENDED_S = 900


def match(phase: int, game: str, system: str, size: Json, **more: Any) -> Json:
    """A match of the real arm, with this system in seat A."""
    augmentation = {"notes": "memory", "engine": "tools", "basics": "rag", "all": "full"}[system]
    condition = {"augmentation": augmentation, "arm": "real", "system": system}
    return {"phase": phase, "game": game, "a": "novice", "b": "habit", "condition": condition, **size, **more}


def seat_b(augmentation: str, system: str) -> Json:
    return {"augmentation": augmentation, "arm": "real", "system": system}


GAMES, HANDS = {"games": 2, "careers": 1}, {"hands": 4, "careers": 1}
PLAN: Json = {
    "title": "Systems in containers",
    "isolation": "container",
    "seats": {
        "novice": {"kind": "novice"},
        "habit": {"kind": "novice", "patterns": ["pushes_rook_pawns", "min_raises_pairs"]},
    },
    "systems": {
        "notes": {"kind": "memory", "server": "full_text", "hits_max": 3},
        "engine": {"kind": "tools", "candidates_max": 2, "nodes": 5_000, "comparisons_max": 990},
        "basics": {"kind": "rag", "documents": "basics"},
        "all": {"kind": "full", "memory": "notes", "tools": "engine", "documents": "basics"},
    },
    "chess960": {"plies_max": 12, "adjudication": {"policy": "none"}},
    "holdem": {"session_hands": 2},
    "matches": [
        match(2, "holdem", "all", HANDS),
        match(
            3, "chess960", "all", GAMES, b_condition=seat_b("tools", "engine"), shifts=[{"after": 1, "patterns": []}]
        ),
        match(3, "holdem", "notes", HANDS, b_condition=seat_b("rag", "basics"), shifts=[{"after": 2, "patterns": []}]),
        match(3, "chess960", "basics", GAMES, b_condition=seat_b("memory", "notes")),
    ],
}


@pytest.fixture
def run(tmp_path: Path, key: Path, engine: ContainerEngine) -> Iterator[RunDirectory]:
    directory = sealed(PLAN, tmp_path, key)
    (tmp_path / "key.pem").write_bytes(key.read_bytes())
    yield directory
    engine.remove_all({RUN_LABEL: directory.manifest.run_id})


def finish(run: RunDirectory, key: Path, commands: Commands) -> Path:
    """Play it to its end; its bundle."""
    folder = run.path.parent.parent
    ended = commands.start("resume", run.path, "--key", key, "--json", cwd=folder).ended(ENDED_S)
    assert ended.code == 0, ended
    return folder / str(json.loads(ended.out)["bundle"])


def kill(part: str, after: int, run: RunDirectory, key: Path, engine: ContainerEngine, commands: Commands) -> None:
    """Play it until so many entries are recorded, then kill the command or the harness's container."""
    labels = {RUN_LABEL: run.manifest.run_id}
    running = commands.start("resume", run.path, "--key", key, "--json", cwd=run.path.parent.parent)
    until(lambda: entries(run.path) >= after or not running.alive_after(0), "more entries")
    if part == "command":
        running.kill()
    else:
        for row in engine.seen(labels):
            if row.name.endswith("-harness"):
                engine.signal(row.id, "SIGKILL")
        assert running.ended(ENDED_S).code in (0, 4)
    until(lambda: not engine.any_left(labels), "everything is taken down")


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param(("harness",), marks=pytest.mark.slow),
        pytest.param(("command", "harness"), marks=pytest.mark.exhaustive),
    ],
    ids=["harness", "command and harness"],
)
def test_every_system_plays_in_either_seat_in_containers_and_a_killed_run_comes_to_the_same_journals(
    run: RunDirectory, key: Path, engine: ContainerEngine, commands: Commands, parts: tuple[str, ...]
) -> None:
    """A command that is killed is in test_memory_kills too."""
    calm = run_folder.load(twin(run.path))
    bundle = finish(calm, key, commands)
    expected = journals(calm.path)
    verdict = require_v1(bundle)
    assert [verdict.steps[number - 1].status for number in (Number.MEMORY, Number.TOOLS)] == ["pass", "pass"]
    rows = json.loads((bundle / "data" / "environment.json").read_bytes())["containers"]
    assert {row["part"] for row in rows} >= {"harness", "engine", "memory", "tools"}
    assert {row["network"] for row in rows if row["part"] in {"engine", "memory", "tools"}} == {"none"}
    assert {row["name"] for row in rows if row["part"] == "tools"} == {"tool-chess960", "tool-holdem"}

    whole = sum(text.count(b"\n") for text in expected.values())
    for number, part in enumerate(parts, 1):
        kill(part, whole * number // 4, run, key, engine, commands)
    finish(run, key, commands)
    assert journals(run.path) == expected
