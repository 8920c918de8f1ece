"""The owner's folder: the signing key, what may be started, where keys may be sent, origins of runs."""

from pathlib import Path
from typing import Final

import click

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


DEFAULT_KEY: Final = owner_folder() / "submitter.pem"
"""The signing key, where none is named."""
INSTALLED: Final = "memory-servers"


def installed_folder() -> Path:
    """The folder of installed memory servers where none is named: in the owner's folder, never in the present one.

    A shipped adapter is started from there without a question, and the present folder may be a stranger's.
    """
    return owner_folder() / INSTALLED
