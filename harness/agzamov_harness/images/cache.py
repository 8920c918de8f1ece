"""Fetched packages, kept by digest outside the checkout, so that one folder is enough to build without a network.

    <cache>/sha256-<hex>/<file name as fetched>

A file is taken only if its bytes still have the digest.
"""

import base64
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from .faults import ImageFault

VARIABLE = "AGZ_IMAGE_CACHE"
ALGORITHMS = ("sha256", "sha512")


class Digest(NamedTuple):
    """A digest that a lock promises."""

    algorithm: str
    value: str

    def __str__(self) -> str:
        return f"{self.algorithm}-{self.value}"


def sha256(value: str) -> Digest:
    """A SHA-256 in hexadecimal."""
    return Digest("sha256", value)


def integrity(text: str) -> Digest:
    """The digest of an npm `integrity` field, such as "sha512-<base64>"."""
    algorithm, _, value = text.partition("-")
    return Digest(algorithm, base64.b64decode(value).hex())


def digest_of(path: Path, algorithm: str) -> Digest:
    """The digest of a file."""
    with path.open("rb") as opened:
        return Digest(algorithm, hashlib.file_digest(opened, algorithm).hexdigest())


def default_folder() -> Path:
    """The cache that the environment names, else the user's."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else Path.home() / ".cache" / "agzamov" / "images"


class Cache:
    """A folder of packages by digest."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find(self, digest: Digest) -> Path | None:
        """The file with this digest, if it is here. Raises ImageFault where its bytes have changed."""
        found = sorted((self.folder / str(digest)).glob("*"))
        if not found:
            return None
        if digest_of(found[0], digest.algorithm) != digest:
            raise ImageFault(f"{found[0]}: expected {digest}, found other bytes; remove the file and fetch it again")
        return found[0]

    def put(self, path: Path, digest: Digest) -> Path:
        """Move a fetched file in. Raises ImageFault unless it has the digest."""
        found = digest_of(path, digest.algorithm)
        if found != digest:
            raise ImageFault(f"{path.name}: expected {digest}, fetched {found}; the lock and the mirror disagree")
        place = self.folder / str(digest)
        place.mkdir(parents=True, exist_ok=True)
        shutil.move(path, place / path.name)
        return place / path.name

    @contextmanager
    def incoming(self) -> Iterator[Path]:
        """A folder to fetch into, removed afterwards."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.folder, prefix=".incoming-") as folder:
            yield Path(folder)
