"""The open weights that a replayer has: hashed, compared with the bundle's pins, and reached at an address of his own.

An address, a key's name or a path is never taken from the bundle: whoever made it must not choose whom we ask.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from agzamov_verify.manifest import Manifest, ModelPin
from agzamov_verify.seats import EndpointSeat, GgufSeat, LocalModelSeat, OllamaSeat, Seat

from ..models.faults import ModelFault
from ..models.inventory import Inventory
from ..models.pins import Witness, pin_of_gguf
from ..models.store import read_store

NOT_PINNED = "not pinned by the manifest"


class Given(NamedTuple):
    """What the replayer named, by seat: weights (a GGUF file, or Ollama's folder), and where they are served."""

    weights: Mapping[str, Path]
    at: dict[str, str]


class Held(NamedTuple):
    """One seat's weights as they were checked."""

    sha256: str
    witness: str


def hold(manifest: Manifest, given: Given) -> dict[str, Held]:
    """The seats that can be asked again, their weights checked against the pins. Raises ModelFault."""
    playing = manifest.plan.playing
    for name in sorted({*given.weights, *given.at}):
        if not isinstance(playing.get(name), EndpointSeat | LocalModelSeat):
            names = ", ".join(seat for seat, kind in playing.items() if isinstance(kind, EndpointSeat | LocalModelSeat))
            raise ModelFault(f"{name}: expected a seat of this run that a model plays ({names or 'there is none'})")
    named = {name: seat for name, seat in playing.items() if name in {*given.weights, *given.at}}
    return {name: _held(name, seat, manifest.models.get(name), given) for name, seat in named.items()}


def reached(seat: Seat) -> Seat:
    """A seat as a replayer asks it: with no key, whose name the bundle would choose."""
    return msgspec.structs.replace(seat, api_key_env="") if isinstance(seat, EndpointSeat) else seat


def _held(name: str, seat: Seat, pin: ModelPin | None, given: Given) -> Held:
    if isinstance(seat, EndpointSeat) or pin is None:
        return Held("", NOT_PINNED)
    try:
        found, witness = _found(seat, given.weights.get(name), given.at.get(name, ""))
    except ModelFault as error:
        raise ModelFault(f"{name}: {error}") from error
    if found != pin:
        wanted, here = (f"sha256 {one.sha256}, {one.size_bytes} bytes" for one in (pin, found))
        raise ModelFault(f"{name}: expected the weights that the bundle pins ({wanted}), found {here}")
    return Held(found.sha256, witness)


def _found(seat: Seat, path: Path | None, at: str) -> tuple[ModelPin, Witness]:
    """The pin of the weights that were given. Raises ModelFault."""
    if isinstance(seat, OllamaSeat):
        return _of_ollama(seat, path, at)
    assert isinstance(seat, GgufSeat)
    if path is None:
        raise ModelFault("expected its GGUF file too, to hash it: --weights SEAT=PATH")
    return pin_of_gguf(path), Witness.HASHED


def _of_ollama(seat: OllamaSeat, store: Path | None, at: str) -> tuple[ModelPin, Witness]:
    if not at:
        raise ModelFault("expected the address of an Ollama server that has it: --at SEAT=ADDRESS")
    if store:
        stored = read_store(store, seat.model)
        return ModelPin(stored.sha256, stored.size_bytes), Witness.HASHED
    with Inventory(at) as server:
        model = server.model(seat.model)
    return ModelPin(model.digest, model.size_bytes), Witness.SERVER
