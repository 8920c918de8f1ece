"""Stockfish behind two ports: the engine that adjudicates, and a seat of limited strength."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, TypeVar

from agzamov_verify.core.questions import Evaluate, Evaluation, NoReply, Reply
from agzamov_verify.core.workers import cores
from agzamov_verify.engines.uci_engine import EngineFault, UciEngine, seated_engine
from agzamov_verify.table.scripted_players import position_of, stockfish_reply

from ..foundation.pool import Pool
from ..ports import ChatRequest, PortFault

E = TypeVar("E", bound=UciEngine)

BEHIND_SOCKET_MAX = 64  # of each sort; images/stockfish gives out 256


def processes_side_by_side(path: Path) -> int:
    """Number of engines to run in parallel at `path`: one per core, but no more than a socket gives out."""
    return min(cores(), BEHIND_SOCKET_MAX) if path.is_socket() else cores()


class EnginePool(Generic[E]):
    """Up to `size` engine processes, started when first needed and shared by threads."""

    def __init__(self, start: Callable[[], E], size: int) -> None:
        self._start = start
        self._pool = Pool(self._started, size)
        self.close = self._pool.close

    @contextmanager
    def engine(self) -> Iterator[E]:
        """An engine of our own for a while. A dead one is not given back. Raises PortFault."""
        try:
            with self._pool.lent() as engine:
                yield engine
        except EngineFault as error:
            raise PortFault(f"the engine failed: {error}; resume the run") from error

    def _started(self) -> E:
        try:
            return self._start()
        except EngineFault as error:
            raise PortFault(str(error)) from error


class StockfishAdjudicator:
    """The pinned engine as an EnginePort."""

    def __init__(self, path: Path, hash_mib: int, nodes: int, size: int) -> None:
        self._pool = EnginePool(lambda: UciEngine(path, hash_mib), size)
        self._nodes = nodes

    def evaluate(self, question: Evaluate) -> Evaluation:
        with self._pool.engine() as engine:
            return engine.evaluate(question, self._nodes)

    def close(self) -> None:
        self._pool.close()


class StockfishChatPort:
    """Stockfish as a ChatPort: reads the position from the prompt, answers in a model's format."""

    def __init__(self, path: Path, nodes: int, skill: int, size: int) -> None:
        self._pool = EnginePool(lambda: seated_engine(path, skill), size)
        self._limit = f"nodes {nodes}"

    def complete(self, request: ChatRequest) -> Reply | NoReply:
        fen = position_of(request.messages)
        with self._pool.engine() as engine:
            return stockfish_reply(engine.name, engine.best_move(fen, "", self._limit))

    def close(self) -> None:
        self._pool.close()
