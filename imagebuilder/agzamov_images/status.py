"""`agzamov images list`: every image, what it is for, and how it stands here."""

from enum import StrEnum
from pathlib import Path

import msgspec

from agzamov_harness.containers import image_records
from agzamov_harness.containers.image_records import ImageFault, ImageRecord

from . import image_files
from .cache_key import is_current
from .declaration import Declaration, how_to_get, names, read


class State(StrEnum):
    """State of an image on this machine."""

    EXTERNAL = "external"
    NOT_BUILT = "not built"
    ADOPTED = "adopted"
    STALE = "stale"
    BUILT = "built"
    PINNED = "as pinned"
    DIFFERENT = "DIFFERENT"


class ImageRow(msgspec.Struct, frozen=True):
    """One image. `config_digest` and `size_mb` are of what is here; `advice` says what to type where that helps."""

    name: str
    state: State
    about: str
    licence: str
    size_mb: int = 0
    config_digest: str = ""
    advice: str = ""


def image_rows(checkout: Path, built: Path) -> list[ImageRow]:
    """All images of a checkout. Raises ImageFault for a declaration that cannot be read."""
    return [_row(checkout, built, name) for name in names(checkout / "images")]


def _row(checkout: Path, built: Path, name: str) -> ImageRow:
    declared = read(checkout / "images", name)
    try:
        record = image_records.load(name, built)
    except ImageFault as error:
        if declared.external:
            return ImageRow(
                name, State.EXTERNAL, declared.about, declared.licence, advice=how_to_get(name, declared.external)
            )
        return ImageRow(name, State.NOT_BUILT, declared.about, declared.licence, advice=str(error))
    state, advice = _state(checkout, declared, record)
    size = round(record.size_bytes / 1e6)
    return ImageRow(name, state, declared.about, declared.licence, size, record.config_digest, advice)


def _state(checkout: Path, declared: Declaration, record: ImageRecord) -> tuple[State, str]:
    if declared.external:
        return State.ADOPTED, ""
    pin = image_files.read_pin(checkout / "images", record.name, record.architecture)
    if pin and pin != record.pin:
        return State.DIFFERENT, f"the pin is of another build; run `agzamov images verify {record.name}`"
    if not is_current(checkout, record):
        return State.STALE, f"its source has changed; run `agzamov images build {record.name}`"
    return (State.PINNED if pin else State.BUILT), ""
