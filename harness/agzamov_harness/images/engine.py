"""Images in a Docker engine: load what is missing, and say whether what is there is what was built.

An engine that keeps images by their configuration shows our config digest as the id. One that keeps them
in containerd shows a manifest digest that depends on who wrote the manifest; there the layers and the way
a container starts are compared, which is all that the config digest commits to.
"""

import tarfile
from collections.abc import Iterable
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import Any, NamedTuple

import docker
from docker.errors import APIError, DockerException, ImageNotFound

from agzamov_verify import canon

from . import declaration, records
from .faults import Different, ImageFault
from .records import ImageRecord
from .tree import CHUNK, leaves, tree_digest

LOAD_S = 600
FIELDS = ("User", "Env", "Entrypoint", "Cmd", "WorkingDir")


class Loaded(NamedTuple):
    """An image that an engine holds: the id to start it by, and whether it had to be loaded."""

    image_id: str
    fresh: bool


def connect() -> docker.DockerClient:
    """The engine that the environment names. Raises ImageFault."""
    try:
        client = docker.from_env()
        client.ping()
    except DockerException as error:
        raise ImageFault(f"no Docker engine answers ({error}); start one, or set DOCKER_HOST") from error
    return client


def ensure_loaded(client: docker.DockerClient, record: ImageRecord, folder: Path | None = None) -> Loaded:
    """The image in the engine, loaded from its tar if it is not there. Raises ImageFault."""
    found = _inspected(client, record)
    fresh = not found
    if not found:
        _load(client, records.archive(folder or records.default_folder(), record.name))
        found = _inspected(client, record)
    if not found:
        raise ImageFault(
            f"{record.name}: the engine took the image and does not show it as {record.tag}; load it by hand"
        )
    _require(record, found)
    return Loaded(str(found["Id"]), fresh)


def _inspected(client: docker.DockerClient, record: ImageRecord) -> dict[str, Any]:
    for reference in (record.reference, f"sha256:{record.manifest_digest}", record.tag):
        try:
            return _inspect(client, reference)
        except ImageNotFound:
            continue
        except (DockerException, OSError) as error:
            raise ImageFault(f"{record.name}: the engine does not say whether it holds it: {error}") from error
    return {}


def _inspect(client: docker.DockerClient, reference: str) -> dict[str, Any]:
    return dict(client.api.inspect_image(reference))  # type: ignore[no-untyped-call]


def _load(client: docker.DockerClient, path: Path) -> None:
    patience, client.api.timeout = client.api.timeout, LOAD_S
    try:
        with path.open("rb") as opened:
            client.images.load(opened)
    except FileNotFoundError as error:
        raise ImageFault(f"{path}: no such file; run `agzamov images build`") from error
    except (DockerException, OSError) as error:  # a connection that ends is an OSError of another library
        raise ImageFault(f"{path}: the engine does not load it: {error}") from error
    finally:
        client.api.timeout = patience


def _require(record: ImageRecord, found: dict[str, Any]) -> None:
    """Raises Different unless the engine's image is the record's."""
    if found["Id"] == record.reference:
        return
    layers = [name.removeprefix("sha256:") for name in found["RootFS"]["Layers"]]
    if layers != list(record.diff_ids):
        raise Different(f"{record.name}: expected the layers of the record, found others under {found['Id']}")
    for field in FIELDS:
        wanted, here = record.start.get(field) or None, found["Config"].get(field) or None
        if wanted != here:
            raise Different(f"{record.name}: {field}: expected {wanted}, found {here} under {found['Id']}")


def adopted(client: docker.DockerClient, images: Path, name: str, reference: str | None) -> ImageRecord:
    """The record of an image that others publish, as the engine holds it. Raises ImageFault."""
    declared = declaration.read(images, name)
    if not declared.external:
        raise ImageFault(f"{name} is built here; run `agzamov images build {name}`")
    wanted = reference or f"{declared.external.repository}@{declared.external.digest}"
    repository, _, digest = wanted.partition("@sha256:")
    try:
        found = _inspect(client, wanted) if digest else {}
    except (ImageNotFound, APIError):
        found = {}
    if not found or repository != declared.external.repository:
        raise ImageFault(f"{name}: the engine holds no {wanted}; {declaration.how_to_get(name, declared.external)}")
    image_id = str(found["Id"]).removeprefix("sha256:")
    if image_id == digest:
        raise ImageFault(
            f"{name}: this engine keeps images in containerd, where an image's configuration has no id to pin"
        )
    return ImageRecord(
        format=records.FORMAT,
        name=name,
        config_digest=image_id,
        manifest_digest=digest,
        diff_ids=tuple(layer.removeprefix("sha256:") for layer in found["RootFS"]["Layers"]),
        tree_digest=tree_in(client, image_id),
        size_bytes=int(found["Size"]),
        inputs_digest=canon.digest(wanted),
        tag=wanted,
        licence=declared.licence,
        start={field: found["Config"].get(field) or [] for field in FIELDS},
        environment=dict(declared.config.env),
    )


def tree_in(client: docker.DockerClient, image_id: str) -> str:
    """The tree digest of an engine's image, from an export of a container that is never started."""
    container = client.containers.create(image_id, command=["never-started"])
    try:
        chunks: Any = container.export()  # bytes, whatever its stub says
        with tarfile.open(fileobj=BufferedReader(_Chunks(chunks), CHUNK), mode="r|") as tar:
            return tree_digest(leaves(tar))
    finally:
        container.remove(force=True)


class _Chunks(RawIOBase):
    """Chunks of bytes as a file to read."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer from what is left of a chunk, or from the next."""
        self._left = self._left or next(self._chunks, b"")
        taken, self._left = self._left[: len(buffer)], self._left[len(buffer) :]
        buffer[: len(taken)] = taken
        return len(taken)
