"""The only place where a question becomes a call on a port.

    Ports   everybody who can be asked in a run: shared ports, and what opens a port for one stream alone
    World   the ports of one stream

A port with a state (a memory) is opened for each stream, and after a crash it is brought to where it was by the
recorded questions and answers of that stream. Of questions that are asked together, it gets its own one after another,
in their order; a shared port has no state, and gets them at once.
"""

from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from types import MappingProxyType
from typing import Protocol

from agzamov_verify.core.questions import ENGINE, Answer, Chat, Evaluate, Question
from agzamov_verify.core.seat_letters import SEATS_MAX, tool_name

from ..ports import ChatPort, ChatRequest, EnginePort, Port, PortFault

OpenPort = Callable[[str], Port | None]
"""Opens a port for the stream of this id; None where that stream has none."""
NO_PORTS: Mapping[str, OpenPort] = MappingProxyType({})


class World:
    """Answers the questions of one stream: each by the port of whoever is asked. `shared`: ports without a state."""

    def __init__(self, ports: Mapping[str, Port], shared: Container[str] = ()) -> None:
        self._ports, self._shared = ports, shared

    def __call__(self, question: Question) -> Answer:
        return self._port(question).answer(question)

    def restore(self, question: Question, recorded: Answer) -> None:
        """Give the port of a question the answer that it gave in an earlier process."""
        self._port(question).restore(question, recorded)

    def is_shared(self, question: Question) -> bool:
        """True if the port of a question may be asked several at once."""
        return question.to in self._shared

    def close(self) -> None:
        """Close every port of this world."""
        for port in self._ports.values():
            port.close()

    def _port(self, question: Question) -> Port:
        try:
            return self._ports[question.to]
        except KeyError:
            raise PortFault(f"the run has no {question.to} to ask") from None


class Ports(Protocol):
    """Opens the world of each stream."""

    def open(self, stream: str) -> AbstractContextManager[World]:
        """The world of the stream of this id. Raises PortFault if a part is missing."""
        ...


class RunPorts:
    """The ports of one run: `shared` ones stay open for all of it, `opened` are made for each stream."""

    def __init__(self, shared: Mapping[str, Port], opened: Mapping[str, OpenPort] = NO_PORTS) -> None:
        self._shared, self._opened = shared, opened

    @contextmanager
    def open(self, stream: str) -> Iterator[World]:
        with ExitStack() as stack:
            ports, opened = dict(self._shared), set()
            for name, open_port in self._opened.items():
                if port := open_port(stream):
                    ports[name] = port
                    opened.add(name)
                    stack.callback(port.close)
            yield World(ports, self._shared.keys() - opened)


class SeatPort:
    """A seat: its reply depends on the messages alone, so there is nothing to restore."""

    def __init__(self, seat: ChatPort) -> None:
        self._seat = seat

    def answer(self, question: Question) -> Answer:
        assert isinstance(question, Chat)
        return self._seat.complete(ChatRequest(question.messages, question.seed, question.with_tools))

    def restore(self, question: Question, recorded: Answer) -> None:
        pass

    def close(self) -> None:
        self._seat.close()


class AdjudicatorPort:
    """The pinned engine: its score depends on the position alone, so there is nothing to restore."""

    def __init__(self, engine: EnginePort) -> None:
        self._engine = engine

    def answer(self, question: Question) -> Answer:
        assert isinstance(question, Evaluate)
        return self._engine.evaluate(question)

    def restore(self, question: Question, recorded: Answer) -> None:
        pass

    def close(self) -> None:
        self._engine.close()


def ports_of(seats: Mapping[str, ChatPort], engine: EnginePort | None, tools: Port | None = None) -> dict[str, Port]:
    """The ports of seats, tools and engine by name, all without a state. `tools` answers for those of every seat.

    A seat that is a port itself, as a person is, gets questions, not their messages alone.
    """
    ports: dict[str, Port] = {name: seat if isinstance(seat, Port) else SeatPort(seat) for name, seat in seats.items()}
    if tools:
        ports |= dict.fromkeys(map(tool_name, range(SEATS_MAX)), tools)
    return {**ports, ENGINE: AdjudicatorPort(engine)} if engine else ports


class Answering(World):
    """One function that answers everybody's questions in every stream, and has no state."""

    def __init__(self, answer: Callable[[Question], Answer]) -> None:
        super().__init__({})
        self._answer = answer

    def __call__(self, question: Question) -> Answer:
        return self._answer(question)

    def restore(self, question: Question, recorded: Answer) -> None:
        pass

    def is_shared(self, question: Question) -> bool:  # noqa: ARG002 - it has no state
        return True

    @contextmanager
    def open(self, stream: str) -> Iterator[World]:  # noqa: ARG002 - the same for all
        """The same answers for every stream."""
        yield self
