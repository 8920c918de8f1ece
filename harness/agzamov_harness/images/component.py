"""A package that went into an image: what the bill of materials and the provenance name."""

from typing import Literal

import msgspec

from .cache import Digest

Ecosystem = Literal["deb", "pypi", "npm", "own"]


class Component(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """One package, its version and the digest of the file it came in. `architecture` is Debian's."""

    ecosystem: Ecosystem
    name: str
    version: str
    algorithm: str
    value: str
    architecture: str = ""

    @property
    def purl(self) -> str:
        """Its package URL, which names no mirror."""
        version = self.version.replace("+", "%2B")
        match self.ecosystem:
            case "deb":
                return f"pkg:deb/debian/{self.name.replace('+', '%2B')}@{version}?arch={self.architecture}"
            case "npm":
                return f"pkg:npm/{self.name.replace('@', '%40')}@{version}"
            case "pypi":
                return f"pkg:pypi/{self.name}@{version}"
            case "own":
                return f"pkg:generic/{self.name}@{version}"


def component(ecosystem: Ecosystem, name: str, version: str, digest: Digest, architecture: str = "") -> Component:
    """A component from a lock's row."""
    return Component(ecosystem, name, version, digest.algorithm, digest.value, architecture)
