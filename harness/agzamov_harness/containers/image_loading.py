"""Images in a Docker engine: load missing ones, and compare those present with the built ones.

An engine that keeps images by their configuration shows our config digest as the id. One that keeps them
in containerd shows the digest of a manifest, or of the index above it, that depends on who wrote it; there the
layers and the way a container starts are compared, which is all that the config digest commits to.
"""

from pathlib import Path
from typing import Any, NamedTuple

import docker
from docker.errors import DockerException, ImageNotFound

from . import image_records
from .image_records import Different, ImageFault, ImageRecord

LOAD_S = 600
FIELDS = ("User", "Env", "Entrypoint", "Cmd", "WorkingDir")


class LoadedImage(NamedTuple):
    """An image that an engine holds: the id to start it by, and whether it had to be loaded."""

    image_id: str
    fresh: bool


def ensure_loaded(client: docker.DockerClient, record: ImageRecord, folder: Path | None = None) -> LoadedImage:
    """The image in the engine, loaded from its tar if it is not there. Raises ImageFault."""
    attributes = _inspected(client, record)
    fresh = not attributes
    if not attributes:
        _load(client, image_records.archive(folder or image_records.default_folder(), record.name))
        attributes = _inspected(client, record)
    if not attributes:
        raise ImageFault(
            f"{record.name}: the engine took the image and does not show it as {record.tag}; load it by hand"
        )
    _require(record, attributes)
    return LoadedImage(str(attributes["Id"]), fresh)


def _inspected(client: docker.DockerClient, record: ImageRecord) -> dict[str, Any]:
    for reference in (record.reference, f"sha256:{record.manifest_digest}", record.tag):
        try:
            return inspect(client, reference)
        except ImageNotFound:
            continue
        except (DockerException, OSError) as error:
            raise ImageFault(f"{record.name}: the engine does not say whether it holds it: {error}") from error
    return {}


def inspect(client: docker.DockerClient, reference: str) -> dict[str, Any]:
    """The engine's record of an image. Raises docker's ImageNotFound, and its other errors."""
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


def _require(record: ImageRecord, attributes: dict[str, Any]) -> None:
    """Raises Different unless the engine's image is the record's."""
    if attributes["Id"] == record.reference:
        return
    layers = [name.removeprefix("sha256:") for name in attributes["RootFS"]["Layers"]]
    if layers != list(record.diff_ids):
        raise Different(f"{record.name}: expected the layers of the record, found others under {attributes['Id']}")
    for field in FIELDS:
        expected, actual = record.start.get(field) or None, attributes["Config"].get(field) or None
        if expected != actual:
            raise Different(f"{record.name}: {field}: expected {expected}, found {actual} under {attributes['Id']}")
