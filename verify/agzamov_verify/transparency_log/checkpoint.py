"""Checkpoints (c2sp.org/tlog-checkpoint): a signed note of a log's name, its number of entries and its root.

example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+…
"""

import base64
import re
from collections.abc import Collection
from typing import Final, NamedTuple

from .signed_note import BadNote, Note, VerifierKey, decoded, parse_note, signers

SIZE_MAX: Final = 10_000_000
"""Entries of a log that are read: a thousand submitters with ten thousand runs each."""
_NUMBER = re.compile(r"0|[1-9][0-9]{0,15}")


class Checkpoint(NamedTuple):
    """A log's name, size in entries and root; the note that says so, with its signatures unchecked."""

    origin: str
    size: int
    root: bytes
    note: Note


def checkpoint_text(origin: str, size: int, root: bytes) -> str:
    """The text that a log signs."""
    return f"{origin}\n{size}\n{base64.b64encode(root).decode()}\n"


def parse_checkpoint(data: bytes) -> Checkpoint:
    """A checkpoint from its bytes. Raises BadNote."""
    note = parse_note(data)
    lines = note.text[:-1].split("\n")
    if len(lines) < 3 or not all(lines):
        raise BadNote("a checkpoint: name, size, root", "an empty line or a missing one")
    origin, size, root = lines[:3]
    sha256 = decoded(root, "a root in base64")
    if len(sha256) != 32:
        raise BadNote("a root of 32 bytes", f"{len(sha256)}")
    return Checkpoint(origin, parse_number(size, SIZE_MAX), sha256, note)


def parse_number(text: str, number_max: int) -> int:
    """A decimal number without leading zeros. Raises BadNote."""
    if not _NUMBER.fullmatch(text) or int(text) > number_max:
        raise BadNote(f"a number of at most {number_max}", repr(text[:30]))
    return int(text)


class Witnessed(NamedTuple):
    """A checkpoint that its log signed, and the times in POSIX seconds at which known witnesses signed it too."""

    checkpoint: Checkpoint
    times_s: dict[str, int]

    def time_s(self, quorum: int) -> int | None:
        """The time at which at least `quorum` witnesses had signed; None if fewer did, or none was asked for."""
        times = sorted(self.times_s.values())
        return times[quorum - 1] if 0 < quorum <= len(times) else None

    def and_also(self, name: str, time_s: int | None) -> "Witnessed":
        """The same, seen by somebody else too at a time, unless that is None."""
        return self if time_s is None else self._replace(times_s={**self.times_s, f"time-stamp {name}": time_s})


def witnessed(data: bytes, logs: Collection[VerifierKey], witnesses: Collection[VerifierKey]) -> Witnessed:
    """A checkpoint by one of `logs`, whose key has the name of its origin. Raises BadNote."""
    checkpoint = parse_checkpoint(data)
    known = [key for key in logs if key.name == checkpoint.origin]
    if not known:
        raise BadNote("a log that the policy names", f"the log {checkpoint.origin!r}")
    if not signers(checkpoint.note, known):
        raise BadNote(f"a checkpoint signed by the log {checkpoint.origin}", "none of its signatures")
    found = signers(checkpoint.note, witnesses)
    return Witnessed(checkpoint, {str(key): time_s for key, time_s in found.items()})
