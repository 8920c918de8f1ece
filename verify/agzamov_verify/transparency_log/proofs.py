"""Inclusion and consistency proofs of RFC 6962 (sections 2.1.1 and 2.1.2), made from hashes of whole subtrees.

Checked by the algorithms of RFC 9162, sections 2.1.3.2 and 2.1.4.2.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import TypeAlias

from ..core.merkle import node_hash

SubtreeHash: TypeAlias = Callable[[int, int], bytes]
"""The hash of the subtree of 2^level leaves at `index`, by (level, index)."""

EMPTY_ROOT = sha256(b"").digest()


def leaf_hash(data: bytes) -> bytes:
    """SHA-256(0x00 || data)."""
    return sha256(b"\0" + data).digest()


def range_hash(hash_at: SubtreeHash, start: int, end: int) -> bytes:
    """MTH(D[start:end]) of leaves, where `start` is a multiple of the largest power of two that fits."""
    size = end - start
    if not size:
        return EMPTY_ROOT
    level = size.bit_length() - 1
    if size == 1 << level:
        return hash_at(level, start >> level)
    split = start + (1 << (size - 1).bit_length() - 1)
    return node_hash(range_hash(hash_at, start, split), range_hash(hash_at, split, end))


def inclusion_path(hash_at: SubtreeHash, index: int, start: int, end: int) -> list[bytes]:
    """PATH of leaf `index` in D[start:end]: sibling hashes from the leaf upwards."""
    if end - start <= 1:
        return []
    split = start + (1 << (end - start - 1).bit_length() - 1)
    if index < split:
        return [*inclusion_path(hash_at, index, start, split), range_hash(hash_at, split, end)]
    return [*inclusion_path(hash_at, index, split, end), range_hash(hash_at, start, split)]


def consistency_path(hash_at: SubtreeHash, older: int, size: int) -> list[bytes]:
    """PROOF(older, D[size]): that the tree of `older` leaves is the beginning of that of `size`."""
    if not 0 < older < size:
        return []
    return _subproof(hash_at, older, 0, size, is_whole=True)


def _subproof(hash_at: SubtreeHash, older: int, start: int, end: int, *, is_whole: bool) -> list[bytes]:
    if older == end:
        return [] if is_whole else [range_hash(hash_at, start, end)]
    split = start + (1 << (end - start - 1).bit_length() - 1)
    if older <= split:
        left = _subproof(hash_at, older, start, split, is_whole=is_whole)
        return [*left, range_hash(hash_at, split, end)]
    right = _subproof(hash_at, older, split, end, is_whole=False)
    return [*right, range_hash(hash_at, start, split)]


def root_from_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """The root that a leaf hash, its index and its path give; None for a path of another length."""
    if not 0 <= index < size:
        return None
    position, last, node = index, size - 1, leaf
    for sibling in path:
        if not last:
            return None
        if position & 1 or position == last:
            node = node_hash(sibling, node)
            while not position & 1 and position:
                position, last = position >> 1, last >> 1
        else:
            node = node_hash(node, sibling)
        position, last = position >> 1, last >> 1
    return None if last else node


def is_consistent(older: int, older_root: bytes, size: int, root: bytes, path: Sequence[bytes]) -> bool:
    """True if the path proves that the tree of `older` leaves is the beginning of that of `size`."""
    if older > size:
        return False
    if older in (0, size):
        return not path and (older_root == root if older else older_root == EMPTY_ROOT)
    nodes = list(path) if older & (older - 1) else [older_root, *path]
    if not nodes:
        return False
    position, last = older - 1, size - 1
    while position & 1:
        position, last = position >> 1, last >> 1
    first = second = nodes[0]
    for node in nodes[1:]:
        if not last:
            return False
        if position & 1 or position == last:
            first, second = node_hash(node, first), node_hash(node, second)
            while not position & 1 and position:
                position, last = position >> 1, last >> 1
        else:
            second = node_hash(second, node)
        position, last = position >> 1, last >> 1
    return not last and (first, second) == (older_root, root)
