"""Hashing an Ollama store: what was altered, is missing or leads elsewhere is refused with one clear line."""

import json
import os
from pathlib import Path

import pytest

from agzamov_harness.models.ollama_store import StoreUnreadable, manifest_path, read_store
from agzamov_harness.ports import ModelFault
from models.store import blob_path, put_blob, put_model
from models.store import manifest_path as written_at

NAME = "tiny:latest"
WEIGHTS = b"GGUF" + bytes(range(256))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    put_model(tmp_path / "store", NAME, WEIGHTS)
    return tmp_path / "store"


def fault_of(store: Path, name: str = NAME) -> str:
    with pytest.raises(ModelFault) as caught:
        read_store(store, name)
    said = str(caught.value)
    assert "\n" not in said
    return said


def rewritten(store: Path, **changes: object) -> None:
    """Change keys of the manifest, as somebody would who forgets that its digest changes too."""
    path = written_at(store, NAME)
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def weights_blob(store: Path) -> Path:
    return max((store / "blobs").iterdir(), key=lambda path: path.stat().st_size)


def test_an_honest_store_gives_the_digest_and_size_that_api_tags_shows(tmp_path: Path) -> None:
    digest, size = put_model(tmp_path, NAME, WEIGHTS)
    stored = read_store(tmp_path, NAME)
    assert (stored.sha256, stored.size_bytes) == (digest, size)
    assert blob_path(tmp_path, stored.weights_sha256).read_bytes() == WEIGHTS


def test_a_name_without_a_tag_is_the_latest(store: Path) -> None:
    assert read_store(store, "tiny") == read_store(store, "tiny:latest")


def test_one_altered_byte_of_the_weights_is_found_though_the_manifest_fits(store: Path) -> None:
    path = weights_blob(store)
    path.write_bytes(WEIGHTS[:-1] + b"!")
    said = fault_of(store)
    assert str(path) in said
    assert "expected the bytes it is named by" in said


def test_a_shortened_blob_is_found_by_its_size(store: Path) -> None:
    weights_blob(store).write_bytes(WEIGHTS[:-1])
    assert f"expected {len(WEIGHTS)} bytes, found {len(WEIGHTS) - 1}; pull the model again" in fault_of(store)


def test_a_missing_blob_is_named(store: Path) -> None:
    path = weights_blob(store)
    path.unlink()
    assert fault_of(store).startswith(f"{path}: expected this file of the model, found nothing")


def test_a_swapped_manifest_has_another_digest(store: Path) -> None:
    before = read_store(store, NAME).sha256
    other = put_blob(store, b"GGUF other weights")
    rewritten(store, layers=[{"mediaType": "application/vnd.ollama.image.model", **other}])
    assert read_store(store, NAME).sha256 != before


@pytest.mark.parametrize(
    "digest",
    [
        "sha256:../../../etc/passwd",
        "sha256-" + "0" * 64,
        "sha256:" + "0" * 63 + "/",
        "sha256:" + "A" * 64,
        "sha256:" + "0" * 64 + "\n",
        "../blobs/sha256-" + "0" * 64,
        "",
    ],
)
def test_a_manifest_that_names_a_blob_by_a_path_is_refused(store: Path, digest: str) -> None:
    rewritten(store, layers=[{"mediaType": "x", "digest": digest, "size": 1}])
    assert "expected blobs named by their SHA-256" in fault_of(store)


@pytest.mark.parametrize(
    "name",
    ["../tiny", "..:latest", "a/../tiny", "a/b/c/d", "/etc/passwd", "tiny:../x", "", ":", "a b", "tiny:", "x\n", "."],
)
def test_a_name_that_leads_elsewhere_is_refused(store: Path, name: str) -> None:
    assert "expected a model's name such as" in fault_of(store, name)


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("llama3.2:3b", "registry.ollama.ai/library/llama3.2/3b"),
        ("someone/model", "registry.ollama.ai/someone/model/latest"),
        ("hf.co/someone/Model-GGUF:Q4_K_M", "hf.co/someone/Model-GGUF/Q4_K_M"),
    ],
)
def test_names_stand_where_ollama_puts_them(name: str, place: str) -> None:
    assert manifest_path(Path("store"), name) == Path("store/manifests") / place


def test_a_blob_that_is_a_link_is_refused(store: Path, tmp_path: Path) -> None:
    path = weights_blob(store)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert f"{path}: expected a regular file" in fault_of(store)


def test_a_blob_that_is_a_pipe_does_not_hang(store: Path) -> None:
    path = weights_blob(store)
    path.unlink()
    os.mkfifo(path)
    assert f"{path}: expected a regular file" in fault_of(store)


@pytest.mark.parametrize("text", [b"", b"{}", b"[1]", b"\xff", b'{"config": {"digest": 1}}', b"[" * 100_000])
def test_a_manifest_that_is_none_is_refused(store: Path, text: bytes) -> None:
    written_at(store, NAME).write_bytes(text)
    assert "expected a model's manifest" in fault_of(store)


def test_a_manifest_without_end_is_not_read_whole(store: Path) -> None:
    path = written_at(store, NAME)
    path.write_text(json.dumps({**json.loads(path.read_text()), "more": " " * 2**21}))
    assert "expected" in fault_of(store)


def test_a_store_that_is_not_there_is_unreadable_and_a_model_that_is_not_there_is_missing(store: Path) -> None:
    with pytest.raises(StoreUnreadable):
        read_store(store / "nowhere", NAME)
    with pytest.raises(ModelFault, match="found nothing; pull the model again") as caught:
        read_store(store, "other")
    assert not isinstance(caught.value, StoreUnreadable)
