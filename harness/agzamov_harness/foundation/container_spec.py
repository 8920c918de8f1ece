"""A container as a value: its part, its limits, its mounts and networks."""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Final, Literal, NamedTuple

import msgspec

MIB: Final = 2**20
GIB: Final = 2**30
UID: Final = 10001
GID: Final = 10001


class ContainerLimits(msgspec.Struct, frozen=True):
    """Resource limits of a container."""

    memory_bytes: int
    pids: int
    cpus: int


class Machine(NamedTuple):
    """Resources of the engine's machine, and the user that the harness runs as there: "uid:gid"."""

    cores: int
    memory_bytes: int
    user: str

    def limits(self, memory_bytes: int, pids: int) -> ContainerLimits:
        """Limits of a container here: all cores, and no more memory than there is."""
        return ContainerLimits(min(memory_bytes, self.memory_bytes), pids, self.cores)


class Mount(NamedTuple):
    """A folder or file of the machine, or a volume of the run, inside a container."""

    source: Path | str
    target: PurePosixPath
    read_only: bool

    @property
    def is_volume(self) -> bool:
        return isinstance(self.source, str)


class ContainerSpec(NamedTuple):
    """One container. `part` names its image in the manifest; `networks` are of the run, none where empty.

    `attended` says that its standard input is open, and ends with whoever attached to it.
    """

    name: str
    part: str
    limits: ContainerLimits
    user: str = f"{UID}:{GID}"
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = {}
    mounts: tuple[Mount, ...] = ()
    networks: tuple[str, ...] = ()
    attended: bool = False
    gpus: int | Literal["all"] = 0
