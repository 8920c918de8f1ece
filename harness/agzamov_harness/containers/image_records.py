"""Records of the images that were built here: the pins of runs and the expected content of an engine.

    build/images/<name>.json    the record of the last build, for this machine's architecture
    build/images/<name>.tar     the image

An engine shows the config digest as the image's id, or the manifest digest where it keeps images in
containerd; the layers' diff ids and the tree digest are the same everywhere.
"""

import os
from pathlib import Path
from typing import Any

import msgspec

from agzamov_verify.core import canon

FORMAT = "agz-image-1"
DECLARATION = "image.toml"
VARIABLE = "AGZ_IMAGE_BUILD"


class ImageFault(Exception):
    """An image cannot be declared, fetched, built, loaded or trusted; the message says what to do."""


class Different(ImageFault):
    """Two builds, or a build and its record, are not the same; the message names the first difference."""


class Pin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The digests of an image, each 64 hexadecimal digits."""

    architecture: str
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

    architecture: str
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
        digests = (self.config_digest, self.manifest_digest, self.diff_ids, self.tree_digest)
        return Pin(self.architecture, FORMAT, self.name, *digests)

    @property
    def reference(self) -> str:
        """Reference to start a container with, on an engine that identifies images by their config digest."""
        return f"sha256:{self.config_digest}"


def checkout(start: Path) -> Path:
    """The checkout that holds `start`, or the one that this program runs from. Raises ImageFault."""
    for folder in (start, *start.parents, *Path(__file__).resolve().parents):
        if (folder / "images" / "ground" / DECLARATION).is_file():
            return folder
    raise ImageFault(f"no images/ground/{DECLARATION} at or above {start}; go to a checkout of the appliance")


def default_folder() -> Path:
    """Output folder of builds: the one that the environment names, else `build/images` of the checkout."""
    folder_variable = os.environ.get(VARIABLE)
    return Path(folder_variable) if folder_variable else checkout(Path.cwd()) / "build" / "images"


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
