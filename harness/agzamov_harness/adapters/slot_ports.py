"""One seat whose slots are servers of their own: a request goes to a slot that is free, and waits for one."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from queue import LifoQueue

from agzamov_verify.core.questions import NoReply, Reply

from ..ports import ChatRequest
from .completion import ServerAnswer
from .endpoint import Endpoint


class SlotPorts:
    """A ChatPort, and one that can be probed, over the ports of all slots."""

    def __init__(self, ports: Sequence[Endpoint]) -> None:
        self._ports = tuple(ports)
        self._free: LifoQueue[Endpoint] = LifoQueue()
        for port in self._ports:
            self._free.put(port)

    def complete(self, request: ChatRequest) -> Reply | NoReply:
        """The model's reply to `request`. Raises PortFault."""
        with self._taken() as port:
            return port.complete(request)

    def probe(self, request: ChatRequest, tokens_max: int, likeliest: int) -> ServerAnswer:
        """First `tokens_max` tokens of the answer, with their log probabilities. Raises PortFault."""
        with self._taken() as port:
            return port.probe(request, tokens_max, likeliest)

    def close(self) -> None:
        for port in self._ports:
            port.close()

    @contextmanager
    def _taken(self) -> Iterator[Endpoint]:
        port = self._free.get()
        try:
            yield port
        finally:
            self._free.put(port)
