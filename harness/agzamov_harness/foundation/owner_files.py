"""Files of the owner's folder: what a person allowed once, and where runs were sealed."""

from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from agzamov_verify.core import canon
from agzamov_verify.plan.manifest import ManifestError

from .append_only import write_whole

T = TypeVar("T")


def recalled(path: Path, kind: type[T], what: str) -> T:
    """A file of the owner's folder; an empty one where it cannot be read. Raises ManifestError for another file."""
    try:
        return canon.loads_as(path.read_bytes(), kind)
    except OSError:
        return kind()
    except canon.NotCanonical as error:
        raise ManifestError(f"{path}: expected {what}; remove the file: {error}") from error


def remembered(path: Path, value: object) -> None:
    """Write a file of the owner's folder; what cannot be written is asked for again."""
    with suppress(OSError):
        write_whole(path, canon.dumps(value))
