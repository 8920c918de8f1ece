"""Key, DSSE envelope and in-toto statement (pages 2.4 to 2.6)."""

import base64
import binascii
import hashlib
import re
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from .canonical import Refused, keys, need, read_canonical

P25519 = 2**255 - 19
ORDER_8 = 2707385501144840649318225287225658788936804267575313519463743609750303402022
SMALL_ORDER = {0, 1, ORDER_8, P25519 - ORDER_8, P25519 - 1, P25519, P25519 + 1}
GROUP = 2**252 + 27742317777372353535851937790883648493
SPKI = bytes.fromhex("302a300506032b6570032100")
PAYLOAD_TYPE = "application/vnd.in-toto+json"
RECOMPUTABILITY = {
    "calls": "attested by the submitter",
    "cost": "price table of the manifest times attested token counts",
    "replies": "attested by the submitter",
    "results": "recomputed from the journal",
    "tokens": "attested by the submitter",
}


def raw_key(pem: bytes) -> bytes:
    """The 32 bytes of a public key in PEM; small order is refused."""
    found = re.fullmatch(rb"-----BEGIN PUBLIC KEY-----\n([A-Za-z0-9+/=]+)\n-----END PUBLIC KEY-----\n?", pem)
    need(found, "no public key in PEM")
    assert found
    der = unbase64(found[1].decode())
    need(len(der) == 44 and der.startswith(SPKI), "no Ed25519 key")
    raw = der[12:]
    need(int.from_bytes(raw, "little") & (2**255 - 1) not in SMALL_ORDER, "a point of small order")
    return raw


def key_id(raw: bytes) -> str:
    return hashlib.sha256(SPKI + raw).hexdigest()


def unbase64(text: str) -> bytes:
    """Bytes of standard base64 with padding and zero spare bits."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise Refused(f"no base64: {error}") from error
    need(base64.b64encode(data).decode() == text, "another spelling of base64")
    return data


def pae(payload_type: str, payload: bytes) -> bytes:
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def open_envelope(data: bytes, raw: bytes) -> bytes:
    """The payload of an envelope whose signature holds."""
    envelope = keys(read_canonical(data), "payload payloadType signatures")
    need(envelope["payloadType"] == PAYLOAD_TYPE, "another payload type")
    signatures = envelope["signatures"]
    need(isinstance(signatures, list) and len(signatures) == 1, "not one signature")
    row = keys(signatures[0], "keyid sig")
    need(row["keyid"] == key_id(raw), "another key id")
    need(isinstance(envelope["payload"], str) and isinstance(row["sig"], str), "no text")
    payload, signature = unbase64(envelope["payload"]), unbase64(row["sig"])
    need(len(signature) == 64 and int.from_bytes(signature[32:], "little") < GROUP, "a signature of another form")
    try:
        Ed25519PublicKey.from_public_bytes(raw).verify(signature, pae(PAYLOAD_TYPE, payload))
    except InvalidSignature as error:
        raise Refused("the signature does not hold") from error
    return payload


def read_statement(payload: bytes, manifest_digest: str) -> dict[str, Any]:
    """The predicate of a statement whose form and subject hold (step 3)."""
    statement = keys(read_canonical(payload), "_type predicate predicateType subject")
    need(statement["_type"] == "https://in-toto.io/Statement/v1", "another _type")
    need(statement["predicateType"] == "urn:agzamov:attestation:run:1", "another predicate type")
    subject = {"digest": {"sha256": manifest_digest}, "name": "manifest-sha256.txt"}
    need(statement["subject"] == [subject], "another subject")
    predicate = keys(statement["predicate"], "claims journal manifest_sha256 protocol recomputability run seed")
    keys(predicate["journal"], "entries root tree")
    keys(predicate["seed"], "origin secret")
    for name in ("claims", "recomputability"):
        need(isinstance(predicate[name], dict), f"{name} is no object")
        need(all(isinstance(text, str) for text in predicate[name].values()), f"{name}: no text")
    return predicate
