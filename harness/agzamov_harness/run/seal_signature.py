"""The signature over a sealed manifest, beside it in the run's folder: whoever has the folder can check it.

    {"format":"agz-seal-1","key":"-----BEGIN PUBLIC KEY-----\\n…","signature":"<base64>"}

Signed is DSSE's pre-authentication encoding of the manifest's bytes, by the key whose id the manifest names. The digest
beside a manifest, and the name of its folder, can be changed together with it; this cannot, without the key. Who names
a key of their own signs a run of their own: `resume` and `pack` then miss the owner's key, and a share is told by its
command whose signature to expect.
"""

import base64
from typing import Literal

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from agzamov_verify.core import canon
from agzamov_verify.core.envelope import key_id, load_public_key, pae

PAYLOAD_TYPE = "application/vnd.agzamov.manifest+json"
DIGITS = 16
"""Digits of a key's id that an error shows."""


class SealSignature(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file: the public key in PEM, and its signature in base64."""

    key: str
    signature: str
    format: Literal["agz-seal-1"] = "agz-seal-1"


class BadSignature(ValueError):
    """A manifest has no signature by the key that it names."""


def public_pem(key: Ed25519PrivateKey) -> bytes:
    """The public half of a key in PEM."""
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def signed(manifest: bytes, key: Ed25519PrivateKey) -> bytes:
    """The file for a manifest's canonical bytes."""
    signature = base64.b64encode(key.sign(pae(PAYLOAD_TYPE, manifest))).decode()
    return canon.dumps(SealSignature(public_pem(key).decode(), signature))


def require_signed(file: bytes, manifest: bytes, submitter_key_id: str) -> None:
    """Raises BadSignature unless the file is a signature over the manifest by the key of that id."""
    try:
        found = canon.loads_as(file, SealSignature)
        key, signature = load_public_key(found.key.encode()), base64.b64decode(found.signature, validate=True)
    except ValueError as error:  # no canonical JSON, no key, or a text that is no base64
        raise BadSignature(f"expected a signature over the manifest, found another file ({error})") from error
    if key_id(key) != submitter_key_id:
        expected, other = submitter_key_id[:DIGITS], key_id(key)[:DIGITS]
        raise BadSignature(f"expected a signature by the key {expected} that the manifest names, found one by {other}")
    try:
        key.verify(signature, pae(PAYLOAD_TYPE, manifest))
    except InvalidSignature as error:
        raise BadSignature("expected a signature over this manifest, found one over another") from error
