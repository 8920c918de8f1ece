"""The tools that a server lists, compared with those that its adapter calls and with the sealed ones."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import msgspec

from agzamov_verify.memory.adapter_format import Adapter

from ..mcp_servers.mcp_client import Tool

Parts: TypeAlias = Mapping[str, object]
"""Of one tool, by name."""


class Problem(NamedTuple):
    """Expected, found, and what to do."""

    expected: str
    found: str
    advice: str


def tools_problem(adapter: Adapter, listed: Sequence[Tool]) -> Problem | None:
    """The first tool of an adapter that its server has not, or has with other arguments."""
    tools = {tool.name: tool for tool in listed}
    for name, args in adapter.tools.items():
        key = key_of(adapter, name)
        if name not in tools:
            return Problem(f"a tool {name}", _names(tools), f"name one of these as {key}.tool in the adapter")
        schema = tools[name].arguments
        known, needed = schema.get("properties") or {}, schema.get("required") or []
        if unknown := sorted(set(args) - set(known)):
            found = f"the arguments {', '.join(known) or 'none'}"
            return Problem(f"the argument {unknown[0]} of {name}", found, f"mend {key}.args in the adapter")
        if missing := sorted(set(needed) - set(args)):
            expected = f"{name} to need {', '.join(args) or 'nothing'}"
            return Problem(expected, f"that it needs {missing[0]} too", f"add {missing[0]} to {key}.args")
    if absent := [name for name in adapter.native if name not in tools]:
        advice = "name one of these as native in the adapter, or leave it out there"
        return Problem(f"the tool {absent[0]}, which its adapter offers", _names(tools), advice)
    digest, declared = digest_of(listed), adapter.tools_sha256
    if declared and digest != declared:
        advice = "start the version that was pinned, or write the new digest as tools_sha256 in the adapter"
        return Problem(f"the tool list {declared} of its adapter", f"{digest} with {_names(tools)}", advice)
    return None


def digest_of(tools: Iterable[Tool]) -> str:
    """SHA-256 of a tool list: names, and the schemas of arguments and results."""
    return hashlib.sha256(msgspec.json.encode([_sealed(tool) for tool in tools], order="sorted")).hexdigest()


def changes(before: Iterable[Tool], now: Iterable[Tool]) -> str:
    """The tools of a list that are gone, new, or have another schema, in words."""
    earlier, later = ({tool.name: _sealed(tool) for tool in tools} for tools in (before, now))
    return "; ".join(differences(earlier, later))


def differences(before: Mapping[str, Parts], now: Mapping[str, Parts]) -> Iterator[str]:
    """The same in words for tools by name, each with its parts by name."""
    for name in sorted(before.keys() | now.keys()):
        if name not in now:
            yield f"tool {name} is gone"
        elif name not in before:
            yield f"tool {name} is new"
        elif parts := [part for part, value in before[name].items() if value != now[name][part]]:
            yield f"{' and '.join(parts)} of tool {name} changed"


def _sealed(tool: Tool) -> Parts:
    """The parts of a tool of which the digest is made."""
    return {"arguments": tool.arguments, "name": tool.name, "result": tool.result}


def key_of(adapter: Adapter, name: str) -> str:
    """The key of an adapter's part that calls a tool."""
    parts = ("describe", "store", "search", "end_game", "export")
    first = (f"first[{number}]" for number, call in enumerate(adapter.first) if call.tool == name)
    return next((part for part in parts if getattr(adapter, part).tool == name), next(first, ""))


def _names(tools: Iterable[str]) -> str:
    return f"the tools {', '.join(tools) or 'none'}"
