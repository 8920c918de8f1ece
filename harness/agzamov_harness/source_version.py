"""The version of this program's source: the distribution's version and, in a git checkout, the commit.

    {"commit": "4f0c…" or "unknown", "harness": "0.3.0", "modified": false, "verify": "0.3.0"}

Outside of a checkout, such as in an image or an installed wheel, the commit is "unknown", and
the versions say what they can.
"""

import os
import subprocess
from importlib.metadata import version
from pathlib import Path

import msgspec

UNKNOWN = "unknown"
GIT_S = 20


class SourceVersion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Version to check out or to install. `modified`: the tree had changes that are in no commit."""

    commit: str
    harness: str
    modified: bool
    verify: str

    def __str__(self) -> str:
        if self.commit == UNKNOWN:
            return f"version {self.harness}, of no known commit"
        return f"commit {self.commit}" + (" with changes that are in no commit" if self.modified else "")


def source_version(folder: Path | None = None) -> SourceVersion:
    """The version of the source in `folder`, by default of this program's own."""
    path = Path(__file__) if folder is None else folder / "images" / "ground" / "image.toml"
    commit, modified = _commit(path)
    return SourceVersion(commit, version("agzamov-harness"), modified, version("agzamov-verify"))


def _commit(tracked: Path) -> tuple[str, bool]:
    """The commit and whether the tree differs from it; the file must be one of the commit's own.

    A program installed below somebody else's repository would otherwise be given that one's commit.
    """
    if _git(tracked.parent, "ls-files", "--error-unmatch", tracked.name) is None:
        return UNKNOWN, False
    commit, changes = _git(tracked.parent, "rev-parse", "HEAD"), _git(tracked.parent, "status", "--porcelain")
    if commit is None or changes is None:
        return UNKNOWN, False
    return commit.strip(), bool(changes.strip())


def _git(folder: Path, *arguments: str) -> str | None:
    """Output of git, None if it fails. Variables GIT_* are removed: they could lead it to another repository."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    command = ["git", "-C", str(folder), *arguments]
    try:
        ended = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=GIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ended.stdout if ended.returncode == 0 else None
