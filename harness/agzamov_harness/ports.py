"""The ports: what the harness needs from the outside world, in our words.

An adapter turns every foreign exception into PortFault. A PortFault stops the match, which can be
resumed; it is never a move.
"""

from typing import Protocol

import msgspec

from agzamov_verify.questions import Evaluate, Evaluation, Message, NoReply, Reply


class PortFault(Exception):
    """The world did not answer: a machine's fault. The message says what to do."""


class ChatRequest(msgspec.Struct, frozen=True):
    """What a seat is asked: the messages, and the sampling seed of this game."""

    messages: tuple[Message, ...]
    seed: int


class ChatPort(Protocol):
    """A seat: a model behind an endpoint, or a reference player."""

    def complete(self, request: ChatRequest) -> Reply | NoReply:
        """The seat's reply. Raises PortFault."""
        ...

    def close(self) -> None:
        """Let go of what the port holds."""
        ...


class EnginePort(Protocol):
    """The pinned engine that adjudicates."""

    def evaluate(self, question: Evaluate) -> Evaluation:
        """The engine's score of the position. Raises PortFault."""
        ...

    def close(self) -> None:
        """Let go of what the port holds."""
        ...


class Wait(Protocol):
    """Sleeps for some seconds; may raise because the run is to stop."""

    def __call__(self, seconds: float, /) -> object: ...


class Clock(Protocol):
    """Monotonic time in nanoseconds, for attested durations only."""

    def __call__(self) -> int: ...
