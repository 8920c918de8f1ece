"""The tables that are shipped with the verifier, each pinned by its digest."""

import hashlib
from importlib.resources import files


def table(name: str, sha256: str) -> bytes:
    """The bytes of a table. Another digest means that this installation is broken, so no figure may come of it."""
    data = (files(__package__) / "tables" / name).read_bytes()
    actual = hashlib.sha256(data).hexdigest()
    assert actual == sha256, f"{name}: expected sha256 {sha256}, found {actual}; install the verifier again"
    return data
