"""Strict determinism end to end: a run in containers, and its replay by the very image that it was sealed with."""

import json
from pathlib import Path

import pytest
import yaml

from agzamov_harness.containers.container_engine import ContainerEngine
from agzamov_harness.containers.container_lifecycle import RUN_LABEL
from agzamov_harness.models.preflight import read_notes
from bundles.bundle_factory import Draft, entries
from containers.runs import require_v1
from harness.commands import Commands, Ended

ENDED_S = 900
PLAN = {
    "title": "Strict in containers",
    "isolation": "container",
    "seats": {
        "model": {
            "kind": "gguf",
            "weights": "babbler.gguf",
            "context_tokens": 4096,
            "temperature": 1,
            "tokens_max": 3,
            "concurrency": 2,
        }
    },
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 6},
    "holdem": {"session_hands": 2},
    "matches": [
        {"phase": 1, "game": "chess960", "a": "model", "b": "model", "games": 2},
        {"phase": 1, "game": "holdem", "a": "model", "b": "model", "hands": 2, "block_hands": 2},
    ],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from models.babbler import write_model  # noqa: PLC0415 - skips where llama.cpp is missing

    made = tmp_path_factory.mktemp("strict")
    write_model(made / "babbler.gguf", quantised=True)
    (made / "plan.yaml").write_text(yaml.safe_dump(PLAN))
    return made


@pytest.fixture(scope="module")
def bundle(commands: Commands, key: Path, folder: Path) -> Path:
    ran = commands.start("run", "plan.yaml", "--key", key, "--json", cwd=folder).ended(ENDED_S)
    assert ran.code == 0, ran
    return folder / json.loads(ran.out)["bundle"]


def replay(commands: Commands, bundle: Path, weights: Path) -> Ended:
    command = ("replay", bundle, "--sample", 100, "--weights", f"model={weights}", "--json")
    return commands.start(*command, cwd=bundle).ended(ENDED_S)


def test_a_strict_run_notes_its_preflight_and_reaches_v1(bundle: Path) -> None:
    before, started = (execution.seats["model"] for execution in read_notes(bundle / "data/notes").executions)
    assert before.same
    assert [one.logprobs_same for one in before.rounds] == [8] * 3
    assert (started.rounds, started.answers_sha256) == ((), before.answers_sha256)
    require_v1(bundle)


@pytest.mark.slow
def test_its_image_gives_every_answer_again_and_leaves_nothing_behind(
    commands: Commands, bundle: Path, folder: Path, engine: ContainerEngine
) -> None:
    ran = replay(commands, bundle, folder / "babbler.gguf")
    assert ran.code == 0, ran
    report = json.loads(ran.out)
    draft = Draft.of(bundle)
    recorded = sum(len(entries(draft, stream)) for stream in draft.streams())
    assert report["seats"]["model"] == {"counted_otherwise": 0, "different": 0, "same": recorded, "within_margin": 0}
    pinned = draft.manifest.images["model"].config_digest
    assert report["weights"]["model"]["served_by"] == f"the sealed image, sha256 {pinned}"
    assert engine.seen({RUN_LABEL: draft.manifest.run_id}) == []


def test_weights_with_one_other_byte_are_refused_before_a_container_starts(
    commands: Commands, bundle: Path, folder: Path
) -> None:
    other = folder / "other.gguf"
    other.write_bytes((folder / "babbler.gguf").read_bytes()[:-1] + b"!")
    ran = replay(commands, bundle, other)
    assert (ran.code, "expected the weights that the bundle pins" in ran.err) == (2, True), ran
