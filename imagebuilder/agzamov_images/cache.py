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

from agzamov_harness.containers.image_records import ImageFault

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
    """A folder of packages by digest.

    `offered` is another folder of packages, in any order and under the names that they were fetched by: what is
    missing is taken from there.
    """

    def __init__(self, folder: Path, offered: Path | None = None) -> None:
        self.folder = folder
        self._offered = offered
        self._in_offer: dict[Digest, Path] | None = None

    def find(self, digest: Digest) -> Path | None:
        """The file with this digest, if it is here. Raises ImageFault where its bytes have changed."""
        paths = sorted((self.folder / str(digest)).glob("*")) or self._taken(digest)
        if not paths:
            return None
        if digest_of(paths[0], digest.algorithm) != digest:
            raise ImageFault(f"{paths[0]}: expected {digest}, found other bytes; remove the file and fetch it again")
        return paths[0]

    def put(self, path: Path, digest: Digest) -> Path:
        """Move a fetched file in. Raises ImageFault unless it has the digest."""
        actual = digest_of(path, digest.algorithm)
        if actual != digest:
            raise ImageFault(f"{path.name}: expected {digest}, fetched {actual}; the lock and the mirror disagree")
        place = self.folder / str(digest)
        place.mkdir(parents=True, exist_ok=True)
        shutil.move(path, place / path.name)
        return place / path.name

    def _taken(self, digest: Digest) -> list[Path]:
        """The file with this digest, copied from what is offered."""
        if self._offered and self._in_offer is None:
            files = [path for path in sorted(self._offered.rglob("*")) if path.is_file()]
            self._in_offer = {digest_of(path, algorithm): path for algorithm in ALGORITHMS for path in files}
        source = (self._in_offer or {}).get(digest)
        if not source:
            return []
        with self.incoming() as folder:
            return [self.put(Path(shutil.copy(source, folder)), digest)]

    @contextmanager
    def incoming(self) -> Iterator[Path]:
        """A folder to fetch into, removed afterwards."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.folder, prefix=".incoming-") as folder:
            yield Path(folder)
