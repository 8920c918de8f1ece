"""The journal: one line per question, append-only, each line naming the digest of the one before.

    {"answer":{"as":"reply","text":"MOVE: e2e4"},"prev":"00…","question":{"ask":"chat","attempt":0,
     "digest":"…","game":"p1-chess960-g00000","to":"agent","turn":0},"run":"…","seq":0,"stream":"…","v":1}

One journal per stream, cut into segments of at most 64 MiB. Its identity is over uncompressed
lines. A stream's root is the RFC 6962 tree over its lines; the run's root is the same tree over
the canonical rows of all streams, so streams can be read side by side.
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Annotated

import msgspec
from msgspec import Meta

from . import canon
from .merkle import Tree, root_of
from .question_digest import question_digest
from .questions import Answer, Question

VERSION = 1
GENESIS = "0" * 64


class Asked(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The short form of a question: its digest, and the fields that let a person find it."""

    ask: str
    attempt: Annotated[int, Meta(ge=0, le=canon.INTEGER_MAX)]
    digest: str
    game: str
    to: str
    turn: Annotated[int, Meta(ge=0, le=canon.INTEGER_MAX)]


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a journal. Fields stand in canonical order."""

    answer: Answer
    prev: str
    question: Asked
    run: str
    seq: int
    stream: str
    v: int


class StreamRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The index's row for one stream."""

    entries: int
    head: str
    root: str
    segments: tuple[str, ...]
    stream: str


class BrokenJournal(ValueError):
    """A line of a journal that does not fit its place."""

    def __init__(self, place: str, expected: str, found: str) -> None:
        super().__init__(place, expected, found)  # all of them, so that it can come from another process
        self.place, self.expected, self.found = place, expected, found

    def __str__(self) -> str:
        return f"{self.place}: expected {self.expected}, found {self.found}"


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Entry)


def asked(question: Question) -> Asked:
    """The short form under which `question` stands in the journal."""
    kind, digest = str(question.__struct_config__.tag), question_digest(question)
    return Asked(kind, question.attempt, digest, question.game, question.to, question.turn)


def is_asked(short: Asked, question: Question) -> bool:
    """Whether `short` is the short form of `question`. This runs once for every line of a journal."""
    return (
        short.turn == question.turn
        and short.attempt == question.attempt
        and short.game == question.game
        and short.to == question.to
        and short.ask == question.__struct_config__.tag
        and short.digest == question_digest(question)
    )


def encode(entry: Entry) -> bytes:
    """The line of `entry`, without its line feed."""
    return _encoder.encode(entry)


def line_digest(line: bytes) -> str:
    """The `prev` of the next line: SHA-256 of the line without its line feed."""
    return hashlib.sha256(line).hexdigest()


class Chain:
    """Reads the lines of one stream in order and refuses the first that breaks a rule."""

    def __init__(self, run: str, stream: str) -> None:
        self.run, self.stream = run, stream
        self.entries = 0
        self.head = GENESIS
        self.tree = Tree()

    def read(self, line: bytes) -> Entry:
        """Decode and check one line. Raises BrokenJournal."""
        entry = self._decode(line)
        if entry.prev != self.head:
            raise self._broken(f"prev {self.head[:16]}", f"prev {entry.prev[:16]}")
        if entry.seq != self.entries or entry.stream != self.stream or entry.run != self.run or entry.v != VERSION:
            expected = f"v {VERSION} run {self.run} stream {self.stream} seq {self.entries}"
            raise self._broken(expected, f"v {entry.v} run {entry.run} stream {entry.stream} seq {entry.seq}")
        self.head = hashlib.sha256(line).hexdigest()  # `line_digest`
        self.tree.append(line)
        self.entries += 1
        return entry

    def read_all(self, lines: Iterable[bytes]) -> Iterator[Entry]:
        return map(self.read, lines)

    def row(self, segments: Iterable[str]) -> StreamRow:
        """The index row of the entries read so far."""
        return StreamRow(self.entries, self.head, self.tree.root().hex(), tuple(segments), self.stream)

    def _decode(self, line: bytes) -> Entry:
        try:
            entry = _decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise self._broken("a journal entry", str(error)) from error
        again = _encoder.encode(entry)
        if again != line:
            offset = canon.first_difference(again, line)
            raise self._broken("canonical JSON", f"another spelling from byte {offset} on")
        return entry

    def _broken(self, expected: str, found: str) -> BrokenJournal:
        return BrokenJournal(f"{self.stream} entry {self.entries}", expected, found)


def journal_root(rows: Iterable[StreamRow]) -> str:
    """Root of the whole journal: the RFC 6962 tree over the canonical rows, in the index's order."""
    return root_of([_encoder.encode(row) for row in rows]).hex()
