"""`agzamov run` with a model of an Ollama server, as a person types it: sealed, measured, played, hashed, signed."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.models import ollama_digest_watch
from agzamov_harness.run import signing_keys
from bundles.bundle_factory import check, told
from models.conftest import NAME, Babbler
from models.live import loose, strict
from models.ollama_double import Manner, OllamaDouble, Shown
from models.store import put_model

CONTEXT, PATIENCE_S = 4096, 100


@pytest.fixture
def folder(babbler: Babbler, tmp_path: Path) -> Path:
    """A key, and a store of our own that a test may spoil."""
    signing_keys.generate(tmp_path / "key.pem")
    put_model(tmp_path / "store", NAME, babbler.gguf.read_bytes())
    return tmp_path


@pytest.fixture(scope="module")
def double(babbler: Babbler) -> Iterator[OllamaDouble]:
    shown = Shown(NAME, babbler.digest, babbler.size)
    with strict(babbler.gguf) as llama, OllamaDouble(shown, llama, CONTEXT) as made:
        yield made


def plan_in(folder: Path, url: str, digest: str, **seat: Any) -> Path:
    wanted = {"kind": "ollama", "base_url": url, "model": "babbler", "model_digest": digest, "store": "store", **seat}
    plan = {
        "title": "Run",
        "seats": {"model": {"tokens_max": 24, "concurrency": 2, **wanted}},
        "chess960": {"adjudication": {"policy": "none"}, "plies_max": 4},
        "matches": [{"phase": 1, "game": "chess960", "a": "model", "b": "model", "games": 2}],
    }
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan))
    return folder / "plan.yaml"


def agzamov(folder: Path, command: str, *arguments: object) -> tuple[int, str]:
    options = ["--key", folder / "key.pem", "--out", folder / "bundles", "--json"]
    options += ["--runs", folder / "runs"] if command == "run" else []
    ran = CliRunner().invoke(main, [command, *map(str, arguments), *map(str, options)])
    assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exception
    return ran.exit_code, ran.output


def blob_of(folder: Path) -> Path:
    return max((folder / "store" / "blobs").iterdir(), key=lambda path: path.stat().st_size)


@pytest.mark.slow
def test_a_run_seals_the_models_digest_and_its_bundle_says_what_was_checked(
    folder: Path, double: OllamaDouble, babbler: Babbler
) -> None:
    code, output = agzamov(folder, "run", plan_in(folder, double.url, babbler.digest))
    assert code == 0, output
    bundle = Path(json.loads(output.splitlines()[-1])["bundle"])
    assert check(bundle).level == "V1", told(check(bundle))
    manifest = json.loads((bundle / "data/manifest.json").read_bytes())
    assert manifest["models"] == {"model": {"sha256": babbler.digest, "size_bytes": babbler.size}}
    assert {path.name for path in (bundle / "data/notes").iterdir()} == {
        "digests.json",
        "preflight.json",
        "weights.json",
    }
    (execution,) = json.loads((bundle / "data/notes/digests.json").read_bytes())["executions"]
    assert execution["seats"]["model"]["looks"] >= 2
    assert execution["seats"]["model"]["other"] == ""


def test_a_tampered_store_is_never_sealed(folder: Path, double: OllamaDouble, babbler: Babbler) -> None:
    path = blob_of(folder)
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    code, output = agzamov(folder, "run", plan_in(folder, double.url, babbler.digest))
    assert (code, output.startswith(f"error: seats.model: {path}: expected the bytes it is named by")) == (2, True)
    assert not (folder / "runs").exists()


@pytest.mark.slow
def test_a_store_that_is_tampered_with_while_it_is_played_ends_the_run_for_good(
    folder: Path, double: OllamaDouble, babbler: Babbler, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, good = blob_of(folder), blob_of(folder).read_bytes()
    chat = double._chat

    def tampering(body: dict[str, Any]) -> Any:
        if any((folder / "runs").glob("[!.]*/journal/*")):  # not while it is measured, before it is sealed
            path.write_bytes(good[:-1] + b"!")
        return chat(body)

    monkeypatch.setattr(double, "_chat", tampering)
    code, output = agzamov(folder, "run", plan_in(folder, double.url, babbler.digest))
    assert (code, "error: the weights changed while this run was played" in output) == (1, True), output
    path.write_bytes(good)
    (run,) = (folder / "runs").iterdir()
    code, output = agzamov(folder, "resume", run)
    assert (code, "Start a new run" in output, any((folder / "bundles").glob("*"))) == (1, True, False), output


@pytest.mark.slow
def test_weights_that_are_swapped_for_seconds_end_the_run_for_good(
    folder: Path, double: OllamaDouble, babbler: Babbler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store on disk never changes: only the server shows for a while which weights stand behind the name."""
    monkeypatch.setattr(ollama_digest_watch, "EVERY_S", 0.05)
    chat = double._chat
    seen = 0

    def looks() -> int:
        return [path for path, _ in double.requests].count("/api/tags")

    def swapping(body: dict[str, Any]) -> Any:
        nonlocal seen
        is_move = body["options"]["num_predict"] == 24 and "logprobs" not in body
        seen += is_move
        if is_move and seen == 2:
            double.manner = Manner.FORGETS_DIGEST
            enough = looks() + 2  # the first may have begun before
            end = time.monotonic() + PATIENCE_S
            while looks() < enough and time.monotonic() < end:
                time.sleep(0.01)
            double.manner = Manner.GOOD
        return chat(body)

    monkeypatch.setattr(double, "_chat", swapping)
    code, output = agzamov(folder, "run", plan_in(folder, double.url, babbler.digest, determinism="measured"))
    assert (code, f"the server showed digest {'f' * 64} while this run was played" in output) == (1, True), output
    (run,) = (folder / "runs").iterdir()
    code, output = agzamov(folder, "resume", run)
    assert (code, "Start a new run" in output, any((folder / "bundles").glob("*"))) == (1, True, False), output


@pytest.mark.slow
def test_a_server_that_is_not_strict_leaves_its_measurement_and_no_run(folder: Path, babbler: Babbler) -> None:
    shown = Shown(NAME, babbler.digest, babbler.size)
    with loose(babbler.gguf) as llama, OllamaDouble(shown, llama, CONTEXT) as double:
        code, output = agzamov(folder, "run", plan_in(folder, double.url, babbler.digest))
    assert (code, "start the server with OLLAMA_FLASH_ATTENTION=0" in output) == (2, True), output
    (kept,) = (folder / "runs").iterdir()
    assert f"nothing was sealed; what was measured is in {kept}" in output
    rounds = json.loads(kept.read_bytes())["executions"][0]["seats"]["model"]["rounds"]
    assert any(one["logprobs_same"] < 8 for one in rounds)
