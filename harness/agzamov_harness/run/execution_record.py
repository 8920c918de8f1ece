"""Record of each execution of a run in containers: `executions/<number>/` in its folder.

execution.json   which images ran, how each container ended, what the engine and the machine said of themselves
<name>.log       what each container printed (container_logs)
"""

from pathlib import Path
from typing import Literal

import msgspec

from agzamov_verify.core import canon

from .run_folder import RunDirectory

FILE = "execution.json"


class OutsideServer(msgspec.Struct, frozen=True):
    """A server outside of the containers that a run may reach through the proxy, at the addresses that it had then."""

    url: str
    addresses: tuple[str, ...]


class EnforcedLimits(msgspec.Struct, frozen=True):
    """The limits of a container that its engine enforces; None where it does not."""

    memory_bytes: int | None
    pids: int | None
    cpus: int | None


class Log(msgspec.Struct, frozen=True):
    """Number of bytes that a container printed, and that its log keeps; `cut` if the log keeps fewer."""

    printed_bytes: int
    kept_bytes: int
    cut: bool


class Container(msgspec.Struct, frozen=True):
    """One container. `image` is its config digest; `ended` says whether it ended by itself or because we were done.

    `limits` are those that the engine enforces, `network` is the mode that it names. `memory_peak_bytes` is None where
    the kernel does not tell. What was not seen is as before the start.
    """

    name: str
    part: str
    image: str
    limits: EnforcedLimits | None = None
    ended: Literal["", "alone", "stopped", "removed"] = ""
    exit_code: int = 0
    oom_killed: bool = False
    network: str = ""
    memory_peak_bytes: int | None = None
    log: Log | None = None


class ContainerExecution(msgspec.Struct, frozen=True):
    """One `run` or `resume`. `environment` is the harness's report, `engine` the container engine's.

    `endpoints` are the servers outside of the containers, none where every model ran inside.
    """

    containers: tuple[Container, ...]
    endpoints: tuple[OutsideServer, ...] = ()
    engine: dict[str, str] = {}
    environment: dict[str, str | int] = {}
    outcome: str = ""


def coming(directory: RunDirectory) -> Path:
    """The folder that the next execution will have."""
    return directory.executions / f"{sum(path.is_dir() for path in directory.executions.iterdir()):03d}"


def next_folder(directory: RunDirectory) -> Path:
    """A new folder for the next execution."""
    directory.executions.mkdir(exist_ok=True)
    folder = coming(directory)
    folder.mkdir()
    return folder


def write(folder: Path, execution: ContainerExecution) -> None:
    """Write the record of an execution so far."""
    unfinished = folder / f"{FILE}.new"
    unfinished.write_bytes(canon.dumps(execution))
    unfinished.replace(folder / FILE)


def executions(directory: RunDirectory) -> list[tuple[Path, ContainerExecution]]:
    """Every execution of a run in order, with its folder."""
    paths = sorted(directory.executions.glob(f"*/{FILE}"))
    return [(path.parent, msgspec.json.decode(path.read_bytes(), type=ContainerExecution)) for path in paths]
