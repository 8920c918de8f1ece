"""The only place where a question becomes a call on a port."""

from collections.abc import Mapping
from typing import assert_never

from agzamov_verify.questions import Answer, Chat, Evaluate, Question

from .ports import ChatPort, ChatRequest, EnginePort, PortFault


class World:
    """Answers questions through the ports of one run."""

    def __init__(self, seats: Mapping[str, ChatPort], engine: EnginePort | None) -> None:
        self._seats, self._engine = seats, engine

    def __call__(self, question: Question) -> Answer:
        match question:
            case Chat():
                return self._seats[question.seat].complete(ChatRequest(question.messages, question.seed))
            case Evaluate():
                if self._engine is None:
                    raise PortFault("the run has no engine to ask")
                return self._engine.evaluate(question)
            case _:
                assert_never(question)

    def close(self) -> None:
        for port in (*self._seats.values(), self._engine):
            if port is not None:
                port.close()
