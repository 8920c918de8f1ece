"""Signed images: one signature over provenance, record, bill and pin, and one changed byte in each is told."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from agzamov_harness.containers import image_records
from agzamov_harness.containers.image_records import Different, ImageFault
from agzamov_harness.run import signing_keys
from agzamov_images import signing
from images.small import Small

KEY = Ed25519PrivateKey.from_private_bytes(b"\1" * 32)


@pytest.fixture
def key(made: Small) -> Path:
    path = made.checkout.parent / "key.pem"
    path.write_bytes(KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    path.with_name("key.pem.pub").write_bytes(signing_keys.public_pem(KEY))
    return path


@pytest.fixture
def signed(made: Small, key: Path) -> Small:
    """A checkout whose two images are built, pinned and signed."""
    made.agzamov("build", "--all")
    told = made.agzamov("pin", "--key", str(key))
    assert told.splitlines()[0] == "pinned images/ground/pin.amd64.json"
    assert [line.split()[0] for line in told.splitlines()] == ["pinned", "signed", "signed"]
    return made


def changed(path: Path, at: int) -> None:
    """Another byte at a place of a file."""
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(bytes(data))


def test_signed_images_pass(signed: Small, key: Path) -> None:
    told = signed.agzamov("verify", "--all", "--key", f"{key}.pub")
    assert told.splitlines()[0] == (
        f"ground: equal to its record and its pin; its record, bill, pin and provenance are signed by {key}.pub"
    )
    assert len(told.splitlines()) == 2


def test_the_signature_is_one_that_others_can_check_with_the_statement_alone(signed: Small, key: Path) -> None:
    envelope = json.loads((signed.built / "ground.provenance.dsse.json").read_text())
    assert envelope["payloadType"] == "application/vnd.in-toto+json"
    statement = json.loads((signed.built / "ground.provenance.json").read_text())
    assert statement["predicateType"] == "https://slsa.dev/provenance/v1"
    assert [row["name"] for row in statement["subject"]] == [
        "agzamov/ground",
        "ground.json",
        "ground.cdx.json",
        "pin.amd64.json",
    ]


PIN = "images/ground/pin.amd64.json"
BUILT = "build/images/ground"


@pytest.mark.parametrize(
    ("name", "at", "code", "told"),
    [
        (PIN, -40, 1, "pin.amd64.json: expected the pin that the signed statement names, found another"),
        (f"{BUILT}.provenance.json", 300, 1, "ground.provenance.json: expected the statement that is signed"),
        (f"{BUILT}.provenance.dsse.json", 300, 1, "dsse.json: expected "),
        (f"{BUILT}.provenance.dsse.json", -10, 1, "dsse.json: expected "),
        (f"{BUILT}.cdx.json", 300, 1, "expected a statement about ground.cdx.json as they are"),
        ("../key.pem.pub", 60, 1, "dsse.json: expected one signature by key"),
    ],
    ids=["pin", "provenance", "payload", "signature", "bill", "key"],
)
def test_one_changed_byte_is_told(signed: Small, key: Path, name: str, at: int, code: int, told: str) -> None:
    changed(signed.checkout / name, at)
    assert told in signed.agzamov("verify", "ground", "--key", f"{key}.pub", code=code)


def test_a_changed_record_is_told(signed: Small, key: Path) -> None:
    record = image_records.load("ground", signed.built)
    (signed.built / "ground.json").write_bytes((signed.built / "ground.json").read_bytes().replace(b'"MIT"', b'"BSD"'))
    told = signed.agzamov("verify", "ground", "--key", f"{key}.pub", code=1)
    assert "expected a statement about ground.json as they are" in told
    assert image_records.load("ground", signed.built) != record


def other_key(signed: Small) -> str:
    path = signed.checkout.parent / "other.pem"
    signing_keys.generate(path)
    return f"{path}.pub"


def no_key(signed: Small) -> str:
    return str(signed.checkout.parent / "none.pub")


@pytest.mark.parametrize(
    ("public", "code", "told"),
    [(other_key, 1, "expected one signature by key"), (no_key, 2, "none.pub: No such file")],
    ids=["another", "missing"],
)
def test_another_key_did_not_sign(signed: Small, public: Callable[[Small], str], code: int, told: str) -> None:
    assert told in signed.agzamov("verify", "ground", "--key", public(signed), code=code)


def test_an_unsigned_image_is_not_passed_as_signed(made: Small, key: Path) -> None:
    made.agzamov("build", "ground")
    assert "ground.provenance.dsse.json: No such file" in made.agzamov(
        "verify", "ground", "--key", f"{key}.pub", code=2
    )


def test_a_statement_of_another_build_is_not_signed(made: Small) -> None:
    made.agzamov("build", "ground")
    (made.built / "ground.cdx.json").write_text("{}")
    with pytest.raises(Different, match=r"expected a statement about ground\.cdx\.json"):
        signing.sign(made.built, image_records.load("ground", made.built), KEY)


def test_a_missing_private_key_says_how_to_make_one(made: Small) -> None:
    made.agzamov("build", "ground")
    assert "agzamov keygen" in made.agzamov("pin", "ground", "--key", "none.pem", code=2)


def test_a_file_that_is_far_too_big_is_not_read(made: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    made.agzamov("build", "ground")
    monkeypatch.setattr(signing, "SIGNED_BYTES_MAX", 10)
    with pytest.raises(ImageFault, match="expected at most 10 bytes, found more"):
        signing.sign(made.built, image_records.load("ground", made.built), KEY)
