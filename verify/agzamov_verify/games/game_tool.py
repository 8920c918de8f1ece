"""The tool of a game: what its server is asked, what may be recorded of its answer, and who makes that answer again.

question in a journal     one type of question, such as `Examine`
call of the server        the name of a tool, arguments, and the shape of the result
answer in the journal     made of the result; refused where it is not about what was asked
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, TypeAlias

import msgspec

from ..questions import Calculated, Examined, Question

ToolAnswer: TypeAlias = Calculated | Examined


class ServerCall(NamedTuple):
    """A call of a tool's server: name, arguments, and the type that its structured result must have."""

    tool: str
    arguments: Mapping[str, Any]
    result: type[Any]


class Misfit(NamedTuple):
    """Expected and received, for an answer that does not fit."""

    expected: str
    found: str


class GameTool(ABC):
    """A game's declaration of its tool.

    - `server`: the name of its server, in `agzamov_tools` and to clients.
    - `question`: the type of question that it answers. No two servers answer the same.
    - `asks_engine`: the server asks the chess engine, so its answers are checked by asking that again; else
      `computed` makes them.
    - `calls`: names of the tools that a model may call, in the order in which a scripted player prefers them.
    - `nothing_asked`: the text for a seat that named nothing that could be asked; empty where that cannot be.
    """

    server: ClassVar[str]
    question: ClassVar[type[Any]]
    asks_engine: ClassVar[bool]
    calls: ClassVar[tuple[str, ...]]
    nothing_asked: ClassVar[str] = ""

    @abstractmethod
    def call(self, question: Any) -> ServerCall:
        """The call that a question is asked by."""

    @abstractmethod
    def answer(self, result: Any) -> ToolAnswer:
        """The answer that a result is recorded as."""

    def misfit(self, question: Any, answer: Any) -> Misfit | None:  # noqa: ARG002 - a type may say it all
        """The reason why an answer cannot be one to the question; None where it can."""
        return None

    @abstractmethod
    def sample(self, question: Any) -> ToolAnswer:
        """Some answer as long as answers are, for samples of prompts."""

    def computed(self, question: Any) -> ToolAnswer:
        """The answer of a tool without an engine, made again."""
        raise NotImplementedError

    def scripted_request(self, call: str) -> str:  # noqa: ARG002 - see chess
        """The request after which a scripted player names what it would call this tool with; empty for nothing."""
        return ""

    def scripted_arguments(self, reply: str) -> Mapping[str, Any]:  # noqa: ARG002
        """The arguments of a call, from a scripted player's reply to that request."""
        return {}


def only(question: Question, *names: str) -> dict[str, Any]:
    """Some fields of a question, as arguments."""
    return {name: msgspec.to_builtins(getattr(question, name)) for name in names}
