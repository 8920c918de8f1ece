"""What is kept of each time that a run was played in containers: `sittings/<number>/` in its folder.

sitting.json   which images ran, how each container ended, what the engine and the machine said of themselves
<name>.log     the end of what each container printed
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from agzamov_verify import canon

from ..rundir import RunDirectory

FILE = "sitting.json"
KEY_CHARACTERS_MIN = 8


class Limits(msgspec.Struct, frozen=True):
    """What a container may use at most."""

    memory_bytes: int
    pids: int
    cpus: int


class Container(msgspec.Struct, frozen=True):
    """One container. `image` is its config digest; `ended` says whether it ended by itself or because we were done.

    `memory_peak_bytes` is 0 where the kernel does not tell, and all that was not seen is as before the start.
    """

    name: str
    part: str
    image: str
    limits: Limits | None = None
    ended: Literal["", "alone", "stopped"] = ""
    exit_code: int = 0
    oom_killed: bool = False
    memory_peak_bytes: int = 0


class Sitting(msgspec.Struct, frozen=True):
    """One time of playing. `environment` is what the harness said, `engine` what the container engine said."""

    containers: tuple[Container, ...]
    engine: dict[str, str] = {}
    environment: dict[str, str | int] = {}
    outcome: str = ""


def coming(directory: RunDirectory) -> Path:
    """The folder that the next sitting will have."""
    return directory.sittings / f"{sum(path.is_dir() for path in directory.sittings.iterdir()):03d}"


def next_folder(directory: RunDirectory) -> Path:
    """A new folder for the next sitting."""
    directory.sittings.mkdir(exist_ok=True)
    folder = coming(directory)
    folder.mkdir()
    return folder


def write(folder: Path, sitting: Sitting) -> None:
    """Keep a sitting, as far as it is known."""
    unfinished = folder / f"{FILE}.new"
    unfinished.write_bytes(canon.dumps(sitting))
    unfinished.replace(folder / FILE)


def write_log(folder: Path, name: str, log: bytes, keys: Mapping[str, str]) -> None:
    """Keep a container's log, without any key that it may have printed."""
    for variable, key in keys.items():
        if len(key) >= KEY_CHARACTERS_MIN:
            log = log.replace(key.encode(), f"[{variable}]".encode())
    (folder / f"{name}.log").write_bytes(log)


def sittings(directory: RunDirectory) -> list[tuple[Path, Sitting]]:
    """Every sitting of a run in order, with its folder."""
    found = sorted(directory.sittings.glob(f"*/{FILE}"))
    return [(path.parent, msgspec.json.decode(path.read_bytes(), type=Sitting)) for path in found]
