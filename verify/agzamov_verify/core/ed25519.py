"""Ed25519 signatures checked in Python (RFC 8032), for machines that lack the library `cryptography`: browsers.

The names are those of `cryptography`, and so is what they accept: S below the group's order, and R as the very bytes
that follow from key, S and message. Nothing secret is computed with, so the time that it takes tells nobody anything.

A point (X, Y, Z, T) has x = X / Z, y = Y / Z and x y = T / Z (RFC 8032, section 5.1.4).
"""

import binascii
import hashlib
import re
from base64 import b64decode
from typing import Final, TypeAlias

Point: TypeAlias = tuple[int, int, int, int]

P: Final = 2**255 - 19
ORDER: Final = 2**252 + 27742317777372353535851937790883648493
D: Final = -121665 * pow(121666, -1, P) % P
ROOT_OF_MINUS_1: Final = pow(2, (P - 1) // 4, P)
NEUTRAL: Final = (0, 1, 1, 0)

SPKI_PREFIX: Final = bytes.fromhex("302a300506032b6570032100")
"""SubjectPublicKeyInfo in DER up to the 32 bytes of an Ed25519 key (RFC 8410)."""

OTHER_KINDS: Final = tuple(
    bytes.fromhex(identifier)
    for identifier in (
        "06092a864886f70d010101",  # RSA
        "06072a8648ce3d0201",  # elliptic curves
        "06072a8648ce380401",  # DSA
        "06092a864886f70d010301",  # Diffie-Hellman
        "06032b656e",  # X25519
        "06032b656f",  # X448
        "06032b6571",  # Ed448
    )
)
"""Object identifiers of other kinds of public keys, in DER."""

PEM: Final = re.compile(rb"-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]*)-----END PUBLIC KEY-----")
"""The lax form of RFC 7468 (section 3, figure 2): white space anywhere, other text around it, and no headers.

In linear time: no two of its parts can share a run of white space.
"""


class InvalidSignature(Exception):
    """A signature does not fit key and message."""


class UnsupportedAlgorithm(Exception):
    """A key of an unknown kind."""


class OtherPublicKey:
    """A public key of another kind, of which nothing more is asked."""


class Ed25519PublicKey:
    """A public key, by its 32 bytes."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    @classmethod
    def from_public_bytes(cls, data: bytes) -> "Ed25519PublicKey":
        return cls(data)

    def public_bytes_raw(self) -> bytes:
        return self._raw

    def verify(self, signature: bytes, message: bytes) -> None:
        """Raises InvalidSignature unless the signature fits (RFC 8032, section 5.1.7, without the cofactor)."""
        first, s = signature[:32], int.from_bytes(signature[32:], "little")
        point = _decoded(self._raw)
        if len(signature) != 64 or s >= ORDER or not point:
            raise InvalidSignature
        challenge = int.from_bytes(hashlib.sha512(first + self._raw + message).digest(), "little") % ORDER
        if _encoded(_sum(_multiple(s, BASE), _multiple(ORDER - challenge, point))) != first:
            raise InvalidSignature


def load_pem_public_key(pem: bytes) -> Ed25519PublicKey | OtherPublicKey:
    """The key in a PEM file. Raises ValueError for anything else, UnsupportedAlgorithm for an unknown kind of key."""
    found = PEM.search(pem)
    if not found:
        raise ValueError("no public key in PEM")
    try:
        der = b64decode(b"".join(found[1].split()), validate=True)
    except binascii.Error as error:
        raise ValueError("no base64 in PEM") from error
    if der.startswith(SPKI_PREFIX) and len(der) == len(SPKI_PREFIX) + 32:
        return Ed25519PublicKey(der[len(SPKI_PREFIX) :])
    if not der.startswith(b"\x30") or len(der) < 32:
        raise ValueError("no SubjectPublicKeyInfo in PEM")
    if any(kind in der[:32] for kind in OTHER_KINDS):
        return OtherPublicKey()
    raise UnsupportedAlgorithm


def _sum(p: Point, q: Point) -> Point:
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _multiple(factor: int, point: Point) -> Point:
    total = NEUTRAL
    while factor:
        if factor & 1:
            total = _sum(total, point)
        point, factor = _sum(point, point), factor >> 1
    return total


def _encoded(point: Point) -> bytes:
    inverse = pow(point[2], -1, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _decoded(encoded: bytes) -> Point | None:
    """The point of 32 bytes; None if they are none (RFC 8032, section 5.1.3)."""
    number = int.from_bytes(encoded, "little")
    y, sign = number & (2**255 - 1), number >> 255
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * ROOT_OF_MINUS_1 % P
    if x * x % P != square:
        return None
    if x & 1 != sign:
        x = -x % P
    return x, y, 1, x * y % P


def _base() -> Point:
    """The point that all keys are multiples of: y = 4/5, x even."""
    point = _decoded((4 * pow(5, -1, P) % P).to_bytes(32, "little"))
    assert point
    return point


BASE: Final = _base()
