"""The reference players behind the chat port, computed by worker processes on all cores."""

from concurrent.futures import Executor
from concurrent.futures.process import BrokenProcessPool

from agzamov_verify.questions import Message, NoReply, Reply

from ..ports import ChatRequest, PortFault
from .reference.players import reply


class LocalSeat:
    """A scripted player, `kind` "reference", "random" or "house", as a ChatPort. The pool is not its own.

    A scripted player has no tokenizer: it reports words as tokens.
    """

    def __init__(self, kind: str, pool: Executor | None) -> None:
        self._kind, self._pool = kind, pool

    def complete(self, request: ChatRequest) -> Reply | NoReply:
        text = self._text(request.messages, request.seed)
        return Reply(
            text=text,
            model=self._kind,
            prompt_tokens=sum(len(message.content.split()) for message in request.messages),
            completion_tokens=len(text.split()),
        )

    def close(self) -> None:
        """Nothing to let go of."""

    def _text(self, messages: tuple[Message, ...], seed: int) -> str:
        if self._pool is None:
            return reply(self._kind, messages, seed)
        try:
            return self._pool.submit(reply, self._kind, messages, seed).result()
        except BrokenProcessPool as error:
            raise PortFault("a worker process of the reference players has died; resume the run") from error
