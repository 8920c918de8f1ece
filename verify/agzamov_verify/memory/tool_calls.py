"""Tool calls of a model: the conversation of one decision, and the tools `memory_save` and `memory_search`.

A call is read by fixed rules, whatever a model or its server writes:

    a name that was not offered          UNKNOWN_TOOL, and the call counts
    arguments that are not as declared   the tool's MALFORMED sentence, and the call counts: no JSON, another key or
                                         type, no text, more than `TEXT_CHARACTERS_MAX` characters, control characters
    more calls than the budget           BUDGET_USED, and nothing is asked of the memory
    text beside calls                    it stays in the conversation and declares nothing

A call is shown to its model spelled anew where it was not as declared: a server may refuse what is no JSON.

In the conversation of one decision the seat is asked, its calls are answered, and it is asked again. The law: a reply
with calls is no decision, whatever its text says, and a decision makes at most `calls_max` calls. Once a call was
answered that the budget is used up, the calls of the next replies are left out and their text is the answer.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Final, Protocol, TypeAlias

import msgspec
from msgspec import Meta

from ..core.questions import REPLY, Chat, Message, NoReply, Reply, SentCall, Tool, ToolCall
from ..core.script import Script, ask

TEXT_CHARACTERS_MAX: Final = 1_000
SAVE: Final = "memory_save"
SEARCH: Final = "memory_search"
UNKNOWN: Final = "unknown_tool"
NO_ARGUMENTS: Final = "{}"
ID_DIGITS: Final = 5

SYSTEM: Final = """\
You have a memory that lasts from one game to the next, and your opponent stays the same. memory_search finds texts \
that you saved in earlier games, and memory_save keeps a text. You may make at most {calls_max} calls of these tools \
before each decision. What you do not save is forgotten. A reply that calls a tool declares nothing: declare in a \
reply without calls, in the form told above."""

CLOSING: Final = """\
This contest is over, and nothing is to be declared now. What you saw of your opponent in it:
{observation}
Keep with memory_save what you want to know of this opponent in later games. You may make at most {calls_max} calls. A \
reply without calls ends this."""

NATIVE_CLOSING: Final = """\
This contest is over, and nothing is to be declared now. What you saw of your opponent in it:
{observation}
Keep in your memory, with its tools, what you want to know of this opponent in later games. You may make at most \
{calls_max} calls. A reply without calls ends this."""

SAVED: Final = "Saved."
NOT_SAVED: Final = "Not saved: the memory refused this text."
NO_GAME: Final = "Not saved: no game is being played."
NOTHING_FOUND: Final = "Nothing was found."
UNKNOWN_TOOL: Final = "There is no such tool. The tools are memory_save and memory_search."
BUDGET_USED: Final = "The budget of {calls_max} calls is used up: this call was not made. Answer without calls now."
MALFORMED: Final[Mapping[str, str]] = {
    SAVE: 'Not saved: expected arguments of the form {"text": "..."} with 1 to 1000 characters.',
    SEARCH: 'Not searched: expected arguments of the form {"query": "..."} with 1 to 1000 characters.',
}

TOOLS: Final = (
    Tool(
        "Search your memory of earlier games. Gives the texts that fit best, one below the other.",
        SEARCH,
        '{"additionalProperties":false,"properties":{"query":{"description":"Words to search for, '
        'at most 1000 characters.","type":"string"}},"required":["query"],"type":"object"}',
    ),
    Tool(
        "Save a text in your memory, to be found in later games.",
        SAVE,
        '{"additionalProperties":false,"properties":{"text":{"description":"The text to keep, '
        'at most 1000 characters.","type":"string"}},"required":["text"],"type":"object"}',
    ),
)

TEMPLATES: Final[Mapping[str, str]] = {
    "memory/system": SYSTEM,
    "memory/closing": CLOSING,
    "memory/answers": "\n".join(
        (SAVED, NOT_SAVED, NO_GAME, NOTHING_FOUND, UNKNOWN_TOOL, BUDGET_USED, *MALFORMED.values())
    ),
    **{f"memory/tool_{tool.name}": f"{tool.name}\n{tool.description}\n{tool.parameters}" for tool in TOOLS},
}
"""Every text that a model reads of its memory, by name. Their digests are sealed where a plan lets a model call."""

_UNFIT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Characters that no text may hold: all controls but tab and line feed, and what is no character at all."""

Text: TypeAlias = Annotated[str, Meta(min_length=1, max_length=TEXT_CHARACTERS_MAX)]


class Save(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A call that saves a text."""

    text: Text


class Find(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A call that searches for words."""

    query: Text


class Refused(msgspec.Struct, frozen=True):
    """A call that is not as declared, with the sentence for the model."""

    sentence: str


_DECODERS: Final[Mapping[str, msgspec.json.Decoder[Save] | msgspec.json.Decoder[Find]]] = {
    SAVE: msgspec.json.Decoder(Save),
    SEARCH: msgspec.json.Decoder(Find),
}


def read_call(call: ToolCall) -> Save | Find | Refused:
    """Read a call: its text or query, or why it is refused."""
    if call.name not in _DECODERS:
        return Refused(UNKNOWN_TOOL)
    try:
        wish: Save | Find = _DECODERS[call.name].decode(call.arguments.encode())
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return Refused(MALFORMED[call.name])
    text = wish.text if isinstance(wish, Save) else wish.query
    return Refused(MALFORMED[call.name]) if _UNFIT.search(text) or not text.strip() else wish


def shown(call: ToolCall) -> ToolCall:
    """The call as its model is shown it. Servers parse it once more, so it is as declared or without arguments."""
    name = call.name if call.name in _DECODERS else UNKNOWN
    return ToolCall(NO_ARGUMENTS if isinstance(read_call(call), Refused) else call.arguments, name)


def called(text: str, calls: Sequence[ToolCall], first_id: int) -> Message:
    """The assistant's message that holds calls as they are shown; their ids count on in the conversation."""
    sent = (SentCall(call.arguments, f"call{first_id + n:0{ID_DIGITS}d}", call.name) for n, call in enumerate(calls))
    return Message(text, "assistant", tool_calls=tuple(sent))


def result(sent: SentCall, text: str) -> Message:
    """The message that gives a model the result of a call."""
    return Message(text, "tool", tool_call_id=sent.id)


def closing_observation(messages: Sequence[Message]) -> str | None:
    """The observation in the last question after a contest; None where the messages ask for something else."""
    content = next((message.content for message in reversed(messages) if message.role == "user"), "")
    for template in (CLOSING, NATIVE_CLOSING):
        head, _, tail = template.partition("{observation}")
        end = content.rfind(tail.partition("{")[0])
        if content.startswith(head) and end >= len(head):
            return content[len(head) : end]
    return None


_NO_ENTRIES: Final = (NOTHING_FOUND, MALFORMED[SEARCH], BUDGET_USED.partition("{")[0])
"""Beginnings of what a search is answered where no entries are told."""


def told_by_calls(messages: Sequence[Message]) -> list[str]:
    """The texts of entries, or of what stood in their place, that a model's searches were answered with so far."""
    names = {sent.id: sent.name for message in messages for sent in message.tool_calls}
    answers = (message.content for message in messages if names.get(message.tool_call_id) == SEARCH)
    return [answer for answer in answers if not answer.startswith(_NO_ENTRIES)]


def is_unfit(text: str) -> bool:
    """True if a text has characters that none may hold."""
    return _UNFIT.search(text) is not None


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
