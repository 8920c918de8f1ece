"""What decides an image, as a digest: enough to say without building whether a record is of this checkout."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from agzamov_verify import canon

from . import source
from .declaration import Config, Debs, Files, Npm, Part, Source, Wheels, lineage, read
from .faults import ImageFault
from .records import ImageRecord

NPM_LOCK = "package-lock.json"
# The modules that decide what is in a layer; another builder may build another way.
BUILDERS = ("bytecode", "debs", "layers", "npm", "oci", "source", "tree", "wheels")


class Standing(NamedTuple):
    """A layer of an image: the image that declares it, and the declaration."""

    image: str
    part: Part


def stacked(images: Path, name: str) -> list[Standing]:
    """All layers of an image with those that it stands on, the lowest first. Raises ImageFault."""
    whole = reversed(list(lineage(images, name)))
    return [Standing(each, part) for each in whole for part in read(images, each).layers]


def configured(images: Path, name: str) -> Config:
    """How a container of an image starts: its own configuration, over the environment and labels of those below."""
    config = Config()
    for each in reversed(list(lineage(images, name))):
        declared = read(images, each)
        own = declared.config
        labels = {**config.labels, **own.labels, "org.opencontainers.image.licenses": declared.licence}
        config = Config(own.entrypoint, own.cmd, {**config.env, **own.env}, own.user, own.workdir, labels)
    return config


def layer_inputs(checkout: Path, standing: Standing, below: Iterable[str]) -> str:
    """SHA-256 over all that decides a layer: its names, declaration, locks, files, what lies below, this builder."""
    hashed = hashlib.sha256(_builder().encode())
    hashed.update(canon.dumps([standing.image, standing.part]))
    for path in _read_for(checkout, standing):
        hashed.update(f"\n{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}".encode())
    for diff_id in below:
        hashed.update(f"\nbelow {diff_id}".encode())
    return hashed.hexdigest()


def image_inputs(layers: Iterable[str], config: Config) -> str:
    """SHA-256 over all that decides an image."""
    return canon.digest([*layers, canon.digest(config)])


def is_current(checkout: Path, record: ImageRecord) -> bool:
    """Whether a record is of an image as this checkout declares it now. Raises ImageFault."""
    images, ids = checkout / "images", record.diff_ids
    stack = stacked(images, record.name)
    inputs = [layer_inputs(checkout, one, ids[:at]) for at, one in enumerate(stack)]
    return len(stack) == len(ids) and record.inputs_digest == image_inputs(inputs, configured(images, record.name))


def _builder() -> str:
    hashed = hashlib.sha256()
    for name in BUILDERS:
        hashed.update((Path(__file__).parent / f"{name}.py").read_bytes())
    return hashed.hexdigest()


def _read_for(checkout: Path, standing: Standing) -> list[Path]:
    """The files of the checkout that decide a layer. Raises ImageFault where one is missing."""
    folder = checkout / "images" / standing.image
    wanted = list(_wanted(checkout, folder, standing.part))
    for path in wanted:
        if not path.is_file():
            raise ImageFault(f"{path}: no such file; if it is a lock, run `agzamov images lock {standing.image}`")
    return wanted


def _wanted(checkout: Path, folder: Path, part: Part) -> Iterator[Path]:
    match part:
        case Debs():
            yield folder / part.lock
        case Wheels():
            yield folder / part.requirements
        case Npm():
            yield folder / NPM_LOCK
        case Files():
            yield from (folder / name for name in part.files.values())
        case Source():
            for name in part.distributions:
                yield from (checkout / name / "LICENSE", checkout / name / "pyproject.toml")
                yield from source.files(checkout / name / source.package_of(checkout, name))
