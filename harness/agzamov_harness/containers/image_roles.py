"""Pins of the container images that are sealed with a run beside its plan."""

from collections.abc import Sequence
from pathlib import Path

from agzamov_verify.memory.declared_server import IMAGE_PARTS
from agzamov_verify.plan.manifest import EnginePin, ImagePin, ManifestError, Plan
from agzamov_verify.plan.plan_problems import image_parts
from agzamov_verify.protocols.norms import load_protocol

from ..run.seal import NO_IMAGES, Images
from . import image_records
from .image_records import ImageFault

IMAGE_OF = {
    "engine": "stockfish",
    "harness": "harness",
    "memory": "memory",
    "memory_semantic": "memory-semantic",
    "model": "model-server",
    "ollama": "ollama",
    "proxy": "proxy",
    "tools": "tools",
    **{part: f"memory-{name}" for name, part in IMAGE_PARTS.items()},
}
"""Image of each part of a run."""
BUILT_ON_REQUEST = frozenset({"memory-semantic", "ollama", *(IMAGE_OF[part] for part in IMAGE_PARTS.values())})
"""Images that `agzamov images build` builds only where they are named: few runs need them."""

BINARY_LABEL, NET_LABEL = "agz.engine.binary-sha256", "agz.engine.net-sha256"


def images_of(plan: Plan, folder: Path | None = None) -> Images:
    """The images that `plan` needs, as last built in `folder`. Raises ManifestError where one is not built."""
    parts = image_parts(plan)
    if not parts:
        return NO_IMAGES
    built = _built(parts, folder)
    engine = _engine(built["engine"], plan.protocol) if "engine" in built else None
    return Images({part: pin_of(record) for part, record in built.items()}, engine)


def _built(parts: Sequence[str], folder: Path | None) -> dict[str, image_records.ImageRecord]:
    """The record of each part's image. Raises ManifestError that names all that are not built."""
    by_part, missing = {}, []
    for part in parts:
        try:
            by_part[part] = image_records.load(IMAGE_OF[part], folder)
        except ImageFault:
            missing.append(IMAGE_OF[part])
    if missing:
        names, build = ", ".join(missing), f"agzamov images build {' '.join(missing)} --load"
        raise ManifestError(f"isolation: expected these images to be built here: {names}; run `{build}`")
    return by_part


def pin_of(record: image_records.ImageRecord) -> ImagePin:
    """Pin for the manifest from an image's record."""
    return ImagePin(record.config_digest, record.manifest_digest, record.tree_digest, record.diff_ids)


def _engine(record: image_records.ImageRecord, protocol: str) -> EnginePin:
    """The engine in an image, by the digests that its build recorded. Raises ManifestError for another net."""
    norm = load_protocol(protocol).engine
    labels = record.start.get("Labels")
    label_values = labels if isinstance(labels, dict) else {}
    if label_values.get(NET_LABEL) != norm.net_sha256:
        net = label_values.get(NET_LABEL, "none")
        raise ManifestError(f"isolation: expected the net {norm.net_sha256} in image {record.name}, found {net}")
    return EnginePin(norm.name, norm.net_sha256, label_values.get(BINARY_LABEL, ""))
