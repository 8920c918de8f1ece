"""Packages of an npm lock: fetched by npm, checked by their integrity, unpacked where the lock says.

No script of a package is run, and no link to a program is made: a container starts `node` on a file.
The lock holds integrity only, no `resolved` field, so it names no registry.
"""

import io
import json
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from agzamov_harness.containers.image_records import ImageFault

from .architecture import Architecture
from .cache import Cache, Digest, integrity
from .components import Component, component
from .package_managers import told
from .tree import Entry, file

ADVICE = "npm must reach a registry by this machine's own configuration, or the cache folder must hold the package"
QUIET = {"npm_config_update_notifier": "false", "npm_config_fund": "false", "npm_config_audit": "false"}


class Package(NamedTuple):
    """One locked package and the folder it goes to."""

    folder: str
    name: str
    version: str
    digest: Digest

    @property
    def component(self) -> Component:
        return component("npm", self.name, self.version, self.digest)


def read_lock(path: Path, architecture: Architecture) -> list[Package]:
    """The packages of a lock that belong on the image's platform. Raises ImageFault."""
    try:
        rows: dict[str, dict[str, Any]] = json.loads(path.read_bytes())["packages"]
        return [_package(folder, row) for folder, row in sorted(rows.items()) if folder and _fits(row, architecture)]
    except OSError as error:
        raise ImageFault(f"{path}: {error.strerror}; run `agzamov images lock {path.parent.name}`") from error
    except (KeyError, ValueError) as error:
        raise ImageFault(
            f"{path}: expected a package-lock of version 2 or 3 with integrity, found {error!r}"
        ) from error


def _package(folder: str, row: dict[str, Any]) -> Package:
    name = row.get("name") or folder.rpartition("node_modules/")[2]
    return Package(folder, name, row["version"], integrity(row["integrity"]))


def _fits(row: dict[str, Any], architecture: Architecture) -> bool:
    """True if a row is for the image: its platform matches, and it is not for development only."""
    platform = {"os": "linux", "cpu": architecture.npm, "libc": "glibc"}
    allowed = all(not row.get(key) or value in row[key] for key, value in platform.items())
    return allowed and not row.get("dev")


def lock(folder: Path) -> None:
    """Resolve package.json anew into the lock. Raises ImageFault."""
    command = ["npm", "install", "--package-lock-only", "--ignore-scripts", "--omit-lockfile-registry-resolved"]
    told(command, folder, ADVICE, QUIET)


def fetch(packages: Iterable[Package], cache: Cache) -> list[tuple[Package, Path]]:
    """Each package's archive, from the cache or by npm. Raises ImageFault."""
    packages = list(packages)
    missing = [package for package in packages if not cache.find(package.digest)]
    if missing:
        _download(missing, cache)
    return [(package, path) for package in packages if (path := cache.find(package.digest))]


def _download(missing: list[Package], cache: Cache) -> None:
    with cache.incoming() as folder:
        names = sorted({f"{package.name}@{package.version}" for package in missing})
        shown = told(["npm", "pack", "--json", "--ignore-scripts", *names], folder, ADVICE, QUIET)
        files = {(row["name"], row["version"]): row["filename"] for row in json.loads(shown)}
        for package in missing:
            if not cache.find(package.digest):
                name = files[package.name, package.version]
                cache.put(folder / name, package.digest)


def unpacked(fetched: Iterable[tuple[Package, Path]], into: str) -> Iterator[Entry]:
    """The files of packages, each in its folder below `into`."""
    for package, path in fetched:
        with tarfile.open(fileobj=io.BytesIO(path.read_bytes())) as archive:
            for info in archive:
                opened = archive.extractfile(info) if info.isreg() else None
                if opened:
                    _, _, inner = info.name.partition("/")
                    place = f"{into}/{package.folder}/{inner}"
                    yield file(place, opened.read(), program=bool(info.mode & 0o111))
