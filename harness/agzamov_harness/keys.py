"""Submitter keys: Ed25519, in PEM (PKCS 8) or OpenSSH files. A key never enters a container or a bundle."""

import os
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_ssh_private_key,
)


class KeyFault(ValueError):
    """A key file is missing or is no Ed25519 key."""


def generate(path: Path) -> Ed25519PrivateKey:
    """A new key in `path` (mode 0600) and its public half in `path` + ".pub". Never overwrites."""
    public = path.with_name(path.name + ".pub")
    if public.exists():
        raise KeyFault(f"{public}: a file is there already; choose another name")
    key = Ed25519PrivateKey.generate()
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise KeyFault(f"{path}: a file is there already; choose another name") from error
    with os.fdopen(descriptor, "wb") as file:
        file.write(secret)
    public.write_bytes(public_pem(key))
    return key


def load(path: Path) -> Ed25519PrivateKey:
    """The Ed25519 key in a PEM or OpenSSH file. Raises KeyFault."""
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise KeyFault(f"{path}: no key is there; make one with: agzamov keygen {path}") from error
    except OSError as error:
        raise KeyFault(f"{path}: {error.strerror}") from error
    read = load_ssh_private_key if b"OPENSSH PRIVATE KEY" in data else load_pem_private_key
    try:
        key = read(data, None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise KeyFault(f"{path}: expected an unencrypted private key in PEM or OpenSSH form") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyFault(f"{path}: expected an Ed25519 key, found another kind")
    return key


def public_pem(key: Ed25519PrivateKey) -> bytes:
    """The public half in PEM."""
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
