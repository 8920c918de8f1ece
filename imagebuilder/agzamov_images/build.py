"""Build of an image from its declaration: layers, configuration, one tar, record, bill of materials, provenance."""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from agzamov_harness.containers import image_records
from agzamov_harness.containers.image_records import Different, ImageFault, ImageRecord
from agzamov_harness.foundation.program_and_machine import source_version
from agzamov_images import build_order

from . import cache_key, declaration, layers, oci, provenance, sbom
from .architecture import Architecture
from .cache import Cache
from .components import Component
from .declaration import Declaration, Platform
from .oci import LayerFile
from .tree import Leaf, tree_digest, tree_of

Tell = Callable[[str], None]
LOCK = ".lock"


class Workshop(NamedTuple):
    """Settings of a build for one architecture: the checkout, the output folder, the package cache, and a function that
    is told of progress.
    """

    checkout: Path
    out: Path
    cache: Cache
    tell: Tell
    architecture: Architecture

    @property
    def images(self) -> Path:
        return self.checkout / "images"


class Stack(NamedTuple):
    """All layers of an image, the lowest first, and what they were made of."""

    layers: tuple[LayerFile, ...]
    components: tuple[Component, ...]
    inputs: tuple[str, ...]


def build(shop: Workshop, name: str) -> ImageRecord:
    """Build one image, and the layers that it stands on, unless nothing has changed. Raises ImageFault."""
    declared = declaration.read(shop.images, name)
    declaration.platform(shop.images, name, shop.architecture)
    if declared.external:
        raise ImageFault(f"{name}: {declaration.how_to_get(name, declared.external)}")
    with _alone(shop.out):
        record = current_record(shop, name) or _built(shop, name, declared)
    shop.tell(f"{name}: {record.size_bytes / 1e6:.1f} MB, id {record.reference}")
    return record


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Hold the build folder for this process, once it is free."""
    with (out / LOCK).open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def current_record(shop: Workshop, name: str) -> ImageRecord | None:
    """The record of a build that is still what the checkout declares."""
    try:
        record = image_records.load(name, shop.out)
    except ImageFault:
        return None
    is_archived = image_records.archive(shop.out, name).is_file()
    return record if is_archived and cache_key.is_current(shop.checkout, record) else None


def _built(shop: Workshop, name: str, declared: Declaration) -> ImageRecord:
    stack = _stack(shop, name)
    config = build_order.configured(shop.images, name, shop.architecture)
    image = oci.compose(config, stack.layers, shop.architecture)
    tree = tree_of(layer.path for layer in stack.layers)
    _require(name, declaration.platform(shop.images, name, shop.architecture), tree)
    record = ImageRecord(
        architecture=shop.architecture.name,
        format=image_records.FORMAT,
        name=name,
        config_digest=image.config_digest,
        manifest_digest=image.manifest_digest,
        diff_ids=tuple(layer.diff_id for layer in stack.layers),
        tree_digest=tree_digest(tree.values()),
        size_bytes=sum(layer.size_bytes for layer in stack.layers),
        inputs_digest=cache_key.image_inputs(stack.inputs, config),
        tag=oci.tag(name, image.config_digest),
        licence=declared.licence,
        start=oci.starting(config),
    )
    oci.write(image, record.tag, image_records.archive(shop.out, name))
    locks = cache_key.locks(shop.checkout, name, shop.architecture)
    origin = provenance.Origin(stack.components, locks, source_version(shop.checkout))
    bill = sbom.bill_of_materials(record, declared.about, stack.components)
    provenance.bill_path(shop.out, name).write_bytes(bill)
    provenance.provenance_path(shop.out, name).write_bytes(provenance.statement(record, bill, origin))
    image_records.save(record, shop.out)
    return record


def _stack(shop: Workshop, name: str) -> Stack:
    stack = Stack((), (), ())
    place = layers.Place(shop.checkout, shop.cache, shop.out, shop.architecture)
    for spec in build_order.stacked(shop.images, name):
        shop.tell(f"{name}: {spec.image}/{spec.part.title}")
        layer, made = layers.made(place, spec, stack.layers)
        stack = Stack((*stack.layers, layer), (*stack.components, *made.components), (*stack.inputs, made.inputs))
    return stack


def _require(name: str, platform: Platform, tree: dict[str, Leaf]) -> None:
    """Raises Different unless the files that the declaration expects are there."""
    for path, expected in platform.expects.items():
        actual = tree[path].value if path in tree else "no such file"
        if actual != expected:
            raise Different(f"{name}: {path}: expected sha256 {expected[:16]}, found {actual[:16]}")
