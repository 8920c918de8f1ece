"""The program that two machines must share to play one run: its source, and the libraries it computes with."""

import hashlib
import platform
import re
from collections.abc import Iterator
from functools import cache
from importlib.metadata import requires, version
from importlib.resources import files
from importlib.resources.abc import Traversable

import msgspec

PACKAGES = ("agzamov_harness", "agzamov_verify")
REQUIREMENT = re.compile(r"[A-Za-z0-9._-]+")


class Program(msgspec.Struct, frozen=True):
    """A program: digest of its source, Python's version to the second number, and the versions of its libraries."""

    source_sha256: str
    python: str
    libraries: dict[str, str]

    def difference(self, other: "Program") -> str:
        """Difference of another program from this one, in words; empty where there is none."""
        if other.python != self.python:
            return f"Python {self.python}, found {other.python}"
        for name, here in self.libraries.items():
            if other.libraries.get(name) != here:
                return f"{name} {here}, found {other.libraries.get(name, 'none')}"
        if other.source_sha256 != self.source_sha256:
            return f"source {self.source_sha256[:12]}, found {other.source_sha256[:12]}: install the same version"
        return ""


@cache
def program_here() -> Program:
    """The program of this process."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        for name, data in sorted(_files(files(package), package)):
            digest.update(f"{name} {len(data)}\n".encode())
            digest.update(data)
    names = sorted({REQUIREMENT.match(text)[0] for text in requires("agzamov-verify") or ()})  # type: ignore[index]
    python = ".".join(platform.python_version_tuple()[:2])
    return Program(digest.hexdigest(), python, {name: version(name) for name in names})


def _files(folder: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        path = f"{name}/{entry.name}"
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _files(entry, path)
        elif entry.is_file():
            yield path, entry.read_bytes()
