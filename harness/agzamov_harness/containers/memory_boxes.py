"""The containers of memory servers: one for each store, since processes of one user can read each other's folders.

A store is that of one seat in one career.

The image's entry point listens on a socket in a volume of its own, and starts the server for the one connection that
it takes at a time. The server's folder is the container's /tmp, which must be empty: a container serves one store.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from agzamov_verify.manifest import Plan
from agzamov_verify.streams import SeatStore, memory_stores
from agzamov_verify.systems import System

from ..container_spec import GIB, ContainerSpec, Machine, Mount
from ..memory.setups import setup_of
from ..ports import PortFault
from . import container_paths

MEMORY_BYTES, MEMORY_PIDS = GIB, 256
SOCKET_NAME = container_paths.memory_socket(1).name
PLAIN_WORD = re.compile(r"[A-Za-z0-9@._/=-]+")


def memory_boxes(plan: Plan, machine: Machine) -> Iterator[ContainerSpec]:
    """The container of each store. Raises PortFault."""
    for number, name in enumerate(memory_stores(plan).values(), 1):
        yield memory_box(plan.systems[name], number, machine)


def memory_box(system: System, number: int, machine: Machine) -> ContainerSpec:
    """The container of a memory. Raises PortFault."""
    command, environment = setup_of(system).in_image()
    server = container_paths.memory_server(number)
    return ContainerSpec(
        server,
        system.image_part,
        machine.limits(MEMORY_BYTES, MEMORY_PIDS),
        command=(executed(command),),
        environment=environment,
        mounts=(Mount(server, container_paths.SOCKET_DIR, False),),
    )


def memory_sockets(plan: Plan) -> Mapping[SeatStore, Path]:
    """Socket of each store, as the harness finds it."""
    return {store: Path(container_paths.memory_socket(number)) for number, store in enumerate(memory_stores(plan), 1)}


def executed(command: tuple[str, ...]) -> str:
    """The address by which socat starts a command, to which other signs would be commands. Raises PortFault."""
    if strange := [word for word in command if not PLAIN_WORD.fullmatch(word)]:
        raise PortFault(
            f"a memory's command in a container: expected letters, digits and @ . _ / = -, found {strange[0]!a}"
        )
    return f"EXEC:{' '.join(command)},nofork"
