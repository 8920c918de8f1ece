"""Packages that went into an image: what the bill of materials and the provenance name.

Libraries inside a fetched package are listed too, which scanners that read package names alone do not see. Three things
show them: a bill of materials in the wheel's own metadata (PEP 770), the folder in which auditwheel puts copies of
shared libraries, and what a program says of itself in its bytes. What none of them shows is not listed.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal

import msgspec

from .architecture import elf_machine
from .cache import Digest, sha256
from .tree import Entry

Ecosystem = Literal["deb", "pypi", "npm", "cargo", "generic", "own"]
BILL = re.compile(r"\.dist-info/sboms/[^/]+\.json$")
COPIED = re.compile(r"\.libs/(?P<name>[^/]+?)(-[0-9a-f]{8}){0,2}\.so(\.(?P<version>[0-9.]+))?$")
CARGO = "pkg:cargo/"
SHA256 = re.compile(r"[0-9a-f]{64}")
# What names a library in the bytes of a program that holds it, with its version where it tells one.
MARKS = {
    "llama.cpp": re.compile(rb"llama_model_loader"),
    "node": re.compile(rb"/node-v(\d+\.\d+\.\d+)\.tar\.gz"),
    "openssl": re.compile(rb"OpenSSL (\d+\.\d+\.\d+[a-z]?) \d+ \w{3} \d{4}"),
}
UNKNOWN = Digest("", "")


class Component(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """One package, its version and the digest of the file it came in.

    `architecture` and `distribution` are Debian's. `within` is the package URL of the package that holds this
    one, empty for a package that was fetched by itself; the version and the digest of one that is held may be unknown.
    """

    ecosystem: Ecosystem
    name: str
    version: str
    algorithm: str
    value: str
    architecture: str = ""
    distribution: str = ""
    within: str = ""

    @property
    def purl(self) -> str:
        """Package URL, which names no mirror."""
        version = f"@{self.version.replace('+', '%2B')}" if self.version else ""
        match self.ecosystem:
            case "deb":
                named = f"pkg:deb/debian/{self.name.replace('+', '%2B')}{version}?arch={self.architecture}"
                return f"{named}&distro={self.distribution}" if self.distribution else named
            case "npm":
                return f"pkg:npm/{self.name.replace('@', '%40')}{version}"
            case "pypi" | "cargo":
                return f"pkg:{self.ecosystem}/{self.name}{version}"
            case "own" | "generic":
                return f"pkg:generic/{self.name}{version}"


def component(ecosystem: Ecosystem, name: str, version: str, digest: Digest, architecture: str = "") -> Component:
    """A component from a lock's row."""
    return Component(ecosystem, name, version, digest.algorithm, digest.value, architecture)


def bundled(holder: Component, files: Iterable[Entry]) -> list[Component]:
    """The libraries inside a package, each once; one with a digest stands for all of its name and version."""
    libraries: dict[tuple[str, str], Component] = {}
    for entry in files:
        for library in _in_file(holder, entry):
            before = libraries.get((library.name, library.version))
            if not (before and before.value):
                libraries[library.name, library.version] = library
    return sorted(libraries.values())


def _in_file(holder: Component, entry: Entry) -> Iterator[Component]:
    if BILL.search(entry.path):
        yield from _in_bill(holder, entry.content)
    elif copied := COPIED.search(entry.path):
        digest = sha256(hashlib.sha256(entry.content).hexdigest())
        yield _part(holder, "generic", copied["name"], copied["version"] or "", digest)
    elif elf_machine(entry.content) is not None:
        for name, mark in MARKS.items():
            if shown := mark.search(entry.content):
                yield _part(holder, "generic", name, shown[1].decode() if mark.groups else "", UNKNOWN)


def _in_bill(holder: Component, content: bytes) -> Iterator[Component]:
    """The components of a CycloneDX bill; another form of bill is no fault of the image."""
    try:
        rows = json.loads(content).get("components", [])
        for row in rows:
            ecosystem: Ecosystem = "cargo" if str(row.get("purl", "")).startswith(CARGO) else "generic"
            yield _part(holder, ecosystem, str(row["name"]), str(row.get("version", "")), _digest(row))
    except (ValueError, AttributeError, KeyError, TypeError):
        return


def _digest(row: dict[str, Any]) -> Digest:
    values = [str(entry["content"]) for entry in row.get("hashes") or [] if entry.get("alg") == "SHA-256"]
    return sha256(values[0]) if values and SHA256.fullmatch(values[0]) else UNKNOWN


def _part(holder: Component, ecosystem: Ecosystem, name: str, version: str, digest: Digest) -> Component:
    return Component(ecosystem, name, version, digest.algorithm, digest.value, within=holder.purl)
