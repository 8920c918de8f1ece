"""`agzamov images lock`: the packages of an image resolved anew."""

from collections.abc import Iterator
from pathlib import Path

from . import debs, npm
from .declaration import Debs, Npm, lineage, read
from .inputs import NPM_LOCK


def lock(images: Path, name: str) -> Iterator[Path]:
    """Write the locks of an image and name each; what lies below it keeps its own. Raises ImageFault."""
    below = _names_below(images, name)
    for part in read(images, name).layers:
        match part:
            case Debs():
                path = images / name / part.lock
                locked = debs.resolve(part.wanted, part.without, below)
                debs.write_lock(path, locked)
                below |= {deb.name for deb in locked}
                yield path
            case Npm():
                npm.lock(images / name)
                yield images / name / NPM_LOCK
            case _:
                pass


def _names_below(images: Path, name: str) -> set[str]:
    """The Debian packages of the images that this one stands on."""
    _, *below = lineage(images, name)
    locks = [
        images / each / part.lock for each in below for part in read(images, each).layers if isinstance(part, Debs)
    ]
    return {deb.name for path in locks for deb in debs.read_lock(path)}
