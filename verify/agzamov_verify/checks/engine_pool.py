"""Asks the pinned engine about many positions side by side: for whoever makes the answers and whoever checks them."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeAlias

from ..protocol import EngineNorm
from ..scoring.quality.positions import MoveEvaluation, Position, judge
from ..stockfish import UciEngine
from .asking import side_by_side

Judged: TypeAlias = tuple[Position, MoveEvaluation]
Require: TypeAlias = Callable[[UciEngine, EngineNorm], None]


def by_net(engine: UciEngine, norm: EngineNorm) -> None:
    """Raises EngineFault unless the engine has the protocol's name and net."""
    engine.require(norm.name, norm.net_sha256)


def by_name(engine: UciEngine, norm: EngineNorm) -> None:
    """Check of an engine by its name alone: its image was compared with the pin, and it cannot write its net."""
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
        self.engines, self._nodes = engines, nodes

    def answers(self, positions: Iterable[Position]) -> Generator[Judged, None, None]:
        """Each position with its answer, as they come. Close the generator to stop early. Raises EngineFault."""
        return side_by_side(positions, self.engines, self.answer)

    def answer(self, engine: UciEngine, position: Position) -> MoveEvaluation:
        """The judgement of `engine` on a position. Raises EngineFault."""
        return judge(position, lambda start, moves, only: engine.search(start, moves, self._nodes, only))
