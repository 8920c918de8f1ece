"""What is pinned beside the plan's own words when a run is sealed: container images, and weights."""

from collections.abc import Sequence
from pathlib import Path

from agzamov_verify.feasible import image_parts, local_models
from agzamov_verify.manifest import EnginePin, ImagePin, ManifestError, ModelPin, Plan
from agzamov_verify.protocol import load_protocol

from .images import records
from .images.faults import ImageFault
from .seal import NO_IMAGES, Images

IMAGE_OF = {
    "engine": "stockfish",
    "harness": "harness",
    "model": "model-server",
    "ollama": "ollama",
    "proxy": "proxy",
}
"""Which image plays each part of a run."""

BINARY_LABEL, NET_LABEL = "agz.engine.binary-sha256", "agz.engine.net-sha256"


def images_of(plan: Plan, folder: Path | None = None) -> Images:
    """The images that `plan` needs, as last built in `folder`. Raises ManifestError where one is not built."""
    parts = image_parts(plan)
    if not parts:
        return NO_IMAGES
    built = _built(parts, folder)
    engine = _engine(built["engine"], plan.protocol) if "engine" in built else None
    return Images({part: pin_of(record) for part, record in built.items()}, engine)


def _built(parts: Sequence[str], folder: Path | None) -> dict[str, records.ImageRecord]:
    """The record of each part's image. Raises ManifestError that names all that are not built."""
    found, missing = {}, []
    for part in parts:
        try:
            found[part] = records.load(IMAGE_OF[part], folder)
        except ImageFault:
            missing.append(IMAGE_OF[part])
    if missing:
        names, build = ", ".join(missing), f"agzamov images build {' '.join(missing)} --load"
        raise ManifestError(f"isolation: expected these images to be built here: {names}; run `{build}`")
    return found


def models_of(plan: Plan, plan_folder: Path) -> dict[str, ModelPin]:
    """The pin of each seat of local weights; paths are taken from the plan's folder. Raises ManifestError."""
    if not local_models(plan):
        return {}
    from .models.pins import pins_of  # noqa: PLC0415 - the client of Ollama takes a third of a second to import

    return pins_of(plan, plan_folder)


def pin_of(record: records.ImageRecord) -> ImagePin:
    """What a manifest keeps of an image's record."""
    return ImagePin(record.config_digest, record.manifest_digest, record.tree_digest, record.diff_ids)


def _engine(record: records.ImageRecord, protocol: str) -> EnginePin:
    """The engine in an image, by the digests that its build recorded. Raises ManifestError for another net."""
    norm = load_protocol(protocol).engine
    labels = record.start.get("Labels")
    told = labels if isinstance(labels, dict) else {}
    if told.get(NET_LABEL) != norm.net_sha256:
        found = told.get(NET_LABEL, "none")
        raise ManifestError(f"isolation: expected the net {norm.net_sha256} in image {record.name}, found {found}")
    return EnginePin(norm.name, norm.net_sha256, told.get(BINARY_LABEL, ""))
