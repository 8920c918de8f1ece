"""The row of all scripted kinds: replies are computed here, the slow ones by worker processes on all cores."""

from concurrent.futures import Executor
from concurrent.futures.process import BrokenProcessPool

from agzamov_verify.core.questions import Message, NoReply, Reply
from agzamov_verify.seats import ScriptedSeat, Seat
from agzamov_verify.table.scripted_players import with_words_as_tokens

from ..ports import ChatPort, ChatRequest, PortFault
from ..seat_kind import PortInputs, SeatKind


class LocalSeat:
    """A scripted player as a ChatPort. The pool, which computes its replies, is not its own; None: in this process."""

    def __init__(self, seat: Seat, pool: Executor | None) -> None:
        self._seat, self._pool = seat, pool

    def complete(self, request: ChatRequest) -> Reply | NoReply:
        return with_words_as_tokens(self._seat.kind, request.messages, self._text(request.messages, request.seed))

    def close(self) -> None:
        """Do nothing: the port holds nothing."""

    def _text(self, messages: tuple[Message, ...], seed: int) -> str:
        if self._pool is None:
            return self._seat.reply_text(messages, seed)
        try:
            return self._pool.submit(self._seat.reply_text, messages, seed).result()
        except BrokenProcessPool as error:
            raise PortFault(f"a worker process of the {self._seat.kind} players has died; resume the run") from error


class ScriptedKind(SeatKind[ScriptedSeat]):
    """Scripted players have no server."""

    def port(self, name: str, seat: ScriptedSeat, inputs: PortInputs) -> ChatPort:
        return LocalSeat(seat, inputs.pool if seat.is_slow else None)


ROW = ScriptedKind()
