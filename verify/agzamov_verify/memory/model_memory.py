"""The memory of one seat in one career whose model uses it by tool calls: ours, or those of the server itself.

Our own tools (`ModelMemory`):

    a decision   the model searches and saves as it likes, within a budget of calls (tool_calls)
    observe      after each contest: the model gets its observation, and is asked which notes to save; then the
                 contest is ended. A contest without a decision of the seat is ended without that question
    begin        as in `career_memory`, and so are finish and the placebo: other text in place of entries found

A text is saved only between the first decision of a contest and its end. In the stale arm a model that saves after the
declared contest is told the same as before, and nothing is stored: its prompts differ from the real arm's in the
entries found alone.

The server's own tools (native_tools): career, budget and the question after a contest are as above; what a call gives
are the server's words. A call that stores, or of which nobody knows what it does, is made only between the first
decision of a contest and its end. There is no placebo: no other text can stand in a server's own words.
"""

from collections.abc import Sequence
from typing import Final

from ..core.questions import CALLED, MEMORY, CallTool, Chat, Message, Store, Tool, ToolCall
from ..core.script import Script, ask
from .career_memory import PLAIN, CareerMemory, SearchLimits, ServerUse
from .native_tools import NATIVE_SYSTEM, Effect, Given, NativeTool, delivered, names_of, read_native_call, shown_native
from .placebo import Placebo
from .tool_calls import (
    CLOSING,
    NATIVE_CLOSING,
    NO_GAME,
    NOT_SAVED,
    NOTHING_FOUND,
    SAVED,
    SYSTEM,
    TOOLS,
    Conversation,
    Count,
    Find,
    Refused,
    Save,
    read_call,
    shown,
)

NOTE: Final = "note"
NOTHING_SEEN: Final = "(nothing that could be counted)"


class ModelMemory(CareerMemory):
    """The script's half of a memory server whose entries and searches are a model's."""

    tools: tuple[Tool, ...] = TOOLS
    closing: str = CLOSING

    def __init__(
        self,
        limits: SearchLimits,
        calls_max: int,
        placebo: Placebo | None = None,
        *,
        server: ServerUse = PLAIN,
        to: str = MEMORY,
        stores_until: int | None = None,
    ) -> None:
        super().__init__(limits, placebo, server=server, to=to, stores_until=stores_until)
        self.calls_max, self.tools_message = calls_max, SYSTEM.format(calls_max=calls_max)
        self._last: tuple[Chat, Count] | None = None
        self._is_open = False

    @property
    def toolbox(self) -> "ModelMemory":
        return self

    def recall(self, game: str, turn: int, query: str) -> Script[str]:  # noqa: ARG002 - the model searches for itself
        """Nothing: a model with a memory by tool calls searches by itself."""
        self._is_open = True
        yield from ()
        return ""

    def observe(self, game: str, content: str) -> Script[None]:
        """Ask the model which notes of the finished contest to save, and end it."""
        if self._last is not None:
            yield from self._ask_to_save(*self._last, game, content)
        self._last, self._is_open = None, False
        yield from self._end_game(game)

    def decided(self, question: Chat, count: Count) -> None:
        """Note the last question of a decision: the one after the contest goes to the same model in the same words."""
        self._last = question, count

    def shown(self, call: ToolCall) -> ToolCall:
        """A call as its model is shown it."""
        return shown(call)

    def result(self, question: Chat, call: ToolCall) -> Script[str]:
        """Result of a call, in words."""
        match read_call(call):
            case Find(query):
                return (yield from self._found(question, query))
            case Save(text):
                return (yield from self._saved(question, text))
            case Refused(sentence):
                return sentence

    def _ask_to_save(self, last: Chat, count: Count, game: str, content: str) -> Script[None]:
        words = self.closing.format(observation=content or NOTHING_SEEN, calls_max=self.calls_max)
        system = tuple(message for message in last.messages if message.role == "system")
        messages = (*system, Message(words, "user"))
        question = Chat(last.attempt + 1, game, messages, last.seed, last.to, last.turn, last.with_tools)
        yield from Conversation(self, count).ask(question)

    def _found(self, question: Chat, query: str) -> Script[str]:
        return "\n".join((yield from self._told(question.game, question.turn, query))) or NOTHING_FOUND

    def _saved(self, question: Chat, text: str) -> Script[str]:
        if not self._is_open:
            return NO_GAME
        if self._is_stale:
            return SAVED
        store = Store(
            attempt=self._next(question.game),
            content=text,
            entry=self._next_entry(),
            game=question.game,
            kind=NOTE,
            number=self._number,
            to=self._to,
            turn=question.turn,
        )
        answer = yield from self._store(store)
        return NOT_SAVED if answer.refused else SAVED


class NativeMemory(ModelMemory):
    """The script's half of a memory server whose own tools a model calls."""

    closing = NATIVE_CLOSING

    def __init__(
        self,
        limits: SearchLimits,
        calls_max: int,
        offered: Sequence[NativeTool],
        *,
        server: ServerUse = PLAIN,
        to: str = MEMORY,
    ) -> None:
        super().__init__(limits, calls_max, server=server, to=to)
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
