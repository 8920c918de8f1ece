"""The files of an exhibition: a folder of its own kind, which no reader of bundles takes for one.

manifest.json     the sealed manifest of the plan whose seat played
journal.jsonl     what the program and the seat were asked and answered, one line each
calls.jsonl       when and how long, attested
submitter.pem     the key, and exhibition.dsse.json the signed statement: the digests of these files, the match
                  whose terms the seat had, and the secret of the seed
"""

from typing import Final

import msgspec

from ..core import canon
from ..core.envelope import STATEMENT_TYPE, Digest, Subject

MANIFEST, JOURNAL, CALLS, KEY, STATEMENT = (
    "manifest.json",
    "journal.jsonl",
    "calls.jsonl",
    "submitter.pem",
    "exhibition.dsse.json",
)
SIGNED: Final = (CALLS, JOURNAL, MANIFEST, KEY)
"""What the statement names, in the order of the alphabet."""
FILES: Final = frozenset({*SIGNED, STATEMENT})
PREDICATE_TYPE: Final = "urn:agzamov:attestation:exhibition:1"
JOURNAL_BYTES_MAX: Final = 2**28


class ExhibitionPredicate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The match of the plan whose terms the seat had, the run, and the secret that the manifest committed to."""

    match: str
    run: str
    secret: str


class ExhibitionStatement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An in-toto statement about the files of an exhibition."""

    type_: str = msgspec.field(name="_type")
    predicate: ExhibitionPredicate
    predicate_type: str = msgspec.field(name="predicateType")
    subject: tuple[Subject, ...]


def statement_of(digests: dict[str, str], match: str, run: str, secret: str) -> bytes:
    """The bytes that are signed."""
    subjects = tuple(Subject(Digest(digests[name]), name) for name in SIGNED)
    predicate = ExhibitionPredicate(match, run, secret)
    return canon.dumps(ExhibitionStatement(STATEMENT_TYPE, predicate, PREDICATE_TYPE, subjects))
