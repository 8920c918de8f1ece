"""Memory tools that a model is offered: those the adapter names, less the arguments that are not the model's.

    the tool that stores     all arguments of the adapter's template but the one that is ${content}
    the tool that searches   all but the one that is ${query}
    any other                none: the model sees it as it is, and nobody knows what it stores

A tool that stores or searches, but whose text stands within another argument, is such another: a model that fills in
the whole argument can store several texts, or none.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from agzamov_verify.memory.adapter_format import Adapter, Template
from agzamov_verify.memory.declared_server import effect_of
from agzamov_verify.memory.native_tools import TOOLS_MAX, Effect, NativeTool, tool_problem

from ..mcp_servers.mcp_client import Tool, ToolResult
from .result_reader import UnexpectedResult


def native_tools(adapter: Adapter, listed: Sequence[Tool]) -> tuple[NativeTool, ...]:
    """The tools on offer, in the adapter's order. Raises UnexpectedResult for one that no model can be offered."""
    if not 0 < len(adapter.native) <= TOOLS_MAX:
        raise UnexpectedResult(f"1 to {TOOLS_MAX} tools under native in its adapter", _names(adapter))
    by_name = {tool.name: tool for tool in listed}
    return tuple(_offered(adapter, by_name[name]) for name in adapter.native)


def not_the_models(adapter: Adapter, tool: str) -> Template:
    """The arguments of a tool that are filled in for a model."""
    effect, text = effect_of(tool, adapter.store, adapter.search)
    if effect is Effect.UNKNOWN:
        return {}
    args = adapter.store.args if effect is Effect.STORES else adapter.search.args
    return {name: value for name, value in args.items() if name != text}


def words_of(result: ToolResult) -> str:
    """A result in words: the server's, or its structured content where it has no others."""
    text = result.text
    if not text and result.structured is not None:
        text = json.dumps(result.structured, ensure_ascii=False, sort_keys=True)
    return text.encode(errors="replace").decode()  # half a character has no place in a journal


def _offered(adapter: Adapter, listed: Tool) -> NativeTool:
    filled_in = not_the_models(adapter, listed.name)
    schema = {**listed.arguments, "properties": _without(listed.arguments.get("properties") or {}, filled_in)}
    if "required" in schema:
        schema["required"] = [name for name in schema["required"] if name not in filled_in]
    parameters = json.dumps(schema, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    effect, text = effect_of(listed.name, adapter.store, adapter.search)
    try:
        tool = msgspec.convert(
            {
                "name": listed.name,
                "description": listed.description,
                "parameters": parameters,
                "effect": effect,
                "text_argument": text,
            },
            NativeTool,
        )
    except msgspec.ValidationError as error:
        raise UnexpectedResult(f"a tool {listed.name} that a model can be offered", str(error)) from error
    if problem := tool_problem(tool):
        raise UnexpectedResult(f"a tool {listed.name} that a model can be offered", problem)
    return tool


def _without(properties: Mapping[str, Any], names: Mapping[str, Any]) -> dict[str, Any]:
    return {name: schema for name, schema in properties.items() if name not in names}


def _names(adapter: Adapter) -> str:
    return ", ".join(adapter.native) or "none"
