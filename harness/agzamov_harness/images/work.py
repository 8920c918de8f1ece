"""What the commands of `agzamov images` do, apart from the commands so that others need none of its libraries."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import click

from . import compare, declaration, engine, records
from .build import Workshop, build
from .cache import Cache, default_folder
from .faults import Superseded
from .lock import lock
from .records import ImageRecord


def workshop() -> Workshop:
    """The checkout around the current folder, its build folder, and the user's cache. Raises ImageFault."""
    checkout = declaration.checkout(Path.cwd())
    out = records.default_folder()
    out.mkdir(parents=True, exist_ok=True)
    return Workshop(checkout, out, Cache(default_folder()), lambda line: click.echo(line, err=True))


def build_all(names: tuple[str, ...], *, load: bool, relock: bool) -> None:
    """Build images and, if wished, load them into the engine. Raises ImageFault."""
    shop = workshop()
    client = engine.connect() if load else None
    for name in _chosen(shop, names):
        try:
            record = build(shop, name)
        except Superseded as error:
            if not relock:
                raise
            shop.tell(f"{name}: {error}: resolving anew, so that pins no longer hold")
            record = _rebuilt(shop, name)
        if client:
            loaded = engine.ensure_loaded(client, record, shop.out)
            click.echo(
                f"{name}: {'loaded' if loaded.fresh else 'in the engine already'} as {loaded.image_id}", err=True
            )


def _rebuilt(shop: Workshop, name: str) -> ImageRecord:
    """An image from locks that are resolved anew, its own and those of the images that it stands on."""
    for each in reversed(list(declaration.lineage(shop.images, name))):
        for path in lock(shop.images, each):
            shop.tell(f"locked {path.relative_to(shop.checkout)}")
    return build(shop, name)


def verify_all(names: tuple[str, ...]) -> Iterator[str]:
    """Build images again from nothing, and say of each what it is equal to. Raises ImageFault."""
    shop = workshop()
    with tempfile.TemporaryDirectory(prefix="agzamov-images-") as folder:
        for name in _chosen(shop, names):
            yield f"{name}: equal to {compare.verify(shop, name, Path(folder))}"


def lock_all(names: tuple[str, ...]) -> Iterator[str]:
    """Resolve images anew, and name the locks that were written. Raises ImageFault."""
    shop = workshop()
    for name in _chosen(shop, names):
        for path in lock(shop.images, name):
            yield f"locked {path.relative_to(shop.checkout)}"


def pin_all(names: tuple[str, ...]) -> Iterator[str]:
    """Write the pins of images that hold none of our own source, from their records. Raises ImageFault."""
    shop = workshop()
    for name in _chosen(shop, names):
        if not declaration.holds_own_source(shop.images, name):
            records.write_pin(shop.images, records.load(name, shop.out).pin)
            yield f"pinned images/{name}/{records.PIN}"


def adopt(name: str, reference: str | None) -> str:
    """Record an image that others publish, and say its id. Raises ImageFault."""
    shop = workshop()
    record = engine.adopted(engine.connect(), shop.images, name, reference)
    records.save(record, shop.out)
    return f"{name}: recorded as {record.reference}"


def _chosen(shop: Workshop, names: tuple[str, ...]) -> list[str]:
    """The named images, or all that are built here."""
    if names:
        return list(names)
    every = declaration.names(shop.images)
    return [name for name in every if not declaration.read(shop.images, name).external]
