"""Signed notes, checkpoints and cosignatures against the vectors of Go and C2SP, and against openssl."""

import base64
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_harness.registry.log_writer import append, cosign, create_log, public_key
from agzamov_harness.run.seal_signature import public_pem
from agzamov_verify.transparency_log.checkpoint import parse_checkpoint, witnessed
from agzamov_verify.transparency_log.signed_note import (
    COSIGNATURE,
    ED25519,
    BadNote,
    parse_key,
    parse_note,
    signers,
)

# golang.org/x/mod/sumdb/note, note_test.go
PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
ENOCH = "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop"
TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
PETER_LINE = (
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
ENOCH_LINE = (
    "— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n"
)
# c2sp.org/signed-note
EXAMPLE_KEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
EXAMPLE = (
    "This is an example message.\n\n"
    "— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
)
ORIGIN, WITNESS, NOW = "example.com/log", "witness.example.com/w1", 1_679_315_147


@pytest.mark.parametrize(("note", "key"), [(f"{TEXT}\n{PETER_LINE}{ENOCH_LINE}", PETER), (EXAMPLE, EXAMPLE_KEY)])
def test_notes_of_go_and_of_c2sp_are_read(note: str, key: str) -> None:
    parsed = parse_note(note.encode())
    assert parsed.data == note.encode()
    assert [str(one) for one in signers(parsed, [parse_key(key, ED25519)])] == [key]


def test_a_note_of_two_known_keys_has_both() -> None:
    keys = [parse_key(PETER, ED25519), parse_key(ENOCH, ED25519)]
    assert list(signers(parse_note(f"{TEXT}\n{PETER_LINE}{ENOCH_LINE}".encode()), keys)) == keys


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        f"{TEXT}\n".encode(),
        f"{TEXT}\n{PETER_LINE[:-1]}".encode(),
        f"\x01{TEXT}\n{PETER_LINE}".encode(),
        b"\xff" + f"{TEXT}\n{PETER_LINE}".encode(),
        f"{TEXT}\n— Bad Name x08go/ZJkuBS9UG/SffcvIAQxVBt\n".encode(),
        f"{TEXT}\n{PETER_LINE}Unexpected line.\n".encode(),
        f"{TEXT}\n{PETER_LINE * 101}".encode(),
        f"{TEXT}\n— PeterNeumann x08go/=ZJ\n".encode(),
        f"{TEXT}\n{PETER_LINE}".encode() + b"x" * 2**16,
    ],
)
def test_malformed_notes_are_refused(data: bytes) -> None:
    with pytest.raises(BadNote):
        parse_note(data)


def test_a_known_keys_signature_that_does_not_fit_refuses_the_note() -> None:
    note = parse_note(f"{TEXT.replace('your', 'my')}\n{PETER_LINE}".encode())
    with pytest.raises(BadNote, match="PeterNeumann"):
        signers(note, [parse_key(PETER, ED25519)])
    assert not signers(note, [parse_key(ENOCH, ED25519)])


@pytest.mark.parametrize("at", range(len(PETER)))
def test_a_key_with_one_other_character_is_no_key(at: int) -> None:
    with pytest.raises(BadNote):
        parse_key(PETER[:at] + chr(ord(PETER[at]) + 1) + PETER[at + 1 :], ED25519)


def test_a_log_s_key_is_no_witness() -> None:
    with pytest.raises(BadNote, match="a witness's key"):
        parse_key(PETER, COSIGNATURE)


def key_of(seed: int) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)


def cosigned(folder: Path) -> Path:
    create_log(folder, ORIGIN, key_of(1))
    append(folder, [b"one", b"two"], key_of(1))
    cosign(folder, WITNESS, key_of(2), folder.with_name("seen"), NOW)
    return folder / "checkpoint"


def test_a_witness_signs_the_time_beside_the_log(tmp_path: Path) -> None:
    data = cosigned(tmp_path / "log").read_bytes()
    log, witness = public_key(ORIGIN, ED25519, key_of(1)), public_key(WITNESS, COSIGNATURE, key_of(2))
    signed = witnessed(data, [log], [witness])
    assert (signed.checkpoint.origin, signed.checkpoint.size) == (ORIGIN, 2)
    assert (signed.time_s(1), signed.time_s(2), signed.time_s(0)) == (NOW, None, None)
    assert parse_key(str(witness), COSIGNATURE) == witness


def test_the_key_of_a_log_signs_as_no_witness_of_it(tmp_path: Path) -> None:
    folder = cosigned(tmp_path / "log").parent
    before = (folder / "checkpoint").read_bytes()
    with pytest.raises(BadNote, match="the key by which the log itself is signed"):
        cosign(folder, WITNESS, key_of(1), tmp_path / "another", NOW)
    assert ((folder / "checkpoint").read_bytes(), (tmp_path / "another").exists()) == (before, False)


def test_openssl_checks_the_log_and_the_witness(tmp_path: Path) -> None:
    note = parse_note(cosigned(tmp_path / "log").read_bytes())
    by_log, by_witness = note.signatures
    assert by_witness.signature[:8] == NOW.to_bytes(8, "big")
    messages: dict[int, tuple[bytes, bytes]] = {
        1: (by_log.signature, note.text.encode()),
        2: (by_witness.signature[8:], f"cosignature/v1\ntime {NOW}\n{note.text}".encode()),
    }
    for seed, (signature, message) in messages.items():
        names = [tmp_path / name for name in ("key", "signature", "message")]
        for path, data in zip(names, (public_pem(key_of(seed)), signature, message), strict=True):
            path.write_bytes(data)
        command = ["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", names[0], "-sigfile", names[1]]
        done = subprocess.run([*command, "-in", names[2]], capture_output=True, check=False)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n2\n", "\n02\n", 1),
        lambda text: text.replace("\n2\n", "\n20000000000\n", 1),
        lambda text: text.replace("\n2\n", "\n2\nAAAA\n", 1).replace("AAAA\n", "", 1).replace("\n2\n", "\n3\n", 1),
        lambda text: text.replace(ORIGIN, "example.com/other"),
        lambda text: text.replace(WITNESS, "witness.example.com/w2"),
    ],
)
def test_a_changed_checkpoint_is_refused_or_counts_no_witness(tmp_path: Path, change: Callable[[str], str]) -> None:
    data = change(cosigned(tmp_path / "log").read_bytes().decode()).encode()
    log, witness = public_key(ORIGIN, ED25519, key_of(1)), public_key(WITNESS, COSIGNATURE, key_of(2))
    try:
        signed = witnessed(data, [log], [witness])
    except BadNote:
        return
    assert not signed.times_s


def test_a_checkpoint_of_c2sp_is_read() -> None:
    text = (
        "example.com/behind-the-sofa\n208521\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n"
        "— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+"
        "ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
    )
    checkpoint = parse_checkpoint(text.encode())
    assert checkpoint.size == 208521
    assert base64.b64encode(checkpoint.root).decode() == "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I="
