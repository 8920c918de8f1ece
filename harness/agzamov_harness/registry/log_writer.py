"""Append to a log in a folder of tiles (c2sp.org/tlog-tiles), and sign its checkpoint.

The checkpoint is written last: whoever is killed before leaves files that no checkpoint speaks of, and the next append
writes them again.
"""

import fcntl
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_verify.core.merkle import node_hash
from agzamov_verify.transparency_log.checkpoint import Checkpoint, checkpoint_text, parse_checkpoint, witnessed
from agzamov_verify.transparency_log.folder_log import (
    CHECKPOINT,
    ENTRIES,
    ENTRY_BYTES_MAX,
    TILE_WIDTH,
    FolderLog,
    read_file,
    tile_name,
)
from agzamov_verify.transparency_log.proofs import EMPTY_ROOT, leaf_hash
from agzamov_verify.transparency_log.signed_note import (
    COSIGNATURE,
    ED25519,
    NOTE_BYTES_MAX,
    BadNote,
    Note,
    NoteSignature,
    VerifierKey,
    cosigned_message,
)
from agzamov_verify.transparency_log.tlog_proof import TlogProof

from ..foundation.append_only import open_append, write_whole

LOCK = ".lock"


def public_key(name: str, kind: int, key: Ed25519PrivateKey) -> VerifierKey:
    """The verifier key of a log (kind ED25519) or a witness (COSIGNATURE)."""
    return VerifierKey(name, kind, key.public_key().public_bytes_raw())


def require_name(name: str) -> None:
    """Raises BadNote for a name that no verifier key can have."""
    if not name or any(character.isspace() or character == "+" or not character.isprintable() for character in name):
        raise BadNote("a name without spaces and plus signs, like example.com/log", repr(name[:100]))


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a log for this process alone. Raises BadNote while another one has it."""
    if not (folder / CHECKPOINT).is_file():
        raise BadNote(f"a log in {folder}", "none: make one by agzamov log create")
    with open_append(folder / LOCK) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BadNote("a log that nobody else writes", "another process that does") from error
        yield


def create_log(folder: Path, origin: str, key: Ed25519PrivateKey) -> Checkpoint:
    """An empty log. Raises BadNote where one is there already."""
    if (folder / CHECKPOINT).exists():
        raise BadNote(f"no log in {folder}", "one: it was kept")
    folder.mkdir(parents=True, exist_ok=True)
    return _publish(folder, origin, 0, EMPTY_ROOT, key)


def append(folder: Path, entries: Iterable[bytes], key: Ed25519PrivateKey) -> Checkpoint:
    """The log with `entries` behind those it has. Raises BadNote for a log of another key or a damaged one."""
    checkpoint = own_checkpoint(folder, key)
    edge = _Edge(FolderLog(folder, checkpoint))
    for entry in entries:
        edge.append(entry)
    edge.write_partial()
    return _publish(folder, checkpoint.origin, edge.size, edge.root(), key)


def own_checkpoint(folder: Path, key: Ed25519PrivateKey) -> Checkpoint:
    """The checkpoint of a log that `key` keeps. Raises BadNote for a log of another key."""
    data = read_file(folder / CHECKPOINT, NOTE_BYTES_MAX)
    return witnessed(data, [public_key(parse_checkpoint(data).origin, ED25519, key)], ()).checkpoint


def proof(folder: Path, index: int) -> bytes:
    """The proof of one entry in the log as it is, with the cosignatures that its checkpoint has. Raises BadNote."""
    log = FolderLog(folder)
    return TlogProof(index, log.inclusion(index), log.checkpoint.note.data).data


def cosign(
    folder: Path, name: str, key: Ed25519PrivateKey, seen: Path, time_s: int, log_key: VerifierKey | None = None
) -> Checkpoint:
    """The log's checkpoint with a witness's signature over it and the time (c2sp.org/tlog-cosignature).

    `seen` keeps the checkpoint that the witness signed last: one that did not grow from it is refused, and so is one
    that `log_key` did not sign. Raises BadNote.
    """
    log = FolderLog(folder)
    if log_key:
        witnessed(log.checkpoint.note.data, [log_key], ())
    if seen.exists():
        log.require_grown_from(parse_checkpoint(read_file(seen, NOTE_BYTES_MAX)))
    for _ in log.entries():
        pass
    witness, note = public_key(name, COSIGNATURE, key), log.checkpoint.note
    own = public_key(log.checkpoint.origin, ED25519, key)
    if any((one.name, one.key_id) == (own.name, own.key_id) for one in note.signatures):
        raise BadNote("a key of the witness's own", "the key by which the log itself is signed")
    signature = time_s.to_bytes(8, "big") + key.sign(cosigned_message(note.text, time_s))
    others = tuple(one for one in note.signatures if (one.name, one.key_id) != (name, witness.key_id))
    signed = Note(note.text, (*others, NoteSignature(name, witness.key_id, signature)))
    write_whole(seen, signed.data)
    write_whole(folder / CHECKPOINT, signed.data)
    return parse_checkpoint(signed.data)


class _Edge:
    """The right edge of a log: what its partial tiles hold."""

    def __init__(self, log: FolderLog) -> None:
        self._folder, self.size = log.folder, log.size
        self._entries: list[bytes] = []
        self._levels: list[list[bytes]] = [[]]
        if log.size % TILE_WIDTH:
            number = log.size // TILE_WIDTH
            self._entries = [log.entry(number * TILE_WIDTH + at) for at in range(log.size % TILE_WIDTH)]
        level, size = 0, log.size
        while size:
            hashes = [log.hash_at(8 * level, size // TILE_WIDTH * TILE_WIDTH + at) for at in range(size % TILE_WIDTH)]
            self._levels[level:] = [hashes, []]
            level, size = level + 1, size // TILE_WIDTH
        if log.size and self.root() != log.checkpoint.root:
            raise BadNote("tiles with the root of the checkpoint", "tiles with another root: the log is damaged")

    def append(self, entry: bytes) -> None:
        if len(entry) > ENTRY_BYTES_MAX:
            raise BadNote(f"an entry of at most {ENTRY_BYTES_MAX} bytes", f"{len(entry)}")
        self._entries.append(entry)
        self._levels[0].append(leaf_hash(entry))
        self.size += 1
        if self.size % TILE_WIDTH:
            return
        self._write(ENTRIES, self.size // TILE_WIDTH - 1, _bundled(self._entries))
        self._entries.clear()
        level, count = 0, self.size
        while count and count % TILE_WIDTH == 0:
            count //= TILE_WIDTH
            whole = self._levels[level]
            self._write(level, count - 1, b"".join(whole))
            if level + 1 == len(self._levels):
                self._levels.append([])
            self._levels[level + 1].append(_folded(whole))
            self._levels[level] = []
            level += 1

    def write_partial(self) -> None:
        """Write the tiles that are not full yet."""
        if self._entries:
            self._write(ENTRIES, self.size // TILE_WIDTH, _bundled(self._entries), len(self._entries))
        for level, hashes in enumerate(self._levels):
            if hashes:
                self._write(level, self.size // TILE_WIDTH ** (level + 1), b"".join(hashes), len(hashes))

    def root(self) -> bytes:
        """The root of all entries so far."""
        peaks = [peak for hashes in self._levels for peak in reversed(list(_peaks(hashes)))]
        node = peaks[0] if peaks else EMPTY_ROOT
        for peak in peaks[1:]:
            node = node_hash(peak, node)
        return node

    def _write(self, level: int | str, index: int, data: bytes, width: int = TILE_WIDTH) -> None:
        write_whole(self._folder / tile_name(level, index, width), data)
        if width == TILE_WIDTH:  # c2sp.org/tlog-tiles: a partial tile may go once the whole one is there
            shutil.rmtree(self._folder / (tile_name(level, index) + ".p"), ignore_errors=True)


def _peaks(hashes: list[bytes]) -> Iterable[bytes]:
    """The roots of the perfect trees that hashes form, the largest first."""
    start = 0
    for bit in reversed(range(TILE_WIDTH.bit_length())):
        if len(hashes) >> bit & 1:
            yield _folded(hashes[start : start + (1 << bit)])
            start += 1 << bit


def _folded(nodes: list[bytes]) -> bytes:
    """The root over a power of two of nodes."""
    while len(nodes) > 1:
        nodes = [node_hash(nodes[at], nodes[at + 1]) for at in range(0, len(nodes), 2)]
    return nodes[0]


def _bundled(entries: list[bytes]) -> bytes:
    return b"".join(len(entry).to_bytes(2, "big") + entry for entry in entries)


def _publish(folder: Path, origin: str, size: int, root: bytes, key: Ed25519PrivateKey) -> Checkpoint:
    text, own = checkpoint_text(origin, size, root), public_key(origin, ED25519, key)
    note = Note(text, (NoteSignature(origin, own.key_id, key.sign(text.encode())),))
    write_whole(folder / CHECKPOINT, note.data)
    return parse_checkpoint(note.data)
