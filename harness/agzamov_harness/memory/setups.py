"""From a system of a plan to the server that is started for it."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import msgspec

from agzamov_verify.manifest import ManifestError, MemoryPin
from agzamov_verify.streams import SeatStore
from agzamov_verify.systems import MemorySystem, System

from ..ports import PortFault
from .adapter import sealed_system, system_of
from .launch import Settings, Setup

INSTALLED = Path("memory-servers")
NO_SOCKETS: Mapping[SeatStore, Path] = MappingProxyType({})
NO_TOOL_SOCKETS: Mapping[str, Path] = MappingProxyType({})


class Places(msgspec.Struct, frozen=True):
    """Folders in which a machine has servers of memories and tools. Nothing of this is sealed.

    `installed`: the folder with one folder for each installed system, by its name. `plan_folder`: where the plan stood,
    from which the paths of adapters are taken. `sockets`: by store, where a server listens that runs in a container.
    `part`: the folder of this process among those of the servers that a run starts, where several processes play it.
    `tool_sockets`: by game, where the server of its tool listens that runs in a container.
    """

    installed: Path = INSTALLED
    plan_folder: Path = Path()
    sockets: Mapping[SeatStore, Path] = NO_SOCKETS
    part: str = ""
    tool_sockets: Mapping[str, Path] = NO_TOOL_SOCKETS


HERE = Places()


def setup_of(system: System, pin: MemoryPin | None = None, places: Places = HERE) -> Setup:
    """The server of a memory system as it is to be started. Raises PortFault for one that nobody knows."""
    assert isinstance(system, MemorySystem)
    try:
        if system.is_from_outside:
            found = sealed_system(system.server, system.adapter, places.plan_folder)
        else:
            found = system_of(system.server)
    except ManifestError as error:
        raise PortFault(f"memory {error}") from error
    settings = Settings(system.half_life_games, system.noise_percent)
    installed = (places.installed / found.name).absolute()
    return Setup(found, settings, installed=installed, pin=pin, is_native=system.offers_native_tools)
