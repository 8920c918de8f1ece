"""The memory of one seat in one career whose model calls the server's own tools (native_tools).

Career, budget and the question after a contest are as in `model_memory`; what a call gives are the server's words. A
call that stores, or of which nobody knows what it does, is made only between the first decision of a contest and its
end. There is no placebo: no other text can stand in a server's own words.
"""

from collections.abc import Sequence

from ..questions import CALLED, MEMORY, CallTool, Chat, ToolCall
from ..script import Script, ask
from .career_memory import Limits
from .model_memory import ModelMemory
from .native_tools import (
    NATIVE_SYSTEM,
    Effect,
    Given,
    NativeTool,
    delivered,
    names_of,
    read_native_call,
    shown_native,
)
from .tools import NATIVE_CLOSING, NO_GAME, Refused


class NativeMemory(ModelMemory):
    """The script's half of a memory server whose own tools a model calls."""

    closing = NATIVE_CLOSING

    def __init__(self, limits: Limits, calls_max: int, offered: Sequence[NativeTool], *, to: str = MEMORY) -> None:
        super().__init__(limits, calls_max, to=to)
        self._offered = {tool.name: tool for tool in offered}
        self.tools = tuple(tool.tool for tool in offered)
        self.tools_message = NATIVE_SYSTEM.format(calls_max=calls_max, names=names_of(self._offered))

    def shown(self, call: ToolCall) -> ToolCall:
        return shown_native(call, self._offered)

    def result(self, question: Chat, call: ToolCall) -> Script[str]:
        match read_native_call(call, self._offered):
            case Refused(sentence):
                return sentence
            case Given(tool) if tool.effect is not Effect.SEARCHES and not self._is_open:
                return NO_GAME
            case Given(tool, text):
                return (yield from self._result_of(question, call, tool, text))

    def _result_of(self, question: Chat, call: ToolCall, tool: NativeTool, text: str) -> Script[str]:
        """The server's words in answer to a call."""
        asked = CallTool(
            attempt=self._next(question.game),
            called_with=call.arguments,
            content=text,
            entry=self._next_entry() if tool.effect is Effect.STORES else "",
            game=question.game,
            hits_max=self._limits.hits_max,
            number=self._number,
            to=self._to,
            tool=tool.name,
            turn=question.turn,
        )
        answer = yield from ask(asked, CALLED)
        return delivered(answer.text, self._limits.bytes_max)
