"""The containers of the seats' tools: one for each game that is played with one.

The image's entry point listens on a socket in a volume of its own, and starts a server for each connection. The tool of
Chess960 asks the engine in its container, over the same socket as the harness; that of hold'em reaches nothing.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from agzamov_verify.games.registry import GAMES, TOOL_SERVERS
from agzamov_verify.manifest import Plan

from ..container_spec import MIB, ContainerSpec, Machine, Mount
from . import container_paths
from .container_paths import ENGINE, TOOLS

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
