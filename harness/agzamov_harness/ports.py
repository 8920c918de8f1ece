"""The ports: the harness's needs from the outside world, in our words.

An adapter turns every foreign exception into PortFault. A PortFault stops the match, which can be
resumed; it is never a move.
"""

from typing import Protocol, runtime_checkable

import msgspec

from agzamov_verify.core.questions import Answer, Evaluate, Evaluation, Message, NoReply, Question, Reply, Tool
from agzamov_verify.core.survey_question import Survey


class PortFault(Exception):
    """A machine or server failed, not a seat. The message says what to do."""


class ModelFault(PortFault):
    """The weights, their store or their server are not what a run needs or promised. The message is one line."""


class ChatRequest(msgspec.Struct, frozen=True):
    """Request to a seat: the messages, the sampling seed of this game, and the tools that it may call."""

    messages: tuple[Message, ...]
    seed: int
    tools: tuple[Tool, ...] = ()


class Completion(Reply, frozen=True, kw_only=True):
    """A reply, with its server's id and fingerprint of the call, which the recorder writes beside the journal."""

    fingerprint: str = ""
    id: str = ""

    @property
    def reply(self) -> Reply:
        """Reply as it goes into the journal, and as the script sees it."""
        return Reply(**{name: getattr(self, name) for name in Reply.__struct_fields__})


class ChatPort(Protocol):
    """A seat: a model behind an endpoint, or a reference player."""

    def complete(self, request: ChatRequest) -> Reply | NoReply:
        """The seat's reply, a Completion where its server names its calls. Raises PortFault."""
        ...

    def close(self) -> None:
        """Release the port's resources."""
        ...


class People(Protocol):
    """The people of a run."""

    def seat(self, name: str) -> ChatPort:
        """The port of the person at a seat."""
        ...

    def choose(self, seat: str, question: Survey) -> str:
        """A person's choice among some answers beside a game. Raises Stopped."""
        ...


class EnginePort(Protocol):
    """The pinned engine that adjudicates."""

    def evaluate(self, question: Evaluate) -> Evaluation:
        """The engine's score of the position. Raises PortFault."""
        ...

    def close(self) -> None:
        """Release the port's resources."""
        ...


@runtime_checkable
class Port(Protocol):
    """Whoever answers questions under one name, during one stream."""

    def answer(self, question: Question) -> Answer:
        """The answer to a question. Raises PortFault."""
        ...

    def restore(self, question: Question, recorded: Answer) -> None:
        """Take up a recorded question and answer of an earlier process: called in order, before the first new question.

        A port without a state has nothing to do. Raises PortFault where the state cannot be had again.
        """
        ...

    def close(self) -> None:
        """Release the port's resources."""
        ...


class Wait(Protocol):
    """Sleeps for some seconds; may raise because the run is to stop."""

    def __call__(self, seconds: float, /) -> object: ...


class Clock(Protocol):
    """Nanoseconds of the Unix clock that never go back, for attested times and durations only."""

    def __call__(self) -> int: ...
