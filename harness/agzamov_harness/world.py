"""Builds the ports that a manifest names: one for each seat, and the engine."""

import multiprocessing
import os
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, assert_never

import msgspec

from agzamov_verify.feasible import local_models, needs_engine
from agzamov_verify.manifest import Manifest, Plan
from agzamov_verify.seats import (
    EndpointSeat,
    GgufSeat,
    HouseSeat,
    LocalModelSeat,
    OllamaSeat,
    RandomSeat,
    ReferenceSeat,
    Seat,
    StockfishSeat,
)
from agzamov_verify.stockfish import EngineFault, UciEngine
from agzamov_verify.workers import cores, end_with_parent

from . import seal
from .adapters import stockfish
from .adapters.local import LocalSeat
from .answers import World
from .ports import ChatPort, EnginePort, PortFault, Wait

if TYPE_CHECKING:
    from .adapters.calls import Limits

LOCAL_STREAMS_PER_CORE = 4
NOWHERE: Mapping[str, str] = MappingProxyType({})
SOCKET_URL = "http://localhost/v1"


def concurrency_of(plan: Plan) -> int:
    """How many streams to play side by side: what the model servers allow, else a few for each core."""
    limits = [seat.concurrency for seat in plan.seats.values() if isinstance(seat, EndpointSeat | LocalModelSeat)]
    return max(limits, default=LOCAL_STREAMS_PER_CORE * cores())


@contextmanager
def open_world(
    manifest: Manifest,
    engine_path: Path | None,
    wait: Wait = time.sleep,
    served: Mapping[str, str] = NOWHERE,
    notes: Path | None = None,
) -> Iterator[World]:
    """The world of a run; everything is closed at the end. Raises PortFault if a part is missing.

    `wait` sleeps between tries, and may raise to stop. `served` says where a seat's model is served, if not where the
    plan says: the path of a unix socket, or an address. With `notes`, local models pass their preflight first, and what
    it measured is written there.
    """
    plan = manifest.plan
    with ExitStack() as stack:
        pool = stack.enter_context(_workers()) if _has_local_seats(plan) else None
        seats: dict[str, ChatPort] = {}
        world = World(seats, _engine(manifest, engine_path))
        stack.callback(world.close)
        builder = Builder(pool, engine_path, wait, served)
        for name, seat in plan.playing.items():
            seats[name] = builder.seat(name, seat)
        if notes and local_models(plan):
            from .models.preflight import run_preflight  # noqa: PLC0415 - Ollama's client takes a third of a second

            run_preflight(manifest, seats, served, notes)
        yield world


def _has_local_seats(plan: Plan) -> bool:
    return any(isinstance(seat, RandomSeat | ReferenceSeat) for seat in plan.playing.values())


@contextmanager
def _workers() -> Iterator[Executor | None]:
    """Worker processes for the scripted players: threads drive the streams, these do the thinking."""
    if cores() < 2:
        yield None
        return
    with ProcessPoolExecutor(cores(), multiprocessing.get_context("spawn"), end_with_parent) as pool:
        yield pool


class Builder:
    """Makes the seats of one run; those of one server share its limits. `served`: see open_world."""

    def __init__(self, pool: Executor | None, engine_path: Path | None, wait: Wait, served: Mapping[str, str]) -> None:
        self._pool, self._engine_path, self._wait, self._served = pool, engine_path, wait, served
        self._limits: dict[str, Limits] = {}

    def seat(self, name: str, seat: Seat) -> ChatPort:
        match seat:
            case RandomSeat() | HouseSeat():
                return LocalSeat(str(seat.__struct_config__.tag), None)
            case ReferenceSeat():
                return LocalSeat("reference", self._pool)
            case StockfishSeat():
                return self._stockfish(seat)
            case EndpointSeat():
                return self._endpoint(name, seat)
            case GgufSeat():
                return self._gguf(name, seat)
            case OllamaSeat():
                return self._ollama(name, seat)
            case _:
                assert_never(seat)

    def _stockfish(self, seat: StockfishSeat) -> ChatPort:
        if self._engine_path is None:
            raise PortFault("a seat plays Stockfish; install it, on Debian 12: apt-get install stockfish")
        size = stockfish.side_by_side(self._engine_path)
        return stockfish.StockfishSeat(self._engine_path, seat.nodes, seat.skill, size)

    def _endpoint(self, name: str, seat: EndpointSeat) -> ChatPort:
        from .adapters.endpoint import NO_DOOR, Endpoint  # noqa: PLC0415 - the client takes half a second to import

        where = self._served.get(name, seat.base_url)
        seat = msgspec.structs.replace(seat, base_url=where)
        limits = self._limits_of(where, seat.concurrency, seat.requests_per_minute)
        return Endpoint(name, seat, os.environ, time.monotonic_ns, self._wait, limits, NO_DOOR)

    def _gguf(self, name: str, seat: GgufSeat) -> ChatPort:
        from .adapters.endpoint import Door, Endpoint, served  # noqa: PLC0415 - as above
        from .adapters.open_weights import llama_body  # noqa: PLC0415

        where = self._served.get(name)
        if not where:
            raise PortFault(f"seat {name}: no server has its weights; play it with isolation: container")
        socket = where if where.startswith("/") else ""
        limits = self._limits_of(where, seat.concurrency)
        seat_there = served(seat, SOCKET_URL if socket else where)
        door = Door(socket, seat.context_tokens, llama_body(seat.determinism))
        return Endpoint(name, seat_there, {}, time.monotonic_ns, self._wait, limits, door)

    def _ollama(self, name: str, seat: OllamaSeat) -> ChatPort:
        from .adapters.ollama import Ollama  # noqa: PLC0415 - as above

        where = self._served.get(name, seat.base_url)
        seat = msgspec.structs.replace(seat, base_url=where)
        return Ollama(name, seat, time.monotonic_ns, self._wait, self._limits_of(where, seat.concurrency))

    def _limits_of(self, where: str, concurrency: int, requests_per_minute: int = 0) -> "Limits":
        from .adapters.calls import Limits  # noqa: PLC0415 - as above

        return self._limits.setdefault(where, Limits(concurrency, requests_per_minute, time.monotonic_ns))


def _engine(manifest: Manifest, path: Path | None) -> EnginePort | None:
    if not needs_engine(manifest.plan):
        return None
    if manifest.plan.isolation == "container" and path and path.is_socket():
        return _engine_in_image(manifest, path)
    try:
        found = seal.pin_engine(path, manifest.plan.protocol)
    except EngineFault as error:
        raise PortFault(str(error)) from error
    if found != manifest.engine:
        raise PortFault(f"expected the sealed engine {manifest.engine}, found {found}; use the one that was sealed")
    assert path
    return stockfish.Adjudicator(path, manifest.plan.engine.hash_mib, manifest.plan.engine.nodes, cores())


def _engine_in_image(manifest: Manifest, socket: Path) -> EnginePort:
    """The engine behind a socket: its image was compared with the pins by whoever started it, so its name suffices."""
    assert manifest.engine
    try:
        with UciEngine(socket, seal.PIN_HASH_MIB) as engine:
            engine.require_name(manifest.engine.name)
    except EngineFault as error:
        raise PortFault(str(error)) from error
    rule = manifest.plan.engine
    return stockfish.Adjudicator(socket, rule.hash_mib, rule.nodes, stockfish.side_by_side(socket))
