"""Published images taken without building: their tars, records and papers, checked before anything is kept or loaded.

A publisher hands on what a build leaves: `<name>.tar`, `<name>.json`, `<name>.cdx.json`, `<name>.provenance.json` and
`<name>.provenance.dsse.json`. An image is taken when its tar is the record's, byte for byte, and the record is the
pinned one; an image that holds our own source has no pin, so a key must have signed it.
"""

import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from agzamov_harness.containers import image_records
from agzamov_harness.containers.image_loading import ensure_loaded
from agzamov_harness.containers.image_records import Different, ImageFault, ImageRecord

from . import engine, image_files, oci, signing
from .architecture import named
from .declaration import NAME
from .oci import Image, LayerFile
from .provenance import bill_path, provenance_path
from .tree import CHUNK, Hashed, Leaf, leaves, tree_digest

BLOB = "blobs/sha256/"
TABLE_BYTES_MAX = 2**20


def published(folder: Path) -> list[str]:
    """The images whose record and tar lie in a folder."""
    names = sorted(path.stem for path in folder.glob("*.json") if NAME.fullmatch(path.stem))
    return [name for name in names if image_records.archive(folder, name).is_file()]


def take(folder: Path, names: tuple[str, ...], key: Path | None, *, load: bool) -> Iterator[str]:
    """Import the named images, or all that are published in a folder, and say so of each. Raises ImageFault."""
    images = image_records.checkout(Path.cwd()) / "images"
    public = signing.public_key(key) if key else None
    client = engine.connect() if load else None
    chosen = names or tuple(published(folder))
    if not chosen:
        raise ImageFault(f"{folder}: expected images with a tar and a record each, found none")
    for name in chosen:
        record = imported(folder, images, name, public)
        loaded = f", loaded as {ensure_loaded(client, record).image_id}" if client else ""
        yield f"{name}: {record.reference} is as {'signed' if public else 'pinned'}{loaded}"


def imported(folder: Path, images: Path, name: str, key: Ed25519PublicKey | None) -> ImageRecord:
    """Check an image published in `folder`, and keep it as if it were built here. Raises ImageFault."""
    if not NAME.fullmatch(name):
        raise ImageFault(f"expected the name of an image, found {name!r}")
    record = image_records.load(name, folder)
    _require_plain(folder / f"{name}.json", name, record)
    if key:
        signing.require_signed(folder, record, key)
    _require_pinned(images, record, signed=key is not None)
    require_tar(image_records.archive(folder, name), record)
    out = image_files.build_folder(named(record.architecture))
    out.mkdir(parents=True, exist_ok=True)
    paths = [image_records.archive(folder, name), bill_path(folder, name), provenance_path(folder, name)]
    for path in (*paths, signing.envelope_path(folder, name)):
        if path.is_file():
            shutil.copyfile(path, out / path.name)
    image_records.save(record, out)
    return record


def _require_plain(path: Path, name: str, record: ImageRecord) -> None:
    """Raises Different unless a record says no more than what a build of ours would: pins do not hold these fields."""
    tag = oci.tag(name, record.config_digest)
    if (record.name, record.tag) != (name, tag) or record.environment:
        raise Different(
            f"{path}: expected a record of {name} as {tag}, without environment, found {record.name} as {record.tag}"
        )


def _require_pinned(images: Path, record: ImageRecord, *, signed: bool) -> None:
    pin = image_files.read_pin(images, record.name, record.architecture)
    if pin and pin != record.pin:
        path = image_files.pin_path(images, record.name, record.architecture)
        raise Different(f"{record.name}: expected the image that {path} pins, found {record.reference}")
    if not pin and not signed:
        raise ImageFault(f"{record.name}: it has no committed pin, so name the key of who signed it: --key KEY.pub")


def require_tar(path: Path, record: ImageRecord) -> None:
    """Raises Different unless a tar is the record's image: tables, configuration, every layer and the tree of all."""
    try:
        with tarfile.open(path) as tar:
            _require_members(path, tar, record)
    except FileNotFoundError as error:
        raise ImageFault(f"{path}: no such file; a published image is its tar and its record") from error
    except (tarfile.TarError, EOFError) as error:
        raise Different(f"{path}: expected a tar, found {error}") from error


def _require_members(path: Path, tar: tarfile.TarFile, record: ImageRecord) -> None:
    digests = (record.config_digest, record.manifest_digest)
    config, manifest = (_table(path, tar, f"{BLOB}{digest}") for digest in digests)
    if (_sha256(config), _sha256(manifest)) != digests:
        raise Different(f"{path}: expected the configuration and the manifest of the record, found other bytes")
    sizes = {diff_id: _member(path, tar, f"{BLOB}{diff_id}").size for diff_id in record.diff_ids}
    layers = tuple(LayerFile("", path, diff_id, sizes[diff_id]) for diff_id in record.diff_ids)
    image = Image(record.architecture, config, manifest, layers)
    tables = oci.tables(image, record.tag)
    for inner, data in tables.items():
        if _table(path, tar, inner) != data:
            raise Different(f"{path}: {inner}: expected the table of the recorded image, found another")
    blobs = {f"{BLOB}{digest}" for digest in (*digests, *record.diff_ids)}
    names = tar.getnames()
    if sorted(names) != sorted({*tables, *blobs}):
        extra = ", ".join(sorted({name for name in names if name not in {*tables, *blobs} or names.count(name) > 1}))
        raise Different(f"{path}: expected the recorded image alone, each file once, found {extra[:200]} too")
    _require_configuration(path, config, manifest, record)
    _require_layers(path, tar, record)


def _require_configuration(path: Path, config: bytes, manifest: bytes, record: ImageRecord) -> None:
    """Raises Different unless the record tells what the configuration and the manifest say."""
    configuration = _decoded(path, config)
    ids = [f"sha256:{diff_id}" for diff_id in record.diff_ids]
    actual = (
        configuration.get("architecture"),
        configuration.get("config"),
        (configuration.get("rootfs") or {}).get("diff_ids"),
    )
    if actual != (record.architecture, record.start, ids):
        raise Different(
            f"{path}: expected the configuration of the record, found another architecture, start or layers"
        )
    if [row.get("digest") for row in _decoded(path, manifest).get("layers", [])] != ids:
        raise Different(f"{path}: expected a manifest of the recorded layers, found others")


def _require_layers(path: Path, tar: tarfile.TarFile, record: ImageRecord) -> None:
    tree: dict[str, Leaf] = {}
    for diff_id in record.diff_ids:
        member = _member(path, tar, f"{BLOB}{diff_id}")
        actual = _hashed(tar, member)
        if actual != diff_id:
            raise Different(f"{path}: layer {diff_id[:16]}: expected sha256 {diff_id[:16]}, found {actual[:16]}")
        with tarfile.open(fileobj=_opened(tar, member)) as layer:
            tree.update((leaf.path, leaf) for leaf in leaves(layer))
    if tree_digest(tree.values()) != record.tree_digest:
        raise Different(f"{path}: expected the tree of the record, found another")


def _table(path: Path, tar: tarfile.TarFile, inner: str) -> bytes:
    """A small file of a tar."""
    member = _member(path, tar, inner)
    if member.size > TABLE_BYTES_MAX:
        raise Different(f"{path}: {inner}: expected at most {TABLE_BYTES_MAX} bytes, found {member.size}")
    return _opened(tar, member).read()


def _member(path: Path, tar: tarfile.TarFile, inner: str) -> tarfile.TarInfo:
    try:
        member = tar.getmember(inner)
    except KeyError as error:
        raise Different(f"{path}: expected {inner}, found no such file") from error
    if not member.isreg():
        raise Different(f"{path}: {inner}: expected a file, found another thing")
    return member


def _opened(tar: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    opened = tar.extractfile(member)
    assert opened
    return opened


def _hashed(tar: tarfile.TarFile, member: tarfile.TarInfo) -> str:
    hashed = Hashed(None)
    for chunk in _chunks(_opened(tar, member)):
        hashed.write(chunk)
    return hashed.hexdigest


def _chunks(opened: IO[bytes]) -> Iterator[bytes]:
    while chunk := opened.read(CHUNK):
        yield chunk


def _sha256(data: bytes) -> str:
    hashed = Hashed(None)
    hashed.write(data)
    return hashed.hexdigest


def _decoded(path: Path, data: bytes) -> dict[str, Any]:
    try:
        return msgspec.json.decode(data, type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise Different(f"{path}: expected a JSON object, found {error}") from error
