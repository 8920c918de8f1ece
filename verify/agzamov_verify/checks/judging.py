"""Asks the pinned engine about many positions side by side: for whoever makes the answers and whoever checks them."""

from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import TypeAlias

from ..protocol import EngineNorm
from ..questions import Evaluation
from ..scoring.quality.positions import Judgement, Position, judge
from ..stockfish import UciEngine

WAITING_PER_ENGINE = 8

Judged: TypeAlias = tuple[Position, Judgement]
Require: TypeAlias = Callable[[UciEngine, EngineNorm], None]


def by_net(engine: UciEngine, norm: EngineNorm) -> None:
    """Raises EngineFault unless the engine has the protocol's name and net."""
    engine.require(norm.name, norm.net_sha256)


def by_name(engine: UciEngine, norm: EngineNorm) -> None:
    """For an engine in an image that was compared with its pin, and that has nowhere to write its net."""
    engine.require_name(norm.name)


@contextmanager
def open_judges(path: Path, norm: EngineNorm, nodes: int, count: int, require: Require = by_net) -> Iterator["Judges"]:
    """`count` engines of the protocol, one thread each, the first of which is asked who it is. Raises EngineFault."""
    with ExitStack() as stack:
        engines = [stack.enter_context(UciEngine(path, norm.hash_mib)) for _ in range(max(1, count))]
        require(engines[0], norm)
        yield Judges(engines, nodes)


class Judges:
    """Engines that share the work. An answer depends on its question alone, not on who gave it or what came before."""

    def __init__(self, engines: list[UciEngine], nodes: int) -> None:
        self._count, self._nodes = len(engines), nodes
        self._idle: SimpleQueue[UciEngine] = SimpleQueue()
        for engine in engines:
            self._idle.put(engine)

    def answers(self, positions: Iterable[Position]) -> Generator[Judged, None, None]:
        """Each position with its answer, as they come. Close the generator to stop early. Raises EngineFault."""
        waiting: set[Future[Judged]] = set()
        with ThreadPoolExecutor(self._count, "judge") as pool:
            try:
                for position in positions:
                    waiting.add(pool.submit(self._judge, position))
                    if len(waiting) >= WAITING_PER_ENGINE * self._count:
                        done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                        yield from (future.result() for future in done)
                while waiting:
                    done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in done)
            finally:
                for future in waiting:
                    future.cancel()

    def _judge(self, position: Position) -> Judged:
        engine = self._idle.get()
        try:
            return position, judge(position, self._searching(engine))
        finally:
            self._idle.put(engine)

    def _searching(self, engine: UciEngine) -> Callable[[str, str, str], tuple[str, Evaluation]]:
        return lambda start_fen, moves, only: engine.search(start_fen, moves, self._nodes, only)
