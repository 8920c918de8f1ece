"""The other half of inclusion proofs: the root that a proof leads to, for whoever holds a line and a root."""

from collections.abc import Sequence
from hashlib import sha256

from agzamov_verify.core.merkle import node_hash


def leaf_hash(data: bytes) -> bytes:
    """SHA-256(0x00 || data) (RFC 6962, section 2.1)."""
    return sha256(b"\0" + data).digest()


def root_from_proof(leaf: bytes, index: int, size: int, proof: Sequence[bytes]) -> bytes:
    """The root that `proof` leads to (RFC 9162, section 2.1.3.2). Raises ValueError if it cannot fit."""
    if not 0 <= index < size:
        raise ValueError(f"expected an index below {size}, found {index}")
    node, position, last = leaf_hash(leaf), index, size - 1
    for sibling in proof:
        if not last:
            raise ValueError("the proof is too long")
        if position & 1 or position == last:
            node = node_hash(sibling, node)
            while not position & 1 and position:
                position, last = position >> 1, last >> 1
        else:
            node = node_hash(node, sibling)
        position, last = position >> 1, last >> 1
    if last:
        raise ValueError("the proof is too short")
    return node
