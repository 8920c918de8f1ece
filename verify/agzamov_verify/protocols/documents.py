"""The documents of a protocol version, written and read by the fields that the version has."""

from typing import Any, Final, TypeVar

import msgspec

from ..core import canon
from . import PROTOCOLS
from .document_shape import OutsideShape, Shape, spelled

T = TypeVar("T", bound=msgspec.Struct)
RESULTS: Final = "results"
CALLS: Final = "calls"
ANALYSIS: Final = "analysis"


def plain(protocol: str, name: str, value: object, *, corrected: bool = False) -> Any:
    """A computed document as plain JSON, without figures that the protocol's documents do not have.

    `corrected`: with right figures in the place of those that a release made wrong, as no bundle has it.
    """
    return spelled(value, _shape(protocol, name), wished=False, corrected=corrected)


def written(protocol: str, name: str, value: object) -> bytes:
    """A computed document in canonical form."""
    return canon.dumps(plain(protocol, name, value))


def read(protocol: str, name: str, data: bytes, kind: type[T]) -> T:
    """A computed document from its canonical form; fields that it does not have hold their defaults.

    Raises NotCanonical.
    """
    try:
        value = msgspec.json.decode(data, type=kind)
        again = written(protocol, name, value)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, OutsideShape) as error:
        raise canon.NotCanonical(str(error)) from error
    if again != data:
        raise canon.NotCanonical(f"not in canonical form from byte {canon.first_difference(again, data)} on")
    return value


def _shape(protocol: str, name: str) -> Shape:
    shape: Shape = getattr(PROTOCOLS[protocol].formats, name)
    return shape
