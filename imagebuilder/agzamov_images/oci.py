"""One tar that is both an OCI layout and a docker archive; its digests are a function of layers and configuration.

    oci-layout  index.json  manifest.json  blobs/sha256/<manifest> <config> <layer> …

Layers stay uncompressed, so that no version of zlib can change a digest and a layer's blob is its diff id.
"""

import json
import tarfile
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple

from agzamov_harness.containers.image_records import ImageFault

from .architecture import Architecture
from .declaration import Config
from .tree import EPOCH, EPOCH_TEXT, FILE_MODE, Hashed

LAYOUT = b'{"imageLayoutVersion":"1.0.0"}'
MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"
INDEX_TYPE = "application/vnd.oci.image.index.v1+json"
CONFIG_TYPE = "application/vnd.oci.image.config.v1+json"
LAYER_TYPE = "application/vnd.oci.image.layer.v1.tar"
OS = "linux"
TAG_DIGITS = 12


class LayerFile(NamedTuple):
    """One layer: what it is called, its tar, its diff id (64 hexadecimal digits) and its size."""

    title: str
    path: Path
    diff_id: str
    size_bytes: int


class Image(NamedTuple):
    """The bytes of an image beside its layers."""

    architecture: str
    config: bytes
    manifest: bytes
    layers: tuple[LayerFile, ...]

    @property
    def config_digest(self) -> str:
        return _digest(self.config)

    @property
    def manifest_digest(self) -> str:
        return _digest(self.manifest)


def compose(config: Config, layers: Iterable[LayerFile], architecture: Architecture) -> Image:
    """The image of some layers, the lowest first."""
    layers = tuple(layers)
    packed = _json(_config(config, layers, architecture))
    manifest = {
        "schemaVersion": 2,
        "mediaType": MANIFEST_TYPE,
        "config": {"mediaType": CONFIG_TYPE, "digest": f"sha256:{_digest(packed)}", "size": len(packed)},
        "layers": [
            {"mediaType": LAYER_TYPE, "digest": f"sha256:{layer.diff_id}", "size": layer.size_bytes} for layer in layers
        ],
    }
    return Image(architecture.name, packed, _json(manifest), layers)


def starting(config: Config) -> dict[str, Any]:
    """Container configuration of the image under the OCI field names; empty fields are left out."""
    fields = {
        "User": config.user,
        "Env": [f"{name}={value}" for name, value in sorted(config.env.items())],
        "Entrypoint": list(config.entrypoint),
        "Cmd": list(config.cmd),
        "WorkingDir": config.workdir,
        "Labels": dict(config.labels),
    }
    return {name: value for name, value in fields.items() if value}


def _config(config: Config, layers: tuple[LayerFile, ...], architecture: Architecture) -> dict[str, Any]:
    return {
        "architecture": architecture.name,
        "os": OS,
        "created": EPOCH_TEXT,
        "config": starting(config),
        "history": [{"created": EPOCH_TEXT, "created_by": f"agzamov images: {layer.title}"} for layer in layers],
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{layer.diff_id}" for layer in layers]},
    }


def tag(name: str, config_digest: str) -> str:
    """A name for people, and so that an engine's clean-up of images without names spares ours. It never moves.

    It begins with `localhost`, so that no engine asks a public registry for an image of somebody else's.
    """
    return f"localhost/agzamov/{name}:{config_digest[:TAG_DIGITS]}"


def write(image: Image, named: str, path: Path) -> None:
    """Write the image as one tar. Raises ImageFault where a layer is no longer what it was."""
    blobs = {f"blobs/sha256/{_digest(data)}": data for data in (image.config, image.manifest)}
    with path.open("wb") as out, tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for inner, data in {**tables(image, named), **blobs}.items():
            _add(tar, inner, len(data), BytesIO(data))
        for diff_id, layer in {layer.diff_id: layer for layer in image.layers}.items():
            with layer.path.open("rb") as opened:
                reader = _Checked(opened)
                _add(tar, f"blobs/sha256/{diff_id}", layer.size_bytes, reader)  # type: ignore[arg-type]
            if reader.hashed.hexdigest != diff_id:
                raise ImageFault(
                    f"{layer.path}: expected sha256 {diff_id[:16]}, found other bytes; remove it, build again"
                )


def tables(image: Image, named: str) -> dict[str, bytes]:
    """The layout's version, and the tables of contents that OCI tools and engines read."""
    row = {
        "mediaType": MANIFEST_TYPE,
        "digest": f"sha256:{image.manifest_digest}",
        "size": len(image.manifest),
        "annotations": {"io.containerd.image.name": named, "org.opencontainers.image.ref.name": named},
        "platform": {"architecture": image.architecture, "os": OS},
    }
    archive = {
        "Config": f"blobs/sha256/{image.config_digest}",
        "RepoTags": [named],
        "Layers": [f"blobs/sha256/{layer.diff_id}" for layer in image.layers],
    }
    index = {"schemaVersion": 2, "mediaType": INDEX_TYPE, "manifests": [row]}
    return {"oci-layout": LAYOUT, "index.json": _json(index), "manifest.json": _json([archive])}


class _Checked:
    """A file that is hashed while it is read."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source
        self.hashed = Hashed(None)

    def read(self, size: int) -> bytes:
        data = self._source.read(size)
        self.hashed.write(data)
        return data


def _add(tar: tarfile.TarFile, path: str, size: int, content: IO[bytes]) -> None:
    info = tarfile.TarInfo(path)
    info.size, info.mtime, info.mode = size, EPOCH, FILE_MODE
    tar.addfile(info, content)


def _digest(data: bytes) -> str:
    hashed = Hashed(None)
    hashed.write(data)
    return hashed.hexdigest


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
