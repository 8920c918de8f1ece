"""The tool of a game as a model may call it before a decision (the conversation is `memory.tool_loop`).

a name that was not offered       a sentence, and the call counts
arguments not as declared         a sentence, and the call counts; the tool is not asked
more calls than `calls_max`       the budget's sentence, and the tool is not asked
"""

from collections.abc import Callable, Mapping
from typing import Final

from ..memory.tool_loop import Count
from ..memory.tools import NO_ARGUMENTS, UNKNOWN
from ..questions import Chat, Tool, ToolCall
from ..script import Script

UNKNOWN_TOOL: Final = "There is no such tool. The tool is {name}."


class ToolCalls:
    """The calls of one decision, numbered from 1.

    `read`: what a call's arguments ask for, None where they are not as declared. `answer`: what the tool tells of that
    in the call of a number.
    """

    def __init__(
        self,
        tool: Tool,
        system: str,
        calls_max: int,
        malformed: str,
        read: Callable[[str], str | None],
        answer: Callable[[str, int], Script[str]],
    ) -> None:
        self.tools: tuple[Tool, ...] = (tool,)
        self.tools_message, self.calls_max = system, calls_max
        self._name, self._malformed, self._read, self._answer = tool.name, malformed, read, answer
        self._calls = 0

    def shown(self, call: ToolCall) -> ToolCall:
        """A call as its model is shown it: servers parse it once more, so it is as declared or without arguments."""
        fits = call.name == self._name and self._read(call.arguments) is not None
        return ToolCall(call.arguments if fits else NO_ARGUMENTS, call.name if call.name == self._name else UNKNOWN)

    def result(self, question: Chat, call: ToolCall) -> Script[str]:  # noqa: ARG002 - the game is known
        """What a call gives, in words."""
        self._calls += 1
        if call.name != self._name:
            return UNKNOWN_TOOL.format(name=self._name)
        wish = self._read(call.arguments)
        if wish is None:
            return self._malformed
        return (yield from self._answer(wish, self._calls))

    def decided(self, question: Chat, count: Count) -> None:
        """Do nothing: nothing lasts beyond the decision."""


def call_templates(game: str, tool: Tool, system: str, malformed: str) -> Mapping[str, str]:
    """Every text that a model reads of calling the tool, by name."""
    return {
        f"{game}/tool_calls": system,
        f"{game}/tool_{tool.name}": f"{tool.name}\n{tool.description}\n{tool.parameters}",
        f"{game}/tool_call_answers": f"{malformed}\n{UNKNOWN_TOOL}",
    }
