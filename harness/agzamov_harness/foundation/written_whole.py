"""A file or folder that a command writes whole or not at all: made in a folder beside its place, and then put there."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Where to make what is then put at `path`, in the place of a plain file or an empty folder that is there.

    Nothing is left if that fails. A link is followed. Raises OSError with the name of `path`, and whatever is raised
    while it is made.
    """
    place = path.resolve()
    is_empty_folder = place.is_dir() and not any(place.iterdir())
    if place.exists() and not place.is_file() and not is_empty_folder:
        raise FileExistsError(None, "it exists already, and is no plain file; name another", str(path))
    with _named(path):
        folder = Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=place.parent))
    try:
        made = folder / place.name
        yield made
        with _named(path):
            made.replace(place)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Give an error of the system the name that the user knows."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
