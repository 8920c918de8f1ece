"""Submitter keys: what openssl and ssh-keygen make is read, everything else is refused by name."""

import hashlib
import os
import re
import shutil
import stat
import subprocess
from collections.abc import Callable
from errno import ENOSPC
from pathlib import Path
from typing import Any, NoReturn

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa, x25519
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_ssh_public_key,
)

from agzamov_harness.run import signing_keys
from agzamov_harness.run.signing_keys import KeyFault
from agzamov_verify.core.envelope import key_id, load_public_key

UNENCRYPTED_WANTED = "expected an unencrypted private key in PEM or OpenSSH form"
KIND_WANTED = "expected an Ed25519 key, found another kind"


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A key as `agzamov keygen` makes it."""
    signing_keys.generate(tmp_path / "submitter.pem")
    return tmp_path / "submitter.pem"


def ssh_keygen(path: Path, *options: str) -> Path:
    """A key as a person's own tool makes it."""
    if not shutil.which("ssh-keygen"):
        pytest.skip("no ssh-keygen here")
    subprocess.run(["ssh-keygen", "-q", "-C", "", "-f", path, *options], check=True, timeout=300)
    return path


def pem(key: PrivateKeyTypes, encryption: KeySerializationEncryption | None = None) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption or NoEncryption())


# --- making one ----------------------------------------------------------------------------------


def test_a_new_key_is_for_its_owner_alone_and_its_public_half_for_all(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        key = signing_keys.generate(tmp_path / "new" / "folder" / "key.pem")
    finally:
        os.umask(before)
    path = tmp_path / "new" / "folder" / "key.pem"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert pem(signing_keys.load(path)) == pem(key)
    assert key_id(load_public_key(path.with_name("key.pem.pub").read_bytes())) == key_id(key.public_key())


def test_two_new_keys_differ(tmp_path: Path) -> None:
    assert key_id(signing_keys.generate(tmp_path / "a").public_key()) != key_id(
        signing_keys.generate(tmp_path / "b").public_key()
    )


@pytest.mark.parametrize("there", ["submitter.pem", "submitter.pem.pub"])
def test_a_file_that_is_there_already_is_never_overwritten(there: str, tmp_path: Path) -> None:
    (tmp_path / there).write_text("precious")
    told = re.escape(f"{tmp_path / there}: this key is there already and was kept; to make another, name its file: ")
    with pytest.raises(KeyFault, match=told):
        signing_keys.generate(tmp_path / "submitter.pem")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {there: "precious"}


@pytest.mark.parametrize("place", ["", ".", "/", "folder"])
def test_a_key_is_a_file(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(KeyFault, match="expected a file for the key, found a folder"):
        signing_keys.generate(Path(place))


@pytest.mark.parametrize("half", [0, 1])
def test_a_key_that_cannot_be_written_whole_leaves_nothing_that_keeps_its_name(
    half: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full at the private half, or at the public one."""
    full = OSError(ENOSPC, "No space left on device")

    def fails(*_: object) -> NoReturn:
        raise full

    target: tuple[Any, str] = (os, "fdopen") if half == 0 else (Path, "write_bytes")
    with monkeypatch.context() as patched:
        patched.setattr(*target, fails)
        with pytest.raises(KeyFault, match="No space left on device; no key was made"):
            signing_keys.generate(tmp_path / "key.pem")
    assert list(tmp_path.iterdir()) == []
    signing_keys.generate(tmp_path / "key.pem")
    assert len(list(tmp_path.iterdir())) == 2


def test_the_keys_id_is_the_digest_of_its_public_half_in_der(made: Path) -> None:
    if not shutil.which("openssl"):
        pytest.skip("no openssl here")
    command = ["openssl", "pkey", "-in", made, "-pubout", "-outform", "DER"]
    der = subprocess.run(command, check=True, capture_output=True, timeout=300).stdout
    assert key_id(signing_keys.load(made).public_key()) == hashlib.sha256(der).hexdigest()


# --- reading one ---------------------------------------------------------------------------------


def test_a_key_that_ssh_keygen_made_is_read(tmp_path: Path) -> None:
    path = ssh_keygen(tmp_path / "id_ed25519", "-t", "ed25519", "-N", "")
    public = load_ssh_public_key(path.with_name("id_ed25519.pub").read_bytes())
    raw = public.public_bytes(Encoding.Raw, PublicFormat.Raw)
    assert signing_keys.load(path).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw) == raw


def test_a_key_that_openssl_made_is_read(tmp_path: Path) -> None:
    if not shutil.which("openssl"):
        pytest.skip("no openssl here")
    path = tmp_path / "key.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", path], check=True, timeout=300)
    signature = signing_keys.load(path).sign(b"a bundle")
    signing_keys.load(path).public_key().verify(signature, b"a bundle")


def test_an_encrypted_openssh_key_is_refused(tmp_path: Path) -> None:
    path = ssh_keygen(tmp_path / "id_ed25519", "-t", "ed25519", "-N", "a passphrase")
    assert refused(path) == f"{path}: {UNENCRYPTED_WANTED}"


@pytest.mark.parametrize("kind", [("rsa", "-b", "2048"), ("ecdsa",)], ids=["rsa", "ecdsa"])
def test_another_kind_of_openssh_key_is_refused(kind: tuple[str, ...], tmp_path: Path) -> None:
    path = ssh_keygen(tmp_path / "id", "-N", "", "-t", *kind)
    assert refused(path) == f"{path}: {KIND_WANTED}"


@pytest.mark.parametrize(
    "other",
    [
        lambda: rsa.generate_private_key(65537, 2048),
        lambda: ec.generate_private_key(ec.SECP256R1()),
        x25519.X25519PrivateKey.generate,
    ],
    ids=["rsa", "ec", "x25519"],
)
def test_another_kind_of_key_in_pem_is_refused(other: Callable[[], PrivateKeyTypes], tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_bytes(pem(other()))
    assert refused(path) == f"{path}: {KIND_WANTED}"


ENCRYPTED = pem(Ed25519PrivateKey.generate(), BestAvailableEncryption(b"a passphrase"))


@pytest.mark.parametrize(
    "data",
    [
        ENCRYPTED,
        b"",
        b"\0" * 100,
        b"\xff\xfe",
        pem(Ed25519PrivateKey.generate())[:60],
        b"-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n",
    ],
    ids=["encrypted", "empty", "zeros", "no text", "cut off", "a broken OpenSSH key"],
)
def test_a_file_that_is_no_open_private_key_is_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_bytes(data)
    assert refused(path) == f"{path}: {UNENCRYPTED_WANTED}"


def test_a_public_key_is_told_with_the_private_one_beside_it(made: Path, tmp_path: Path) -> None:
    public = made.with_name("submitter.pem.pub")
    found = f"{UNENCRYPTED_WANTED}, found a public key; "
    assert refused(public) == f"{public}: {found}the private one is beside it: {made}"
    alone = public.rename(tmp_path / "alone.pub")
    assert refused(alone) == f"{alone}: {found}give the private one that belongs to it"


def test_a_missing_key_is_told_with_the_command_that_makes_one(tmp_path: Path) -> None:
    path = tmp_path / "none.pem"
    assert refused(path) == f"{path}: no key is there; make one with: agzamov keygen {path}"


def test_a_folder_is_no_key(tmp_path: Path) -> None:
    assert refused(tmp_path) == f"{tmp_path}: expected the file of a key, found a folder"


def refused(path: Path) -> str:
    """What a person is told about a key that is not taken."""
    with pytest.raises(KeyFault) as caught:
        signing_keys.load(path)
    return str(caught.value)
