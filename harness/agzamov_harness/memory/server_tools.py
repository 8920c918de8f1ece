"""The tools of a memory server: those that its adapter calls, what changed since sealing, what a model is offered.

Of a server's own tools a model is offered those that the adapter names, less the arguments that are not its own:

    the tool that stores     all arguments of the adapter's template but the one that is ${content}
    the tool that searches   all but the one that is ${query}
    any other                none: the model sees it as it is, and nobody knows what it stores

A tool that stores or searches, but whose text stands within another argument, is such another: a model that fills in
the whole argument can store several texts, or none.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import asdict

from agzamov_verify.memory.declared_server import Adapter, Template
from agzamov_verify.memory.native_tools import TOOLS_MAX, Effect, NativeTool, tool_problem
from agzamov_verify.memory.tool_effects import effect_of
from agzamov_verify.plan.manifest import MemoryPin

from ..servers.mcp_client import ListedTool, ToolResult
from .result_reader import UnexpectedResult

DIGITS: Final = re.compile("[0-9]{1,18}")
Parts: TypeAlias = Mapping[str, object]
"""Of one tool, by name."""


class ToolProblem(NamedTuple):
    """Expected, found, and what to do."""

    expected: str
    found: str
    advice: str


def tools_problem(adapter: Adapter, listed: Sequence[ListedTool]) -> ToolProblem | None:
    """The first tool of an adapter that its server has not, or has with other arguments."""
    tools = {tool.name: tool for tool in listed}
    for name, args in adapter.tools.items():
        key = key_of(adapter, name)
        if name not in tools:
            return ToolProblem(f"a tool {name}", _names(tools), f"name one of these as {key}.tool in the adapter")
        schema = tools[name].arguments
        known, needed = schema.get("properties") or {}, schema.get("required") or []
        may_have_more = schema.get("additionalProperties") is not False
        if (unknown := sorted(set(args) - set(known))) and not may_have_more:
            found = f"the arguments {', '.join(known) or 'none'}"
            return ToolProblem(f"the argument {unknown[0]} of {name}", found, f"mend {key}.args in the adapter")
        if missing := sorted(set(needed) - set(args)):
            expected = f"{name} to need {', '.join(args) or 'nothing'}"
            return ToolProblem(expected, f"that it needs {missing[0]} too", f"add {missing[0]} to {key}.args")
    if absent := [name for name in adapter.native if name not in tools]:
        advice = "name one of these as native in the adapter, or leave it out there"
        return ToolProblem(f"the tool {absent[0]}, which its adapter offers", _names(tools), advice)
    digest, declared = digest_of(listed), adapter.tools_sha256
    if declared and digest != declared:
        advice = "start the version that was pinned, or write the new digest as tools_sha256 in the adapter"
        return ToolProblem(f"the tool list {declared} of its adapter", f"{digest} with {_names(tools)}", advice)
    return None


def undeclared(adapter: Adapter, listed: Sequence[ListedTool]) -> list[str]:
    """Arguments, each with its tool, that a schema does not name and does not forbid: the server may pass them over."""
    schemas = {tool.name: tool.arguments.get("properties") or {} for tool in listed}
    return [
        f"{argument} of {name}"
        for name, args in adapter.tools.items()
        for argument in sorted(set(args) - set(schemas.get(name, {})))
    ]


def as_declared(arguments: Template, schema: Mapping[str, Any]) -> Template:
    """Arguments with numbers in the place of digits where the schema of a tool asks for whole numbers."""
    known = schema.get("properties") or {}
    return {name: _as_number(value, known.get(name)) for name, value in arguments.items()}


def _as_number(value: object, declared: object) -> object:
    wants_number = isinstance(declared, Mapping) and declared.get("type") in ("integer", "number")
    return int(value) if wants_number and isinstance(value, str) and DIGITS.fullmatch(value) else value


def digest_of(tools: Iterable[ListedTool]) -> str:
    """SHA-256 of a tool list: names, and the schemas of arguments and results."""
    return hashlib.sha256(msgspec.json.encode([_sealed(tool) for tool in tools], order="sorted")).hexdigest()


def changes(before: Iterable[ListedTool], now: Iterable[ListedTool]) -> str:
    """The tools of a list that are gone, new, or have another schema, in words."""
    earlier, later = ({tool.name: _sealed(tool) for tool in tools} for tools in (before, now))
    return "; ".join(tool_differences(earlier, later))


def tool_differences(before: Mapping[str, Parts], now: Mapping[str, Parts]) -> Iterator[str]:
    """The same in words for tools by name, each with its parts by name."""
    for name in sorted(before.keys() | now.keys()):
        if name not in now:
            yield f"tool {name} is gone"
        elif name not in before:
            yield f"tool {name} is new"
        elif parts := [part for part, value in before[name].items() if value != now[name][part]]:
            yield f"{' and '.join(parts)} of tool {name} changed"


def _sealed(tool: ListedTool) -> Parts:
    """The parts of a tool of which the digest is made."""
    return {"arguments": tool.arguments, "name": tool.name, "result": tool.result}


def key_of(adapter: Adapter, name: str) -> str:
    """The key of an adapter's part that calls a tool."""
    parts = ("describe", "store", "search", "fetch", "end_game", "export")
    first = (f"first[{number}]" for number, call in enumerate(adapter.first) if call.tool == name)
    return next((part for part in parts if getattr(adapter, part).tool == name), next(first, ""))


def _names(tools: Iterable[str]) -> str:
    return f"the tools {', '.join(tools) or 'none'}"


SHOWN_DIGITS: Final = 12
ADVICE: Final = "start the server that was sealed; to measure this one, seal a new run"


def changes_since_sealed(sealed: MemoryPin, found: MemoryPin, listed: Iterable[str]) -> str:
    """All differences between a server and the sealed one. `listed`: the names of its tools."""
    return "; ".join(_changes(sealed, found, listed))


def _changes(sealed: MemoryPin, found: MemoryPin, listed: Iterable[str]) -> Iterator[str]:
    for part, old, new in (("name", sealed.name, found.name), ("version", sealed.version, found.version)):
        if old != new:
            yield f"{part} {old!a} -> {new!a}"
    if sealed.adapter_sha256 != found.adapter_sha256:
        yield f"adapter {sealed.adapter_sha256[:SHOWN_DIGITS]} -> {found.adapter_sha256[:SHOWN_DIGITS]}"
    if sealed.native != found.native:
        yield from _native_changes(sealed.native, found.native)
    if sealed.tools_sha256 != found.tools_sha256:
        digests = f"{sealed.tools_sha256[:SHOWN_DIGITS]} -> {found.tools_sha256[:SHOWN_DIGITS]}"
        yield f"names or schemas of its tools {digests}, which are now {', '.join(listed) or 'none'}"


def _native_changes(sealed: Sequence[NativeTool], found: Sequence[NativeTool]) -> Iterator[str]:
    """Differences between the tools that a model is offered."""
    before, now = ({tool.name: asdict(tool) for tool in tools} for tools in (sealed, found))
    yield from tool_differences(before, now)
    if before == now:
        yield "its tools are offered in another order"


def native_tools(adapter: Adapter, listed: Sequence[ListedTool]) -> tuple[NativeTool, ...]:
    """The tools on offer, in the adapter's order. Raises UnexpectedResult for one that no model can be offered."""
    if not 0 < len(adapter.native) <= TOOLS_MAX:
        raise UnexpectedResult(f"1 to {TOOLS_MAX} tools under native in its adapter", _native_names(adapter))
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


def _offered(adapter: Adapter, listed: ListedTool) -> NativeTool:
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


def _native_names(adapter: Adapter) -> str:
    return ", ".join(adapter.native) or "none"
