"""The folder of a leaderboard's pages: it may be built again in its place, and nothing but pages of ours is replaced.

`leaderboard.json` names every file that was written beside it. A folder without it, or that holds anything else (a file
that somebody put there, a link), is left alone.

    {"files":["19d78c1cd1b44936/index.html","index.html"],"format":"agz-leaderboard-1"}
"""

from pathlib import Path
from typing import Final, Literal

import msgspec

from agzamov_verify import canon

MARKER: Final = "leaderboard.json"
NOT_OURS: Final = (
    "it exists already; name another folder, or remove it: only pages that this command wrote are replaced"
)
MARKER_BYTES_MAX: Final = 16 * 2**20


class Marker(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Record of the files written beside it, by paths below the folder."""

    files: list[str]
    format: Literal["agz-leaderboard-1"] = "agz-leaderboard-1"


def mark(site: Path) -> None:
    """Name all files of a folder of pages in it."""
    (site / MARKER).write_bytes(canon.dumps(Marker(sorted(_files(site)))) + b"\n")


def require_replaceable(out: Path) -> None:
    """Raises FileExistsError unless nothing is at `out`, or pages of ours and nothing else."""
    if not out.is_symlink() and not out.exists():
        return
    marker = out / MARKER
    if out.is_symlink() or not out.is_dir() or marker.is_symlink() or not marker.is_file():
        raise FileExistsError(None, NOT_OURS, str(out))
    try:
        listed = msgspec.json.decode(_content(marker), type=Marker).files
    except msgspec.MsgspecError as error:
        raise FileExistsError(None, f"{NOT_OURS}; {MARKER}: {error}", str(out)) from error
    strange = sorted(_files(out) - {*listed, MARKER})
    if strange:
        raise FileExistsError(None, f"it holds {strange[0]}, which this command did not write: move it away", str(out))


def put(site: Path, out: Path, aside: Path) -> None:
    """Put new pages at `out`. Old ones go to `aside`, and come back if the new ones cannot be put there."""
    require_replaceable(out)
    if not out.exists():
        site.replace(out)
        return
    out.replace(aside)
    try:
        site.replace(out)
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
