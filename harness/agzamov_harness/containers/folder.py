"""The run's folder on its way into the harness's container and back."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ..ports import PortFault
from ..rundir import EGRESS, JOURNAL, JUDGED, MANIFEST, NOTES, PLAN_FOLDER, SECRET, SITTINGS, RunDirectory

WRITTEN = (JOURNAL, NOTES, JUDGED)


def hand_over(directory: RunDirectory, user: str, folders: tuple[str, ...] = WRITTEN) -> None:
    """Make the folder readable, and the `folders` in it writable, for `user`. Only root can and must."""
    uid, gid = map(int, user.split(":"))
    if os.getuid() != 0 or uid == 0:
        return
    fixed = [directory.path, *(directory.path / name for name in (MANIFEST, SECRET, PLAN_FOLDER))]
    for path in (*fixed, *_inside(directory, (*folders, EGRESS))):
        os.chown(path, uid, gid, follow_symlinks=False)


def require_plain_files(directory: RunDirectory) -> None:
    """What comes back from a container is read and appended to here: a link in it could lead anywhere on the machine.

    Raises PortFault.
    """
    for path in _inside(directory, (*WRITTEN, SITTINGS)):
        mode = path.lstat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise PortFault(f"{path}: expected a file or a folder from the harness, found another thing; look into it")


def _inside(directory: RunDirectory, names: tuple[str, ...]) -> Iterator[Path]:
    """The folders of these names and everything in them, never through a link."""
    for top in (directory.path / name for name in names):
        if top.is_symlink():
            yield top
            continue
        if top.exists():
            yield top
        for folder, folders, files in os.walk(top, followlinks=False):
            yield from (Path(folder) / inner for inner in (*folders, *files))
