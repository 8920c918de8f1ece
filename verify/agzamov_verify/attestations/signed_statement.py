"""An attestation: an in-toto statement in a DSSE envelope, as a bundle's own, by a key that is not the submitter's.

    {"_type":"https://in-toto.io/Statement/v1","predicate":{…,"key":"-----BEGIN PUBLIC KEY-----\\n…"},
     "predicateType":"urn:agzamov:attestation:replay:1","subject":[{"digest":{"sha256":"…"},"name":"manifest-sha256.txt"}]}

The public key stands in the predicate, as in an entry of a log. Whose key it is, and what its word counts for, says the
reader's trust policy alone.
"""

import base64
from typing import Final, NamedTuple, TypeAlias

import msgspec

from ..core import canon
from ..core.envelope import SUBJECT, BadEnvelope, Envelope, key_id, load_public_key, open_payload
from ..registration.log_entry import pem_of
from .agreement_statement import AGREEMENT_TYPE, AgreementStatement
from .replay_statement import REPLAY_TYPE, ReplayStatement

ATTESTATION_BYTES_MAX: Final = 2**23
Statement: TypeAlias = ReplayStatement | AgreementStatement
KINDS: Final[dict[str, type[Statement]]] = {
    REPLAY_TYPE: ReplayStatement,
    AGREEMENT_TYPE: AgreementStatement,
}


class Attestation(NamedTuple):
    """A statement whose signature fits, and the id of its key."""

    statement: Statement
    key_id: str

    @property
    def subjects(self) -> tuple[str, ...]:
        """The digests of the bundles that it speaks of."""
        return tuple(subject.digest.sha256 for subject in self.statement.subject)


class _Keyed(msgspec.Struct):
    key: str


class _Kind(msgspec.Struct, rename="camel"):
    predicate: _Keyed
    predicate_type: str


def read_attestation(data: bytes) -> Attestation:
    """An attestation from its bytes, signed by the key that it names. Raises BadEnvelope."""
    if len(data) > ATTESTATION_BYTES_MAX:
        raise BadEnvelope(f"an attestation of at most {ATTESTATION_BYTES_MAX} bytes", f"{len(data)} bytes")
    try:
        payload = base64.b64decode(msgspec.json.decode(data, type=Envelope).payload, validate=True)
        found = msgspec.json.decode(payload, type=_Kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise BadEnvelope("a DSSE envelope with a statement that names its key", str(error)[:300]) from error
    kind = KINDS.get(found.predicate_type)
    if kind is None:
        raise BadEnvelope(f"a statement of type {' or '.join(KINDS)}", found.predicate_type[:100])
    key = load_public_key(found.predicate.key.encode())
    if pem_of(key.public_bytes_raw()) != found.predicate.key:
        raise BadEnvelope("a key in its one spelling", "another spelling")
    try:
        statement = canon.loads_as(open_payload(data, key), kind)
    except canon.NotCanonical as error:
        raise BadEnvelope("an attestation in canonical JSON", str(error)[:300]) from error
    if any(subject.name != SUBJECT for subject in statement.subject):
        raise BadEnvelope(f"subjects of name {SUBJECT}", "another name")
    return Attestation(statement, key_id(key))
