"""Pins: which weights a seat plays with, as hashed here, or where that cannot be done as its server says.

`pins_of` is for sealing; `check_weights` compares with the pins again before and after a run.
"""

import hashlib
import os
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, assert_never

from agzamov_verify.manifest import Manifest, ManifestError, ModelPin, Plan
from agzamov_verify.seats import GgufSeat, LocalModelSeat, OllamaSeat

from .faults import ModelFault
from .store import StoreUnreadable, open_regular, read_store

GGUF_MAGIC = b"GGUF"


class Witness(StrEnum):
    """Who says which weights are there."""

    HASHED = "hashed here"
    SERVER = "the server's word"


class Found(NamedTuple):
    """The weights that were found, and who says so."""

    pin: ModelPin
    witness: Witness


def pins_of(plan: Plan, plan_folder: Path) -> dict[str, ModelPin]:
    """The pin of each seat of local weights. Paths are taken from the plan's folder. Raises ManifestError."""
    try:
        return {name: found.pin for name, found in find_weights(plan, plan_folder).items()}
    except ModelFault as error:
        raise ManifestError(f"seats.{error}") from error


def find_weights(plan: Plan, plan_folder: Path) -> dict[str, Found]:
    """The weights of each seat that plays with local ones. Raises ModelFault that begins with the seat's name."""
    return {
        name: _of_seat(name, seat, plan_folder, may_ask=plan.isolation == "process")
        for name, seat in plan.playing.items()
        if isinstance(seat, LocalModelSeat)
    }


def check_weights(manifest: Manifest, plan_folder: Path) -> dict[str, Found]:
    """The weights, hashed again and equal to what was sealed. Raises ModelFault where they are not."""
    found = find_weights(manifest.plan, plan_folder)
    for name, weights in found.items():
        sealed = manifest.models.get(name)
        if weights.pin != sealed:
            wanted = f"sha256 {sealed.sha256}, {sealed.size_bytes} bytes" if sealed else "a pin in the manifest"
            here = f"sha256 {weights.pin.sha256}, {weights.pin.size_bytes} bytes"
            raise ModelFault(f"{name}: expected the sealed weights ({wanted}), found {here}; put the sealed ones back")
    return found


def pin_of(seat: LocalModelSeat, plan_folder: Path) -> ModelPin:
    """The pin of one seat's weights. Raises ModelFault."""
    return find(seat, plan_folder).pin


def find(seat: LocalModelSeat, plan_folder: Path, *, may_ask: bool = True) -> Found:
    """One seat's weights, and who says so: here, or if we `may_ask` it, an Ollama server. Raises ModelFault."""
    match seat:
        case GgufSeat():
            return Found(pin_of_gguf(placed(plan_folder, seat.weights), seat.weights_sha256), Witness.HASHED)
        case OllamaSeat():
            return _of_ollama(seat, plan_folder, may_ask=may_ask)
        case _:
            assert_never(seat)


def pin_of_gguf(path: Path, expected_sha256: str = "") -> ModelPin:
    """The digest and size of a GGUF file. Raises ModelFault."""
    try:
        with open_regular(path.resolve()) as file:
            magic = file.read(len(GGUF_MAGIC))
            file.seek(0)
            pin = ModelPin(hashlib.file_digest(file, "sha256").hexdigest(), os.fstat(file.fileno()).st_size)
    except OSError as error:
        raise ModelFault(f"{path}: expected a GGUF file: {error.strerror}") from error
    if magic != GGUF_MAGIC:
        raise ModelFault(f"{path}: expected a GGUF file, found one that begins with {magic!r}")
    if expected_sha256 and pin.sha256 != expected_sha256:
        raise ModelFault(f"{path}: expected sha256 {expected_sha256}, found {pin.sha256}")
    return pin


def placed(plan_folder: Path, written: str) -> Path:
    """A path as a plan writes it: from the plan's folder, absolute, or from ~."""
    return plan_folder / Path(written).expanduser()


def _of_seat(name: str, seat: LocalModelSeat, plan_folder: Path, *, may_ask: bool) -> Found:
    try:
        return find(seat, plan_folder, may_ask=may_ask)
    except ModelFault as error:
        raise ModelFault(f"{name}: {error}") from error


def _of_ollama(seat: OllamaSeat, plan_folder: Path, *, may_ask: bool) -> Found:
    """From the store where it can be read; else, or where there is none, from /api/tags."""
    try:
        found = _stored(seat, plan_folder) if seat.store else _told(seat)
    except StoreUnreadable:
        if not may_ask:
            raise  # the server that will play is in a container that has not started
        found = _told(seat)
    if found.pin.sha256 != seat.model_digest:
        raise ModelFault(
            f"{seat.model}: expected the model with digest {seat.model_digest}, found {found.pin.sha256};"
            " pull that version, or name this one in model_digest"
        )
    return found


def _stored(seat: OllamaSeat, plan_folder: Path) -> Found:
    stored = read_store(placed(plan_folder, seat.store), seat.model)
    return Found(ModelPin(stored.sha256, stored.size_bytes), Witness.HASHED)


def _told(seat: OllamaSeat) -> Found:
    from .inventory import Inventory  # noqa: PLC0415 - the client of Ollama takes a third of a second to import

    with Inventory(seat.base_url) as server:
        model = server.model(seat.model)
    return Found(ModelPin(model.digest, model.size_bytes), Witness.SERVER)
