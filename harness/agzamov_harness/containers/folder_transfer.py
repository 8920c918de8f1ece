"""The run's folder on its way into the harness's container and back.

A folder of this machine cannot be mounted with a size or without programs except by root, so what a container writes
there is watched while it runs, and what comes back may be plain files alone, without a bit to run them.
"""

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from agzamov_verify.core.untrusted_input import FILES_MAX

from ..foundation.append_only import MAKING
from ..ports import PortFault
from ..run.run_folder import (
    BEACON,
    EGRESS,
    EXECUTIONS,
    JOURNAL,
    JUDGED,
    KNOWN_NOTES,
    MANIFEST,
    MEMORY_LOGS,
    NOTES,
    ORIGIN,
    SECRET,
    RunDirectory,
)

MIB, GIB = 2**20, 2**30
BYTES_MAX = {JOURNAL: 64 * GIB, NOTES: 64 * MIB, JUDGED: 16 * GIB}
"""Maximum size of each folder that a harness writes; verification would refuse a larger bundle anyway."""

FREE_BYTES_MIN = 256 * MIB
BLOCK_BYTES = 512  # of stat(2)
WRITTEN = tuple(BYTES_MAX)
RUNNABLE = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH


def hand_over(directory: RunDirectory, user: str, folders: tuple[str, ...] = WRITTEN) -> None:
    """Make the folder readable, and the `folders` in it writable, for `user`. Only root can and must."""
    uid, gid = map(int, user.split(":"))
    if os.getuid() != 0 or uid == 0:
        return
    fixed = [directory.path, *(directory.path / name for name in (MANIFEST, SECRET, *ORIGIN))]
    fixed += [path for path in (directory.path / BEACON,) if path.exists()]
    for path in (*fixed, *_inside(directory, (*folders, EGRESS))):
        os.chown(path, uid, gid, follow_symlinks=False)


class FolderBounds:
    """Watches how much a harness writes into the folder of its run."""

    def __init__(self, directory: RunDirectory) -> None:
        self._path = directory.path

    def trouble(self) -> str:
        """Error message if the folder is beyond its bounds; else empty."""
        free = shutil.disk_usage(self._path).free
        if free < FREE_BYTES_MIN:
            return (
                f"{self._path}: expected {FREE_BYTES_MIN // MIB} MiB free on its disk, found {free // MIB}; make room"
            )
        for name, bytes_max in BYTES_MAX.items():
            size_bytes, files = _size(self._path / name)
            if size_bytes > bytes_max:
                problem = f"expected at most {bytes_max // MIB} MiB from the harness, found {size_bytes // MIB} MiB"
                return f"{self._path / name}: {problem}; inspect it"
            if files > FILES_MAX:
                return f"{self._path / name}: expected at most {FILES_MAX} files from the harness; inspect it"
        return ""


def take_back(directory: RunDirectory) -> None:
    """Remove the executable, setuid and setgid bits from the files that the harness wrote."""
    for path in _inside(directory, WRITTEN):
        mode = path.lstat().st_mode
        if stat.S_ISREG(mode) and mode & RUNNABLE:
            path.chmod(stat.S_IMODE(mode) & ~RUNNABLE)


def require_plain_files(directory: RunDirectory) -> None:
    """Require plain files and folders from a container, or from whoever else may write to a run's folder.

    They are read and appended to here, and a link could lead out.

    Notes go into the bundle, so only known ones may be there. Raises PortFault.
    """
    for path in sorted(directory.notes.iterdir()) if directory.notes.is_dir() else ():
        if path.name.removesuffix(MAKING) not in KNOWN_NOTES:
            known_names = ", ".join(sorted(KNOWN_NOTES))
            raise PortFault(
                f"{path}: expected only {known_names} from the harness, found this; inspect it and remove it"
            )
    tops = (path for path in directory.path.iterdir() if path.is_symlink())
    for path in (*tops, *_inside(directory, (*WRITTEN, EXECUTIONS, MEMORY_LOGS))):
        try:
            mode = path.lstat().st_mode
        except FileNotFoundError:  # another process of the run was done with it
            continue
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise PortFault(f"{path}: expected a file or a folder from the harness, found something else; inspect it")


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


def _size(top: Path) -> tuple[int, int]:
    """Bytes and files in a folder, holes included; a file that goes meanwhile does not count."""
    size_bytes = files = 0
    for folder, _, names in os.walk(top, followlinks=False):
        for name in names:
            try:
                status = (Path(folder) / name).lstat()
            except OSError:
                continue
            size_bytes += max(status.st_size, status.st_blocks * BLOCK_BYTES)
            files += 1
    return size_bytes, files
