"""The row of all scripted kinds: their replies are computed here, the slow ones by the run's worker processes."""

from agzamov_verify.seats import ScriptedSeat

from ..adapters.local import LocalSeat
from ..ports import ChatPort
from ..seat_kind import PortInputs, SeatKind


class ScriptedKind(SeatKind[ScriptedSeat]):
    """Scripted players have no server."""

    def port(self, name: str, seat: ScriptedSeat, inputs: PortInputs) -> ChatPort:
        return LocalSeat(seat, inputs.pool if seat.is_slow else None)


ROW = ScriptedKind()
