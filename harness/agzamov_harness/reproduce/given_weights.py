"""The open weights of whoever asks again: hashed, compared with the bundle's pins, and served or found at an address.

An address, a key's name or a path is never taken from the bundle: whoever made it must not choose whom we ask.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from agzamov_verify.manifest import Manifest, ModelPin
from agzamov_verify.seats import LocalModelSeat, ModelSeat, Seat

from ..ports import ModelFault
from ..seat_kind import local_kind_of

NOT_PINNED = "not pinned by the manifest"


class Given(NamedTuple):
    """Inputs of whoever asks again, by seat: weights (a GGUF file, or Ollama's folder), and where they are served."""

    weights: Mapping[str, Path]
    addresses: dict[str, str]


class Held(NamedTuple):
    """One seat's weights as they were checked."""

    sha256: str
    witness: str


def hold(manifest: Manifest, inputs: Given) -> dict[str, Held]:
    """The seats that can be asked again, their weights checked against the pins. Raises ModelFault."""
    playing = manifest.plan.playing
    for name in sorted({*inputs.weights, *inputs.addresses}):
        if not isinstance(playing.get(name), ModelSeat):
            names = ", ".join(seat for seat, kind in playing.items() if isinstance(kind, ModelSeat))
            raise ModelFault(f"{name}: expected a seat of this run that a model plays ({names or 'there is none'})")
    seats_named = {name: seat for name, seat in playing.items() if name in {*inputs.weights, *inputs.addresses}}
    return {name: _held(name, seat, manifest.models.get(name), inputs) for name, seat in seats_named.items()}


def _held(name: str, seat: Seat, pin: ModelPin | None, inputs: Given) -> Held:
    if not isinstance(seat, LocalModelSeat) or pin is None:
        return Held("", NOT_PINNED)
    try:
        given_pin, witness = local_kind_of(seat).weights_given(
            seat, inputs.weights.get(name), inputs.addresses.get(name, "")
        )
    except ModelFault as error:
        raise ModelFault(f"{name}: {error}") from error
    if given_pin != pin:
        expected, actual = (f"sha256 {either.sha256}, {either.size_bytes} bytes" for either in (pin, given_pin))
        raise ModelFault(f"{name}: expected the weights that the bundle pins ({expected}), found {actual}")
    return Held(given_pin.sha256, witness)
