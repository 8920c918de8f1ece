"""One protocol version as a value: what its folder says, and its documents."""

import hashlib
from collections.abc import Callable, Mapping
from functools import cached_property
from importlib.resources import files
from typing import Any, Final

import msgspec

from ..table.decision import IllegalPolicy
from .document_shape import Shape
from .opponents import PhaseRule

Document = dict[str, Any]
DATA_SUFFIXES: Final = (".json", ".py")


class Formats(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`formats.json` of a protocol's folder. `prompts`: names of the texts whose digests its manifests hold."""

    manifest: Shape
    results: Shape
    calls: Shape
    analysis: Shape
    prompts: tuple[str, ...]


def unchanged(document: Document) -> Document:
    """The same document: this protocol spells its manifest as the code does today."""
    return document


class ProtocolVersion(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One version of the protocol.

    `phases` are in the order in which they are played. `claims`: by game, the figures that a submitter signs.
    `illegal`: what follows an answer without a legal action. `people`: they sit at its tables, elsewhere that is a
    departure. `upgrade` gives a sealed manifest of this version the
    spelling of today's types, and `downgrade` takes it back.
    """

    id: str
    folder: str
    games: tuple[str, ...]
    phases: Mapping[int, PhaseRule]
    claims: Mapping[str, tuple[str, ...]]
    illegal: IllegalPolicy = IllegalPolicy.SUBSTITUTE
    people: bool = False
    upgrade: Callable[[Document], Document] = unchanged
    downgrade: Callable[[Document], Document] = unchanged

    @property
    def has_gate(self) -> bool:
        """True if a phase decides which seats go further."""
        return any(rule.gate for rule in self.phases.values())

    def data(self, name: str) -> bytes:
        """One file of the folder."""
        return (files(__package__) / self.folder / name).read_bytes()

    @cached_property
    def formats(self) -> Formats:
        """The fields of this version's documents."""
        return msgspec.json.decode(self.data("formats.json"), type=Formats)

    @property
    def folder_sha256(self) -> str:
        """Digest of the folder: of the lines "<sha256>  <name>" of its files, sorted by name."""
        found = sorted(
            (file for file in (files(__package__) / self.folder).iterdir() if file.name.endswith(DATA_SUFFIXES)),
            key=lambda file: file.name,
        )
        lines = (f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in found)
        return hashlib.sha256("".join(lines).encode()).hexdigest()
