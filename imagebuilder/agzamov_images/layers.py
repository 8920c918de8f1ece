"""One layer of an image: what goes into it, and its tar, kept until one of those things changes.

build/images/<image>/<layer>.tar
build/images/<image>/<layer>.json      {"components", "diff_id", "inputs", "size_bytes"}
"""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from agzamov_harness.containers.image_records import ImageFault
from agzamov_verify.core import canon

from . import bytecode, compiler, debs, npm, source, wheels
from .architecture import Architecture, here, require
from .build_order import LayerSpec, stacked
from .cache import Cache
from .cache_key import NPM_LOCK, layer_inputs
from .components import Component, bundled
from .declaration import Debs, Files, Npm, Source, Wheels
from .oci import LayerFile
from .suites import Suite
from .tree import Entry, arranged, directories, directory, file, kept, link, read_tar, write_tar


class Made(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Record of a layer's tar: the digest of all its inputs, and the diff id, size and components of the result."""

    inputs: str
    diff_id: str
    size_bytes: int
    components: tuple[Component, ...]


class Place(NamedTuple):
    """Settings for building layers: the checkout, the package cache, the output folder and the architecture."""

    checkout: Path
    cache: Cache
    out: Path
    architecture: Architecture


def tar_of(out: Path, standing: LayerSpec) -> Path:
    """Path of a layer's tar."""
    return out / standing.image / f"{standing.part.title}.tar"


def made(place: Place, standing: LayerSpec, below: tuple[LayerFile, ...]) -> tuple[LayerFile, Made]:
    """A layer's tar, made anew only if something that it is made of has changed. Raises ImageFault."""
    tar = tar_of(place.out, standing)
    known = tar.with_suffix(".json")
    inputs = layer_inputs(place.checkout, standing, (layer.diff_id for layer in below), place.architecture)
    record = _known(known)
    if not (record and record.inputs == inputs and tar.is_file()):
        tar.parent.mkdir(parents=True, exist_ok=True)
        known.unlink(missing_ok=True)
        record = _make(place, standing, below, inputs, tar)
        known.write_bytes(canon.dumps(record))
    return LayerFile(f"{standing.image}/{standing.part.title}", tar, record.diff_id, record.size_bytes), record


def _known(path: Path) -> Made | None:
    try:
        return canon.loads_as(path.read_bytes(), Made)
    except (OSError, canon.NotCanonical):
        return None


def _make(place: Place, standing: LayerSpec, below: tuple[LayerFile, ...], inputs: str, tar: Path) -> Made:
    components, entries = _contents(place, standing)
    require(place.architecture, entries)
    part = standing.part
    if part.compiled:
        if place.architecture == here():
            interpreter = [*(entry for layer in below for entry in read_tar(layer.path)), *entries]
        else:
            interpreter = _interpreter(place, standing.image)
        entries += bytecode.compiled(interpreter, entries, part.compiled, standing.suite)
    directories_below = frozenset(path for layer in below for path in directories(layer.path))
    diff_id, size = write_tar(tar, arranged(entries, directories_below))
    return Made(inputs, diff_id, size, tuple(sorted(components)))


def _interpreter(place: Place, name: str) -> list[Entry]:
    """The Debian packages that an image stands on, for this machine: its Python makes the same bytecode.

    Raises ImageFault where the two architectures are locked to different versions of a package with Python files.
    """
    entries = list[Entry]()
    for each in stacked(place.checkout / "images", name):
        if isinstance(each.part, Debs):
            folder = place.checkout / "images" / each.image
            suite = each.suite
            ours = debs.read_lock(folder / each.part.lock(here()), here(), suite)
            theirs = debs.read_lock(folder / each.part.lock(place.architecture), place.architecture, suite)
            _require_one_python(ours, theirs)
            entries += debs.unpacked(debs.fetch(ours.packages, place.cache, here(), suite))
    return entries


def _require_one_python(ours: debs.DebLock, theirs: debs.DebLock) -> None:
    left, right = ({deb.name: deb.version for deb in lock.packages if "python3" in deb.name} for lock in (ours, theirs))
    if left != right:
        versions = f"{ours.architecture} {left}, {theirs.architecture} {right}"
        raise ImageFault(
            f"expected one version of Python for all architectures, found {versions}; run `agzamov images lock`"
        )


def _contents(place: Place, standing: LayerSpec) -> tuple[list[Component], list[Entry]]:
    """The packages of a layer and its files, fetched where they are missing, less what is dropped."""
    part, suite, folder = standing.part, standing.suite, place.checkout / "images" / standing.image
    drop, entries = part.drop, list[Entry]()
    match part:
        case Debs():
            return _of_debs(place, part, folder / part.lock(place.architecture), suite)
        case Wheels():
            pins = wheels.read_requirements(folder / part.requirements, place.architecture, suite)
            sources = (*part.pure, *part.extensions.get(place.architecture.name, ()))
            fetched = wheels.fetch(pins, sources, place.cache, place.architecture, suite)
            components, entries = _with_bundled(
                (package.component, _of_python(place, part, package)) for package in fetched
            )
        case Npm():
            packages = npm.fetch(npm.read_lock(folder / NPM_LOCK, place.architecture), place.cache)
            components, entries = _with_bundled(
                (package[0].component, npm.unpacked([package], part.into)) for package in packages
            )
        case Source():
            components = list(source.components_of(place.checkout, part.packages))
            entries = list(source.unpacked(place.checkout, part.packages, part.into))
        case Files():
            components, entries = [], list(_files(part, folder))
    return components, list(kept(entries, drop))


def _of_debs(place: Place, part: Debs, lock: Path, suite: Suite) -> tuple[list[Component], list[Entry]]:
    """Debian packages, and what dpkg would know of them, where scanners look, whatever is dropped of their files."""
    locked = debs.read_lock(lock, place.architecture, suite)
    paths = debs.fetch(locked.packages, place.cache, place.architecture, suite)
    entries = list(debs.unpacked(paths))
    entries += [debs.joined(entries, path, pattern) for path, pattern in part.joined.items()]
    left = kept(entries, (*debs.DROPPED, *part.drop))
    return locked.components, [*left, *debs.status(locked.packages, paths)]


def _of_python(place: Place, part: Wheels, fetched: wheels.Fetched) -> Iterator[Entry]:
    """The files of a Python package, compiled where the layer says so."""
    if fetched.pin.name not in part.extensions.get(place.architecture.name, ()):
        return wheels.unpacked([fetched], part.into, part.folders)
    compiler.require(place.architecture)
    images = place.checkout / "images"
    compile_c = partial(compiler.compiled, images, place.cache)
    return compiler.installed(fetched, part.into, place.architecture, compile_c)


def _with_bundled(packages: Iterable[tuple[Component, Iterator[Entry]]]) -> tuple[list[Component], list[Entry]]:
    """Packages with the libraries inside them, and the files of all."""
    components, files = list[Component](), list[Entry]()
    for package, unpacked in packages:
        entries = list(unpacked)
        components += [package, *bundled(package, entries)]
        files += entries
    return components, files


def _files(part: Files, folder: Path) -> Iterator[Entry]:
    for path, mode in part.directories.items():
        yield directory(path, int(mode, 8))
    for path, name in part.files.items():
        content = (folder / name).read_bytes()
        yield file(path, content, program=content.startswith(b"#!"))
    for path, target in part.links.items():
        yield link(path, target)
