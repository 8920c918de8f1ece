"""Proofs in a file (c2sp.org/tlog-proof): an entry's index, its path, and the checkpoint of the tree that holds it.

c2sp.org/tlog-proof@v1
index 73894
gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=

example.com/fancylog
…
"""

import base64
from collections.abc import Collection
from typing import Final, NamedTuple

from .checkpoint import SIZE_MAX, Witnessed, parse_number, witnessed
from .proofs import leaf_hash, root_from_inclusion
from .signed_note import NOTE_BYTES_MAX, BadNote, VerifierKey, decoded

HEADER: Final = "c2sp.org/tlog-proof@v1"
PATH_MAX: Final = 63
PROOF_BYTES_MAX: Final = NOTE_BYTES_MAX + 8192


class TlogProof(NamedTuple):
    """An entry's index and path, and the bytes of the checkpoint."""

    number: int
    path: tuple[bytes, ...]
    checkpoint: bytes

    @property
    def data(self) -> bytes:
        hashes = "".join(f"{base64.b64encode(sha256).decode()}\n" for sha256 in self.path)
        return f"{HEADER}\nindex {self.number}\n{hashes}\n".encode() + self.checkpoint


class Included(NamedTuple):
    """An entry that is in a log: its index, and the checkpoint with its witnesses."""

    number: int
    witnessed: Witnessed


def parse_proof(data: bytes) -> TlogProof:
    """A proof from its bytes; one with `extra` data is refused, since we have none. Raises BadNote."""
    if len(data) > PROOF_BYTES_MAX:
        raise BadNote(f"a proof of at most {PROOF_BYTES_MAX} bytes", f"{len(data)} bytes")
    head, separator, checkpoint = data.partition(b"\n\n")
    lines = head.decode("ascii", "replace").split("\n")
    if len(lines) < 2 or lines[0] != HEADER or not separator or not lines[1].startswith("index "):
        raise BadNote(f"a proof that begins with {HEADER} and an index", "another text")
    _, index, *path = lines
    if len(path) > PATH_MAX:
        raise BadNote(f"at most {PATH_MAX} hashes", str(len(path)))
    hashes = tuple(decoded(line, "a hash in base64") for line in path)
    if any(len(sha256) != 32 for sha256 in hashes):
        raise BadNote("hashes of 32 bytes", "another length")
    return TlogProof(parse_number(index.removeprefix("index "), SIZE_MAX), hashes, checkpoint)


def included(data: bytes, entry: bytes, logs: Collection[VerifierKey], witnesses: Collection[VerifierKey]) -> Included:
    """The place of `entry` in a log that is known, as a proof shows it. Raises BadNote."""
    proof = parse_proof(data)
    signed = witnessed(proof.checkpoint, logs, witnesses)
    checkpoint = signed.checkpoint
    if root_from_inclusion(leaf_hash(entry), proof.number, checkpoint.size, proof.path) != checkpoint.root:
        place = f"entry {proof.number} of the {checkpoint.size} of {checkpoint.origin}"
        raise BadNote(f"a proof that this registration is {place}", "a proof of something else")
    return Included(proof.number, signed)
