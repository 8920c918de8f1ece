"""Builds the ports that a manifest names: one for each seat, and the engine."""

import multiprocessing
import os
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from agzamov_verify.feasible import needs_engine
from agzamov_verify.manifest import Manifest, Plan
from agzamov_verify.seats import EndpointSeat, RandomSeat, ReferenceSeat, Seat, StockfishSeat
from agzamov_verify.stockfish import EngineFault
from agzamov_verify.workers import cores, end_with_parent

from . import seal
from .adapters import stockfish
from .adapters.local import LocalSeat
from .answers import World
from .ports import ChatPort, EnginePort, PortFault, Wait

if TYPE_CHECKING:
    from .adapters.endpoint import Limits

LOCAL_STREAMS_PER_CORE = 4


def concurrency_of(plan: Plan) -> int:
    """How many streams to play side by side: what the endpoints allow, else a few for each core."""
    limits = [seat.concurrency for seat in plan.seats.values() if isinstance(seat, EndpointSeat)]
    return max(limits, default=LOCAL_STREAMS_PER_CORE * cores())


@contextmanager
def open_world(manifest: Manifest, engine_path: Path | None, wait: Wait = time.sleep) -> Iterator[World]:
    """The world of a run; everything is closed at the end. Raises PortFault if a part is missing.

    `wait` sleeps between tries, and may raise to stop.
    """
    plan = manifest.plan
    with ExitStack() as stack:
        pool = stack.enter_context(_workers()) if _has_local_seats(plan) else None
        seats: dict[str, ChatPort] = {}
        world = World(seats, _engine(manifest, engine_path))
        stack.callback(world.close)
        builder = _Builder(pool, engine_path, wait)
        for name, seat in plan.playing.items():
            seats[name] = builder.seat(name, seat)
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


class _Builder:
    """Makes the seats of one run; those of one endpoint share its limits."""

    def __init__(self, pool: Executor | None, engine_path: Path | None, wait: Wait) -> None:
        self._pool, self._engine_path, self._wait = pool, engine_path, wait
        self._limits: dict[str, Limits] = {}

    def seat(self, name: str, seat: Seat) -> ChatPort:
        match seat:
            case RandomSeat():
                return LocalSeat("random", None)
            case ReferenceSeat():
                return LocalSeat("reference", self._pool)
            case StockfishSeat():
                return self._stockfish(seat)
            case EndpointSeat():
                return self._endpoint(name, seat)
            case _:
                assert_never(seat)

    def _stockfish(self, seat: StockfishSeat) -> ChatPort:
        if self._engine_path is None:
            raise PortFault("a seat plays Stockfish; install it, on Debian 12: apt-get install stockfish")
        return stockfish.StockfishSeat(self._engine_path, seat.nodes, seat.skill, cores())

    def _endpoint(self, name: str, seat: EndpointSeat) -> ChatPort:
        from .adapters.endpoint import Endpoint, Limits  # noqa: PLC0415 - the client takes half a second to import

        limits = self._limits.setdefault(seat.base_url, Limits(seat, time.monotonic_ns))
        return Endpoint(name, seat, os.environ, time.monotonic_ns, self._wait, limits)


def _engine(manifest: Manifest, path: Path | None) -> EnginePort | None:
    if not needs_engine(manifest.plan):
        return None
    try:
        found = seal.pin_engine(path, manifest.plan.protocol)
    except EngineFault as error:
        raise PortFault(str(error)) from error
    if found != manifest.engine:
        raise PortFault(f"expected the sealed engine {manifest.engine}, found {found}; use the one that was sealed")
    assert path
    return stockfish.Adjudicator(path, manifest.plan.engine.hash_mib, manifest.plan.engine.nodes, cores())
