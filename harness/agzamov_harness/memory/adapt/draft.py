"""What was found out of a server as an adapter's YAML, with a reason beside each choice."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from agzamov_verify.memory.declared_server import Launch

from ...servers.mcp_client import ListedTool
from .findings import Found, Part

QUERIES: Final = (
    ("semantic", ("semantic", "embedding", "vector", "similarity")),
    ("graph", ("knowledge graph", "entities and relations")),
    ("full_text", ("full-text", "full text", "fts", "bm25", "keyword")),
)
ABOUT_CHARACTERS_MAX: Final = 100


def yaml_of(found: Found, launch: Launch) -> str:
    """The text of an adapter's file."""
    return "\n".join(_lines(found, launch)) + "\n"


def _lines(found: Found, launch: Launch) -> Iterator[str]:
    name, version = found.server
    yield f"# Made by `agzamov memory adapt` from {_word(name)} {_word(version)}: see each `# choose:`"
    yield f"about: {_json(f'{name} {version}'.strip()[:ABOUT_CHARACTERS_MAX])}"
    yield "interface: agz-memory-1"
    yield "launch:"
    for key, value in (
        ("command", launch.command),
        ("args", list(launch.args)),
        ("env", launch.env),
        ("url", launch.url),
        ("models_url", launch.models_url),
        ("models_key_env", launch.models_key_env),
    ):
        if value:
            yield f"  {key}: {_json(value)}"
    yield "traits:"
    yield f"  architecture: {_json(name or 'unknown')}"
    query = _query(found)
    yield f"  query: {query}  # choose: none, substring, full_text, semantic, hybrid, graph; guessed from descriptions"
    yield "  rewrites: never  # choose: always, if it tells stored notes in words of its own"
    yield "  ids: server"
    yield from _part("store", found.store, "it took three notes, which a search then found")
    yield from _part("search", found.search, _how(found.search))
    if found.fetch:
        yield from _part("fetch", found.fetch, "gives the whole of an entry whose search gives its beginning")
    if found.export:
        yield from _part("export", found.export, "gave all three notes")
    else:
        yield "export: none  # no tool that needs no text gave all three notes whole"


def _how(part: Part) -> str:
    whole = "beginnings of long notes" if part.gives == "previews" else "notes as they were stored"
    kinds = {
        "structured": "structured content",
        "json_text": "JSON that comes as text",
        "json_in_text": "JSON within text",
        "text": "prose",
    }
    return f"its answers are {kinds[part.keys['answer']]} and hold {whole}"


def _part(name: str, part: Part, reason: str) -> Iterator[str]:
    yield f"{name}:  # {reason}"
    yield f"  tool: {_json(part.candidate.tool)}"
    yield f"  args: {_json(part.candidate.args)}"
    for argument, choice in part.candidate.choices.items():
        yield f"  # choose: {_word(argument)} of args, {_word(choice)}"
    for key, value in part.keys.items():
        if value and not (key == "answer" and value == "structured"):
            yield f"  {key}: {_json(value)}"
    if name == "search" and part.gives == "previews":
        yield "  gives: previews"


def _query(found: Found) -> str:
    used: Mapping[str, ListedTool] = {tool.name: tool for tool in found.tools}
    words = " ".join(used[part.candidate.tool].description.lower() for part in (found.search, found.store))
    return next((query for query, signs in QUERIES if any(sign in words for sign in signs)), "full_text")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _word(text: str) -> str:
    """Foreign text within a comment: one line."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
