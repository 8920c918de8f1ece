"""Tools of an unknown server that look as if they store, search, give one entry or give all; and their arguments.

A tool is ranked by the words of its name and by its arguments. Nothing is believed: the probe calls the best few.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ...servers.mcp_client import ListedTool

TEXTS: Final = (
    "content",
    "text",
    "memory",
    "note",
    "observation",
    "body",
    "narrative",
    "fact",
    "info",
    "information",
    "data",
    "value",
    "decision",
    "summary",
    "entry",
)
QUERIES: Final = (
    "query",
    "question",
    "q",
    "search",
    "keyword",
    "keywords",
    "term",
    "text",
    "task",
    "prompt",
    "message",
)
LIMITS: Final = ("limit", "top_k", "k", "n_results", "max_results", "num_results", "count", "n", "topk", "maxresults")
OFFSETS: Final = ("offset", "skip")
AFTER: Final = "after"
"""Entries to leave out, if it is a number; else a mark of a page."""
TITLES: Final = ("title", "subject", "headline")
NAMES: Final = ("name", "key", "slug", "topic", "id", "label", "entry", "entity_name", "entityname")
SCOPE: Final = re.compile(
    r"(user|agent|session|project|namespace|run|workspace|app|org|tenant|account|conversation|thread)(_?id|_?name)?"
)
"""Whose notes they are: one for all notes of a career."""
KINDS: Final = ("kind", "type", "category", "memory_type", "tags", "concepts")
ENUM_BEST: Final = ("list", "note", "observation", "general", "fact", "insight", "discovery", "global", "project")
STORES: Final = frozenset(
    {"store", "save", "remember", "add", "create", "write", "insert", "record", "memorize", "put"}
)
SEARCHES: Final = frozenset({"search", "recall", "find", "query", "retrieve", "lookup"})
GIVES: Final = frozenset({"list", "all", "export", "dump", "everything", "read", "recent", "browse", "memory", "graph"})
FETCHES: Final = frozenset({"get", "fetch", "read", "detail", "details", "show", "open"})
MEMORY: Final = frozenset(
    {"memory", "memories", "note", "notes", "entry", "observation", "context", "drawer", "pattern"}
)
OTHERS: Final = frozenset(
    {
        "artifact",
        "batch",
        "chain",
        "checkpoint",
        "conflict",
        "delete",
        "diary",
        "edge",
        "edit",
        "event",
        "forget",
        "graph",
        "import",
        "index",
        "kg",
        "link",
        "mine",
        "patch",
        "project",
        "remove",
        "rule",
        "session",
        "skill",
        "status",
        "stats",
        "summary",
        "task",
        "team",
        "transfer",
        "tunnel",
        "update",
        "vector",
    }
)
CANDIDATES_MAX: Final = 4
ENTRIES_MAX: Final = 1_000
PLACE: Final = "notes"


class Candidate(NamedTuple):
    """A tool with the arguments of an adapter's template. `choices`: arguments that were guessed, and from what."""

    tool: str
    args: dict[str, Any]
    choices: dict[str, str]
    score: float


def storing(tools: Sequence[ListedTool]) -> list[Candidate]:
    """Tools that may store one text, the most likely first."""
    return _ranked(tools, STORES, TEXTS, "${content}")


def searching(tools: Sequence[ListedTool]) -> list[Candidate]:
    """Tools that may search for a text, the most likely first."""
    return _ranked(tools, SEARCHES, QUERIES, "${query}")


def giving_all(tools: Sequence[ListedTool]) -> list[Candidate]:
    """Tools that may give every entry, the most likely first."""
    found = []
    for tool in tools:
        args, choices = arguments(tool, {}, tools, is_page=True)
        words = _words(tool.name)
        if not _needs_text(tool) and words & GIVES and not words & (STORES | SEARCHES - {"recall"}):
            found.append(Candidate(tool.name, args, choices, 3 + _fit(words - {"graph"}) - len(choices)))
    return _best(found)


def giving_one(tools: Sequence[ListedTool]) -> list[Candidate]:
    """Tools that may give one entry by the server's name for it."""
    found = []
    for tool in tools:
        words, properties, needed = _words(tool.name), _properties(tool), _needed(tool)
        own = next((one for one in properties if re.search(r"(^|_)ids?$|Ids?$|(^|_)rids?$", one) and one in needed), "")
        if own and words & FETCHES and not words & STORES:
            value: Any = ["${id}"] if kind_of(properties[own]) == "array" else "${id}"
            args, choices = arguments(tool, {own: value}, tools)
            found.append(Candidate(tool.name, args, choices, 3 + _fit(words)))
    return _best(found)


def arguments(
    tool: ListedTool, own: Mapping[str, Any], tools: Sequence[ListedTool], *, is_page: bool = False
) -> tuple[dict[str, Any], dict[str, str]]:
    """The template of a tool: `own`, all that it needs, and how many entries to give. And what had to be guessed.

    A scope that one of `tools` needs is named in all that know it: what is stored under one is not found without it.
    """
    args, choices = dict(own), dict[str, str]()
    scopes = {name for other in tools for name in _needed(other) if SCOPE.fullmatch(name.lower())}
    for name, schema in _properties(tool).items():
        low = name.lower()
        if name in args:
            continue
        if low in LIMITS and kind_of(schema) in ("integer", "number"):
            args[name] = min(ENTRIES_MAX, int(schema.get("maximum", ENTRIES_MAX))) if is_page else "${limit}"
        elif is_page and (low in OFFSETS or (low == AFTER and kind_of(schema) == "integer")):
            args[name] = "${offset}"
        elif name in _needed(tool) or name in scopes:
            args[name], choices[name] = _guess(low, schema, is_store=_is_store(own))
    return args, {name: reason for name, reason in choices.items() if reason}


def kind_of(schema: Mapping[str, Any]) -> str:
    """The type of an argument; of several the first that is not null."""
    kind = schema.get("type")
    if isinstance(kind, list):
        return next((one for one in kind if one != "null"), "")
    if not kind:
        of = [one for one in schema.get("anyOf", ()) if one.get("type") != "null"]
        return str(of[0].get("type", "")) if of else ""
    return str(kind)


def _is_store(args: Mapping[str, Any]) -> bool:
    return "${content}" in str(args)


def _guess(name: str, schema: Mapping[str, Any], *, is_store: bool) -> tuple[Any, str]:
    """A value for an argument that a tool needs, and from what it was guessed; nothing for one that is plain.

    Only a store knows the entry, its kind and its game.
    """
    if values := schema.get("enum"):
        best = next((one for one in ENUM_BEST if one in values), values[0])
        return best, f"one of {', '.join(map(str, values))}"
    kind = kind_of(schema)
    if kind == "string":
        return _word_for(name) if is_store else (PLACE, "any text")
    plain: dict[str, tuple[Any, str]] = {
        "array": (["${kind}"], "") if is_store else ([PLACE], "a list of texts"),
        "boolean": (schema.get("default", False), "true or false"),
        "integer": (schema.get("default", schema.get("minimum", 1)), "a number"),
        "number": (schema.get("default", schema.get("minimum", 1)), "a number"),
        "object": ({}, "an object"),
    }
    return plain.get(kind, (PLACE, "any text"))


def _word_for(name: str) -> tuple[str, str]:
    """A text for an argument of a store by its name."""
    if SCOPE.fullmatch(name):
        return PLACE, "any text, one for all notes"
    if name in TITLES:
        return "Note ${entry} of game ${game}", ""
    if name in NAMES or name.endswith(("_id", "_name")):
        return "${entry}", ""
    if name in KINDS:
        return "${kind}", ""
    return PLACE, "any text"


def _ranked(tools: Sequence[ListedTool], verbs: frozenset[str], texts: Sequence[str], variable: str) -> list[Candidate]:
    """Tools with a verb in their name and an argument for a text."""
    found = []
    for tool in tools:
        words, properties = _words(tool.name), _properties(tool)
        lowered = {name.lower(): name for name in properties if kind_of(properties[name]) in ("string", "")}
        own = next((lowered[name] for name in texts if name in lowered), "")
        if not own or not words & verbs:
            continue
        args, choices = arguments(tool, {own: variable}, tools)
        needs = len(_needed(tool)) - (own in _needed(tool))
        rank = 3 + (own in _needed(tool)) - texts.index(own.lower()) / len(texts) - needs / 4
        found.append(Candidate(tool.name, args, choices, rank + _fit(words)))
    return _best(found)


def _best(found: Iterable[Candidate]) -> list[Candidate]:
    key: Callable[[Candidate], tuple[float, str]] = lambda one: (-one.score, one.tool)  # noqa: E731 - named for its type
    return sorted(found, key=key)[:CANDIDATES_MAX]


def _fit(words: frozenset[str] | set[str]) -> float:
    return len(words & MEMORY) / 2 - 2 * len(words & OTHERS)


def _words(name: str) -> frozenset[str]:
    """The words of a tool's name."""
    return frozenset(word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name))


def _properties(tool: ListedTool) -> dict[str, Any]:
    properties: dict[str, Any] = tool.arguments.get("properties") or {}
    return properties


def _needed(tool: ListedTool) -> Sequence[str]:
    needed: Sequence[str] = tool.arguments.get("required") or ()
    return needed


def _needs_text(tool: ListedTool) -> bool:
    """True if a tool cannot be called without a text of its caller."""
    properties = _properties(tool)
    wanted = (name for name in _needed(tool) if kind_of(properties.get(name, {})) == "string")
    return any("enum" not in properties.get(name, {}) for name in wanted)


FRAME: Final = "A note of one game, which is kept word for word: ${content}"
"""For a tool that refuses short texts."""
TAKEN: Final = re.compile(
    r"already (stored|there|exists|taken|in use|known)|exists already|duplicate|not unique", re.IGNORECASE
)
"""In the refusal of a second note that was given the name of the first."""


def mended(one: Candidate, tools: Sequence[ListedTool], refusal: str) -> Candidate | None:
    """The same tool with what its refusal asks for: arguments that it names, a longer text. None if nothing helps."""
    tool = next(tool for tool in tools if tool.name == one.tool)
    args, choices = dict(one.args), dict(one.choices)
    for name, schema in _properties(tool).items():
        if name not in args and re.search(rf"\b{re.escape(name)}\b", refusal):
            args[name], choices[name] = _guess(name.lower(), schema, is_store=_is_store(one.args))
    if re.search(r"at least \d+ characters|too short", refusal):
        args = {name: FRAME if value == "${content}" else value for name, value in args.items()}
    if TAKEN.search(refusal):
        same = [name for name, value in args.items() if value == PLACE and not SCOPE.fullmatch(name.lower())]
        args |= dict.fromkeys(same, "${entry}")
        choices |= dict.fromkeys(same, "")
    choices = {name: reason for name, reason in choices.items() if reason}
    return None if args == one.args else Candidate(one.tool, args, choices, one.score)
