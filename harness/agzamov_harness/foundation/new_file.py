"""A file that a command writes where none was: whatever is there, a key perhaps, is kept."""

import os
from pathlib import Path
from tempfile import TemporaryFile

from agzamov_verify.plan.manifest import ManifestError


def require_new(path: Path, option: str) -> None:
    """Before what is to be written is made, which may take hours: raises ManifestError if it could not be written."""
    if os.path.lexists(path):
        raise _taken(path, option)
    if not path.parent.is_dir():
        raise ManifestError(f"{path}: there is no folder {path.parent}; make it first")
    try:
        TemporaryFile(dir=path.parent).close()
    except OSError as error:
        raise ManifestError(f"{path}: {path.parent}: {error.strerror}; name another file by {option}") from error


def write_new(path: Path, data: bytes, option: str) -> None:
    """Write a file that is not there yet, or holds these bytes already. Raises ManifestError for another.

    Raises OSError, and leaves nothing, where it cannot be written.
    """
    try:
        file = path.open("xb")
    except FileExistsError as error:
        if not path.is_file() or path.read_bytes() != data:
            raise _taken(path, option) from error
        return
    try:
        with file:
            file.write(data)
    except OSError:
        path.unlink(missing_ok=True)
        raise


def _taken(path: Path, option: str) -> ManifestError:
    return ManifestError(f"{path}: exists already; name another file by {option}")
