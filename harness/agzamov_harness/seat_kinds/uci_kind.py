"""The row of UCI engines: any engine of this machine, in as many processes as there are cores."""

from pathlib import Path

from agzamov_verify.core.questions import NoReply, Reply
from agzamov_verify.core.workers import cores
from agzamov_verify.engines.player_engine import MOVE_S_MAX, PlayerEngine
from agzamov_verify.seats import UciSeat
from agzamov_verify.table.scripted_players import position_of, stockfish_reply

from ..adapters.stockfish_ports import EnginePool
from ..ports import ChatPort, ChatRequest
from ..run.engine_programs import find_program, settings_of
from ..seat_kind import PortInputs, SeatKind


class UciChatPort:
    """A UCI engine as a ChatPort: reads the position from the prompt, answers in a model's format.

    An engine that ends, hangs, or answers no legal move is a fault of the machine: it stops the run, and is no move.
    """

    def __init__(self, path: Path, seat: UciSeat, size: int, move_s_max: float = MOVE_S_MAX) -> None:
        settings = settings_of(seat)
        self._seat = seat
        self._pool = EnginePool[PlayerEngine](lambda: PlayerEngine(path, settings, move_s_max), size)

    def complete(self, request: ChatRequest) -> Reply | NoReply:
        fen = position_of(request.messages)
        with self._pool.engine() as engine:
            return stockfish_reply(self._seat.engine or engine.name, engine.move(fen, self._seat.limit))

    def close(self) -> None:
        self._pool.close()


class UciKind(SeatKind[UciSeat]):
    """Its program is this machine's; a run in containers is refused."""

    def port(self, name: str, seat: UciSeat, inputs: PortInputs) -> ChatPort:
        return UciChatPort(find_program(name, seat, inputs.plan_folder).path, seat, cores())


ROW = UciKind()
