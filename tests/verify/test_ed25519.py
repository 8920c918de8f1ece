"""Signatures checked in Python: the vectors of RFC 8032 (section 7.1), and `cryptography` as the model."""

import base64
import hashlib
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature as TheirInvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, ed448, rsa, x25519
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey as TheirKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from agzamov_verify.core import envelope
from agzamov_verify.core.ed25519 import (
    ORDER,
    Ed25519PublicKey,
    InvalidSignature,
    OtherPublicKey,
    UnsupportedAlgorithm,
    load_pem_public_key,
)

# Public key, message, signature.
VECTORS = (
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        (
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
            "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        (
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        (
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
            "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
        ),
    ),
    (
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        hashlib.sha512(b"abc").hexdigest(),
        (
            "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b589"
            "09351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704"
        ),
    ),
)
GOLDEN = Path(__file__).parents[1] / "bundles" / "golden" / "agz-0.1" / "bundle"


def fits(raw: bytes, signature: bytes, message: bytes) -> bool:
    try:
        Ed25519PublicKey(raw).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def fits_theirs(raw: bytes, signature: bytes, message: bytes) -> bool:
    try:
        TheirKey.from_public_bytes(raw).verify(signature, message)
    except TheirInvalidSignature:
        return False
    return True


@pytest.mark.parametrize(("key", "message", "signature"), VECTORS)
def test_the_rfcs_vectors_fit_and_not_with_one_bit_changed(key: str, message: str, signature: str) -> None:
    raw, said, signed = (bytes.fromhex(text) for text in (key, message, signature))
    assert fits(raw, signed, said)
    for part in range(3):
        for place in (0, -1):
            changed = [bytearray(raw), bytearray(signed), bytearray(said or b"x")]
            changed[part][place] ^= 1
            one, two, three = map(bytes, changed)
            assert not fits(one, two, three if part == 2 or said else said)


def test_drawn_keys_and_messages_fit_as_cryptography_says() -> None:
    for number in range(12):
        key = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(bytes([number])).digest())
        raw, message = key.public_key().public_bytes_raw(), bytes(range(number * 7))
        signature = key.sign(message)
        bad = signature[:40] + bytes([signature[40] ^ 4]) + signature[41:]
        assert fits(raw, signature, message)
        assert fits(raw, bad, message) is fits_theirs(raw, bad, message) is False


def test_a_second_spelling_of_s_is_refused() -> None:
    """S + L satisfies the equation too: whoever accepts it lets a signature be changed by anybody."""
    key, message, signature = (bytes.fromhex(text) for text in VECTORS[1])
    other = signature[:32] + (int.from_bytes(signature[32:], "little") + ORDER).to_bytes(32, "little")
    assert fits(key, other, message) is fits_theirs(key, other, message) is False


@pytest.mark.parametrize("length", [0, 32, 63, 65, 128])
def test_a_signature_of_another_length_is_refused(length: int) -> None:
    key, message, signature = (bytes.fromhex(text) for text in VECTORS[0])
    assert not fits(key, (signature * 2)[:length], message)


def test_a_key_that_is_no_point_fits_nothing() -> None:
    raw = (7).to_bytes(32, "little")
    assert not fits(raw, bytes(64), b"")
    assert not fits_theirs(raw, bytes(64), b"")


def test_keys_are_read_from_pem_and_other_kinds_are_known() -> None:
    private = Ed25519PrivateKey.from_private_bytes(bytes(32))
    others = (
        rsa.generate_private_key(65537, 2048),
        ec.generate_private_key(ec.SECP256R1()),
        x25519.X25519PrivateKey.generate(),
        ed448.Ed448PrivateKey.generate(),
    )
    pems = [
        one.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo) for one in (private, *others)
    ]
    found = load_pem_public_key(pems[0])
    assert isinstance(found, Ed25519PublicKey)
    assert found.public_bytes_raw() == private.public_key().public_bytes_raw()
    assert all(isinstance(load_pem_public_key(pem), OtherPublicKey) for pem in pems[1:])


@pytest.mark.parametrize(
    "pem",
    [
        b"",
        b"no key",
        b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
        b"-----BEGIN PUBLIC KEY-----\nA=A\n-----END PUBLIC KEY-----\n",
    ],
)
def test_what_is_no_key_is_refused(pem: bytes) -> None:
    with pytest.raises(ValueError, match="in PEM"):
        load_pem_public_key(pem)


def test_a_key_file_of_white_space_is_refused_without_a_long_search() -> None:
    """A pattern with three parts that all match white space took hours for it: the time grew with the cube."""
    with pytest.raises(ValueError, match="in PEM"):
        load_pem_public_key(b"-----BEGIN PUBLIC KEY-----" + b"\n" * 100_000 + b"!")


def test_an_unknown_kind_is_said_to_be_one() -> None:
    der = base64.b64encode(bytes.fromhex("302a300506032b657f032100") + bytes(32))
    with pytest.raises(UnsupportedAlgorithm):
        load_pem_public_key(b"-----BEGIN PUBLIC KEY-----\n" + der + b"\n-----END PUBLIC KEY-----\n")


def test_the_golden_bundles_envelope_opens_with_it() -> None:
    key = load_pem_public_key((GOLDEN / "data" / "submitter.pem").read_bytes())
    assert isinstance(key, Ed25519PublicKey)
    data = (GOLDEN / "attest" / "run.dsse.json").read_bytes()
    theirs = envelope.load_public_key((GOLDEN / "data" / "submitter.pem").read_bytes())
    assert envelope.open_payload(data, key) == envelope.open_payload(data, theirs)  # type: ignore[arg-type]
