"""From a declaration to an image: layers, configuration, one tar, its record, its bill of materials, its provenance."""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from . import declaration, inputs, layers, oci, papers, records
from .cache import Cache
from .component import Component
from .declaration import Declaration
from .faults import Different, ImageFault
from .oci import LayerFile
from .records import ImageRecord
from .tree import Leaf, tree_digest, tree_of

Tell = Callable[[str], None]
LOCK = ".lock"


class Workshop(NamedTuple):
    """Where images are built: the checkout, the folder for what comes out, the packages, and who hears of progress."""

    checkout: Path
    out: Path
    cache: Cache
    tell: Tell

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
    if declared.external:
        raise ImageFault(f"{name}: {declaration.how_to_get(name, declared.external)}")
    with _alone(shop.out):
        record = _standing(shop, name) or _built(shop, name, declared)
    shop.tell(f"{name}: {record.size_bytes / 1e6:.1f} MB, id {record.reference}")
    return record


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Hold the build folder for this process, once it is free."""
    with (out / LOCK).open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _standing(shop: Workshop, name: str) -> ImageRecord | None:
    """The record of a build that is still what the checkout declares."""
    try:
        record = records.load(name, shop.out)
    except ImageFault:
        return None
    there = records.archive(shop.out, name).is_file()
    return record if there and inputs.is_current(shop.checkout, record) else None


def _built(shop: Workshop, name: str, declared: Declaration) -> ImageRecord:
    stack = _stack(shop, name)
    config = inputs.configured(shop.images, name)
    image = oci.compose(config, stack.layers)
    tree = tree_of(layer.path for layer in stack.layers)
    _require(name, declared, tree)
    record = ImageRecord(
        format=records.FORMAT,
        name=name,
        config_digest=image.config_digest,
        manifest_digest=image.manifest_digest,
        diff_ids=tuple(layer.diff_id for layer in stack.layers),
        tree_digest=tree_digest(tree.values()),
        size_bytes=sum(layer.size_bytes for layer in stack.layers),
        inputs_digest=inputs.image_inputs(stack.inputs, config),
        tag=oci.tag(name, image.config_digest),
        licence=declared.licence,
        start=oci.starting(config),
    )
    oci.write(image, record.tag, records.archive(shop.out, name))
    papers.write(shop.out, record, declared.about, stack.components)
    records.save(record, shop.out)
    return record


def _stack(shop: Workshop, name: str) -> Stack:
    stack = Stack((), (), ())
    place = layers.Place(shop.checkout, shop.cache, shop.out)
    for standing in inputs.stacked(shop.images, name):
        shop.tell(f"{name}: {standing.image}/{standing.part.title}")
        layer, made = layers.made(place, standing, stack.layers)
        stack = Stack((*stack.layers, layer), (*stack.components, *made.components), (*stack.inputs, made.inputs))
    return stack


def _require(name: str, declared: Declaration, tree: dict[str, Leaf]) -> None:
    """Raises Different unless the files that the declaration expects are there."""
    for path, wanted in declared.expects.items():
        found = tree[path].value if path in tree else "no such file"
        if found != wanted:
            raise Different(f"{name}: {path}: expected sha256 {wanted[:16]}, found {found[:16]}")
