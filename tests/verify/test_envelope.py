"""Public keys: points under which a signature says nothing are refused, in every spelling."""

import hashlib
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from agzamov_verify import cli
from agzamov_verify.core import canon
from agzamov_verify.core.envelope import BadEnvelope, key_id, load_public_key, open_payload, sign_payload

# The eight points of small order on edwards25519 in their fourteen encodings, as libsodium's
# ge25519_has_small_order and "Taming the many EdDSAs" (2020) list them, each with both sign bits.
SMALL_ORDER = tuple(
    low + sign
    for low, signs in (
        ("00" * 31, ("00", "80")),
        ("01" + "00" * 30, ("00", "80")),
        ("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc", ("05", "85")),
        ("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03", ("7a", "fa")),
        ("ec" + "ff" * 30, ("7f", "ff")),
        ("ed" + "ff" * 30, ("7f", "ff")),
        ("ee" + "ff" * 30, ("7f", "ff")),
    )
    for sign in signs
)
GOLDEN = Path(__file__).parents[1] / "bundles" / "golden" / "agz-0.1" / "bundle"
NEUTRAL = "01" + "00" * 31


def pem_of(encoded: str) -> bytes:
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(encoded))
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def test_one_signature_fits_every_message_under_the_neutral_point() -> None:
    """Why it matters: R is the neutral point and S is 0, for whatever was signed."""
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(NEUTRAL))
    for message in (b"one", b"another"):
        key.verify(bytes.fromhex(NEUTRAL) + bytes(32), message)


@pytest.mark.parametrize("encoded", SMALL_ORDER)
def test_a_point_of_small_order_is_refused(encoded: str) -> None:
    with pytest.raises(BadEnvelope, match="a point of small order"):
        load_public_key(pem_of(encoded))


def test_no_other_key_is_refused() -> None:
    for number in range(64):
        key = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(str(number).encode()).digest()).public_key()
        pem = key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        assert key_id(load_public_key(pem)) == key_id(key)


def test_one_key_file_has_one_verdict_with_and_without_the_library() -> None:
    """`cryptography` took a header and refused other text before the key, so a browser found the opposite."""
    key = Ed25519PrivateKey.from_private_bytes(bytes(32)).public_key()
    pem = key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    other_text = b"-----BEGIN X-----\n-----END X-----\n"
    for taken in (pem, pem.replace(b"\n", b""), other_text + pem, pem.replace(b"\n", b"\r\n\r\n")):
        assert key_id(load_public_key(taken)) == key_id(key)
    begin, rest = pem.split(b"\n", 1)
    for refused in (begin + b"\nComment: mine\n\n" + rest, begin + b"-\n" + rest, pem[:-10]):
        with pytest.raises(BadEnvelope, match="a public key in PEM"):
            load_public_key(refused)


def test_the_command_refuses_such_a_key_as_the_one_to_expect(tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    key.write_bytes(pem_of(NEUTRAL))
    done = CliRunner().invoke(cli.main, ["check", str(GOLDEN), "--key", str(key)])
    assert (done.exit_code, "a point of small order" in done.output) == (2, True)


def test_another_key_id_and_another_number_of_signatures_are_told_as_found() -> None:
    """Both were "1 or another key"."""
    key, other = (Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32) for number in (1, 2))
    signed = sign_payload(b"{}", other)
    with pytest.raises(BadEnvelope, match=f"found one by key {key_id(other.public_key())}"):
        open_payload(signed, key.public_key())
    without = json.loads(signed)
    without["signatures"] = []
    with pytest.raises(BadEnvelope, match="found 0 signatures"):
        open_payload(canon.dumps(without), key.public_key())
    named = json.loads(signed)
    named["signatures"][0]["keyid"] = "\x1b[2J"
    with pytest.raises(BadEnvelope, match=r"found one by key \\x1b\[2J"):
        open_payload(canon.dumps(named), key.public_key())
    assert open_payload(signed, other.public_key()) == b"{}"
