"""Other people's programs, and a few lines written for this test alone, read our bundles the same way."""

import base64
import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import SSlibKey

from agzamov_harness.run import signing_keys
from bundles.bundle_factory import STRANGER, SUBMITTER, Draft

Files = dict[str, bytes]


@pytest.fixture(params=["small", "judged", "tiny"])
def files(request: pytest.FixtureRequest) -> Files:
    """The files of a good bundle by name."""
    root: Path = request.getfixturevalue(request.param)
    return dict(Draft.of(root).files)


def envelope_of(files: Files) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files["attest/run.dsse.json"])
    return found


def statement_of(files: Files) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Envelope.from_dict(envelope_of(files)).payload)
    return found


# --- securesystemslib: the signature --------------------------------------------------------------


def sslib_key(pem: bytes, keyid: str) -> SSlibKey:
    return SSlibKey(keyid, "ed25519", "ed25519", {"public": _raw_hex(pem)})


def _raw_hex(pem: bytes) -> str:
    """The 32 bytes of an Ed25519 key are the last of its SubjectPublicKeyInfo."""
    body = b"".join(line for line in pem.splitlines() if b"-----" not in line)
    return base64.b64decode(body)[-32:].hex()


def test_securesystemslib_verifies_the_envelope(files: Files) -> None:
    envelope = Envelope.from_dict(envelope_of(files))
    keyid = next(iter(envelope.signatures))
    assert {keyid} == set(envelope.verify([sslib_key(files["data/submitter.pem"], keyid)], 1))


def test_securesystemslib_refuses_a_changed_payload(files: Files) -> None:
    envelope = Envelope.from_dict(envelope_of(files))
    keyid = next(iter(envelope.signatures))
    envelope.payload = envelope.payload.replace(b'"compliant":"no"', b'"compliant":"yes"')
    with pytest.raises(VerificationError):
        envelope.verify([sslib_key(files["data/submitter.pem"], keyid)], 1)


def test_securesystemslib_refuses_another_type(files: Files) -> None:
    envelope = Envelope.from_dict(envelope_of(files))
    keyid = next(iter(envelope.signatures))
    envelope.payload_type = "application/json"
    with pytest.raises(VerificationError):
        envelope.verify([sslib_key(files["data/submitter.pem"], keyid)], 1)


def test_securesystemslib_refuses_another_key(files: Files) -> None:
    envelope = Envelope.from_dict(envelope_of(files))
    keyid = next(iter(envelope.signatures))
    with pytest.raises(VerificationError):
        envelope.verify([sslib_key(signing_keys.public_pem(STRANGER), keyid)], 1)


def test_securesystemslib_writes_the_same_pre_authentication_encoding(files: Files) -> None:
    envelope = Envelope.from_dict(envelope_of(files))
    signature = bytes.fromhex(next(iter(envelope.signatures.values())).signature)
    SUBMITTER.public_key().verify(signature, envelope.pae())


# --- rfc8785: the canonical bytes -----------------------------------------------------------------


def canonical(data: bytes) -> bytes:
    return rfc8785.dumps(json.loads(data))


def test_rfc8785_writes_every_json_file_as_it_stands(files: Files) -> None:
    names = [name for name in files if name.endswith(".json")]
    assert len(names) >= 6
    for name in names:
        assert canonical(files[name]) == files[name], name


def test_rfc8785_writes_every_line_as_it_stands(files: Files) -> None:
    names = [name for name in files if name.endswith(".jsonl.gz")]
    for name in names:
        for number, line in enumerate(gzip.decompress(files[name]).splitlines()):
            assert canonical(line) == line, f"{name} line {number}"


def test_rfc8785_writes_the_statement_as_it_was_signed(files: Files) -> None:
    payload = Envelope.from_dict(envelope_of(files)).payload
    assert canonical(payload) == payload


# --- RFC 6962: the tree, straight from section 2.1 --------------------------------------------------


def tree_hash(leaves: list[bytes]) -> bytes:
    """MTH(D[n]): split at the largest power of two below n."""
    if not leaves:
        return hashlib.sha256().digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return hashlib.sha256(b"\x01" + tree_hash(leaves[:split]) + tree_hash(leaves[split:])).digest()


def rows_of(files: Files) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(files["data/journal/index.json"])["streams"]
    return found


def lines_of(files: Files, row: dict[str, Any]) -> list[bytes]:
    return b"".join(gzip.decompress(files[name]) for name in row["segments"]).splitlines()


def test_the_tree_over_its_lines_is_each_streams_root(files: Files) -> None:
    for row in rows_of(files):
        assert tree_hash(lines_of(files, row)).hex() == row["root"], row["stream"]


def test_the_tree_over_the_index_rows_is_the_statements_root(files: Files) -> None:
    claim = statement_of(files)["predicate"]["journal"]
    rows = rows_of(files)
    assert tree_hash([rfc8785.dumps(row) for row in rows]).hex() == claim["root"]
    assert sum(row["entries"] for row in rows) == claim["entries"]
    assert claim["tree"] == "rfc6962-sha256"


def test_each_line_names_the_digest_of_the_one_before(files: Files) -> None:
    for row in rows_of(files):
        prev = "0" * 64
        for line in lines_of(files, row):
            assert json.loads(line)["prev"] == prev
            prev = hashlib.sha256(line).hexdigest()
        assert prev == row["head"]


# --- BagIt (RFC 8493): the shape ------------------------------------------------------------------


def checksums(data: bytes) -> dict[str, str]:
    pairs = [line.split(None, 1) for line in data.decode("utf-8").splitlines()]
    return {name: digest for digest, name in pairs}


def test_the_bag_declares_itself(files: Files) -> None:
    assert files["bagit.txt"].decode("utf-8").splitlines() == [
        "BagIt-Version: 1.0",
        "Tag-File-Character-Encoding: UTF-8",
    ]


def test_the_bag_tells_its_run_and_the_size_of_its_payload(files: Files) -> None:
    """RFC 8493, section 2.2.2: octets of the payload, a dot, and the number of its files."""
    told = dict(line.split(": ", 1) for line in files["bag-info.txt"].decode("utf-8").splitlines())
    payload = [data for name, data in files.items() if name.startswith("data/")]
    assert told["Payload-Oxum"] == f"{sum(map(len, payload))}.{len(payload)}"
    assert told["External-Identifier"] == hashlib.sha256(files["data/manifest.json"]).hexdigest()[:16]
    assert list(told) == ["Bag-Software-Agent", "External-Identifier", "Payload-Oxum"], "nothing of the day"


def test_the_payload_manifest_lists_the_payload_and_nothing_else(files: Files) -> None:
    listed = checksums(files["manifest-sha256.txt"])
    payload = {name: hashlib.sha256(data).hexdigest() for name, data in files.items() if name.startswith("data/")}
    assert listed == payload


def test_the_tag_manifest_lists_the_tag_files(files: Files) -> None:
    listed = checksums(files["tagmanifest-sha256.txt"])
    assert listed == {
        name: hashlib.sha256(files[name]).hexdigest() for name in ("bag-info.txt", "bagit.txt", "manifest-sha256.txt")
    }


# --- in-toto: the statement ------------------------------------------------------------------------


def test_the_statement_has_the_fields_of_in_toto_v1(files: Files) -> None:
    statement = statement_of(files)
    assert set(statement) == {"_type", "subject", "predicateType", "predicate"}
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["subject"] == [
        {"name": "manifest-sha256.txt", "digest": {"sha256": hashlib.sha256(files["manifest-sha256.txt"]).hexdigest()}}
    ]


def test_a_journal_is_packed_as_gzip_without_a_time_or_a_name(files: Files) -> None:
    for name, data in files.items():
        if name.endswith(".gz"):
            magic, flags, mtime = data[:3], data[3], data[4:8]
            assert (magic, flags, mtime) == (b"\x1f\x8b\x08", 0, bytes(4)), name
