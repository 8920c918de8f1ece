"""The signature: a DSSE envelope with one Ed25519 signature over an in-toto Statement v1.

    {"payload":"<base64>","payloadType":"application/vnd.in-toto+json",
     "signatures":[{"keyid":"<sha256 of SPKI DER>","sig":"<base64>"}]}

The signature is over PAE(type, payload) = "DSSEv1 len(type) type len(payload) payload" (DSSE v1.0.2).
Only the verified bytes are ever parsed.
"""

import base64
import binascii
import hashlib

import msgspec

from . import canon
from .ed25519 import SPKI_PREFIX, OtherPublicKey, UnsupportedAlgorithm, load_pem_public_key
from .untrusted_input import show_name

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
except ImportError:  # in a browser, where nothing is signed
    from .ed25519 import Ed25519PublicKey, InvalidSignature  # type: ignore[assignment]

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:agzamov:attestation:run:1"
SUBJECT = "manifest-sha256.txt"
ENVELOPE_BYTES_MAX = 2**24

P25519 = 2**255 - 19
ORDER_8_Y = 2707385501144840649318225287225658788936804267575313519463743609750303402022
SMALL_ORDER_Y = frozenset({0, 1, ORDER_8_Y, P25519 - ORDER_8_Y, P25519 - 1, P25519, P25519 + 1})
"""The y coordinates, as encoded, of the eight points of small order on edwards25519, unreduced spellings included.

Under such a key a signature may fit many messages: under the neutral point, one fits every message. Which of the two x
an encoding means does not matter, so its sign bit is ignored (D. J. Bernstein, https://cr.yp.to/ecdh.html#validate;
K. Chalkias and others, "Taming the many EdDSAs", 2020).
"""


class Signature(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One signature: the key's id and the bytes in base64."""

    keyid: str
    sig: str


class Envelope(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """A DSSE envelope."""

    payload: str
    payload_type: str
    signatures: tuple[Signature, ...]


class JournalClaim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The journal's size in entries and its root (see journal.journal_root)."""

    entries: int
    root: str
    tree: str


class SeedClaim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The origin of the seed, and the secret that the manifest committed to."""

    origin: str
    secret: str


class Predicate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The submitter's statements about the run."""

    claims: dict[str, str]
    journal: JournalClaim
    manifest_sha256: str
    protocol: str
    recomputability: dict[str, str]
    run: str
    seed: SeedClaim


class Digest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An in-toto DigestSet of one SHA-256."""

    sha256: str


class Subject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An in-toto subject: name and digest of what is signed."""

    digest: Digest
    name: str


class Statement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An in-toto Statement v1 about the payload manifest."""

    type_: str = msgspec.field(name="_type")
    predicate: Predicate
    predicate_type: str = msgspec.field(name="predicateType")
    subject: tuple[Subject, ...]


class BadEnvelope(ValueError):
    """The envelope or statement has not the required form."""

    def __init__(self, expected: str, found: str) -> None:
        super().__init__(f"expected {expected}, found {found}")
        self.expected, self.found = expected, found


def pae(payload_type: str, payload: bytes) -> bytes:
    """DSSE pre-authentication encoding."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def key_id(key: Ed25519PublicKey) -> str:
    """SHA-256 of the key's SubjectPublicKeyInfo in DER."""
    return key_id_of(key.public_bytes_raw())


def key_id_of(public: bytes) -> str:
    """The id of the key with these 32 bytes."""
    return hashlib.sha256(SPKI_PREFIX + public).hexdigest()


PRIVATE_KEY = "a private key: never send it to anybody; the public one is in the file beside it, FILE.pub"


def load_public_key(pem: bytes) -> Ed25519PublicKey:
    """An Ed25519 public key, and no point of small order. Raises BadEnvelope for anything else.

    Its text is always read here: `cryptography` takes other spellings, so a bundle held with it and not without.
    """
    try:
        found = load_pem_public_key(pem)
    except (ValueError, UnsupportedAlgorithm) as error:
        other = PRIVATE_KEY if b"PRIVATE KEY" in pem else "something else"
        raise BadEnvelope("a public key in PEM", other) from error
    if isinstance(found, OtherPublicKey):
        raise BadEnvelope("an Ed25519 public key", "another kind of key")
    raw = found.public_bytes_raw()
    if int.from_bytes(raw, "little") & (2**255 - 1) in SMALL_ORDER_Y:
        raise BadEnvelope("an Ed25519 public key", "a point of small order: a signature may fit many messages")
    return Ed25519PublicKey.from_public_bytes(raw)


def raw_public_key(raw: bytes) -> Ed25519PublicKey:
    """The Ed25519 key of 32 bytes (RFC 8032). Raises BadEnvelope as `load_public_key` does."""
    encoded = base64.b64encode(SPKI_PREFIX + raw)
    return load_public_key(b"-----BEGIN PUBLIC KEY-----\n" + encoded + b"\n-----END PUBLIC KEY-----\n")


def is_signed(key: Ed25519PublicKey, signature: bytes, message: bytes) -> bool:
    """True if the signature fits key and message."""
    try:
        key.verify(signature, message)
    except InvalidSignature:
        return False
    return True


def sign(statement: Statement, key: "Ed25519PrivateKey") -> bytes:
    """The envelope around `statement`, as canonical JSON."""
    return sign_payload(canon.dumps(statement), key)


def sign_payload(payload: bytes, key: "Ed25519PrivateKey") -> bytes:
    """The envelope around any in-toto statement, given as its bytes."""
    signed = Signature(key_id(key.public_key()), _base64(key.sign(pae(PAYLOAD_TYPE, payload))))
    return canon.dumps(Envelope(_base64(payload), PAYLOAD_TYPE, (signed,)))


def open_envelope(data: bytes, key: Ed25519PublicKey) -> Statement:
    """The statement in an envelope that `key` signed. Raises BadEnvelope."""
    return _statement(open_payload(data, key))


def open_payload(data: bytes, key: Ed25519PublicKey) -> bytes:
    """The bytes of the in-toto statement in an envelope that `key` signed. Raises BadEnvelope."""
    try:
        envelope = msgspec.json.decode(data, type=Envelope)
        payload = base64.b64decode(envelope.payload, validate=True)
        signatures = [base64.b64decode(signature.sig, validate=True) for signature in envelope.signatures]
    except (msgspec.MsgspecError, binascii.Error, ValueError, RecursionError) as error:
        raise BadEnvelope("a DSSE envelope", str(error)) from error
    _refuse_other_spelling(data, envelope, payload, signatures)
    if envelope.payload_type != PAYLOAD_TYPE:
        raise BadEnvelope(f"payloadType {PAYLOAD_TYPE}", envelope.payload_type)
    if len(signatures) != 1:
        raise BadEnvelope(f"one signature by key {key_id(key)}", f"{len(signatures)} signatures")
    if (signer := envelope.signatures[0].keyid) != key_id(key):
        raise BadEnvelope(f"one signature by key {key_id(key)}", f"one by key {show_name(signer) or 'without a name'}")
    try:
        key.verify(signatures[0], pae(PAYLOAD_TYPE, payload))
    except InvalidSignature as error:
        raise BadEnvelope("a valid Ed25519 signature", "one that does not fit the payload") from error
    return payload


def _refuse_other_spelling(data: bytes, envelope: Envelope, payload: bytes, signatures: list[bytes]) -> None:
    """One envelope has one byte string: base64's spare bits and JSON's white space are not free."""
    pairs = zip(envelope.signatures, signatures, strict=True)
    spelled = tuple(Signature(signature.keyid, _base64(sig)) for signature, sig in pairs)
    if canon.dumps(Envelope(_base64(payload), envelope.payload_type, spelled)) != data:
        raise BadEnvelope("an envelope in canonical JSON and base64", "another spelling of it")


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _statement(payload: bytes) -> Statement:
    try:
        statement = canon.loads_as(payload, Statement)
    except canon.NotCanonical as error:
        raise BadEnvelope("an in-toto statement in canonical JSON", str(error)) from error
    if (statement.type_, statement.predicate_type) != (STATEMENT_TYPE, PREDICATE_TYPE):
        raise BadEnvelope(f"{STATEMENT_TYPE} with {PREDICATE_TYPE}", f"{statement.type_} {statement.predicate_type}")
    if [subject.name for subject in statement.subject] != [SUBJECT]:
        raise BadEnvelope(f"the one subject {SUBJECT}", f"{len(statement.subject)} subjects")
    return statement
