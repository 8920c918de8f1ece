"""The conversation of one decision with a seat that may call tools: it is asked, its calls are answered, asked again.

The law: a reply with calls is no decision, whatever its text says, and a decision makes at most `calls_max` calls. Once
a call was answered that the budget is used up, the calls of the next replies are left out and their text is the answer.
"""

from collections.abc import Callable
from typing import Final, Protocol, TypeAlias

import msgspec

from ..questions import REPLY, Chat, Message, NoReply, Reply, Tool, ToolCall
from ..script import Script, ask
from .tools import BUDGET_USED, called, result

Count: TypeAlias = Callable[[Reply | NoReply], None]
"""Adds a call of a model to the seat's tally."""
SYSTEM_ROLE: Final = "system"


class Toolbox(Protocol):
    """The tools of a seat. `calls_max`: how many calls of them a decision may make."""

    tools: tuple[Tool, ...]
    tools_message: str
    calls_max: int

    def shown(self, call: ToolCall) -> ToolCall:
        """A call as its model is shown it."""
        ...

    def result(self, question: Chat, call: ToolCall) -> Script[str]:
        """Result of a call."""
        ...

    def decided(self, question: Chat, count: Count) -> None:
        """Note the last question of a decision."""
        ...


class Conversation:
    """One decision. `count` takes each reply; without a toolbox a question is asked as it is."""

    def __init__(self, toolbox: Toolbox | None, count: Count) -> None:
        self._toolbox, self._count = toolbox, count
        self._calls = 0
        self._is_over_budget = False

    def ask(self, question: Chat) -> Script[tuple[Chat, Reply | NoReply]]:
        """The last question and its answer: the first that calls no tool, or that may call none."""
        if self._toolbox is None:
            answer = yield from ask(question, REPLY)
            self._count(answer)
            return question, answer
        question = offering(question, self._toolbox)
        while True:
            answer = yield from ask(question, REPLY)
            self._count(answer)
            calls = answer.tool_calls if isinstance(answer, Reply) else ()
            if not calls or self._is_over_budget:
                self._toolbox.decided(question, self._count)
                return question, answer
            assert isinstance(answer, Reply)
            question = yield from self._answered(self._toolbox, question, answer)

    def _answered(self, toolbox: Toolbox, question: Chat, answer: Reply) -> Script[Chat]:
        """The next question: the model's calls and their results."""
        message = called(answer.text, [toolbox.shown(call) for call in answer.tool_calls], self._calls + 1)
        messages = [*question.messages, message]
        for call, sent in zip(answer.tool_calls, message.tool_calls, strict=True):
            self._calls += 1
            if self._calls > toolbox.calls_max:
                self._is_over_budget = True
                text = BUDGET_USED.format(calls_max=toolbox.calls_max)
            else:
                text = yield from toolbox.result(question, call)
            messages.append(result(sent, text))
        return msgspec.structs.replace(question, attempt=question.attempt + 1, messages=tuple(messages))


def offering(question: Chat, toolbox: Toolbox) -> Chat:
    """The question with the tools on offer, and their description in its system message."""
    if question.with_tools:
        return question
    messages = tuple(_with_tools_message(message, toolbox.tools_message) for message in question.messages)
    return msgspec.structs.replace(question, messages=messages, with_tools=toolbox.tools)


def _with_tools_message(message: Message, text: str) -> Message:
    if message.role != SYSTEM_ROLE:
        return message
    return msgspec.structs.replace(message, content=f"{message.content}\n\n{text}")
