"""The row of `FixedModelSeat`, copied to `agzamov_harness/seat_kinds/`, with the line below in `seat_kind.ROWS`.

"fixed_model": "fixed_model_kind",
"""

from agzamov_verify.seats.fixed_model_seat import FixedModelSeat

from agzamov_verify.core.questions import NoReply, Reply

from ..ports import ChatPort, ChatRequest
from ..seat_kind import PortInputs, SeatKind


class FixedModel:
    """The outside world: nothing but the seat's own words."""

    def __init__(self, seat: FixedModelSeat) -> None:
        self._reply = Reply(text=seat.says, model="fixed", prompt_tokens=1, completion_tokens=1)

    def complete(self, request: ChatRequest) -> Reply | NoReply:
        return self._reply

    def close(self) -> None:
        """Nothing to let go of."""


class FixedModelKind(SeatKind[FixedModelSeat]):
    """A row gives a port; it is played in processes, and has no server to ask before a run."""

    def port(self, name: str, seat: FixedModelSeat, inputs: PortInputs) -> ChatPort:
        return FixedModel(seat)


ROW = FixedModelKind()
