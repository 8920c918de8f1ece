"""The Docker engine as a builder uses it: finding it, and recording an image that others publish.

Such an image is pinned by the same digests on every engine: where an engine keeps images in containerd and does not
show the digest of an image's configuration, that is read from what the engine would save.
"""

import hashlib
import os
import tarfile
from collections.abc import Iterable
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import Any

import docker
import msgspec
from docker.errors import APIError, DockerException, ImageNotFound

from agzamov_harness.containers import image_records
from agzamov_harness.containers.engine_socket import NoEngine, engine_host
from agzamov_harness.containers.image_loading import FIELDS, inspect
from agzamov_harness.containers.image_records import ImageFault, ImageRecord
from agzamov_verify.core import canon

from . import declaration
from .tree import CHUNK, leaves, tree_digest

HOST = "DOCKER_HOST"
CONFIGURATION_BYTES_MAX = 2**22
SNAPSHOTTER = "io.containerd.snapshotter.v1"


def connect() -> docker.DockerClient:
    """The engine that the environment names, else the one that runs would use. Raises ImageFault."""
    try:
        client = docker.from_env() if os.environ.get(HOST) else docker.DockerClient(base_url=engine_host())
        client.ping()
    except (DockerException, NoEngine) as error:
        raise ImageFault(f"no Docker engine answers ({error}); start one, or set DOCKER_HOST") from error
    return client


def adopted(client: docker.DockerClient, images: Path, name: str, reference: str | None) -> ImageRecord:
    """The record of an image that others publish, as the engine holds it. Raises ImageFault."""
    declared = declaration.read(images, name)
    if not declared.external:
        raise ImageFault(f"{name} is built here; run `agzamov images build {name}`")
    image_reference = reference or f"{declared.external.repository}@{declared.external.digest}"
    repository, _, digest = image_reference.partition("@sha256:")
    try:
        attributes = inspect(client, image_reference) if digest else {}
    except (ImageNotFound, APIError):
        attributes = {}
    if not attributes or repository != declared.external.repository:
        raise ImageFault(
            f"{name}: the engine holds no {image_reference}; {declaration.how_to_get(name, declared.external)}"
        )
    image_id = str(attributes["Id"]).removeprefix("sha256:")
    layers = tuple(layer.removeprefix("sha256:") for layer in attributes["RootFS"]["Layers"])
    return ImageRecord(
        architecture=str(attributes["Architecture"]),
        format=image_records.FORMAT,
        name=name,
        config_digest=_configuration(client, name, image_id, layers) if in_containerd(client, attributes) else image_id,
        manifest_digest=digest,
        diff_ids=layers,
        tree_digest=tree_in(client, image_id),
        size_bytes=int(attributes["Size"]),
        inputs_digest=canon.digest(image_reference),
        tag=image_reference,
        licence=declared.licence,
        start={field: attributes["Config"].get(field) or [] for field in FIELDS},
        environment=dict(declared.config.env),
    )


def in_containerd(client: docker.DockerClient, attributes: dict[str, Any]) -> bool:
    """True if the engine keeps its images in containerd, where an image's id is not its configuration's digest."""
    driver = dict(row[:2] for row in client.info().get("DriverStatus") or [])
    return "Descriptor" in attributes or driver.get("driver-type") == SNAPSHOTTER


def _configuration(client: docker.DockerClient, name: str, image_id: str, layers: tuple[str, ...]) -> str:
    """The digest of an image's configuration, from what the engine would save of it. Raises ImageFault.

    The configuration is the one file that names all the layers that the engine shows. Big files are passed over.
    """
    layer_ids = [f"sha256:{layer}" for layer in layers]
    chunks: Any = client.api.get_image(f"sha256:{image_id}")
    with tarfile.open(fileobj=BufferedReader(_Chunks(chunks), CHUNK), mode="r|") as tar:
        for info in tar:
            opened = tar.extractfile(info) if info.isreg() and info.size <= CONFIGURATION_BYTES_MAX else None
            content = opened.read() if opened else b""
            if _layers_named(content) == layer_ids:
                return hashlib.sha256(content).hexdigest()
    raise ImageFault(
        f"{name}: expected a configuration of the layers that the engine shows, found none in what it saves"
    )


def _layers_named(content: bytes) -> list[str]:
    """The layers that an image's configuration names; none for another file."""
    try:
        return msgspec.json.decode(content, type=_Configuration).rootfs.diff_ids
    except msgspec.MsgspecError:
        return []


class _Layers(msgspec.Struct):
    diff_ids: list[str]


class _Configuration(msgspec.Struct):
    """Part of an image's configuration by which it is recognised."""

    rootfs: _Layers


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
