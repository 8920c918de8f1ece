"""The row of Stockfish seats: the protocol's engine, in as many processes as there are cores."""

from pathlib import Path

from agzamov_verify.engines.uci_engine import EngineFault
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.seats import StockfishSeat

from ..adapters import stockfish_ports
from ..ports import ChatPort, PortFault
from ..run import seal
from ..seat_kind import PortInputs, SeatKind


class StockfishKind(SeatKind[StockfishSeat]):
    """Its container is the adjudicator's (`containers.topology`)."""

    def require(self, plan: Plan, engine: Path | None) -> None:
        """A Stockfish seat must be the protocol's engine: verification asks that one again."""
        if engine is None or engine.is_socket():  # behind a socket is an image that was compared with its pin
            return
        try:
            seal.pin_engine(engine, plan.protocol)
        except EngineFault as error:
            raise PortFault(f"a seat plays Stockfish: {error}") from error

    def port(self, name: str, seat: StockfishSeat, inputs: PortInputs) -> ChatPort:
        if inputs.engine is None:
            raise PortFault("a seat plays Stockfish; install it, on Debian 12: apt-get install stockfish")
        size = stockfish_ports.processes_side_by_side(inputs.engine)
        return stockfish_ports.StockfishChatPort(inputs.engine, seat.nodes, seat.skill, size)


ROW = StockfishKind()
