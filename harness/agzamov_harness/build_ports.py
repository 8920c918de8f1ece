"""Builds the ports that a manifest names: one for each seat, and the engine."""

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec.structs import replace

from agzamov_verify.core.seat_letters import survey_name
from agzamov_verify.core.workers import cores
from agzamov_verify.engines.uci_engine import EngineFault, UciEngine
from agzamov_verify.plan.manifest import Manifest, Plan
from agzamov_verify.plan.people_study import PERSON, people_of
from agzamov_verify.plan.plan_problems import local_models, needs_engine
from agzamov_verify.plan.streams import SeatStore, memory_stores, streams_of
from agzamov_verify.seats import ModelSeat, ScriptedSeat, Seat
from agzamov_verify.table.registry import GAMES, TOOL_SERVERS

from .adapters import stockfish_ports
from .foundation.first_use import imported_at_first_use
from .foundation.worker_processes import worker_processes
from .memory import memory_port
from .memory.launch import HERE, Places, require_here, setup_of
from .ports import ChatPort, EnginePort, People, Port, PortFault, Wait
from .run import seal
from .run.dispatch import NO_PORTS, OpenPort, RunPorts, World, ports_of
from .run.first_contact import require_tool_calls, seats_that_call
from .run.run_folder import MEMORY_DATA, MEMORY_LOGS, MEMORY_MODELS
from .seat_kind import PortInputs, by_kind, kind_of, local_by_kind
from .servers.server_process import Socket, log_folder
from .servers.tool_port import MCP_MODE, ToolPort, ToolServer, local_server

if TYPE_CHECKING:
    from .models import preflight
else:  # the client of a model server takes half a second to import
    preflight = imported_at_first_use("agzamov_harness.models.preflight")

LOCAL_STREAMS_PER_CORE = 4
NOWHERE: Mapping[str, str] = MappingProxyType({})


def concurrency_of(plan: Plan) -> int:
    """Number of streams to play in parallel: the largest concurrency of a model seat, else a few per core.

    A person plays one game at a time, so one of them plays stream after stream. Of several none waits for another: all
    streams are begun.
    """
    people = sum(seat.is_person for seat in plan.playing.values())
    if people:
        return 1 if people == 1 else sum(1 for match in plan.matches for _ in streams_of(match))
    limits = [seat.concurrency for seat in plan.seats.values() if isinstance(seat, ModelSeat)]
    return max(max(limits, default=LOCAL_STREAMS_PER_CORE * cores()), len(people_of(plan)))


@contextmanager
def open_world(  # noqa: PLR0913 - each is another part of the world
    manifest: Manifest,
    engine_path: Path | None,
    wait: Wait = time.sleep,
    served: Mapping[str, str] = NOWHERE,
    notes: Path | None = None,
    places: Places = HERE,
    *,
    has_processes: bool = True,
    people: People | None = None,
) -> Iterator[RunPorts]:
    """The ports of a run; everything is closed at the end. Raises PortFault if a part is missing.

    `wait` sleeps between tries, and may raise to stop. `served` says where a seat's model is served, if not where the
    plan says: the path of a unix socket, or an address. With `notes`, local models pass their preflight first, and what
    it measured is written there. `places` says where this machine has servers of memories and tools. Without
    `has_processes` scripted players think in the threads that ask them: a worker of a cluster may start no process for
    that. `people`: those of the run, where this command serves their pages.
    """
    plan = manifest.plan
    with ExitStack() as stack:
        pool = stack.enter_context(worker_processes()) if has_processes and _has_slow_seats(plan) else None
        seats: dict[str, ChatPort] = {}
        engine = _engine(manifest, engine_path)
        for kind, _ in by_kind(plan.playing):
            kind.require(plan, engine_path)
        tool_port = _tools(manifest, engine_path, places.tool_sockets, stack)
        stack.callback(lambda: World(ports_of(seats, engine)).close())
        if plan.isolation == "process":
            served, wait = _served_here(plan, places.plan_folder, served, wait, stack)
        asked_before = plan.isolation == "process"  # by first contact
        builder = Builder(PortInputs(pool, engine_path, wait, served, {}, places.plan_folder, people, asked_before))
        for name, seat in plan.playing.items():
            seats[name] = builder.seat(name, seat)
        if notes and local_models(plan):
            _begin_local_models(manifest, seats, served, notes, stack)
        for name in seats_that_call(plan):
            require_tool_calls(name, seats[name])
        opened = {**_memories(manifest, notes, places, wait, stack), **_surveys(plan, builder)}
        yield RunPorts(ports_of(seats, engine, tool_port), opened)


def _served_here(
    plan: Plan, plan_folder: Path, served: Mapping[str, str], wait: Wait, stack: ExitStack
) -> tuple[Mapping[str, str], Wait]:
    """Start the servers of the models that this machine serves for the run. Raises PortFault."""
    for kind, seats in local_by_kind(local_models(plan)):
        missing = {name: seat for name, seat in seats.items() if name not in served}
        here = stack.enter_context(kind.served_here(missing, plan_folder, wait))
        served, wait = {**served, **here.sockets}, here.wait
    return served, wait


def _memories(
    manifest: Manifest, notes: Path | None, places: Places, wait: Wait, stack: ExitStack
) -> Mapping[str, OpenPort]:
    """Functions that open the memory of each seat in a stream. Raises PortFault if one cannot be started."""
    plan, systems = manifest.plan, memory_stores(manifest.plan)
    if not systems:
        return NO_PORTS
    run = notes.parent if notes else Path(stack.enter_context(TemporaryDirectory()))
    folders = None if places.sockets else stack.enter_context(_emptied(run / MEMORY_DATA / places.part))
    setups = {name: setup_of(plan.systems[name], manifest.memories.get(name), places) for name in set(systems.values())}
    if not places.sockets:
        for setup in setups.values():
            require_here(setup)

    def open_port(to: str, stream: str) -> Port | None:
        store = SeatStore(stream, to)
        if store not in systems:
            return None
        setup = setups[systems[store]]
        record = notes / MEMORY_MODELS if notes else None
        setup = replace(setup, socket=places.sockets.get(store), folders=folders, models_record=record)
        return memory_port.open_memory(setup, run / MEMORY_LOGS, store, wait)

    return {to: partial(open_port, to) for to in {store.to for store in systems}}


def _surveys(plan: Plan, builder: "Builder") -> Mapping[str, OpenPort]:
    """Functions that open what asks the person of a study beside the games of a stream; none in other plans."""
    people = {
        stream.id: person.name
        for person in people_of(plan)
        for match in person.matches.values()
        for stream in streams_of(match)
    }
    if not people:
        return NO_PORTS

    def open_port(stream: str) -> Port | None:
        return builder.survey(people[stream], plan.seats[people[stream]])

    return {survey_name(PERSON): open_port}


def _tools(
    manifest: Manifest, engine_path: Path | None, sockets: Mapping[str, Path], stack: ExitStack
) -> ToolPort | None:
    """The tools of the seats; None where no match has one. Their servers start when they are first asked."""
    plan, name = manifest.plan, manifest.engine.name if manifest.engine else ""
    games = sorted({tool.server for match in plan.tool_matches if (tool := GAMES[match.game].tool)})
    if not games:
        return None
    logs = stack.enter_context(log_folder("tools"))
    engine = engine_path.absolute() if engine_path else None
    servers = [
        ToolServer(
            game,
            Socket(sockets[game], MCP_MODE) if sockets else local_server(game, engine, plan.engine.hash_mib, logs),
            name if TOOL_SERVERS[game].asks_engine else "",
        )
        for game in games
    ]
    port = ToolPort(servers, cores(), logs)
    stack.callback(port.close)
    return port


@contextmanager
def _emptied(folder: Path) -> Iterator[Path]:
    """An empty folder, whatever a killed process has left there, that goes at the end."""
    rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)  # a server that is just ending may still write there
    try:
        yield folder
    finally:
        rmtree(folder, ignore_errors=True)


def _begin_local_models(
    manifest: Manifest, seats: dict[str, ChatPort], served: Mapping[str, str], notes: Path, stack: ExitStack
) -> None:
    """Hold the servers for this run, pass the preflight, then watch the servers. Raises ModelFault, HarnessEnded."""
    kinds = local_by_kind(local_models(manifest.plan))
    for kind, of_kind in kinds:
        for where in sorted({served.get(name, seat.server_url or "") for name, seat in of_kind.items()}):
            stack.enter_context(kind.held(where))
    preflight.run_preflight(manifest, seats, served, notes)
    for kind, of_kind in kinds:
        watched = stack.enter_context(kind.watched(manifest, served, notes))
        seats.update({name: watched(seats[name]) for name in of_kind})


def _has_slow_seats(plan: Plan) -> bool:
    return any(isinstance(seat, ScriptedSeat) and seat.is_slow for seat in plan.playing.values())


class Builder:
    """Makes the seats of one run; those of one server share its limits."""

    def __init__(self, given: PortInputs) -> None:
        self._given = given

    def seat(self, name: str, seat: Seat) -> ChatPort:
        """The port of a seat. Raises PortFault."""
        return kind_of(seat).port(name, seat, self._given)

    def survey(self, name: str, seat: Seat) -> Port:
        """The port that asks the person in a seat beside their games."""
        return kind_of(seat).survey(name, self._given)


def _engine(manifest: Manifest, path: Path | None) -> EnginePort | None:
    if not needs_engine(manifest.plan):
        return None
    if manifest.plan.isolation == "container" and path and path.is_socket():
        return _engine_in_image(manifest, path)
    try:
        pin = seal.pin_engine(path, manifest.plan.protocol)
    except EngineFault as error:
        raise PortFault(str(error)) from error
    if pin != manifest.engine:
        raise PortFault(f"expected the sealed engine {manifest.engine}, found {pin}; use the one that was sealed")
    assert path
    return stockfish_ports.StockfishAdjudicator(
        path, manifest.plan.engine.hash_mib, manifest.plan.engine.nodes, cores()
    )


def _engine_in_image(manifest: Manifest, socket: Path) -> EnginePort:
    """The engine behind a socket: its image was compared with the pins by whoever started it, so its name suffices."""
    assert manifest.engine
    try:
        with UciEngine(socket, seal.PIN_HASH_MIB) as engine:
            engine.require_name(manifest.engine.name)
    except EngineFault as error:
        raise PortFault(str(error)) from error
    rule = manifest.plan.engine
    return stockfish_ports.StockfishAdjudicator(
        socket, rule.hash_mib, rule.nodes, stockfish_ports.processes_side_by_side(socket)
    )
