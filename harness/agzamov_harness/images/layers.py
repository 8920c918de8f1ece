"""One layer of an image: what goes into it, and its tar, kept until one of those things changes.

build/images/<image>/<layer>.tar
build/images/<image>/<layer>.json      {"components", "diff_id", "inputs", "size_bytes"}
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from agzamov_verify import canon

from . import bytecode, debs, npm, source, wheels
from .cache import Cache
from .component import Component
from .declaration import Debs, Files, Npm, Source, Wheels
from .inputs import NPM_LOCK, Standing, layer_inputs
from .oci import LayerFile
from .tree import Entry, arranged, directories, directory, file, kept, link, read_tar, write_tar


class Made(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of a layer's tar: the digest of all that it was made of, and what it became."""

    inputs: str
    diff_id: str
    size_bytes: int
    components: tuple[Component, ...]


class Place(NamedTuple):
    """Where layers are made: from which checkout and packages, into which folder."""

    checkout: Path
    cache: Cache
    out: Path


def tar_of(out: Path, standing: Standing) -> Path:
    """Where a layer's tar lies."""
    return out / standing.image / f"{standing.part.title}.tar"


def made(place: Place, standing: Standing, below: tuple[LayerFile, ...]) -> tuple[LayerFile, Made]:
    """A layer's tar, made anew only if something that it is made of has changed. Raises ImageFault."""
    tar = tar_of(place.out, standing)
    known = tar.with_suffix(".json")
    inputs = layer_inputs(place.checkout, standing, (layer.diff_id for layer in below))
    found = _known(known)
    if not (found and found.inputs == inputs and tar.is_file()):
        tar.parent.mkdir(parents=True, exist_ok=True)
        known.unlink(missing_ok=True)
        found = _make(place, standing, below, inputs, tar)
        known.write_bytes(canon.dumps(found))
    return LayerFile(f"{standing.image}/{standing.part.title}", tar, found.diff_id, found.size_bytes), found


def _known(path: Path) -> Made | None:
    try:
        return canon.loads_as(path.read_bytes(), Made)
    except (OSError, canon.NotCanonical):
        return None


def _make(place: Place, standing: Standing, below: tuple[LayerFile, ...], inputs: str, tar: Path) -> Made:
    components, entries = _contents(place, standing)
    part = standing.part
    if part.compiled:
        lower = [entry for layer in below for entry in read_tar(layer.path)]
        entries += bytecode.compiled([*lower, *entries], entries, part.compiled)
    there = frozenset(path for layer in below for path in directories(layer.path))
    diff_id, size = write_tar(tar, arranged(entries, there))
    return Made(inputs, diff_id, size, tuple(sorted(components)))


def _contents(place: Place, standing: Standing) -> tuple[list[Component], list[Entry]]:
    """The packages of a layer and its files, fetched where they are missing, less what is dropped."""
    part, folder = standing.part, place.checkout / "images" / standing.image
    drop, found = part.drop, list[Entry]()
    match part:
        case Debs():
            locked = debs.read_lock(folder / part.lock)
            found = list(debs.unpacked(debs.fetch(locked, place.cache)))
            found += [debs.joined(found, path, pattern) for path, pattern in part.joined.items()]
            components, drop = [deb.component for deb in locked], (*debs.DROPPED, *part.drop)
        case Wheels():
            fetched = wheels.fetch(wheels.read_requirements(folder / part.requirements), part.pure, place.cache)
            components, found = [one.component for one in fetched], list(wheels.unpacked(fetched, part.into))
        case Npm():
            packages = npm.read_lock(folder / NPM_LOCK)
            found = list(npm.unpacked(npm.fetch(packages, place.cache), part.into))
            components = [package.component for package in packages]
        case Source():
            components = [source.component_of(place.checkout, name) for name in part.distributions]
            found = [entry for name in part.distributions for entry in source.unpacked(place.checkout, name, part.into)]
        case Files():
            components, found = [], list(_files(part, folder))
    return components, list(kept(found, drop))


def _files(part: Files, folder: Path) -> Iterator[Entry]:
    for path, mode in part.directories.items():
        yield directory(path, int(mode, 8))
    for path, name in part.files.items():
        yield file(path, (folder / name).read_bytes())
    for path, target in part.links.items():
        yield link(path, target)
