"""A folder that a command writes again in its place: nothing but files that it wrote itself is replaced.

A file in it, the marker, names every file that was written beside it. A folder without it, or that holds anything else
(a file that somebody put there, a link), is left alone.

    {"files":["19d78c1cd1b44936/index.html","index.html","ranks.json"],"format":"agz-leaderboard-1"}
"""

from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from agzamov_verify.core import canon

NOT_OURS: Final = (
    "it exists already; name another folder, or remove it: only pages that this command wrote are replaced"
)
MARKER_BYTES_MAX: Final = 16 * 2**20


class Marker(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Record of the files written beside it, by paths below the folder."""

    files: list[str]
    format: str


class WrittenFolder(NamedTuple):
    """What a command writes: the name of its marker, and the marker's format."""

    marker: str
    format: str

    def mark(self, made: Path) -> None:
        """Name all files of a folder in it."""
        (made / self.marker).write_bytes(canon.dumps(Marker(sorted(_files(made)), self.format)) + b"\n")

    def require_replaceable(self, out: Path) -> None:
        """Raises FileExistsError unless nothing is at `out`, or an empty folder, or files of ours and nothing else."""
        if not out.is_symlink() and (not out.exists() or (out.is_dir() and not any(out.iterdir()))):
            return
        marker = out / self.marker
        if out.is_symlink() or not out.is_dir() or marker.is_symlink() or not marker.is_file():
            raise FileExistsError(None, NOT_OURS, str(out))
        try:
            found = msgspec.json.decode(_content(marker), type=Marker)
        except msgspec.MsgspecError as error:
            raise FileExistsError(None, f"{NOT_OURS}; {self.marker}: {error}", str(out)) from error
        if found.format != self.format:
            raise FileExistsError(
                None, f"{NOT_OURS}; {self.marker}: expected {self.format}, found another format", str(out)
            )
        strange = sorted(_files(out) - {*found.files, self.marker})
        if strange:
            told = f"it holds {strange[0]}, which this command did not write: move it away"
            raise FileExistsError(None, told, str(out))

    def put(self, made: Path, out: Path, aside: Path) -> None:
        """Put a new folder at `out`. The old one goes to `aside`, and comes back if the new one cannot be put there."""
        self.require_replaceable(out)
        if not out.exists():
            made.replace(out)
            return
        out.replace(aside)
        try:
            made.replace(out)
        except OSError:
            aside.replace(out)
            raise


def _content(marker: Path) -> bytes:
    with marker.open("rb") as file:
        return file.read(MARKER_BYTES_MAX)


def _files(folder: Path) -> set[str]:
    """Everything below a folder that is no folder itself, and folders that are empty; links are not followed."""
    paths = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir() or not any(path.iterdir()))
    return {path.relative_to(folder).as_posix() for path in paths}
