"""Files below a folder that somebody else may have made: no link leads out of it, and nothing but a file is read."""

import os
import stat
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final

from agzamov_verify.plan.manifest import ManifestError

FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def opened_below(path: Path, folder: Path) -> BinaryIO:
    """A file below a folder, its links followed as long as they stay there.

    The links are followed first and what they lead to is opened without any, so that one that is put there meanwhile
    is not followed. Raises ManifestError for a place outside and for what is no file, and OSError.
    """
    real = require_below(path, folder)
    try:
        return opened_without_links(folder.resolve(), real)
    except NotAFile as error:
        raise ManifestError(f"{path}: expected a file") from error


def require_below(path: Path, folder: Path) -> str:
    """The path from a folder of what a path's links lead to. Raises ManifestError where that is outside of it."""
    top, real = folder.resolve(), path.resolve()
    if not real.is_relative_to(top):
        raise ManifestError(f"{path}: expected a place in the plan's folder, found a link that leads out of it")
    return str(real.relative_to(top))


class NotAFile(OSError):
    """A folder, a link, a pipe or a device where a file was expected."""


def opened_without_links(folder: Path, name: str) -> BinaryIO:
    """The file of this name below a folder, no part of which is a link. Raises NotAFile, and OSError."""
    *parents, last = parts_below(name)
    with ExitStack() as opened:
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        opened.callback(os.close, place)
        for parent in parents:
            place = os.open(parent, FLAGS | os.O_DIRECTORY, dir_fd=place)
            opened.callback(os.close, place)
        file = os.open(last, FLAGS, dir_fd=place)
        if not stat.S_ISREG(os.fstat(file).st_mode):
            os.close(file)
            raise NotAFile(0, "expected a file", str(folder / name))
        return os.fdopen(file, "rb")


def parts_below(name: str) -> tuple[str, ...]:
    """The parts of the name of a file below a folder. Raises NotAFile for one that leads out of it."""
    path = PurePosixPath(name)
    if not path.parts or path.is_absolute() or ".." in path.parts:
        raise NotAFile(0, "expected a place below its folder", name)
    return path.parts
