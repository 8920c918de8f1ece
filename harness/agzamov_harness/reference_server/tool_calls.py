"""Tool calls of the reference players: they ask for what the harness would ask for in the other way of use.

With a memory:

    before a decision    one search, for the words that the harness would search for; then it plays by what was found
    after a contest      it saves what it was told that it saw
    at a probe           one search

So a run without a model goes through the whole loop, and its prompts say what those of use: harness would say. Of a
server's own tools it calls the first that takes a text to store, or words to search for.

With the tools of a game:

    compare_moves       the candidates that the player names where the harness asks for some
    best_lines          with nothing named, where compare_moves is not on offer
    evaluate_position   where neither is
    calculate_odds      against any hand

What a tool tells stands in the prompt then as where the harness asks it, so a player plays by it in the same way.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from agzamov_verify.core.questions import Message, ToolCall
from agzamov_verify.documents.library import DOCUMENTS
from agzamov_verify.memory.tool_calls import NOTHING_FOUND, SAVE, SEARCH, TEXT_CHARACTERS_MAX, closing_observation
from agzamov_verify.table.prompt_lines import FORM, PROFILE, TOOL, read_page, without_example, without_form
from agzamov_verify.table.registry import TOOLS, game_of_prompt
from agzamov_verify.table.scripted_players import scripted_reply

STORED_ARGUMENTS: Final = ("text", "content")
SEARCHED_ARGUMENTS: Final = ("query", "question")
ELSE_SEARCHED: Final = "opening"
"""Words of a search where no decision is due."""


def tool_call(messages: Sequence[Message], tools: object) -> ToolCall | None:
    """The call that comes next in a conversation; None once the player has made the one that it makes.

    `tools`: those on offer, as a request spells them.
    """
    if any(message.role == "tool" for message in messages):
        return None
    observation = closing_observation(messages)
    if observation is not None:
        name, argument = _tool_with(tools, STORED_ARGUMENTS) or (SAVE, STORED_ARGUMENTS[0])
        return ToolCall(json.dumps({argument: observation[:TEXT_CHARACTERS_MAX]}), name)
    name, argument = _tool_with(tools, SEARCHED_ARGUMENTS) or (SEARCH, SEARCHED_ARGUMENTS[0])
    return ToolCall(json.dumps({argument: _words(messages)[:TEXT_CHARACTERS_MAX]}), name)


def remembered(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The question as it would be with the entries found in its profile."""
    told = [text for message in messages if message.role == "tool" for text in _found(message.content)]
    plain = [message for message in without_example(messages) if message.role in ("system", "user")]
    place = next((number for number, message in enumerate(plain) if message.role == "user"), None)
    if told and place is not None:
        content, form = without_form(plain[place].content)
        content += ("\n" if PROFILE in content else PROFILE) + "\n".join(told)
        plain[place] = Message(content + form, "user")
    return tuple(plain)


def _tool_with(tools: object, arguments: Sequence[str]) -> tuple[str, str] | None:
    """Name and argument of the first tool that takes one of these arguments."""
    for tool in tools if isinstance(tools, list) else []:
        try:
            function: Mapping[str, Any] = tool["function"]
            known = function["parameters"]["properties"]
            if taken := next((argument for argument in arguments if argument in known), None):
                return str(function["name"]), taken
        except (KeyError, TypeError):
            continue
    return None


def _found(content: str) -> list[str]:
    """The texts that a tool gave: the entries of a built-in server's search, or the words of any other."""
    try:
        return [hit["content"] for hit in json.loads(content)["hits"]]
    except (ValueError, KeyError, TypeError):
        return [content] if content != NOTHING_FOUND else []


def _words(messages: Sequence[Message]) -> str:
    page = read_page(tuple(messages))
    try:
        return game_of_prompt(page.situation).search_words(page)
    except ValueError:
        return ELSE_SEARCHED


BY_CALL: Final = {call: tool for tool in TOOLS.values() for call in tool.calls}
"""The tools of games by the name that a model calls, the first on offer being called."""


def offered(tools: object) -> str:
    """The tool of a game that a player calls, of those that a request offers; empty where there is none."""
    rows = [tool.get("function") for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    names = {row.get("name") for row in rows if isinstance(row, dict)}
    return next((name for name in BY_CALL if name in names), "")


def game_call(model: str, messages: Sequence[Message], name: str, seed: int) -> ToolCall:
    """The call of a player before it decides. Raises ValueError for a prompt that it cannot read."""
    tool = BY_CALL[name]
    request = tool.scripted_request(name)
    arguments = tool.scripted_arguments(_named(model, messages, request, seed)) if request else {}
    return ToolCall(json.dumps(arguments), name)


def as_told(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The question as it would be had the harness asked the tool: its last answer stands in the prompt."""
    told = [message.content for message in messages if message.role == "tool"]
    plain = tuple(message for message in without_example(messages) if message.role in ("system", "user"))
    return _with(plain, TOOL + told[-1], (PROFILE, FORM)) if told else plain


def _named(model: str, messages: Sequence[Message], request: str, seed: int) -> str:
    """A player's reply to the request for the tool's arguments."""
    return scripted_reply(model, _with(messages, f"\n{request}", (DOCUMENTS, TOOL, PROFILE, FORM)), seed)


def _with(messages: Sequence[Message], text: str, before: Sequence[str]) -> tuple[Message, ...]:
    """The messages with a text inserted into the first user message, before the first of the given headings."""
    found = [message for message in without_example(messages) if message.role in ("system", "user")]
    place = next((number for number, message in enumerate(found) if message.role == "user"), None)
    if place is None:
        raise ValueError("expected a message of the user, found none")
    content = found[place].content
    end = min((content.index(part) for part in before if part in content), default=len(content))
    found[place] = msgspec.structs.replace(found[place], content=content[:end] + text + content[end:])
    return tuple(found)
