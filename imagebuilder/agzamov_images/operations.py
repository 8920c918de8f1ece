"""Operations of the `agzamov images` commands: build, verify, lock, pin, adopt."""

import importlib.util
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import click
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_harness.containers import image_records
from agzamov_harness.containers.image_loading import ensure_loaded
from agzamov_harness.containers.image_records import ImageFault, ImageRecord
from agzamov_harness.run import signing_keys

from . import build_order, compare, compiler, debs, declaration, engine, image_files, npm, signing, wheels
from .architecture import Architecture, named
from .build import Workshop, build, current_record
from .build_order import LayerSpec
from .cache import Cache, default_folder, sha256
from .cache_key import NPM_LOCK
from .declaration import Debs, Npm, Wheels
from .package_managers import Apt, Superseded

TO_INSTALL = {
    "apt-get": "build on Debian or Ubuntu, or bring the packages (--packages-from)",
    "npm": "install npm (`apt-get install npm`, or Node.js from its makers), or bring the packages (--packages-from)",
    "pip": "install pip (`python -m ensurepip`), or bring the packages (--packages-from)",
}


class Failures(ImageFault):
    """Some of several images could not be built; one message each."""

    def __init__(self, failed: Mapping[str, ImageFault]) -> None:
        super().__init__("; ".join(f"{name}: {error}" for name, error in failed.items()))
        self.failed = failed


class ImageSelection(NamedTuple):
    """Images that a command is about: the named ones, or `every`, else those that runs need; and their architecture."""

    names: tuple[str, ...] = ()
    every: bool = False
    architecture: str | None = None


def workshop(architecture: str | None = None, packages_from: Path | None = None) -> Workshop:
    """The checkout around the current folder, its build folder, and the user's cache. Raises ImageFault."""
    checkout, chosen = image_records.checkout(Path.cwd()), named(architecture)
    out = image_files.build_folder(chosen)
    out.mkdir(parents=True, exist_ok=True)
    cache = Cache(default_folder(), packages_from)
    return Workshop(checkout, out, cache, lambda line: click.echo(line, err=True), chosen)


def build_all(selection: ImageSelection, *, load: bool, relock: bool, packages_from: Path | None) -> None:
    """Build images and, if wished, load them into the engine, all that can be. Raises Failures, and ImageFault."""
    shop = workshop(selection.architecture, packages_from)
    client = engine.connect() if load else None
    failed: dict[str, ImageFault] = {}
    for name in (chosen := _chosen(shop, selection)):
        try:
            _require_programs(shop, name)
        except ImageFault as error:
            failed[name] = error
            shop.tell(f"{name}: cannot be built: {error}")
    for name in chosen:
        if name in failed:
            continue
        try:
            record = _built(shop, name, relock=relock)
            if client:
                loaded = ensure_loaded(client, record, shop.out)
                shop.tell(f"{name}: {'loaded' if loaded.fresh else 'in the engine already'} as {loaded.image_id}")
        except ImageFault as error:
            failed[name] = error
            shop.tell(f"{name}: FAILED; going on with the others")
    if failed:
        raise Failures(failed)


def _built(shop: Workshop, name: str, *, relock: bool) -> ImageRecord:
    try:
        return build(shop, name)
    except Superseded as error:
        if not relock:
            raise
        shop.tell(f"{name}: {error}: resolving anew, so that pins no longer hold")
        return _rebuilt(shop, name)


def _rebuilt(shop: Workshop, name: str) -> ImageRecord:
    """An image from locks that are resolved anew, its own and those of the images that it stands on."""
    for each in reversed(list(declaration.lineage(shop.images, name))):
        for path in lock(shop.images, each, shop.architecture, shop.cache):
            shop.tell(f"locked {path.relative_to(shop.checkout)}")
    return build(shop, name)


def _require_programs(shop: Workshop, name: str) -> None:
    """Raises ImageFault where a package manager must fetch something for an image and is not here."""
    if declaration.read(shop.images, name).external or current_record(shop, name):
        return
    absent = {tool for tool in TO_INSTALL if not _is_here(tool)}
    for spec in build_order.stacked(shop.images, name) if absent else ():
        program = _fetched_by(spec)
        if program in absent and not _is_cached(shop, spec):
            raise ImageFault(f"it needs {program}, which is not here: {TO_INSTALL[program]}")


def _is_here(program: str) -> bool:
    return importlib.util.find_spec(program) is not None if program == "pip" else shutil.which(program) is not None


def _fetched_by(spec: LayerSpec) -> str:
    match spec.part:
        case Debs():
            return "apt-get"
        case Npm():
            return "npm"
        case Wheels():
            return "pip"
        case _:
            return ""


def _is_cached(shop: Workshop, spec: LayerSpec) -> bool:
    """True if all packages of a layer are in the cache. Raises ImageFault."""
    folder, part, suite = shop.images / spec.image, spec.part, spec.suite
    match part:
        case Debs():
            locked = debs.read_lock(folder / part.lock(shop.architecture), shop.architecture, suite)
            return all(shop.cache.find(sha256(deb.sha256)) for deb in locked.packages)
        case Npm():
            packages = npm.read_lock(folder / NPM_LOCK, shop.architecture)
            return all(shop.cache.find(package.digest) for package in packages)
        case Wheels():
            pins = wheels.read_requirements(folder / part.requirements, shop.architecture, suite)
            return all(wheels.cached(pin, shop.cache, shop.architecture, suite) for pin in pins)
        case _:
            return True


def verify_all(selection: ImageSelection, key: Path | None) -> Iterator[str]:
    """Build images again from nothing, and say of each what it is equal to and who signed it. Raises ImageFault."""
    shop = workshop(selection.architecture)
    public = signing.public_key(key) if key else None
    with tempfile.TemporaryDirectory(prefix="agzamov-images-") as folder:
        for name in _chosen(shop, selection):
            signed = ""
            if public:
                record = image_records.load(name, shop.out)
                signing.require_signed(shop.out, record, public)
                signing.require_pin_signed(shop.images, record)
                signed = f"; its record, bill, pin and provenance are signed by {key}"
            yield f"{name}: equal to {compare.verify(shop, name, Path(folder))}{signed}"


def lock_all(names: tuple[str, ...], architecture: str | None) -> Iterator[str]:
    """Resolve images anew, and name the locks that were written. Raises ImageFault."""
    shop = workshop(architecture)
    for name in _chosen(shop, ImageSelection(names, every=not names)):
        for path in lock(shop.images, name, shop.architecture, shop.cache):
            yield f"locked {path.relative_to(shop.checkout)}"


def pin_all(names: tuple[str, ...], architecture: str | None, key: Path | None) -> Iterator[str]:
    """Write the pins of images that hold none of our own source, and sign all of them. Raises ImageFault."""
    shop = workshop(architecture)
    private = _private(key) if key else None
    for name in _chosen(shop, ImageSelection(names, every=not names)):
        record = image_records.load(name, shop.out)
        if not declaration.holds_own_source(shop.images, name):
            path = image_files.write_pin(shop.images, record.pin)
            yield f"pinned {path.relative_to(shop.checkout)}"
        if private:
            yield f"signed {signing.sign(shop.out, record, private)}"


def adopt(name: str, reference: str | None) -> str:
    """Record an image that others publish, and say its id. Raises ImageFault."""
    shop = workshop()
    record = engine.adopted(engine.connect(), shop.images, name, reference)
    image_records.save(record, shop.out)
    return f"{name}: recorded as {record.reference}"


def _private(key: Path) -> Ed25519PrivateKey:
    try:
        return signing_keys.load(key)
    except signing_keys.KeyFault as error:
        raise ImageFault(str(error)) from error


def _chosen(shop: Workshop, selection: ImageSelection) -> list[str]:
    """The images that a command is about, each declared. Raises ImageFault."""
    if selection.names and not selection.every:
        for name in selection.names:
            declaration.read(shop.images, name)
        return list(selection.names)
    every = declaration.names(shop.images)
    built = [name for name in every if _is_built_here(shop, name)]
    return built if selection.every else [name for name in built if declaration.read(shop.images, name).default]


def _is_built_here(shop: Workshop, name: str) -> bool:
    declared = declaration.read(shop.images, name)
    return not declared.external and (not declared.platforms or shop.architecture.name in declared.platforms)


def lock(images: Path, name: str, architecture: Architecture, cache: Cache) -> Iterator[Path]:
    """Write the locks of an image and name each; what lies below it keeps its own. Raises ImageFault."""
    declaration.platform(images, name, architecture)
    below, apt = _names_below(images, name, architecture), Apt(architecture, cache, declaration.suite(images, name))
    for part in declaration.read(images, name).layers:
        match part:
            case Debs():
                path = images / name / part.lock(architecture)
                locked = debs.resolve(apt, part.wanted, part.without, below)
                debs.write_lock(path, locked)
                below |= {deb.name for deb in locked.packages}
                yield path
            case Wheels() if part.extensions.get(architecture.name):
                yield from compiler.lock(images, cache)
            case Npm():
                npm.lock(images / name)
                yield images / name / NPM_LOCK
            case _:
                pass


def _names_below(images: Path, name: str, architecture: Architecture) -> set[str]:
    """The Debian packages of the images that this one stands on."""
    _, *below = declaration.lineage(images, name)
    parts = [(each, part) for each in below for part in declaration.read(images, each).layers if isinstance(part, Debs)]
    suite = declaration.suite(images, name)
    locks = [debs.read_lock(images / each / part.lock(architecture), architecture, suite) for each, part in parts]
    return {deb.name for lock in locks for deb in lock.packages}
