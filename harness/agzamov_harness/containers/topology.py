"""Containers, networks and volumes that one run needs, as values computed from what was sealed.

Servers that listen on a unix socket have no network, and share a volume with the harness alone. The harness has
no network either, unless a seat is hosted (then one whose only other member is the proxy) or Ollama's. A network
is internal, without a gateway address on the host; only the proxy also sits on one that leads out.

A store, that of one seat in one career, has a memory server's container of its own, since processes of one user can
read each other's folders; a game that is played with a tool has one for its tools. The image's entry point listens on
a socket in a volume of its own, and starts the server for a connection: of a memory one at a time, in the container's
/tmp, which must be empty, so that a container serves one store. The tool of Chess960 asks the engine in its container,
over the same socket as the harness; that of hold'em reaches nothing.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from agzamov_verify.plan.manifest import Manifest, Plan
from agzamov_verify.plan.plan_problems import starts_engine
from agzamov_verify.plan.streams import SeatStore, memory_stores
from agzamov_verify.systems import System
from agzamov_verify.table.registry import GAMES, TOOL_SERVERS

from ..foundation.container_spec import GIB, MIB, ContainerSpec, Machine, Mount
from ..memory.launch import setup_of
from ..ports import PortFault
from ..seat_kind import ContainerInputs, by_kind
from . import container_paths, egress
from .container_paths import ENGINE, HARNESS, OLLAMA, PROXY, TOOLS
from .folder_transfer import WRITTEN

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


TOOL_BYTES, TOOL_EACH_BYTES = 128 * MIB, 192 * MIB
TOOL_PIDS, TOOL_EACH_PIDS = 64, 64
"""Threads count: a server has one for each call that waits, and those of its libraries."""


def tool_servers(plan: Plan) -> tuple[str, ...]:
    """Servers of the tools that are played with, in the order of their names."""
    return tuple(sorted({tool.server for match in plan.tool_matches if (tool := GAMES[match.game].tool)}))


def tool_boxes(plan: Plan, machine: Machine) -> Iterator[ContainerSpec]:
    """The container of each tool, for as many servers side by side as the machine has cores."""
    for game in tool_servers(plan):
        server, asks_engine = container_paths.tool_server(game), TOOL_SERVERS[game].asks_engine
        engine = container_paths.TOOL_ENGINE_DIR / container_paths.ENGINE_SOCKET.name
        options = f" --engine {engine} --hash-mib {plan.engine.hash_mib}" if asks_engine else ""
        yield ContainerSpec(
            server,
            TOOLS,
            machine.limits(TOOL_BYTES + machine.cores * TOOL_EACH_BYTES, TOOL_PIDS + machine.cores * TOOL_EACH_PIDS),
            command=(f"EXEC:/usr/bin/python3.11 -m agzamov_tools {game}{options},nofork",),
            mounts=(
                Mount(server, container_paths.SOCKET_DIR, False),
                *((Mount(ENGINE, container_paths.TOOL_ENGINE_DIR, True),) if asks_engine else ()),
            ),
        )


def tool_sockets(plan: Plan) -> Mapping[str, Path]:
    """Socket of each tool, by the name of its server, as the harness finds it."""
    return {game: Path(container_paths.tool_socket(game)) for game in tool_servers(plan)}


ENGINE_BYTES, ENGINE_EACH_BYTES = 256 * MIB, 192 * MIB
HARNESS_BYTES = 4 * GIB
HARNESS_PIDS, ENGINE_PIDS = 2048, 64  # threads count
ENGINE_EACH_PIDS = 8
PROXY_VARIABLES, NO_PROXY_VARIABLE = ("HTTPS_PROXY", "HTTP_PROXY"), "NO_PROXY"
HOSTED_NET, OLLAMA_NET, OUT_NET = "hosted", "ollama", "out"


class Topology(NamedTuple):
    """Containers, networks and volumes that a run makes in the engine; only the network OUT_NET is open."""

    servers: tuple[ContainerSpec, ...]
    harness: ContainerSpec
    volumes: tuple[str, ...]
    networks: tuple[str, ...]

    @property
    def boxes(self) -> tuple[ContainerSpec, ...]:
        return (*self.servers, self.harness)


def topology(manifest: Manifest, run: Path, plan_folder: Path, machine: Machine, command: tuple[str, ...]) -> Topology:
    """Topology of the run of `manifest` in the folder `run`. `command` is the command of the harness's container."""
    servers = tuple(_servers(ContainerInputs(manifest, run, plan_folder, machine)))
    volumes = tuple(box.name for box in servers if not box.networks)
    networks = tuple(dict.fromkeys(network for box in servers for network in box.networks))
    harness = ContainerSpec(
        HARNESS,
        HARNESS,
        machine.limits(HARNESS_BYTES, HARNESS_PIDS),
        machine.user,
        command,
        _ways_out(run) if OUT_NET in networks else {},
        (
            Mount(run, container_paths.RUN, True),
            *(Mount(run / folder, container_paths.RUN / folder, False) for folder in WRITTEN),
            *(Mount(volume, container_paths.SOCKET_DIR / volume, True) for volume in volumes),
        ),
        tuple(network for network in networks if network != OUT_NET),
        attended=True,
    )
    return Topology(servers, harness, volumes, networks)


def _servers(inputs: ContainerInputs) -> Iterator[ContainerSpec]:
    plan = inputs.manifest.plan
    if starts_engine(plan):
        playing = sum(seat.starts_engine for seat in plan.playing.values())
        yield engine_box(plan, inputs.machine, 1 + playing + bool(plan.tool_matches))
    for kind, seats in by_kind(plan.playing):
        yield from kind.containers(seats, inputs)
    yield from tool_boxes(plan, inputs.machine)
    yield from memory_boxes(plan, inputs.machine)


def engine_box(plan: Plan, machine: Machine, pools: int) -> ContainerSpec:
    """The container that serves so many pools of engines, one engine a core in each, on a socket."""
    each = ENGINE_EACH_BYTES + plan.engine.hash_mib * MIB
    engines = pools * machine.cores
    limits = machine.limits(ENGINE_BYTES + engines * each, ENGINE_PIDS + engines * ENGINE_EACH_PIDS)
    return ContainerSpec(ENGINE, ENGINE, limits, mounts=(Mount(ENGINE, container_paths.SOCKET_DIR, False),))


def _ways_out(run: Path) -> dict[str, str]:
    certificates_path = egress.certificates(run)
    trust = {egress.CERTIFICATES_VARIABLE: certificates_path} if certificates_path else {}
    proxy = f"http://{PROXY}:{container_paths.PROXY_PORT}"
    return {**dict.fromkeys(PROXY_VARIABLES, proxy), NO_PROXY_VARIABLE: OLLAMA, **trust}
