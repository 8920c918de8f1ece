"""Time-stamps (RFC 3161) of a log's checkpoint: when a log had a registration, by an authority that the policy names.

Stamped is the checkpoint in a registration's proof with the signature of its log, and without those of witnesses. The
text alone would prove nothing: a submitter can compute, for many runs, what a log's next checkpoint would say, have all
of them stamped, and have the luckiest one logged afterwards. The log's signature of it cannot be computed before.

A query has one spelling: version 1, SHA-256, a nonce of 8 bytes, and the wish for certificates (RFC 3161, 2.4.1). So it
is compared as bytes. Replies are read by the library rfc3161-client, which is optional (`time_stamp_reply`).
"""

import hashlib
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Final, NamedTuple

from ..transparency_log.checkpoint import Checkpoint
from ..transparency_log.folder_log import read_file
from ..transparency_log.signed_note import BadNote, Note
from .trust_policy import Authority, TrustPolicy

QUERY_BYTES: Final = 69
REPLY_BYTES_MAX: Final = 2**16
ROOT_BYTES_MAX: Final = 2**16
NONCE_BYTES: Final = 8
_HEAD: Final = bytes.fromhex("30430201013031300d060960864801650304020105000420")
_NONCE, _TAIL = b"\x02\x08", b"\x01\x01\xff"


class NoReader(Exception):
    """The library that reads replies is not installed."""

    def __init__(self) -> None:
        super().__init__("rfc3161-client is not installed; type: pip install rfc3161-client")


class Asked(NamedTuple):
    """What a query asks to be stamped: a SHA-256, and a number that the reply repeats."""

    sha256: bytes
    nonce: int


def stamped_bytes(checkpoint: Checkpoint) -> bytes:
    """The bytes whose SHA-256 is stamped: the note with the signatures that bear the log's name."""
    note = checkpoint.note
    return Note(note.text, tuple(one for one in note.signatures if one.name == checkpoint.origin)).data


def query(checkpoint: Checkpoint, random: bytes) -> bytes:
    """The query in DER, with a nonce made of eight random bytes, the first of which keeps its length as it is."""
    nonce = bytes([random[0] & 0x3F | 0x40]) + random[1:NONCE_BYTES]
    return _HEAD + hashlib.sha256(stamped_bytes(checkpoint)).digest() + _NONCE + nonce + _TAIL


def asked(data: bytes, checkpoint: Checkpoint) -> Asked:
    """What a query about this checkpoint asks. Raises BadNote for another one, and for another spelling."""
    nonce = data[-NONCE_BYTES - len(_TAIL) : -len(_TAIL)]
    if len(data) != QUERY_BYTES or not 0x40 <= nonce[0] < 0x80 or query(checkpoint, nonce) != data:
        expected = (
            "the query for the checkpoint of this registration's proof, as agzamov register stamp-query writes it"
        )
        raise BadNote(expected, "another one")
    return Asked(hashlib.sha256(stamped_bytes(checkpoint)).digest(), int.from_bytes(nonce, "big"))


def answered(reply: bytes, what: Asked) -> None:
    """Look whether a reply answers a query, whoever signed it. Raises BadNote; NoReader without the library."""
    _reader().answered(reply, what.sha256, what.nonce)


def stamped_s(reply: bytes, what: Asked, authority: Authority, root: bytes) -> int:
    """The POSIX second by which an authority saw what was asked. Raises BadNote; NoReader without the library."""
    return int(_reader().stamped_s(reply, what.sha256, what.nonce, authority.policy, root))


def roots_beside(policy: TrustPolicy, folder: Path) -> dict[str, bytes]:
    """The root certificates that a policy names, from the files beside it, by authority. Raises BadNote."""
    roots = dict[str, bytes]()
    for name, authority in policy.timestampers.items():
        expected = f"{authority.root} beside the policy, the root certificate of {name}"
        try:
            data = read_file(folder / authority.root, ROOT_BYTES_MAX)
        except BadNote as error:
            raise BadNote(expected, error.found) from error
        if (found := hashlib.sha256(data).hexdigest()) != authority.root_sha256:
            raise BadNote(f"{expected}, with SHA-256 {authority.root_sha256}", found)
        roots[name] = data
    return roots


def _reader() -> ModuleType:
    try:
        return import_module(f"{__package__}.time_stamp_reply")  # few bundles have a stamp
    except ImportError as error:  # an extra of the distribution, and none in a browser
        raise NoReader from error
