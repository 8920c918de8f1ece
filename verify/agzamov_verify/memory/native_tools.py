"""A server's own tools as a model is offered them with `use: native`, and how its calls of them are read.

A tool has the name, description and argument schema of the server's tool list, less the arguments that are not the
model's: the name of an entry, the number of the game, the number of entries that a search may give. It is sealed with
the server, since every prompt holds it. A call is read by fixed rules:

    a name that was not offered          a fixed sentence, and the call counts
    arguments that are no JSON object,   NOT_CALLED, and the call counts: the server is not asked. Unfit characters
    or hold one that is not declared     and more than `NESTED_MAX` brackets within each other are refused too
    a text to store that is no text of   a fixed sentence, and the call counts
    1 to 1,000 characters
    anything else                        the server is asked, and its words are the result: its errors too

Of a result a model is shown as many whole lines as fit into `bytes_max` bytes; of a first line that does not fit, as
many characters. One line says that something was left out. The journal holds all of it.
"""

import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from ..core.questions import Tool, ToolCall
from ..experiment.plan_fields import END, Part
from .tool_calls import (
    BUDGET_USED,
    NATIVE_CLOSING,
    NO_ARGUMENTS,
    NO_GAME,
    TEXT_CHARACTERS_MAX,
    UNKNOWN,
    Refused,
    is_unfit,
)

NESTED_MAX: Final = 50
TOOLS_MAX: Final = 50
DESCRIPTION_CHARACTERS_MAX: Final = 4_000
PARAMETERS_CHARACTERS_MAX: Final = 20_000

NATIVE_SYSTEM: Final = """\
You have a memory that lasts from one game to the next, and your opponent stays the same. Its tools are {names}. It \
knows what you store in it and nothing else. You may make at most {calls_max} calls of these tools before each \
decision. What you do not store is forgotten. A reply that calls a tool declares nothing: declare in a reply without \
calls, in the form told above."""
NO_SUCH_TOOL: Final = "There is no such tool. The tools are {names}."
NOT_CALLED: Final = "Not called: expected a JSON object with no arguments but those that the tool declares."
NO_TEXT: Final = "Not called: expected the argument {argument} as a text of 1 to 1000 characters."
NO_WORDS: Final = "(The tool gave no text.)"
LEFT_OUT: Final = "(The rest of this result was left out: it was too long.)"

_SENTENCES: Final = (NO_SUCH_TOOL, NOT_CALLED, NO_TEXT, NO_WORDS, LEFT_OUT, NO_GAME, BUDGET_USED)
NATIVE_TEMPLATES: Final[Mapping[str, str]] = {
    "memory/native_system": NATIVE_SYSTEM,
    "memory/native_closing": NATIVE_CLOSING,
    "memory/native_answers": "\n".join(_SENTENCES),
}
"""Every text of ours that a model reads of a memory whose own tools it calls, by name."""


class Effect(StrEnum):
    """Effect of a tool on the memory, as far as its adapter says how a call maps to entries.

    `stores`: one entry, whose text is an argument. `searches`: it changes nothing, and gives entries. `unknown`:
    nothing is known of it, so a run in which it is called has no audit.
    """

    STORES = "stores"
    SEARCHES = "searches"
    UNKNOWN = "unknown"


class NativeTool(Part, frozen=True):
    """A tool of a server that a model is offered. `text_argument`: the argument with the stored or searched text.

    `parameters`: the JSON Schema of the model's arguments, as JSON text.
    """

    name: Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{1,64}" + END)]
    description: Annotated[str, Meta(max_length=DESCRIPTION_CHARACTERS_MAX)]
    parameters: Annotated[str, Meta(max_length=PARAMETERS_CHARACTERS_MAX)]
    effect: Effect
    text_argument: Annotated[str, Meta(max_length=100)]

    @property
    def tool(self) -> Tool:
        """The tool as a question offers it."""
        return Tool(self.description, self.name, self.parameters)


class Given(msgspec.Struct, frozen=True):
    """A call of a tool that was offered, with arguments as declared. `text`: that of the text argument, if any."""

    tool: NativeTool
    text: str


class _Schema(msgspec.Struct):
    """The part of a tool's schema that is read."""

    properties: dict[str, msgspec.Raw] = {}


_SCHEMAS: Final = msgspec.json.Decoder(_Schema)


@lru_cache(maxsize=256)
def arguments_of(parameters: str) -> frozenset[str]:
    """Names of the arguments that a schema declares. Raises ValueError for what is no schema of an object."""
    if _nesting(parameters) > NESTED_MAX:
        raise ValueError(f"expected at most {NESTED_MAX} brackets within each other")
    try:
        return frozenset(_SCHEMAS.decode(parameters.encode()).properties)
    except (msgspec.MsgspecError, UnicodeEncodeError) as error:
        raise ValueError("expected the JSON Schema of an object") from error


def tool_problem(tool: NativeTool) -> str:
    """The reason why a sealed tool cannot be offered; empty if it can be."""
    try:
        declared = arguments_of(tool.parameters)
    except ValueError as error:
        return str(error)
    if (tool.effect is Effect.UNKNOWN) == bool(tool.text_argument):
        return "expected a text_argument of a tool that stores or searches, and none of another"
    if tool.text_argument and tool.text_argument not in declared:
        return f"expected the argument {tool.text_argument} to be declared"
    return ""


def read_native_call(call: ToolCall, tools: Mapping[str, NativeTool]) -> Given | Refused:
    """Read a call: its arguments, or why it is refused."""
    if call.name not in tools:
        return Refused(NO_SUCH_TOOL.format(names=names_of(tools)))
    tool, given = tools[call.name], _object(call.arguments)
    if given is None or given.keys() - arguments_of(tool.parameters) or any(map(is_unfit, _texts(given))):
        return Refused(NOT_CALLED)
    if tool.effect is not Effect.STORES:
        return Given(tool, "")
    text = given.get(tool.text_argument)
    if not isinstance(text, str) or not text.strip() or len(text) > TEXT_CHARACTERS_MAX:
        return Refused(NO_TEXT.format(argument=tool.text_argument))
    return Given(tool, text)


def _object(arguments: str) -> dict[str, Any] | None:
    """The JSON object that a text spells; None for any other text."""
    if _nesting(arguments) > NESTED_MAX:
        return None
    try:
        given: dict[str, Any] = msgspec.json.decode(arguments.encode(), type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeEncodeError):
        return None
    return given


def shown_native(call: ToolCall, tools: Mapping[str, NativeTool]) -> ToolCall:
    """The call as its model is shown it: servers parse it once more, so what is not as declared has no arguments."""
    name = call.name if call.name in tools else UNKNOWN
    return ToolCall(NO_ARGUMENTS if isinstance(read_native_call(call, tools), Refused) else call.arguments, name)


def names_of(tools: Mapping[str, NativeTool]) -> str:
    """The names of the tools as a sentence has them."""
    *first, last = tools
    return f"{', '.join(first)} and {last}" if first else last


def delivered(text: str, bytes_max: int) -> str:
    """As much of a result as a model is shown."""
    whole = text.encode()
    if len(whole) <= bytes_max:
        return text or NO_WORDS
    fitting = whole[:bytes_max].decode(errors="ignore")  # never half a character
    lines = fitting if whole[bytes_max : bytes_max + 1] == b"\n" else fitting.rpartition("\n")[0]
    return f"{lines or fitting}\n{LEFT_OUT}"


def holds(words: str, content: str) -> bool:
    """True if a server's words hold the text of an entry, as it is or as JSON spells it."""
    spelled = (content, json.dumps(content, ensure_ascii=False)[1:-1], json.dumps(content)[1:-1])
    return any(text in words for text in spelled)


def _nesting(text: str) -> int:
    """Brackets open at once in a JSON text, at most; those in its strings count too. Parsers recurse on each."""
    deepest = depth = 0
    for character in text:
        if character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest


def _texts(value: object) -> Iterator[str]:
    """Every text in a JSON value, names of keys too."""
    match value:
        case str():
            yield value
        case dict():
            for key, item in value.items():
                yield from _texts(key)
                yield from _texts(item)
        case list():
            for item in value:
                yield from _texts(item)
