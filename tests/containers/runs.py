"""Plans of runs in containers, sealed here without the command line."""

import copy
from pathlib import Path
from typing import Any

from agzamov_harness.containers.image_roles import images_of
from agzamov_harness.memory.adapter_file import with_adapters
from agzamov_harness.models.weight_pins import pins_of
from agzamov_harness.pipeline.sealed_run import with_memories
from agzamov_harness.run import run_folder, signing_keys
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.run_folder import RunDirectory
from agzamov_harness.run.seal import seal
from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.core.envelope import key_id
from agzamov_verify.engines.uci_engine import find_engine
from models.babbler import write_model

Json = dict[str, Any]

WEIGHTS = "babbler.gguf"
BABBLER: Json = {
    "kind": "gguf",
    "weights": WEIGHTS,
    "context_tokens": 4096,
    "tokens_max": 3,
    "concurrency": 2,
    "determinism": "measured",
}
SMALL: Json = {
    "title": "In containers",
    "isolation": "container",
    "seats": {"fish": {"kind": "stockfish", "nodes": 500, "skill": 3}, "dice": {"kind": "random"}},
    "engine": {"nodes": 500},
    "chess960": {"plies_max": 40},
    "matches": [{"phase": 0, "game": "chess960", "a": "fish", "b": "dice", "games": 4}],
}


def changed(plan: Json, **parts: Any) -> Json:
    """The plan with other parts."""
    return {**copy.deepcopy(plan), **parts}


def write_weights(folder: Path) -> None:
    """The weights of a small model that babbles, as plans here name them."""
    if not (folder / WEIGHTS).exists():
        write_model(folder / WEIGHTS)


def require_v1(bundle: Path) -> Verdict:
    """Verify a bundle, with the engine of this machine."""
    verdict = verify(bundle, Options(find_engine()))
    assert verdict.level == "V1", [verdict.findings, verdict.steps]
    return verdict


def sealed(wished: Json, folder: Path, key: Path) -> RunDirectory:
    """A run that has not started, beside the weights of a small model that babbles."""
    write_weights(folder)
    plan = plan_from(with_adapters(copy.deepcopy(wished), folder))
    submitter = key_id(signing_keys.load(key).public_key())
    manifest, secret = seal(plan, submitter, None, images=images_of(plan), models=pins_of(plan, folder))
    manifest = with_memories(manifest)
    return run_folder.create(folder / "runs", manifest, secret, signing_keys.load(key), folder)
