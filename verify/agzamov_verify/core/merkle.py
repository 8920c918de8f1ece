"""RFC 6962 (section 2.1) Merkle tree hashes over byte strings: root, inclusion proof, its check."""

from collections.abc import Sequence
from hashlib import sha256


def node_hash(left: bytes, right: bytes) -> bytes:
    """SHA-256(0x01 || left || right)."""
    return sha256(b"\1" + left + right).digest()


class Tree:
    """A root that grows by appending; it keeps one hash per level, not the leaves."""

    def __init__(self) -> None:
        self.size = 0
        self._peaks: list[bytes] = []

    def append(self, data: bytes) -> None:
        """Add a leaf. Hashes stand here in full: this runs once for every line of a journal."""
        node = sha256(b"\0" + data).digest()
        size, peaks = self.size, self._peaks
        self.size += 1
        while size & 1:
            node = sha256(b"\1" + peaks.pop() + node).digest()
            size >>= 1
        peaks.append(node)

    def root(self) -> bytes:
        """MTH of all leaves so far; SHA-256 of nothing for an empty tree."""
        if not self._peaks:
            return sha256(b"").digest()
        node = self._peaks[-1]
        for peak in reversed(self._peaks[:-1]):
            node = node_hash(peak, node)
        return node


def root_of(leaves: Sequence[bytes]) -> bytes:
    """MTH of `leaves`."""
    tree = Tree()
    for leaf in leaves:
        tree.append(leaf)
    return tree.root()


def inclusion_proof(leaves: Sequence[bytes], index: int) -> list[bytes]:
    """PATH(index, leaves): sibling hashes from the leaf upwards."""
    if len(leaves) <= 1:
        return []
    split = 1 << (len(leaves) - 1).bit_length() - 1
    left, right = leaves[:split], leaves[split:]
    if index < split:
        return [*inclusion_proof(left, index), root_of(right)]
    return [*inclusion_proof(right, index - split), root_of(left)]
