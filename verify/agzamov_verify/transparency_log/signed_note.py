"""Signed notes (c2sp.org/signed-note): a text, an empty line, and signature lines by named Ed25519 keys.

    This is an example message.

    — example.com/foo Uw2QOkn8srV1…

A signature line holds base64(4 bytes of key id || signature). Two kinds of key are known: 0x01 signs the text, 0x04 is
a witness, whose signature is a time and a signature over time and text (c2sp.org/tlog-cosignature). A signature by
an unknown key is ignored; one by a known key that does not fit refuses the whole note.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Collection
from typing import Final, NamedTuple

from ..core.envelope import BadEnvelope, is_signed, raw_public_key

NOTE_BYTES_MAX: Final = 2**16
SIGNATURES_MAX: Final = 100
"""As many as golang.org/x/mod/sumdb/note reads."""
ED25519, COSIGNATURE = 0x01, 0x04
KINDS: Final = {ED25519: "a log's key", COSIGNATURE: "a witness's key"}
_KEY_ID_BYTES, _TIME_BYTES, _SIGNATURE_BYTES = 4, 8, 64
_SIGNATURE_LINE = re.compile(r"— ([^\s+]+) ([A-Za-z0-9+/=]+)")
_NAME = re.compile(r"[^\s+\x00-\x1f\x7f]+")
TIME_MAX: Final = 2**63 - 1


class BadNote(ValueError):
    """A note, a checkpoint, a proof or a key that breaks a rule: expected and found."""

    def __init__(self, expected: str, found: str) -> None:
        super().__init__(f"expected {expected}, found {found}")
        self.expected, self.found = expected, found


class VerifierKey(NamedTuple):
    """A public key with its name and kind (ED25519 or COSIGNATURE)."""

    name: str
    kind: int
    public: bytes

    @property
    def key_id(self) -> bytes:
        """SHA-256(name || 0x0A || kind || public key), its first 4 bytes."""
        return hashlib.sha256(self.name.encode() + b"\n" + bytes([self.kind]) + self.public).digest()[:_KEY_ID_BYTES]

    def __str__(self) -> str:
        return f"{self.name}+{self.key_id.hex()}+{base64.b64encode(bytes([self.kind]) + self.public).decode()}"


class NoteSignature(NamedTuple):
    """One signature line."""

    name: str
    key_id: bytes
    signature: bytes

    @property
    def line(self) -> str:
        return f"— {self.name} {base64.b64encode(self.key_id + self.signature).decode()}\n"


class Note(NamedTuple):
    """A text that ends with a line feed, and its signatures; none of them is checked yet."""

    text: str
    signatures: tuple[NoteSignature, ...]

    @property
    def data(self) -> bytes:
        return f"{self.text}\n{''.join(signature.line for signature in self.signatures)}".encode()


def parse_key(text: str, kind: int) -> VerifierKey:
    """A verifier key "name+id+base64" of one kind. Raises BadNote."""
    parts = text.split("+", 2)
    if len(parts) != 3 or not _NAME.fullmatch(parts[0]):
        raise BadNote("a key of the form name+id+base64", repr(text[:100]))
    material = decoded(parts[2], "a key in base64")
    key = VerifierKey(parts[0], kind, material[1:])
    if len(material) != 33 or material[0] != kind:
        raise BadNote(
            f"{KINDS[kind]} of Ed25519 (type {kind:#04x})", f"{len(material)} bytes, type {material[:1].hex()}"
        )
    if str(key) != text:
        raise BadNote(f"the key {key}", f"the id {parts[1][:20]!r}")
    try:
        raw_public_key(key.public)
    except BadEnvelope as error:
        raise BadNote(error.expected, error.found) from error
    return key


def parse_note(data: bytes) -> Note:
    """The text and signatures of a note. Raises BadNote."""
    if len(data) > NOTE_BYTES_MAX:
        raise BadNote(f"a note of at most {NOTE_BYTES_MAX} bytes", f"{len(data)} bytes")
    try:
        whole = data.decode()
    except UnicodeDecodeError as error:
        raise BadNote("a note in UTF-8", "other bytes") from error
    if any(character < " " and character != "\n" for character in whole):
        raise BadNote("no control characters in a note", "one")
    head, separator, tail = whole.rpartition("\n\n")
    if not separator or not tail.endswith("\n"):
        raise BadNote("a text, an empty line, and signature lines", "another shape")
    lines = tail[:-1].split("\n")
    if len(lines) > SIGNATURES_MAX:
        raise BadNote(f"at most {SIGNATURES_MAX} signatures", str(len(lines)))
    return Note(head + "\n", tuple(map(_signature, lines)))


def _signature(line: str) -> NoteSignature:
    found = _SIGNATURE_LINE.fullmatch(line)
    if not found or not _NAME.fullmatch(found[1]):
        raise BadNote("a signature line: a dash, a name, base64", repr(line[:100]))
    blob = decoded(found[2], "a signature in base64")
    if len(blob) <= _KEY_ID_BYTES:
        raise BadNote("a key id and a signature", f"{len(blob)} bytes")
    return NoteSignature(found[1], blob[:_KEY_ID_BYTES], blob[_KEY_ID_BYTES:])


def decoded(text: str, expected: str) -> bytes:
    """The bytes of base64 in its one spelling. Raises BadNote, which says what was `expected`."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadNote(expected, "other text") from error
    if base64.b64encode(data).decode() != text:
        raise BadNote(f"{expected} in its one spelling", "another spelling")
    return data


def cosigned_message(text: str, time_s: int) -> bytes:
    """The bytes that a witness signs, for a checkpoint's text and a POSIX time."""
    return f"cosignature/v1\ntime {time_s}\n{text}".encode()


def signers(note: Note, keys: Collection[VerifierKey]) -> dict[VerifierKey, int]:
    """The known keys that signed a note, each with its time in POSIX seconds (0 for a log's key).

    A key that signed twice counts once, with its earlier time. Raises BadNote where a known key's does not fit.
    """
    known, found = {(key.name, key.key_id): key for key in keys}, dict[VerifierKey, int]()
    for signature in note.signatures:
        key = known.get((signature.name, signature.key_id))
        if key:
            time_s = _verified(note.text, key, signature.signature)
            found[key] = min(time_s, found.get(key, time_s))
    return found


def _verified(text: str, key: VerifierKey, signature: bytes) -> int:
    time_s, message = 0, text.encode()
    if key.kind == COSIGNATURE:
        time_s, signature = int.from_bytes(signature[:_TIME_BYTES], "big"), signature[_TIME_BYTES:]
        message = cosigned_message(text, time_s)
    fits = len(signature) == _SIGNATURE_BYTES and time_s <= TIME_MAX
    if not fits or not is_signed(raw_public_key(key.public), signature, message):
        raise BadNote(f"a signature by {key.name} that fits the note", "one that does not")
    return time_s
