"""The tool of a game: who may ask it and how much, how its server is asked, and how a model calls it.

Use of a tool: its asker, its limits at each decision of its seat, and whether it is a placebo.

The law: a tool is asked about nothing but what its seat may know. In the placebo arm it is asked the same at the same
moments, and the prompt gets an answer of the same form, drawn from the seed, in place of its own.

The tool of a game: what its server is asked, what may be recorded of its answer, and who makes that answer again.

question in a journal     one type of question, such as `Examine`
call of the server        the name of a tool, arguments, and the shape of the result
answer in the journal     made of the result; refused where it is not about what was asked

The tools of a game as a model may call them before a decision (the conversation is `memory.tool_calls`).

a name that was not offered       a sentence, and the call counts
arguments not as declared         a sentence, and the call counts; the tool is not asked
more calls than `calls_max`       the budget's sentence, and the tool is not asked
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple, TypeAlias

import msgspec

from ..core.questions import TOOL, Calculated, Chat, Examined, Question, Tool, ToolCall
from ..core.script import Script
from ..memory.tool_calls import NO_ARGUMENTS, UNKNOWN, Count

COMPARE, BEST_LINES, EVALUATE = "compare_moves", "best_lines", "evaluate_position"
"""Names of the engine's tools, to a model and on its server."""
LINES_MOST: Final = 10
"""Of best lines in one call, whatever a plan says."""


class ToolUse(msgspec.Struct, frozen=True):
    """Limits of a tool at one decision. `is_placebo`: a drawn answer is told. `to`: its name in a journal.

    `calls_max`: calls that the seat's model may make; 0: the harness asks, once. `candidates_max`: moves of chess that
    it examines in a call, `lines_max`: best moves that it finds in one, with `nodes` each. `comparisons_max`: showdowns
    of hold'em that it compares. `is_steered`: what it examines is chosen in the light of what is recalled of the
    opponent, in the full stack. `offers`: the names of the engine's tools that a model may call.
    """

    calls_max: int
    candidates_max: int
    comparisons_max: int
    nodes: int
    is_placebo: bool
    is_steered: bool = False
    lines_max: int = 0
    offers: tuple[str, ...] = ()
    to: str = TOOL

    @property
    def moves_max(self) -> int:
        """Moves that the engine may search at one time it is asked, each with `nodes`."""
        return max(self.candidates_max, self.lines_max if BEST_LINES in self.offers else 0)


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
    def words(self, use: ToolUse) -> str:
        """What the tool tells at each time it is asked, within these limits."""

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


UNKNOWN_TOOL: Final = "There is no such tool. On offer: {names}."

Asking: TypeAlias = Callable[[int], Script[str]]
"""Asks a tool in the call of a number; what it tells, in words."""


class OfferedTool(NamedTuple):
    """A tool on offer. `read`: parses a call's arguments; None where they are not as declared.

    `malformed`: the sentence for such a call.
    """

    tool: Tool
    malformed: str
    read: Callable[[str], Asking | None]


class ToolCalls:
    """The calls of one decision, numbered from 1."""

    def __init__(self, offered: Sequence[OfferedTool], system: str, calls_max: int) -> None:
        self.tools: tuple[Tool, ...] = tuple(one.tool for one in offered)
        self.tools_message, self.calls_max = system, calls_max
        self._offered = {one.tool.name: one for one in offered}
        self._calls = 0

    def shown(self, call: ToolCall) -> ToolCall:
        """A call as its model is shown it: servers parse it once more, so it is as declared or without arguments."""
        offered = self._offered.get(call.name)
        fits = offered is not None and offered.read(call.arguments) is not None
        return ToolCall(given(call.arguments) if fits else NO_ARGUMENTS, call.name if offered else UNKNOWN)

    def result(self, question: Chat, call: ToolCall) -> Script[str]:  # noqa: ARG002 - the game is known
        """Result of a call, in words."""
        self._calls += 1
        offered = self._offered.get(call.name)
        if offered is None:
            return UNKNOWN_TOOL.format(names=", ".join(self._offered))
        asking = offered.read(call.arguments)
        if asking is None:
            return offered.malformed
        return (yield from asking(self._calls))

    def decided(self, question: Chat, count: Count) -> None:
        """Do nothing: nothing lasts beyond the decision."""


def given(arguments: str) -> str:
    """The arguments of a call; servers spell a call without any as nothing, or as null."""
    return NO_ARGUMENTS if arguments.strip() in ("", "null") else arguments


def call_templates(game: str, tools: Sequence[Tool], system: str, sentences: Sequence[str]) -> Mapping[str, str]:
    """Every text that a model reads of calling these tools, by name."""
    return {
        f"{game}/tool_calls": system,
        **{f"{game}/tool_{tool.name}": f"{tool.name}\n{tool.description}\n{tool.parameters}" for tool in tools},
        f"{game}/tool_call_answers": "\n".join((*sentences, UNKNOWN_TOOL)),
    }
