"""The owner's folder: the signing key, what may be started, where keys may be sent, origins of runs."""

from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

import click

from agzamov_verify.core import canon
from agzamov_verify.plan.manifest import ManifestError

NOWHERE: Final = Path("/var/empty/agzamov")
"""Where nothing is and nothing can be written: of an account without a home."""


def owner_folder() -> Path:
    """The owner's folder, never a relative one: the present folder may be a stranger's, and would consent for itself.

    An empty or relative XDG_CONFIG_HOME counts as unset (XDG Base Directory Specification).
    """
    path = Path(click.get_app_dir("agzamov"))
    if path.is_absolute():
        return path
    try:
        home = Path.home()
    except RuntimeError:
        return NOWHERE
    return home / ".config" / "agzamov" if home.is_absolute() else NOWHERE


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
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(canon.dumps(value))
