"""Pins: what is sealed for a seat, who vouches for it, and what is compared before and after a run."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agzamov_harness.models.weight_pins import FILE, find, pin_of, pins_of, read_checks, weights_watched
from agzamov_harness.ports import ModelFault
from agzamov_harness.run import run_folder
from agzamov_harness.run.exit_status import HarnessEnded
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.run_folder import RunDirectory
from agzamov_harness.run.seal import seal
from agzamov_harness.seat_kind import FoundWeights, Witness
from agzamov_verify.core.envelope import key_id
from agzamov_verify.plan.manifest import ManifestError, ModelPin, Plan
from agzamov_verify.seats import GgufSeat, OllamaSeat
from bundles.bundle_factory import SUBMITTER
from harness.http_peer import Peer, answers
from models.store import blob_path, manifest_path, put_model

DATA = b"GGUF" + bytes(1000)
NAME = "tiny:latest"


def plan_with(isolation: str = "", **seat: Any) -> Plan:
    isolation = isolation or ("container" if seat["kind"] == "gguf" else "process")
    return plan_from(
        {
            "title": "Pins",
            "isolation": isolation,
            "chess960": {"adjudication": {"policy": "none"}},
            "seats": {"model": seat, "random": {"kind": "random"}},
            "matches": [{"phase": 0, "game": "chess960", "a": "model", "b": "random", "games": 2}],
        }
    )


def gguf(folder: Path, data: bytes = DATA) -> Path:
    (folder / "tiny.gguf").write_bytes(data)
    return folder


# --- a GGUF file ---------------------------------------------------------------------------------


def test_a_gguf_file_is_pinned_by_its_digest_and_size_from_the_plans_folder(tmp_path: Path) -> None:
    pin = pin_of(GgufSeat(weights="tiny.gguf"), gguf(tmp_path))
    assert pin == pin_of(GgufSeat(weights=str(tmp_path / "tiny.gguf")), Path("elsewhere"))
    assert pin == pin_of(GgufSeat(weights="tiny.gguf", weights_sha256=pin.sha256), tmp_path)
    assert (len(pin.sha256), pin.size_bytes) == (64, len(DATA))


@pytest.mark.parametrize(
    ("seat", "words"),
    [
        ({"weights": "none.gguf"}, r"seats.model: .*none.gguf: expected a GGUF file: No such file"),
        ({"weights": "smollm2-135m.gguf"}, "No such file or directory; get it with: agzamov models get smollm2-135m"),
        ({"weights": "."}, "expected a GGUF file"),
        ({"weights": "tiny.gguf", "weights_sha256": "0" * 64}, f"expected sha256 {'0' * 64}, found"),
    ],
)
def test_a_file_that_is_not_the_promised_one_is_a_fault_of_the_plan(
    tmp_path: Path, seat: dict[str, str], words: str
) -> None:
    with pytest.raises(ManifestError, match=words):
        pins_of(plan_with(kind="gguf", **seat), gguf(tmp_path))


def test_a_file_that_is_no_gguf_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelFault, match="found one that begins with b'GGML'"):
        pin_of(GgufSeat(weights="tiny.gguf"), gguf(tmp_path, b"GGML" + bytes(10)))


# --- an Ollama model -----------------------------------------------------------------------------


class Served:
    """A store on disk, and a server that shows it."""

    def __init__(self, folder: Path) -> None:
        self.store = folder / "store"
        self.digest, self.size = put_model(self.store, NAME, DATA)
        row = {"name": NAME, "model": NAME, "digest": self.digest, "size": self.size}
        self.peer = Peer(then=answers({"models": [row]}))
        self.url = self.peer.url.removesuffix("/v1")

    def seat(self, **changes: Any) -> OllamaSeat:
        return OllamaSeat(**{"base_url": self.url, "model": "tiny", "model_digest": self.digest, **changes})


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    made = Served(tmp_path)
    with made.peer:
        yield made


def test_a_model_is_pinned_by_hashing_its_store(served: Served, tmp_path: Path) -> None:
    expected = FoundWeights(ModelPin(served.digest, served.size), Witness.HASHED)
    assert find(served.seat(store="store"), tmp_path) == expected
    assert served.peer.requests == []


def test_without_a_store_the_servers_word_is_all_there_is_and_is_called_so(served: Served, tmp_path: Path) -> None:
    assert find(served.seat(), tmp_path) == FoundWeights(ModelPin(served.digest, served.size), Witness.SERVER)


def test_a_store_that_cannot_be_read_leaves_the_servers_word(served: Served, tmp_path: Path) -> None:
    assert find(served.seat(store="nowhere"), tmp_path).witness is Witness.SERVER


def test_in_a_container_no_server_can_speak_for_a_store_that_cannot_be_read(served: Served, tmp_path: Path) -> None:
    seat = {"base_url": served.url, "model": "tiny", "model_digest": served.digest, "store": "nowhere"}
    with pytest.raises(ManifestError, match="expected Ollama's model folder, with manifests/ and blobs/"):
        pins_of(plan_with(kind="ollama", isolation="container", **seat), tmp_path)
    assert served.peer.requests == []


def test_a_tampered_store_is_refused_and_the_servers_word_does_not_help(served: Served, tmp_path: Path) -> None:
    blob = max((served.store / "blobs").iterdir(), key=lambda path: path.stat().st_size)
    blob.write_bytes(DATA[:-1] + b"!")
    with pytest.raises(ModelFault, match="it was altered"):
        find(served.seat(store="store"), tmp_path)


@pytest.mark.parametrize("store", ["store", ""])
def test_another_version_of_the_model_is_refused(served: Served, tmp_path: Path, store: str) -> None:
    with pytest.raises(ModelFault, match=f"expected the model with digest {'0' * 64}, found {served.digest}"):
        find(served.seat(store=store, model_digest="0" * 64), tmp_path)


def test_only_seats_that_play_are_pinned(tmp_path: Path) -> None:
    plan = plan_with(kind="gguf", weights="tiny.gguf")
    idle = msgspec.structs.replace(plan, seats={**plan.seats, "idle": GgufSeat(weights="none.gguf")})
    assert set(pins_of(idle, gguf(tmp_path))) == {"model"}


# --- before and after a run ----------------------------------------------------------------------


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    """A sealed run with a GGUF file."""
    plan = plan_with(kind="gguf", weights="tiny.gguf")
    pins = pins_of(plan, gguf(tmp_path))
    manifest, secret = seal(plan, key_id(SUBMITTER.public_key()), None, models=pins)
    return run_folder.create(tmp_path / "runs", manifest, secret, SUBMITTER, tmp_path)


def test_weights_are_hashed_before_and_after_and_both_are_noted(run: RunDirectory) -> None:
    with weights_watched(run):
        before = read_checks(run.executions / FILE).checks
    checks = read_checks(run.executions / FILE).checks
    assert [check.when for check in checks] == ["before", "after"]
    assert checks[:1] == before
    assert checks[0].seats == checks[1].seats == run.manifest.models
    assert checks[0].witness == {"model": Witness.HASHED}


def test_weights_that_are_others_than_the_sealed_ones_stop_the_run_before_it_begins(
    run: RunDirectory, tmp_path: Path
) -> None:
    gguf(tmp_path, DATA + b"!")
    words = r"model: expected the sealed weights .*; put the sealed ones back"
    with pytest.raises(ModelFault, match=words), weights_watched(run):
        raise AssertionError("it must not begin")
    gguf(tmp_path)
    with weights_watched(run):
        pass


def test_weights_that_change_while_they_are_used_spoil_the_run_for_good(run: RunDirectory, tmp_path: Path) -> None:
    with pytest.raises(HarnessEnded, match="expected the sealed weights"), weights_watched(run):
        gguf(tmp_path, DATA + b"!")
    gguf(tmp_path)
    words = r"the weights changed while this run was played: .* Start a new run"
    with pytest.raises(HarnessEnded, match=words) as caught, weights_watched(run):
        raise AssertionError("it must not go on")
    assert caught.value.code == 1


def test_a_run_that_stops_has_no_check_after_it(run: RunDirectory) -> None:
    with pytest.raises(KeyboardInterrupt), weights_watched(run):
        raise KeyboardInterrupt
    assert [check.when for check in read_checks(run.executions / FILE).checks] == ["before"]


def test_notes_that_are_none_of_ours_are_refused(run: RunDirectory) -> None:
    (run.executions / FILE).write_text("{}")
    with pytest.raises(ModelFault, match="expected what earlier checks noted"), weights_watched(run):
        pass


def test_a_run_without_local_models_has_no_such_notes(tmp_path: Path) -> None:
    plan = plan_from(
        {
            "title": "No model",
            "seats": {"a": {"kind": "reference"}},
            "matches": [{"phase": 1, "game": "holdem", "a": "a", "b": "a", "hands": 100}],
        }
    )
    manifest, secret = seal(plan, key_id(SUBMITTER.public_key()), None)
    run = run_folder.create(tmp_path, manifest, secret, SUBMITTER)
    with weights_watched(run):
        pass
    assert not (run.executions / FILE).exists()


def test_the_store_of_these_tests_is_laid_out_as_ollamas(served: Served) -> None:
    assert manifest_path(served.store, NAME).is_file()
    assert blob_path(served.store, "0" * 64).name == f"sha256-{'0' * 64}"
