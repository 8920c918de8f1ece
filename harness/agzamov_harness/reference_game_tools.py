"""The scripted players with the tools of a game by tool calls: their calls are the harness's own questions.

    compare_moves       the candidates that the player names where the harness asks for some
    best_lines          with nothing named, where compare_moves is not on offer
    evaluate_position   where neither is
    calculate_odds      against any hand

A tool's answer then stands in the prompt as where the harness asks, so a player plays by it in the same way.
"""

import json
from collections.abc import Sequence
from typing import Final

import msgspec

from agzamov_verify.documents.library import DOCUMENTS
from agzamov_verify.games.page import PROFILE, TOOL
from agzamov_verify.games.registry import TOOLS
from agzamov_verify.games.scripted import reply
from agzamov_verify.questions import Message, ToolCall

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
    plain = tuple(message for message in messages if message.role in ("system", "user"))
    return _with(plain, TOOL + told[-1], (PROFILE,)) if told else plain


def _named(model: str, messages: Sequence[Message], request: str, seed: int) -> str:
    """A player's reply to the request for the tool's arguments."""
    return reply(model, _with(messages, f"\n{request}", (DOCUMENTS, TOOL, PROFILE)), seed)


def _with(messages: Sequence[Message], text: str, before: Sequence[str]) -> tuple[Message, ...]:
    """The messages with a text inserted into the first user message, before the first of the given headings."""
    found = [message for message in messages if message.role in ("system", "user")]
    place = next((number for number, message in enumerate(found) if message.role == "user"), None)
    if place is None:
        raise ValueError("expected a message of the user, found none")
    content = found[place].content
    end = min((content.index(part) for part in before if part in content), default=len(content))
    found[place] = msgspec.structs.replace(found[place], content=content[:end] + text + content[end:])
    return tuple(found)
