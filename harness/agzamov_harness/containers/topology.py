"""Which containers, networks and volumes one run needs, as values: a pure function of what was sealed.

Servers that speak over a unix socket have no network at all, and a volume that only the harness shares. The harness
has none either, unless a seat is hosted (then a network whose only other member is the proxy) or Ollama's. A network
is internal, without a gateway address on the host; only the proxy also sits on one that leads out.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from agzamov_verify.feasible import starts_engine
from agzamov_verify.manifest import Manifest, Plan
from agzamov_verify.seats import Determinism, GgufSeat, OllamaSeat, StockfishSeat

from ..models.pins import placed
from ..rundir import EGRESS
from . import egress, places
from .folder import WRITTEN
from .places import ENGINE, HARNESS, MODEL, OLLAMA, PROXY
from .sitting import Limits

MIB, GIB = 2**20, 2**30
ENGINE_BYTES, ENGINE_EACH_BYTES = 256 * MIB, 192 * MIB
HARNESS_BYTES = 4 * GIB
PROXY_BYTES = 128 * MIB
MODEL_PERMILLE = 900
PIDS_MAX = 4096  # threads count
PROXY_VARIABLE = "HTTPS_PROXY"
HOSTED_NET, OLLAMA_NET, OUT_NET = "hosted", "ollama", "out"


class Machine(NamedTuple):
    """What the engine's machine has, and as whom the harness runs there: "uid:gid"."""

    cores: int
    memory_bytes: int
    user: str


class Mount(NamedTuple):
    """A folder or file of the machine, or a volume of the run, inside a container."""

    source: Path | str
    target: PurePosixPath
    read_only: bool

    @property
    def is_volume(self) -> bool:
        return isinstance(self.source, str)


class Box(NamedTuple):
    """One container. `part` names its image in the manifest; `networks` are of the run, none where empty.

    `attended` says that its standard input is open, and ends with whoever attached to it.
    """

    name: str
    part: str
    limits: Limits
    user: str = f"{places.UID}:{places.GID}"
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = {}
    mounts: tuple[Mount, ...] = ()
    networks: tuple[str, ...] = ()
    attended: bool = False


class Topology(NamedTuple):
    """Everything that a run makes in the engine; only the network OUT_NET is open."""

    servers: tuple[Box, ...]
    harness: Box
    volumes: tuple[str, ...]
    networks: tuple[str, ...]

    @property
    def boxes(self) -> tuple[Box, ...]:
        return (*self.servers, self.harness)


def topology(manifest: Manifest, run: Path, plan_folder: Path, machine: Machine, command: tuple[str, ...]) -> Topology:
    """What the run of `manifest` in the folder `run` needs. `command` is what the harness's container is to do."""
    servers = tuple(_servers(manifest, run, plan_folder, machine))
    volumes = tuple(box.name for box in servers if not box.networks)
    networks = tuple(dict.fromkeys(network for box in servers for network in box.networks))
    harness = Box(
        HARNESS,
        HARNESS,
        _limits(HARNESS_BYTES, machine),
        machine.user,
        command,
        _ways_out(run) if OUT_NET in networks else {},
        (
            Mount(run, places.RUN, True),
            *(Mount(run / folder, places.RUN / folder, False) for folder in WRITTEN),
            *(Mount(volume, places.MEETING / volume, True) for volume in volumes),
        ),
        tuple(network for network in networks if network != OUT_NET),
        attended=True,
    )
    return Topology(servers, harness, volumes, networks)


def _servers(manifest: Manifest, run: Path, plan_folder: Path, machine: Machine) -> Iterator[Box]:
    plan = manifest.plan
    if starts_engine(plan):
        yield engine_box(plan, machine, 1 + sum(isinstance(seat, StockfishSeat) for seat in plan.playing.values()))
    for name, seat in plan.playing.items():
        if isinstance(seat, GgufSeat):
            yield model_box(places.server_of(name), seat, placed(plan_folder, seat.weights), machine)
    seats = [seat for seat in plan.playing.values() if isinstance(seat, OllamaSeat)]
    if seats:
        yield _ollama(seats, plan_folder, machine)
    if egress.endpoints(manifest):
        yield _proxy(run / EGRESS, machine)


def engine_box(plan: Plan, machine: Machine, pools: int) -> Box:
    """The container that serves so many pools of engines, one engine a core in each, on a socket."""
    each = ENGINE_EACH_BYTES + plan.engine.hash_mib * MIB
    limits = _limits(ENGINE_BYTES + pools * machine.cores * each, machine)
    return Box(ENGINE, ENGINE, limits, mounts=(_meeting(ENGINE),))


def model_box(name: str, seat: GgufSeat, weights: Path, machine: Machine) -> Box:
    """The container that serves a seat's weights on a socket."""
    environment = {
        "AGZ_MODEL_CONTEXT": str(seat.context_tokens),
        "AGZ_MODEL_SLOTS": str(seat.concurrency),
        "AGZ_MODEL_THREADS": str(seat.threads),
    }
    mounts = (_meeting(name), Mount(weights, places.WEIGHTS, True))
    return Box(name, MODEL, _most(machine), machine.user, environment=environment, mounts=mounts)


def _ollama(seats: Sequence[OllamaSeat], plan_folder: Path, machine: Machine) -> Box:
    """One server for all of its seats, which share a store: it may read that, call nobody, and keep nothing."""
    strict = any(seat.determinism is Determinism.STRICT for seat in seats)
    environment = {
        "HOME": "/tmp",  # noqa: S108 - inside
        "OLLAMA_FLASH_ATTENTION": "0" if strict else "",
        "OLLAMA_HOST": f"0.0.0.0:{places.OLLAMA_PORT}",
        "OLLAMA_KEEP_ALIVE": "-1",
        "OLLAMA_KV_CACHE_TYPE": "f16",
        "OLLAMA_MAX_LOADED_MODELS": str(len({seat.model for seat in seats})),
        "OLLAMA_MODELS": str(places.STORE),
        "OLLAMA_NOPRUNE": "1",
        "OLLAMA_NO_CLOUD": "1",
        "OLLAMA_NUM_PARALLEL": str(max(seat.concurrency for seat in seats)),
    }
    mounts = (Mount(placed(plan_folder, seats[0].store), places.STORE, True),)
    limits = _most(machine)
    return Box(OLLAMA, OLLAMA, limits, machine.user, ("serve",), environment, mounts, (OLLAMA_NET,))


def _proxy(folder: Path, machine: Machine) -> Box:
    mounts = tuple(Mount(folder / name, places.MEETING / name, True) for name in (egress.CONFIGURATION, egress.ALLOW))
    limits = _limits(PROXY_BYTES, machine)
    command = (str(places.MEETING / egress.CONFIGURATION),)
    return Box(PROXY, PROXY, limits, machine.user, command, mounts=mounts, networks=(OUT_NET, HOSTED_NET))


def _ways_out(run: Path) -> dict[str, str]:
    found = egress.certificates(run)
    trust = {egress.CERTIFICATES_VARIABLE: found} if found else {}
    return {PROXY_VARIABLE: f"http://{PROXY}:{places.PROXY_PORT}", **trust}


def _meeting(name: str) -> Mount:
    return Mount(name, places.MEETING, False)


def _limits(memory_bytes: int, machine: Machine) -> Limits:
    return Limits(min(memory_bytes, machine.memory_bytes), PIDS_MAX, machine.cores)


def _most(machine: Machine) -> Limits:
    """For weights of any size: nearly all of the machine, so that too large a model fails and the machine does not."""
    return _limits(machine.memory_bytes * MODEL_PERMILLE // 1000, machine)
