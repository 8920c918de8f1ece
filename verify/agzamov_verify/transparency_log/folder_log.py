"""A log as a folder of tiles (c2sp.org/tlog-tiles), which any web server or git repository can serve as it is.

    checkpoint
    tile/entries/000  tile/entries/001.p/44     up to 256 entries, each after its length in two bytes, big-endian
    tile/0/000  tile/0/001.p/44  tile/1/000.p/1 up to 256 hashes; at level L of subtrees of 256^L entries

Nothing in the folder is believed: `entries` recomputes the root from the entries, and a proof that is made from the
tiles is checked against the checkpoint before it is given away.
"""

import os
import stat
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

from ..core.merkle import Tree, node_hash
from .checkpoint import Checkpoint, parse_checkpoint
from .proofs import consistency_path, inclusion_path, is_consistent, leaf_hash, range_hash, root_from_inclusion
from .signed_note import NOTE_BYTES_MAX, BadNote

TILE_LEVELS: Final = 8
TILE_WIDTH: Final = 1 << TILE_LEVELS
HASH_BYTES: Final = 32
ENTRY_BYTES_MAX: Final = 2**16 - 1
BUNDLE_BYTES_MAX: Final = TILE_WIDTH * (ENTRY_BYTES_MAX + 2)
TILES_KEPT: Final = 1024
CHECKPOINT: Final = "checkpoint"
ENTRIES: Final = "entries"


def tile_name(level: int | str, index: int, width: int = TILE_WIDTH) -> str:
    """The path of a tile, or with level "entries" of a bundle of entries; with a width below 256 of a partial one."""
    rest, last = divmod(index, 1000)
    name = f"{last:03d}"
    while rest:
        rest, part = divmod(rest, 1000)
        name = f"x{part:03d}/{name}"
    return f"tile/{level}/{name}" + (f".p/{width}" if width < TILE_WIDTH else "")


def read_file(path: Path, bytes_max: int) -> bytes:
    """A regular file of a log, not through a link. Raises BadNote."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise BadNote(f"a log's file {path}", str(error.strerror)) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise BadNote(f"a regular file {path}", "something else")
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(bytes_max + 1)
    if len(data) > bytes_max:
        raise BadNote(f"{path} of at most {bytes_max} bytes", "more")
    return data


class FolderLog:
    """A log in a folder at one checkpoint, by default the one that is there."""

    def __init__(self, folder: Path, checkpoint: Checkpoint | None = None) -> None:
        self.folder = folder
        self.checkpoint = checkpoint or parse_checkpoint(read_file(folder / CHECKPOINT, NOTE_BYTES_MAX))
        self.size = self.checkpoint.size
        self._tile = lru_cache(TILES_KEPT)(self._read_tile)

    def hash_at(self, level: int, index: int) -> bytes:
        """The hash of the whole subtree of 2^level entries at `index`. Raises BadNote."""
        tile_level, height = divmod(level, TILE_LEVELS)
        number, offset = divmod(index << height, TILE_WIDTH)
        tile = self._tile(tile_level, number)
        nodes = [tile[at * HASH_BYTES : (at + 1) * HASH_BYTES] for at in range(offset, offset + (1 << height))]
        if len(nodes[-1]) != HASH_BYTES:
            raise BadNote(f"a tile {tile_name(tile_level, number)} that holds hash {index}", "a shorter one")
        while len(nodes) > 1:
            nodes = [node_hash(nodes[at], nodes[at + 1]) for at in range(0, len(nodes), 2)]
        return nodes[0]

    def entry(self, index: int) -> bytes:
        """One entry, whose hash the tiles hold. Raises BadNote."""
        if not 0 <= index < self.size:
            raise BadNote(f"an entry below {self.size}", str(index))
        entry = self._bundle(index // TILE_WIDTH)[index % TILE_WIDTH]
        if leaf_hash(entry) != self.hash_at(0, index):
            raise BadNote(f"entry {index} as its hash says", "other bytes")
        return entry

    def entries(self) -> Iterator[bytes]:
        """Every entry. Raises BadNote at the end if they do not give the checkpoint's root, so count none before."""
        tree = Tree()
        for number in range(-(-self.size // TILE_WIDTH)):
            for entry in self._bundle(number):
                tree.append(entry)
                yield entry
        if tree.root() != self.checkpoint.root:
            raise BadNote("entries with the root of the checkpoint", "entries with another root")

    def root_at(self, size: int) -> bytes:
        """The root of the first `size` entries, from the tiles."""
        return range_hash(self.hash_at, 0, size)

    def inclusion(self, index: int) -> tuple[bytes, ...]:
        """The path of an entry in the checkpoint's tree. Raises BadNote where the tiles do not fit the checkpoint."""
        path = inclusion_path(self.hash_at, index, 0, self.size)
        if root_from_inclusion(self.hash_at(0, index), index, self.size, path) != self.checkpoint.root:
            raise BadNote("tiles with the root of the checkpoint", "tiles with another root")
        return tuple(path)

    def require_grown_from(self, older: Checkpoint) -> None:
        """Raises BadNote unless this log is `older` with more entries behind it: no entry was changed or dropped."""
        if older.origin != self.checkpoint.origin:
            raise BadNote(f"a checkpoint of {self.checkpoint.origin}", f"one of {older.origin}")
        if older.size > self.size:
            raise BadNote(f"a log of at least {older.size} entries, as it had before", f"{self.size}: an old copy")
        path = consistency_path(self.hash_at, older.size, self.size)
        if not is_consistent(older.size, older.root, self.size, self.checkpoint.root, path):
            raise BadNote(f"the first {older.size} entries as they were signed before", "others: the log was rewritten")

    def tile_width(self, level: int, index: int) -> int:
        """Hashes in a tile of this size of tree."""
        return min(TILE_WIDTH, (self.size >> TILE_LEVELS * level) - index * TILE_WIDTH)

    def _either(self, level: int | str, index: int, width: int, bytes_max: int) -> bytes:
        """A partial tile, or the whole one that took its place."""
        partial = self.folder / tile_name(level, index, width)
        whole = self.folder / tile_name(level, index)
        return read_file(partial if partial.is_file() else whole, bytes_max)

    def _read_tile(self, level: int, index: int) -> bytes:
        width = self.tile_width(level, index)
        if width <= 0:
            raise BadNote(f"a tile of a log of {self.size} entries", tile_name(level, index))
        data = self._either(level, index, width, TILE_WIDTH * HASH_BYTES)
        return data[: width * HASH_BYTES]

    def _bundle(self, index: int) -> list[bytes]:
        width = self.tile_width(0, index)
        entries = parse_bundle(self._either(ENTRIES, index, width, BUNDLE_BYTES_MAX))
        if len(entries) < width:
            raise BadNote(f"{width} entries in {tile_name(ENTRIES, index, width)}", str(len(entries)))
        return entries[:width]


def parse_bundle(data: bytes) -> list[bytes]:
    """The entries of a bundle. Raises BadNote."""
    entries, at = list[bytes](), 0
    while at < len(data):
        length = int.from_bytes(data[at : at + 2], "big")
        entry = data[at + 2 : at + 2 + length]
        if len(entry) != length or len(data) - at < 2:
            raise BadNote("whole entries", "a cut one")
        entries.append(entry)
        at += 2 + length
        if len(entries) > TILE_WIDTH:
            raise BadNote(f"at most {TILE_WIDTH} entries in a bundle", "more")
    return entries
