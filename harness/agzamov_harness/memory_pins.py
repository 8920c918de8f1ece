"""The memory servers that are sealed with a run: each is started once, as a run starts it, and looked at."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import msgspec

from agzamov_verify.checks.opened_bundle import native_problems
from agzamov_verify.manifest import Manifest, ManifestError, MemoryPin
from agzamov_verify.streams import memories_played

from .lazy import imported_at_first_use
from .mcp_servers.server_process import log_folder
from .memory.installed import require_here
from .memory.launch import Setup
from .memory.setups import HERE, Places, setup_of
from .ports import PortFault

if TYPE_CHECKING:
    from .containers import container_lifecycle, memory_boxes
    from .memory import memory_server
else:  # the engine's client and the library of the protocol take a second to import
    container_lifecycle = imported_at_first_use("agzamov_harness.containers.container_lifecycle")
    memory_boxes = imported_at_first_use("agzamov_harness.containers.memory_boxes")
    memory_server = imported_at_first_use("agzamov_harness.memory.memory_server")


def with_memories(manifest: Manifest, places: Places = HERE) -> Manifest:
    """The manifest with the pin of each memory that is played. Raises ManifestError where one cannot be started."""
    try:
        pins = {name: _pin(manifest, name, places) for name in memories_played(manifest.plan)}
    except PortFault as error:
        raise ManifestError(f"{error}; nothing was sealed") from error
    sealed = msgspec.structs.replace(manifest, memories=pins)
    for place, problem in native_problems(sealed):
        raise ManifestError(f"{place}: expected tools that a model can be offered, found {problem}; nothing was sealed")
    return sealed


def _pin(manifest: Manifest, name: str, places: Places) -> MemoryPin:
    with (
        served_memory(manifest, name, places) as setup,
        log_folder("memory") as folder,
        closing(memory_server.MemoryServer(setup, folder / "memory.log")) as server,
    ):
        return server.pin


@contextmanager
def served_memory(manifest: Manifest, name: str, places: Places = HERE) -> Iterator[Setup]:
    """The server of a system; in its container, which is there for so long, where the run is in containers.

    Raises PortFault where there is none.
    """
    system = manifest.plan.systems[name]
    setup = setup_of(system, manifest.memories.get(name), places)
    if manifest.plan.isolation == "process":
        require_here(setup)
        yield setup
        return
    with container_lifecycle.served(
        manifest, system.image_part, lambda machine: memory_boxes.memory_box(system, 1, machine)
    ) as folder:
        yield msgspec.structs.replace(setup, socket=folder / memory_boxes.SOCKET_NAME)
