"""What a build leaves: the record that runs pin, and the pin that is committed.

    build/images/<name>.json       the record of the last build here
    images/<name>/pin.json         for an image without our own source: what everybody must get

An engine shows the config digest as the image's id, or the manifest digest where it keeps images in
containerd; the layers' diff ids and the tree digest are the same everywhere.
"""

import os
from pathlib import Path
from typing import Any

import msgspec

from agzamov_verify import canon

from .declaration import checkout
from .faults import ImageFault

FORMAT = "agz-image-1"
VARIABLE = "AGZ_IMAGE_BUILD"
PIN = "pin.json"


class Pin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The digests of an image, each 64 hexadecimal digits."""

    format: str
    name: str
    config_digest: str
    manifest_digest: str
    diff_ids: tuple[str, ...]
    tree_digest: str


class ImageRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An image that was built, or adopted from those who publish it.

    `size_bytes` is of its layers. `start` is how a container of it starts, in an engine's words;
    `environment` is what a container must be given beside that.
    """

    format: str
    name: str
    config_digest: str
    manifest_digest: str
    diff_ids: tuple[str, ...]
    tree_digest: str
    size_bytes: int
    inputs_digest: str
    tag: str
    licence: str
    start: dict[str, Any]
    environment: dict[str, str] = {}

    @property
    def pin(self) -> Pin:
        return Pin(FORMAT, self.name, self.config_digest, self.manifest_digest, self.diff_ids, self.tree_digest)

    @property
    def reference(self) -> str:
        """What to start a container with, on an engine that keeps images by their configuration."""
        return f"sha256:{self.config_digest}"


def default_folder() -> Path:
    """Where builds go: the folder that the environment names, else `build/images` of the checkout."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else checkout(Path.cwd()) / "build" / "images"


def archive(folder: Path, name: str) -> Path:
    """The image's tar."""
    return folder / f"{name}.tar"


def load(name: str, folder: Path | None = None) -> ImageRecord:
    """The record of the last build of an image. Raises ImageFault where there is none."""
    path = (folder or default_folder()) / f"{name}.json"
    try:
        return canon.loads_as(path.read_bytes(), ImageRecord)
    except OSError as error:
        raise ImageFault(f"image {name} is not built here ({path}); run `agzamov images build {name}`") from error
    except canon.NotCanonical as error:
        raise ImageFault(f"{path}: {error}; run `agzamov images build {name}`") from error


def save(record: ImageRecord, folder: Path) -> None:
    """Write a record, whole or not at all."""
    path = folder / f"{record.name}.json"
    unfinished = path.with_suffix(".json.new")
    unfinished.write_bytes(canon.dumps(record))
    unfinished.replace(path)


def read_pin(images: Path, name: str) -> Pin | None:
    """The committed pin of an image, if it has one. Raises ImageFault."""
    path = images / name / PIN
    try:
        return msgspec.json.decode(path.read_bytes(), type=Pin)
    except FileNotFoundError:
        return None
    except msgspec.MsgspecError as error:
        raise ImageFault(f"{path}: {error}") from error


def write_pin(images: Path, pin: Pin) -> None:
    """Commit to a build."""
    text = msgspec.json.format(msgspec.json.encode(pin), indent=2)
    (images / pin.name / PIN).write_bytes(text + b"\n")
