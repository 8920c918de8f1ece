"""What an image is: `images/<name>/image.toml`, parsed once into frozen values.

    about = "Stockfish 15.1 of Debian 12, behind a unix socket"
    licence = "GPL-3.0-or-later"
    from = "ground"                    an image whose layers lie below ours

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

from .faults import ImageFault

DECLARATION = "image.toml"
NAME = re.compile(r"[a-z][a-z0-9-]{0,40}")
USER = "10001:10001"


Mode = Annotated[str, msgspec.Meta(pattern="^[0-7]{3,4}$")]


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    """What all layers have in common: a name that no other layer of the image has, and what is left out."""

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

    @property
    def lock(self) -> str:
        """The name of the lock beside the declaration."""
        return f"{self.title}.lock.json"


class Wheels(_Part, frozen=True, tag="wheels"):
    """Python packages of a hashed requirements file, unpacked. `pure` names those that come as source only."""

    requirements: str = "requirements.txt"
    into: str = "opt/site"
    pure: tuple[str, ...] = ()


class Source(_Part, frozen=True, tag="source"):
    """Distributions of this checkout, as they are."""

    distributions: tuple[str, ...] = ()
    into: str = "opt/site"


class Npm(_Part, frozen=True, tag="npm"):
    """Packages of a package-lock.json, unpacked; no script of theirs is run."""

    into: str = "opt/node"


class Files(_Part, frozen=True, tag="files"):
    """Files that stand beside the declaration, directories with a mode, and links."""

    files: dict[str, str] = {}
    directories: dict[str, Mode] = {}
    links: dict[str, str] = {}


Part: TypeAlias = Debs | Wheels | Source | Npm | Files


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a container of the image starts."""

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


class Declaration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One image. `expects` maps a path in it to the SHA-256 that the file must have."""

    about: str
    licence: str
    below: str = msgspec.field(name="from", default="")
    config: Config = Config()
    layers: tuple[Part, ...] = ()
    expects: dict[str, str] = {}
    external: External | None = None


def read(images: Path, name: str) -> Declaration:
    """The declaration of an image. Raises ImageFault."""
    path = images / name / DECLARATION
    if not NAME.fullmatch(name) or not path.is_file():
        known = ", ".join(names(images)) or "none"
        raise ImageFault(f"no image {name!r} in {images}; there are: {known}")
    try:
        found = msgspec.toml.decode(path.read_bytes(), type=Declaration)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ImageFault(f"{path}: {error}") from error
    titles = [layer.title for layer in found.layers]
    if len(set(titles)) < len(titles):
        raise ImageFault(f"{path}: expected layers with names of their own, found {', '.join(titles)}; give one a name")
    return found


def names(images: Path) -> list[str]:
    """All images, those that others stand on first."""
    found: list[str] = []
    for path in sorted(images.glob(f"*/{DECLARATION}")):
        found += [name for name in reversed(list(lineage(images, path.parent.name))) if name not in found]
    return found


def how_to_get(name: str, external: External) -> str:
    """What a person types to have an image that others publish, and to pin it."""
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
    """Whether an image's digest changes with our own source, so that no pin of it is committed."""
    parts = (part for each in lineage(images, name) for part in read(images, each).layers)
    return any(isinstance(part, Source) for part in parts)


def checkout(start: Path) -> Path:
    """The checkout that holds `start`, or the one that this program runs from. Raises ImageFault."""
    for folder in (start, *start.parents, *Path(__file__).resolve().parents):
        if (folder / "images" / "ground" / DECLARATION).is_file():
            return folder
    raise ImageFault(f"no images/ground/{DECLARATION} at or above {start}; go to a checkout of the appliance")
