"""Files of images that only building needs: the build folder of each architecture, and the pins that are committed.

build/images/<name>.json                for this machine's architecture
build/images/<architecture>/<name>.json     for another one
images/<name>/pin.<architecture>.json   for an image without our own source: what everybody must get
"""

from pathlib import Path

import msgspec

from agzamov_harness.containers import image_records
from agzamov_harness.containers.image_records import ImageFault, Pin

from .architecture import Architecture, here


def build_folder(architecture: Architecture) -> Path:
    """Output folder of builds; of another architecture than this machine's, a folder of its name below."""
    folder = image_records.default_folder()
    return folder if architecture == here() else folder / architecture.name


def pin_path(images: Path, name: str, architecture: str) -> Path:
    """Path of the committed pin of an image."""
    return images / name / f"pin.{architecture}.json"


def read_pin(images: Path, name: str, architecture: str) -> Pin | None:
    """The committed pin of an image, if it has one. Raises ImageFault."""
    path = pin_path(images, name, architecture)
    try:
        return msgspec.json.decode(path.read_bytes(), type=Pin)
    except FileNotFoundError:
        return None
    except msgspec.MsgspecError as error:
        raise ImageFault(f"{path}: {error}") from error


def pin_bytes(pin: Pin) -> bytes:
    """A pin as it is committed."""
    return msgspec.json.format(msgspec.json.encode(pin), indent=2) + b"\n"


def write_pin(images: Path, pin: Pin) -> Path:
    """Commit to a build."""
    path = pin_path(images, pin.name, pin.architecture)
    path.write_bytes(pin_bytes(pin))
    return path
