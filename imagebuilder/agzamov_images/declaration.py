"""Declaration of an image: `images/<name>/image.toml`, parsed once into frozen values.

    about = "Stockfish 15.1 of Debian 12, behind a unix socket"
    licence = "GPL-3.0-or-later"
    from = "ground"                    an image whose layers lie below ours, or:
    suite = "trixie"                   the Debian suite of the lowest image; without it bookworm

    [config]
    entrypoint = ["/usr/bin/socat", "…"]

    [[layers]]
    kind = "debs"
    wanted = ["stockfish", "socat"]

An image that others publish has `[external]` in place of layers.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec

from agzamov_harness.containers.image_records import DECLARATION, ImageFault

from .architecture import Architecture
from .suites import BOOKWORM, SUITES, Suite

NAME = re.compile(r"[a-z][a-z0-9-]{0,40}")
USER = "10001:10001"


Mode = Annotated[str, msgspec.Meta(pattern="^[0-7]{3,4}$")]


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    """Fields common to all layers: a name that no other layer of the image has, and what is left out."""

    name: str = ""
    drop: tuple[str, ...] = ()
    compiled: str = ""

    @property
    def title(self) -> str:
        return self.name or str(type(self).__struct_config__.tag)


class Debs(_Part, frozen=True, tag="debs"):
    """Debian packages: the wanted ones and what they depend on, less `without` and what lies below.

    `joined` maps a path to a pattern: a file made of all that match it, in the order of their names, as
    a package's script would make it.
    """

    wanted: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    joined: dict[str, str] = {}

    def lock(self, architecture: Architecture) -> str:
        """The name of an architecture's lock beside the declaration."""
        return f"{self.title}.{architecture.name}.lock.json"


class Wheels(_Part, frozen=True, tag="wheels"):
    """Python packages of a hashed requirements file, unpacked. `pure` names those that come as source only;
    `folders` names the folder of such a package where it is not the package's own name.

    `extensions` names for an architecture those of one C file that have no wheel for it, and are compiled.
    """

    requirements: str = "requirements.txt"
    into: str = "opt/site"
    pure: tuple[str, ...] = ()
    folders: dict[str, str] = {}
    extensions: dict[str, tuple[str, ...]] = {}


class Source(_Part, frozen=True, tag="source"):
    """Import packages of this checkout, as they are, each by its path: the folder above is its distribution's."""

    packages: tuple[str, ...] = ()
    into: str = "opt/site"


class Npm(_Part, frozen=True, tag="npm"):
    """Packages of a package-lock.json, unpacked; no script of theirs is run."""

    into: str = "opt/node"


class Files(_Part, frozen=True, tag="files"):
    """Files that stand beside the declaration (those that begin with #! can run), directories with a mode, links."""

    files: dict[str, str] = {}
    directories: dict[str, Mode] = {}
    links: dict[str, str] = {}


Part: TypeAlias = Debs | Wheels | Source | Npm | Files


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Configuration of the image's containers."""

    entrypoint: tuple[str, ...] = ()
    cmd: tuple[str, ...] = ()
    env: dict[str, str] = {}
    user: str = USER
    workdir: str = "/"
    labels: dict[str, str] = {}


class External(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An image that others publish: never built here, pinned by its digest in a registry, or not yet pinned."""

    repository: str
    version: str = ""
    digest: str = ""
    seen: str = ""


class Platform(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings for a single architecture. `expects` maps a path to the SHA-256 that the file must have."""

    labels: dict[str, str] = {}
    expects: dict[str, str] = {}


class Declaration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One image. `default`: built when no image is named, since runs need it.

    `suite`: the code name of the Debian suite, for an image that stands on no other; the images on it are of the same.
    `platforms` has an entry for each architecture that the image is built for; without any, for all of them.
    """

    about: str
    licence: str
    below: str = msgspec.field(name="from", default="")
    suite: str = ""
    config: Config = Config()
    layers: tuple[Part, ...] = ()
    default: bool = False
    platforms: dict[str, Platform] = {}
    external: External | None = None


def read(images: Path, name: str) -> Declaration:
    """The declaration of an image. Raises ImageFault."""
    path = images / name / DECLARATION
    if not NAME.fullmatch(name) or not path.is_file():
        known = ", ".join(names(images)) or "none"
        raise ImageFault(f"no image {name!r} in {images}; there are: {known}")
    try:
        declared = msgspec.toml.decode(path.read_bytes(), type=Declaration)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ImageFault(f"{path}: {error}") from error
    titles = [layer.title for layer in declared.layers]
    if len(set(titles)) < len(titles):
        raise ImageFault(f"{path}: expected layers with names of their own, found {', '.join(titles)}; give one a name")
    _require_suite(path, declared)
    return declared


def _require_suite(path: Path, declared: Declaration) -> None:
    """Raises ImageFault for a suite that is not known, or of an image whose suite is that of the image below it."""
    if declared.suite and declared.below:
        raise ImageFault(f"{path}: expected no suite, since {declared.below} lies below and has one; remove the line")
    if declared.suite and declared.suite not in SUITES:
        raise ImageFault(f"{path}: suite: expected one of {', '.join(SUITES)}, found {declared.suite!r}")


def suite(images: Path, name: str) -> Suite:
    """The Debian suite that an image is built from: that of the lowest image it stands on. Raises ImageFault."""
    *_, lowest = lineage(images, name)
    return SUITES[read(images, lowest).suite or BOOKWORM.name]


def names(images: Path) -> list[str]:
    """All images, those that others stand on first."""
    ordered: list[str] = []
    for path in sorted(images.glob(f"*/{DECLARATION}")):
        ordered += [name for name in reversed(list(lineage(images, path.parent.name))) if name not in ordered]
    return ordered


def platform(images: Path, name: str, architecture: Architecture) -> Platform:
    """Settings of an image's declaration for an architecture. Raises ImageFault if it is not built for it."""
    declared = read(images, name).platforms
    if declared and architecture.name not in declared:
        raise ImageFault(f"{name}: built for {', '.join(declared)} alone, not for {architecture.name}")
    return declared.get(architecture.name, Platform())


def how_to_get(name: str, external: External) -> str:
    """Instruction with the commands that pull and pin an image published by others."""
    digest = external.digest or "sha256:THE-DIGEST-YOU-TRUST"
    reference = f"{external.repository}@{digest}"
    return f"published by others; type: docker pull {reference} && agzamov images adopt {name} {reference}"


def lineage(images: Path, name: str) -> Iterator[str]:
    """The image, the one below it, and so on. Raises ImageFault where that never ends."""
    seen: list[str] = []
    while name:
        if name in seen:
            raise ImageFault(f"{images / name / DECLARATION}: {' from '.join([*seen, name])} never ends")
        seen.append(name)
        yield name
        name = read(images, name).below


def holds_own_source(images: Path, name: str) -> bool:
    """True if an image's digest changes with our own source, so that no pin of it is committed."""
    parts = (part for each in lineage(images, name) for part in read(images, each).layers)
    return any(isinstance(part, Source) for part in parts)
