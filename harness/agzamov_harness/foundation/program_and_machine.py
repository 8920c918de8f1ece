"""The commit and version of this program's source, and the machine or container that it runs on."""

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Final

import msgspec

from agzamov_verify.core.workers import cores

CPUINFO = Path("/proc/cpuinfo")
FLAG_KEYS = ("flags", "Features")


class Cpu(msgspec.Struct, frozen=True):
    """A processor: architecture, model name, and flags in alphabetical order."""

    machine: str
    name: str
    flags: tuple[str, ...]


def this_cpu() -> Cpu:
    """The processor of this machine, as far as the system reports it."""
    try:
        lines = CPUINFO.read_text().splitlines()
    except OSError:
        lines = []
    first: dict[str, str] = {}
    for line in lines:
        key, _, value = line.partition(":")
        first.setdefault(key.strip(), value.strip())
    flags = next((first[key] for key in FLAG_KEYS if key in first), "")
    return Cpu(platform.machine(), first.get("model name", ""), tuple(sorted(flags.split())))


def about_machine() -> dict[str, str | int]:
    """The machine that this process runs on, or the container around it."""
    return {
        "harness": version("agzamov-harness"),
        "verify": version("agzamov-verify"),
        "python": platform.python_version(),
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
        "cpu": _cpu_model(),
        "cores": cores(),
    }


def _cpu_model() -> str:
    try:
        lines = CPUINFO.read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), "")


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


PROGRAM: Final = tuple(
    f":/{name}" for name in ("harness", "imagebuilder", "images", "pyproject.toml", "requirements", "servers", "verify")
)
"""What a run is made of, in a clone of the project: git's names from its root."""


def _commit(tracked: Path) -> tuple[str, bool]:
    """The commit and whether the program differs from it; the file must be one of the commit's own.

    A plan that was edited, or an untracked file beside the program, changes nothing of what is run.
    A program installed below somebody else's repository would otherwise be given that one's commit.
    """
    if _git(tracked.parent, "ls-files", "--error-unmatch", tracked.name) is None:
        return UNKNOWN, False
    commit, changes = (
        _git(tracked.parent, "rev-parse", "HEAD"),
        _git(tracked.parent, "status", "--porcelain", "--", *PROGRAM),
    )
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
