"""Messages and tools as the OpenAI chat completions API spells them."""

import json
from collections.abc import Iterable
from typing import Any

from agzamov_verify.questions import Message, SentCall, Tool


def wire_message(message: Message) -> dict[str, Any]:
    """A message. An assistant's without words beside its calls has null for content, as that API sends it."""
    spelled: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        spelled |= {"content": message.content or None, "tool_calls": [_call(call) for call in message.tool_calls]}
    if message.tool_call_id:
        spelled["tool_call_id"] = message.tool_call_id
    return spelled


def wire_tools(tools: Iterable[Tool]) -> dict[str, Any]:
    """The fields of a request that offer tools; none where there are no tools."""
    spelled = [{"type": "function", "function": _function(tool)} for tool in tools]
    return {"tools": spelled, "tool_choice": "auto"} if spelled else {}


def _call(call: SentCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _function(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": json.loads(tool.parameters)}
