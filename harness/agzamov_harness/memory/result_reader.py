"""Values that an adapter's expressions read out of a tool's result, and out of files.

A result that does not have the declared shape is an UnexpectedResult, which says what was expected and what came.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import jmespath
import msgspec
from jmespath.exceptions import JMESPathError
from jmespath.parser import ParsedResult

from agzamov_verify.memory.declared_server import Answer, Export, Fetch, Search

from ..servers.mcp_client import ToolResult
from ..servers.server_process import one_line

BRACKET = re.compile(r"[{\[]")
JSON_TRIES_MAX = 1_000
"""Brackets in prose with which no JSON begins: after so many no more are tried."""
GAME_NUMBER = re.compile(r"\bg([0-9]{5,9})\b")
FIELDS = ("entry", "id", "content", "games", "kind", "derived_from")


class UnexpectedResult(Exception):
    """A result has another shape than its adapter declares."""

    def __init__(self, expected: str, found: str) -> None:
        super().__init__(f"expected {expected}, found {found}")
        self.expected, self.found = expected, found


class ServerEntry(msgspec.Struct, frozen=True):
    """An entry as a server gives it. `entry` or `id` is "" where none is read; `games` is None where none are.

    `content` is empty where it is not read, but fetched.
    """

    content: str
    derived_from: tuple[str, ...] = ()
    entry: str = ""
    games: tuple[int, ...] | None = None
    id: str | int = ""
    kind: str | None = None


@lru_cache(maxsize=256)
def _compiled(expression: str) -> ParsedResult:
    return jmespath.compile(expression)


def read(expression: str, value: object) -> Any:
    """Value of a JMESPath expression. Raises UnexpectedResult where it cannot be applied."""
    try:
        return _compiled(expression).search(value)
    except JMESPathError as error:
        raise UnexpectedResult(f"a result for {expression!a}", one_line(str(error))) from error


def value_of(result: ToolResult, answer: Answer) -> object:
    """The part of a result that expressions are applied to. Raises UnexpectedResult."""
    match answer:
        case "structured":
            if result.structured is None:
                raise UnexpectedResult("structured content", f"the text {shown(result.text)}")
            return result.structured
        case "json_text":
            try:
                value: object = json.loads(result.text)
                json.dumps(value, ensure_ascii=False).encode()
            except UnicodeEncodeError as error:
                raise UnexpectedResult(
                    "JSON of whole characters as text", f"half of one in {shown(result.text)}"
                ) from error
            except (ValueError, RecursionError) as error:
                raise UnexpectedResult("JSON as text", shown(result.text)) from error
            return value
        case "json_in_text":
            return list(_json_values(result.text))
        case "text":
            return result.text


def _json_values(text: str) -> Iterator[object]:
    """The JSON objects and lists that stand in prose, in order; of those within each other the outermost."""
    decoder, at, tries = json.JSONDecoder(), 0, 0
    while (bracket := BRACKET.search(text, at)) and tries < JSON_TRIES_MAX:
        try:
            value, at = decoder.raw_decode(text, bracket.start())
            json.dumps(value, ensure_ascii=False).encode()
        except (ValueError, RecursionError):  # UnicodeEncodeError is a ValueError
            at, tries = bracket.end(), tries + 1
        else:
            yield value


def rows(result: ToolResult, part: Search | Export) -> Iterator[ServerEntry]:
    """The entries of a result. Raises UnexpectedResult."""
    if part.answer == "text":
        yield from rows_of_text(result.text, part)
        return
    value = value_of(result, part.answer)
    paths = {name: getattr(part, name) for name in FIELDS if getattr(part, name, "")}
    items = _items(value, part.items, paths)
    for item in items:
        yield _row(item, part)


def rows_of_text(text: str, part: Search | Export) -> Iterator[ServerEntry]:
    """Entries read out of prose."""
    for match in re.finditer(part.items_text, text):
        yield _row(match.groupdict(), part)


def reads_content(part: Search | Export) -> bool:
    """True if the content of an entry is read out of a result, and not fetched alone."""
    return bool(part.content) or "content" in re.compile(part.items_text).groupindex


def is_empty(result: ToolResult, part: Search | Export) -> bool:
    """True if a result is the prose that stands for no entries."""
    return bool(part.empty_text) and re.search(part.empty_text, result.text) is not None


def fetched_content(result: ToolResult, part: Fetch) -> str:
    """The text of the one entry of a result. Raises UnexpectedResult."""
    value = result.text if part.answer == "text" else read(part.content, value_of(result, part.answer))
    if not isinstance(value, str):
        raise UnexpectedResult("text as content of the entry", shown(value))
    return found_in(value, part.content_text) if part.content_text else value


def found_in(text: str, pattern: str) -> str:
    """The last group of a regular expression in a text, or all that it matches. Raises UnexpectedResult."""
    match = re.search(pattern, text)
    found = match[match.lastindex or 0] if match else None
    if found is None:
        raise UnexpectedResult(f"{pattern!a} in the content of each entry", shown(text))
    return found


def _items(value: object, items: str, paths: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    if not items:
        columns = {name: read(path, value) for name, path in paths.items()}
        for name, column in columns.items():
            if not isinstance(column, list) or len(column) != len(next(iter(columns.values())) or ()):
                raise UnexpectedResult(f"a list for {paths[name]!a}", shown(column))
        names = list(columns)
        yield from (dict(zip(names, cells, strict=True)) for cells in zip(*columns.values(), strict=True))
        return
    listed = read(items, value)
    if not isinstance(listed, list):
        raise UnexpectedResult(f"a list for {items!a}", shown(listed))
    for item in listed:
        yield {name: read(path, item) for name, path in paths.items()}


def _row(cells: Mapping[str, Any], part: Search | Export) -> ServerEntry:
    for name in ("entry", "id", "content", "kind"):
        is_number = name == "id" and type(cells.get(name)) is int
        if name in cells and not isinstance(cells[name], str) and not is_number:
            raise UnexpectedResult(f"text as {name} of each entry", shown(cells[name]))
    sources = cells.get("derived_from") or ()
    if not isinstance(sources, list | tuple) or not all(isinstance(name, str) for name in sources):
        raise UnexpectedResult("a list of names as derived_from of each entry", shown(sources))
    content = cells.get("content", "")
    return ServerEntry(
        content=found_in(content, part.content_text) if part.content_text else content,
        derived_from=tuple(sources),
        entry=cells.get("entry", ""),
        games=_games(cells["games"]) if "games" in cells else None,
        id=found_in(content, part.id_text) if part.id_text else cells.get("id", ""),
        kind=cells.get("kind"),
    )


def _games(value: object) -> tuple[int, ...]:
    """Numbers of games: whole numbers, or g00012 in any text, in a list or alone."""
    found: list[int] = []
    for item in value if isinstance(value, list) else [value]:
        match item:
            case bool():
                raise UnexpectedResult("numbers of games", shown(item))
            case int():
                found.append(item)
            case str():
                found += map(int, GAME_NUMBER.findall(item))
            case _:
                raise UnexpectedResult("numbers of games", shown(item))
    return tuple(dict.fromkeys(found))


def shown(value: object) -> str:
    """A foreign value on one line, cut."""
    return ascii(one_line(value)) if isinstance(value, str) else one_line(ascii(value))
