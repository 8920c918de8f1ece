"""The reference player with a memory by tool calls: it searches and saves as the harness does in the other way of use.

    before a decision    one search, for the words that the harness would search for; then it plays by what was found
    after a contest      it saves the observation that it was given
    at a probe           one search

So a run without a model goes through the whole loop, and its prompts say what those of use: harness would say. Of a
server's own tools it calls the first that takes a text to store, or words to search for.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from agzamov_verify.games.page import PROFILE, read_page
from agzamov_verify.games.registry import game_of_prompt
from agzamov_verify.memory.tools import (
    NOTHING_FOUND,
    SAVE,
    SEARCH,
    TEXT_CHARACTERS_MAX,
    closing_observation,
)
from agzamov_verify.questions import Message, ToolCall

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
    plain = [message for message in messages if message.role in ("system", "user")]
    place = next((number for number, message in enumerate(plain) if message.role == "user"), None)
    if told and place is not None:
        content = plain[place].content
        content += ("\n" if PROFILE in content else PROFILE) + "\n".join(told)
        plain[place] = Message(content, "user")
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
