"""Digest of an image's inputs: enough to tell without building whether a record is of this checkout."""

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from agzamov_harness.containers.image_records import ImageFault, ImageRecord
from agzamov_verify.core import canon

from . import compiler, source
from .architecture import ARCHITECTURES, Architecture
from .build_order import LayerSpec, configured, stacked
from .declaration import Config, Debs, Files, Npm, Part, Source, Wheels

NPM_LOCK = "package-lock.json"
# The modules that decide what is in a layer; another builder may build another way.
BUILDERS = (
    "architecture",
    "bytecode",
    "compiler",
    "components",
    "debs",
    "layers",
    "npm",
    "oci",
    "source",
    "suites",
    "tree",
    "wheels",
)


def layer_inputs(checkout: Path, spec: LayerSpec, below: Iterable[str], architecture: Architecture) -> str:
    """SHA-256 over all that decides a layer: its names, declaration, locks, files, what lies below, this builder."""
    hashed = hashlib.sha256(_builder().encode())
    hashed.update(canon.dumps([spec.image, spec.part, architecture.name, spec.suite.name]))
    for path in _read_for(checkout, spec, architecture):
        hashed.update(f"\n{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}".encode())
    for diff_id in below:
        hashed.update(f"\nbelow {diff_id}".encode())
    return hashed.hexdigest()


def image_inputs(layers: Iterable[str], config: Config) -> str:
    """SHA-256 over all that decides an image."""
    return canon.digest([*layers, canon.digest(config)])


def is_current(checkout: Path, record: ImageRecord) -> bool:
    """True if a record is of an image as this checkout declares it now. Raises ImageFault."""
    images, ids, architecture = checkout / "images", record.diff_ids, ARCHITECTURES[record.architecture]
    stack = stacked(images, record.name)
    inputs = [layer_inputs(checkout, layer, ids[:index], architecture) for index, layer in enumerate(stack)]
    digest = image_inputs(inputs, configured(images, record.name, architecture))
    return len(stack) == len(ids) and record.inputs_digest == digest


def locks(checkout: Path, name: str, architecture: Architecture) -> dict[str, str]:
    """The locks that decide an image, by their paths in the checkout, and their SHA-256. Raises ImageFault."""
    digests = {}
    for spec in stacked(checkout / "images", name):
        if isinstance(spec.part, Debs | Wheels | Npm):
            for path in _read_for(checkout, spec, architecture):
                inner = os.path.relpath(path, checkout)
                digests[inner] = hashlib.sha256(path.read_bytes()).hexdigest()
    return digests


def _builder() -> str:
    hashed = hashlib.sha256()
    for name in BUILDERS:
        hashed.update((Path(__file__).parent / f"{name}.py").read_bytes())
    return hashed.hexdigest()


def _read_for(checkout: Path, spec: LayerSpec, architecture: Architecture) -> list[Path]:
    """The files of the checkout that decide a layer. Raises ImageFault where one is missing."""
    folder = checkout / "images" / spec.image
    paths = list(_wanted(checkout, folder, spec.part, architecture))
    for path in paths:
        if not path.is_file():
            again = f"run `agzamov images lock {spec.image} --arch {architecture.name}`"
            raise ImageFault(f"{path}: no such file; if it is a lock, {again}")
    return paths


def _wanted(checkout: Path, folder: Path, part: Part, architecture: Architecture) -> Iterator[Path]:
    match part:
        case Debs():
            yield folder / part.lock(architecture)
        case Wheels():
            yield folder / part.requirements
            if part.extensions.get(architecture.name):
                yield from compiler.locks(checkout / "images")
        case Npm():
            yield folder / NPM_LOCK
        case Files():
            yield from (folder / name for name in part.files.values())
        case Source():
            for name in source.by_distribution(part.packages):
                yield from (checkout / name / "LICENSE", checkout / name / "pyproject.toml")
            for package in part.packages:
                yield from source.files(checkout / package)
