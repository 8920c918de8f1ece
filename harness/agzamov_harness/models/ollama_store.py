"""An Ollama server on this machine: its model folder, hashed by ourselves, and locks on a server in use by a run.

    manifests/registry.ollama.ai/library/<name>/<tag>    {"config": {"digest": "sha256:…", "size": …}, "layers": […]}
    blobs/sha256-<64 hex>                                each named by its own SHA-256

A model's digest, as /api/tags shows it, is the SHA-256 of its manifest file's bytes, so that file and the blobs that it
names are all there is. The server never hashes a blob again once it has it. Names and digests are matched whole before
they become part of a path; links are not followed.

A run holds a lock file for each of its servers, wherever the run's folder is: nothing may be loaded or pulled there.
The file is the server's, not a model's: two names may stand for the same weights, which a server loads once. A run of
another user, or of another machine, is not seen.
"""

import fcntl
import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from agzamov_verify.seats.model_seat import is_loopback

from ..ports import ModelFault

HOST, NAMESPACE, TAG = "registry.ollama.ai", "library", "latest"
MANIFEST_BYTES_MAX = 2**20
LAYERS_MAX = 100
WEIGHTS = "application/vnd.ollama.image.model"
_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,79}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


class StoreUnreadable(ModelFault):
    """The folder is not there, or may not be read, so its content is unknown."""


class Layer(msgspec.Struct, frozen=True):
    """One blob of a model, as its manifest names it."""

    digest: str
    size: int
    mediaType: str = ""  # noqa: N815 - the key's own spelling


class _Listing(msgspec.Struct, frozen=True):
    config: Layer
    layers: tuple[Layer, ...]


class StoredModel(msgspec.Struct, frozen=True):
    """A model whose manifest and blobs were all hashed: the digest of the manifest, the sum of the blobs' sizes."""

    sha256: str
    size_bytes: int
    weights_sha256: str


def manifest_path(store: Path, model: str) -> Path:
    """Path of a model's manifest. Raises ModelFault for an invalid name."""
    name, _, tag = model.rpartition(":") if ":" in model.rpartition("/")[2] else (model, "", TAG)
    host, namespace, base = ([HOST, NAMESPACE][: max(0, 3 - len(name.split("/")))] + name.split("/"))[:3]
    if name.count("/") > 2 or not all(map(_PART.fullmatch, (host, namespace, base, tag))):
        raise ModelFault(f"expected a model's name such as llama3.2:3b, found {ascii(model)[:100]}")
    return store / "manifests" / host / namespace / base / tag


def read_store(store: Path, model: str) -> StoredModel:
    """Hash the manifest of `model` and every blob that it names. Raises ModelFault at the first that is not right."""
    path = manifest_path(store, model)
    with _opened(store, path) as file:
        data = file.read(MANIFEST_BYTES_MAX + 1)
    layers = layers_of(path, data)
    for layer in dict.fromkeys(layers):
        _check_blob(store, layer)
    weights = next((layer.digest for layer in layers if layer.mediaType == WEIGHTS), "")
    size = sum(layer.size for layer in layers)
    return StoredModel(hashlib.sha256(data).hexdigest(), size, weights.removeprefix("sha256:"))


def layers_of(path: Path, data: bytes) -> tuple[Layer, ...]:
    """The blobs that a manifest names, its configuration first. Raises ModelFault."""
    try:
        listing = msgspec.json.decode(data, type=_Listing)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ModelFault(f"{path}: expected a model's manifest, found something else: {error}") from error
    layers = (listing.config, *listing.layers)
    if len(data) > MANIFEST_BYTES_MAX or len(layers) > LAYERS_MAX:
        raise ModelFault(f"{path}: expected at most {MANIFEST_BYTES_MAX} bytes and {LAYERS_MAX} layers, found more")
    for layer in layers:
        if not _DIGEST.fullmatch(layer.digest) or layer.size < 0:
            raise ModelFault(f"{path}: expected blobs named by their SHA-256, found {ascii(layer.digest)[:80]}")
    return layers


def _check_blob(store: Path, layer: Layer) -> None:
    path = store / "blobs" / layer.digest.replace(":", "-")
    with _opened(store, path) as file:
        found_bytes = os.fstat(file.fileno()).st_size
        if found_bytes != layer.size:
            raise ModelFault(f"{path}: expected {layer.size} bytes, found {found_bytes}; pull the model again")
        actual = hashlib.file_digest(file, "sha256").hexdigest()
    if actual != layer.digest.removeprefix("sha256:"):
        raise ModelFault(
            f"{path}: expected the bytes it is named by, found sha256 {actual}; it was altered: pull again"
        )


def _opened(store: Path, path: Path) -> BufferedReader:
    """A regular file of the store. Raises StoreUnreadable where the store cannot be looked into."""
    try:
        return open_regular(path)
    except FileNotFoundError as error:
        if not os.access(store / "manifests", os.R_OK | os.X_OK):
            raise StoreUnreadable(f"{store}: expected Ollama's model folder, with manifests/ and blobs/") from error
        raise ModelFault(f"{path}: expected this file of the model, found nothing; pull the model again") from error
    except PermissionError as error:
        raise StoreUnreadable(f"{path}: cannot be read; run as a user who can read it, or leave store empty") from error
    except OSError as error:
        raise ModelFault(f"{path}: expected a regular file: {error.strerror}") from error


def open_regular(path: Path) -> BufferedReader:
    """Open a file that is a file, and no link, pipe or device. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(None, "not a regular file", str(path))
    return os.fdopen(descriptor, "rb")


@contextmanager
def server_asked(base_url: str) -> Iterator[None]:
    """Hold a server for a run. Raises ModelFault while it is being checked or pulled to."""
    what = "another command is loading a model there; start when it has ended"
    with _holding(base_url, fcntl.LOCK_SH, what):
        yield


@contextmanager
def server_alone(base_url: str) -> Iterator[None]:
    """Lock a server for work that would disturb a run. Raises ModelFault while a run is asking it."""
    what = "a run is asking this server, and would be disturbed; do it when the run has ended"
    with _holding(base_url, fcntl.LOCK_EX, what):
        yield


@contextmanager
def _holding(base_url: str, kind: int, refusal: str) -> Iterator[None]:
    with _lock_file(base_url).open("a") as lock:
        try:
            fcntl.flock(lock, kind | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ModelFault(f"{base_url}: {refusal}") from error
        yield


def _lock_file(base_url: str) -> Path:
    """One file for each server, by whatever name of this machine it is reached."""
    folder = Path(tempfile.gettempdir()) / f"agzamov-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise ModelFault(f"{folder}: expected a folder of this user, found another user's; remove it, or set TMPDIR")
    address = urlsplit(base_url)
    host = "loopback" if is_loopback(base_url) else address.hostname or ""
    port = address.port or (443 if address.scheme == "https" else 80)
    return folder / f"server-{re.sub('[^0-9A-Za-z.]', '_', host)}-{port}.lock"
