"""The tools of a game as a model may call them before a decision (the conversation is `memory.tool_loop`).

a name that was not offered       a sentence, and the call counts
arguments not as declared         a sentence, and the call counts; the tool is not asked
more calls than `calls_max`       the budget's sentence, and the tool is not asked
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from ..memory.tool_loop import Count
from ..memory.tools import NO_ARGUMENTS, UNKNOWN
from ..questions import Chat, Tool, ToolCall
from ..script import Script

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
