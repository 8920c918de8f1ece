"""Containers, networks and volumes that one run needs, as values computed from the sealed plan.

Servers that listen on a unix socket have no network, and share a volume with the harness alone. The harness has
no network either, unless a seat is hosted (then one whose only other member is the proxy) or Ollama's. A network
is internal, without a gateway address on the host; only the proxy also sits on one that leads out.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from agzamov_verify.manifest import Manifest, Plan
from agzamov_verify.plan_problems import starts_engine

from ..container_spec import GIB, MIB, ContainerSpec, Machine, Mount
from ..seat_kind import ContainerInputs, by_kind
from . import container_paths, egress
from .container_paths import ENGINE, HARNESS, OLLAMA, PROXY
from .folder import WRITTEN
from .memory_boxes import memory_boxes
from .tool_boxes import tool_boxes

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
