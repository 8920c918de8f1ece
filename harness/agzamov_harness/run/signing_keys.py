"""Submitter keys: Ed25519, in PEM (PKCS 8) or OpenSSH files. A key never enters a container or a bundle."""

import os
import shlex
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
    load_ssh_private_key,
)

from agzamov_verify.core.envelope import key_id

from ..foundation.owner_folder import DEFAULT_KEY
from .run_folder import RunDirectory
from .seal_signature import public_pem


class KeyFault(ValueError):
    """A key file is missing or is no Ed25519 key."""


def generate(path: Path) -> Ed25519PrivateKey:
    """A new key in `path` (mode 0600) and its public half in `path` + ".pub". Never overwrites. Raises KeyFault."""
    if not path.name or path.is_dir():
        raise KeyFault(f"{path}: expected a file for the key, found a folder; name one: agzamov keygen mine.pem")
    public = path.with_name(path.name + ".pub")
    if path.exists() or public.exists():
        raise KeyFault(_kept(path, public))
    key = Ed25519PrivateKey.generate()
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise KeyFault(_kept(path, public)) from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secret)
        public.write_bytes(public_pem(key))
    except OSError as error:  # half a key would keep its name for ever
        path.unlink()
        public.unlink(missing_ok=True)
        raise KeyFault(f"{path}: {error.strerror}; no key was made") from error
    return key


def _kept(path: Path, public: Path) -> str:
    """Error message where one of a key's two files is there already."""
    there = path if os.path.lexists(path) else public
    another = shlex.quote(str(path.with_name(f"another{path.suffix}")))
    return f"{there}: this key is there already and was kept; to make another, name its file: agzamov keygen {another}"


def making(path: Path) -> str:
    """The command that makes a key in `path`."""
    return "agzamov keygen" if path == DEFAULT_KEY else f"agzamov keygen {shlex.quote(str(path))}"


def _found(path: Path, data: bytes) -> str:
    """Words for a public key in the place of a private one, with the file of the private one where it is there."""
    if b"PUBLIC KEY" not in data and not data.startswith(b"ssh-"):
        return ""
    private = path.with_suffix("")
    is_there = path.suffix == ".pub" and private.is_file()
    beside = f"the private one is beside it: {private}" if is_there else "give the private one that belongs to it"
    return f", found a public key; {beside}"


def load(path: Path) -> Ed25519PrivateKey:
    """The Ed25519 key in a PEM or OpenSSH file. Raises KeyFault."""
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise KeyFault(f"{path}: no key is there; make one with: {making(path)}") from error
    except IsADirectoryError as error:
        raise KeyFault(f"{path}: expected the file of a key, found a folder") from error
    except OSError as error:
        raise KeyFault(f"{path}: {error.strerror}") from error
    read = load_ssh_private_key if b"OPENSSH PRIVATE KEY" in data else load_pem_private_key
    try:
        key = read(data, None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise KeyFault(
            f"{path}: expected an unencrypted private key in PEM or OpenSSH form{_found(path, data)}"
        ) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyFault(f"{path}: expected an Ed25519 key, found another kind")
    return key


def signer_of(directory: RunDirectory, path: Path | None) -> Ed25519PrivateKey:
    """The key that sealed a run, from `path` or from where it was then. Raises KeyFault."""
    if not path and not directory.origin.key_file:
        raise KeyFault(f"{directory.path}: this machine does not know the key that sealed this run; give it by --key")
    place = path or Path(directory.origin.key_file)
    if not path and not place.exists():
        raise KeyFault(f"{place}: the key that sealed this run is no longer there; give its new place by --key")
    key = load(place)
    sealed_id, given_id = directory.manifest.submitter_key_id, key_id(key.public_key())
    if sealed_id != given_id:
        sealed, given = sealed_id[:16], given_id[:16]
        raise KeyFault(
            f"{place}: expected the key {sealed} that sealed this run, found {given}; give that key by --key"
        )
    return key
