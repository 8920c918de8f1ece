"""What was found out of a server by using it: the tools that store, search and give, and how their answers are read."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from ...servers.mcp_client import ListedTool, ToolResult
from ...servers.server_process import one_line
from ..launch import Setup
from ..result_reader import UnexpectedResult, read
from .answer_shapes import (
    ID_KEY,
    Given,
    Shape,
    as_text,
    expression,
    json_shape,
    leaves_of,
    readings,
    scalars_of,
    value_at,
)
from .probe import NOTES, Probe, opened
from .prose_shapes import prose_shape
from .tool_choice import Candidate, giving_all, giving_one, mended, searching, storing

SUCCESS_KEYS: Final = ("ok", "success", "stored", "saved", "created", "added")
SUCCESS_WORDS: Final = ("ok", "success", "stored", "saved", "created", "added", "recorded", "done")
EMPTY_WORDS_MAX, LETTERS_MIN = 6, 4
TRIED_MAX: Final = 160
MENDED_MAX: Final = 3


class NoMemory(Exception):
    """A server that cannot be used as a memory, with the reason."""


class NotTaken(NoMemory):
    """A tool did not store a note. `refusal`: what it answered."""

    def __init__(self, refusal: str) -> None:
        super().__init__(f"it answers {one_line(refusal, TRIED_MAX)!a}, which does not show that a note was taken")
        self.refusal = refusal


class Part(NamedTuple):
    """A tool with its arguments, and the keys by which its answers are read."""

    candidate: Candidate
    keys: Given
    gives: str = "entries"


class Found(NamedTuple):
    """All that an adapter says of the calls. `export`, `fetch`: None where there is no such tool."""

    store: Part
    search: Part
    export: Part | None
    fetch: Part | None
    server: tuple[str, str]
    tools: Sequence[ListedTool]


def found_out(setup: Setup, log: Path) -> Found:
    """Use a server until it is known how. Raises NoMemory, PortFault."""
    with opened(setup, log) as probe:
        tools, server = probe.tools(), probe.server
    stores, searches = storing(tools), searching(tools)
    names = ", ".join(tool.name for tool in tools) or "none"
    if not stores:
        raise NoMemory(f"it has no tool that stores a text; its tools are {names}")
    if not searches:
        raise NoMemory(f"it has no tool that searches for a text; its tools are {names}")
    tried, left = list[str](), [(store, MENDED_MAX) for store in stores]
    while left:
        store, mends = left.pop(0)
        with opened(setup, log) as probe:
            try:
                return Found(*_parts(probe, tools, store, searches), server, tools)
            except NotTaken as error:
                if mends and (other := mended(store, tools, error.refusal)):
                    left.insert(0, (other, mends - 1))
                else:
                    tried.append(f"{store.tool}: {error}")
            except NoMemory as error:
                tried.append(f"{store.tool}: {error}")
    raise NoMemory(f"no tool was found to store what another finds; {'; '.join(tried)}")


def _parts(
    probe: Probe, tools: Sequence[ListedTool], store: Candidate, searches: Sequence[Candidate]
) -> tuple[Part, Part, Part | None, Part | None]:
    """How one server is used, in a fresh folder that a tool is tried in."""
    empty = {search.tool: probe.search(search.tool, search.args, NOTES[0].split("\n")[1]) for search in searches}
    all_empty = {
        one.tool: probe.call(one.tool, one.args, offset=0, page=1, page_entries=200) for one in giving_all(tools)
    }
    stored = [probe.store(store.tool, store.args, number) for number in range(len(NOTES))]
    if failed := next((result for result in stored if result.failed), None):
        raise NotTaken(failed.text)
    names, store_keys = names_of(stored), stored_keys(stored)
    if not store_keys:
        raise NotTaken(stored[0].text)
    if refused := next((result for result in stored if not is_taken(result, store_keys)), None):
        raise NotTaken(refused.text)
    search, answered = _search(probe, searches, empty, names)
    fetch = _fetch(probe, tools, search, answered, names) if search.gives == "previews" or not search.keys else None
    export = _export(probe, tools, all_empty, names)
    if export and export.gives == "previews":
        export = None
    return Part(store, store_keys), search, export, fetch


def _search(
    probe: Probe, searches: Sequence[Candidate], empty: dict[str, ToolResult], names: Sequence[str]
) -> tuple[Part, ToolResult]:
    """The tool that finds most of the notes, and how its answers are read."""
    tried, best = list[str](), list[tuple[int, Part, ToolResult]]()
    for search in searches:
        answers = [probe.found(search.tool, search.args, number) for number in range(len(NOTES))]
        if failed := next((answer for answer in answers if answer.failed), None):
            tried.append(f"{search.tool} answers {one_line(failed.text, TRIED_MAX)!a}")
            continue
        shapes = [(shape, answer) for answer in answers if (shape := shape_of(answer, names))]
        if shapes:
            shape, answer = max(shapes, key=lambda pair: (pair[0].gives == "previews", pair[0].notes))
            keys = {**shape.keys, **empty_keys(empty[search.tool], shape)}
            best.append((len(shapes), Part(search, keys, shape.gives), answer))
        else:
            tried.append(f"{search.tool} answers {one_line(answers[0].text, TRIED_MAX)!a} for a note that is there")
    if not best:
        raise NoMemory("; ".join(tried))
    _, part, answer = max(best, key=lambda one: one[0])
    return part, answer


def _export(
    probe: Probe, tools: Sequence[ListedTool], empty: dict[str, ToolResult], names: Sequence[str]
) -> Part | None:
    """The tool that gives every note, if there is one."""
    for candidate in giving_all(tools):
        result = probe.call(candidate.tool, candidate.args, offset=0, page=1, page_entries=200)
        shape = None if result.failed else shape_of(result, names)
        if shape and shape.notes == len(NOTES):
            keys = {**shape.keys, **empty_keys(empty[candidate.tool], shape)}
            if "${offset}" in candidate.args.values() and "items" in keys:
                keys["more"] = f"length({keys['items']}) > `0`"
            return Part(candidate, keys, shape.gives)
    return None


def _fetch(
    probe: Probe, tools: Sequence[ListedTool], search: Part, answered: ToolResult, names: Sequence[str]
) -> Part | None:
    """The tool that gives one whole note by the name that a search gives."""
    for name in ids_in(answered, search.keys) or names:
        for candidate in giving_one(tools):
            result = probe.call(candidate.tool, candidate.args, id=name)
            if keys := {} if result.failed else whole_keys(result):
                return Part(candidate, keys)
    return None


def shape_of(result: ToolResult, names: Sequence[str]) -> Shape | None:
    """How an answer is read, in whatever way gives something."""
    return json_shape(result, NOTES, names) or prose_shape(result.text, NOTES, names)


def ids_in(result: ToolResult, keys: Given) -> list[str]:
    """Names of entries in a search's answer, as its keys read them."""
    if keys["answer"] == "text":
        return [name for match in re.finditer(keys["items_text"], result.text) if (name := match.groupdict().get("id"))]
    values = [value for answer, value in readings(result) if answer == keys["answer"]]
    return [str(scalar) for value in values for place, scalar in _deep(value) if ID_KEY.search(str(place))]


def _deep(value: object) -> Iterator[tuple[str, object]]:
    """Every text and number of a JSON value with its key."""
    if isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, dict | list):
                yield from _deep(item)
            elif isinstance(item, str | int) and not isinstance(item, bool):
                yield str(key), item
    elif isinstance(value, list):
        for item in value:
            yield from _deep(item)


def whole_keys(result: ToolResult) -> Given:
    """How the answer that gives one note is read; nothing where it holds none."""
    for answer, value in readings(result):
        for place, scalar in scalars_of(value) if isinstance(value, dict) else ():
            if scalar in NOTES:
                return {"answer": answer, "content": as_text(place, scalar)}
        for leaf in _whole_leaves(value):
            return {"answer": answer, "content": leaf}
    note = next((note for note in NOTES if note in result.text), "")
    if not note:
        return {}
    before, after = result.text.split(note, 1)
    last, first = before.rsplit("\n", 1)[-1], after.lstrip("\n").split("\n", 1)[0]
    head = (
        re.escape(last) if last and not any(c.isdigit() for c in last) else (r"\n\n" if before.endswith("\n\n") else "")
    )
    tail = rf"\s*{re.escape(first)}" if first and not any(c.isdigit() for c in first) else r"\s*\Z"
    return {"answer": "text", "content_text": f"(?s){head}(.*?){tail}"} if head or not before else {}


def _whole_leaves(value: object) -> Iterator[str]:
    for leaf in leaves_of(value, NOTES):
        if leaf.how == "whole":
            yield expression(leaf.path).replace("[]", "[0]") or "@"


def stored_keys(results: Sequence[ToolResult]) -> Given:
    """How it is seen that a note was taken, and what the server calls it."""
    for answer, value in readings(results[0]):
        if not isinstance(value, dict):
            continue
        others = [dict(readings(result)).get(answer) for result in results]
        ids = _ids(value, others)
        if sign := _sign(value, ids):
            return {"answer": answer, "stored": sign, **({"id": ids} if ids else {})}
    return _stored_in_words([result.text for result in results])


def is_taken(result: ToolResult, keys: Given) -> bool:
    """Whether an answer shows that its note was taken, as the first one does: not every refusal is an error."""
    if "stored_text" in keys:
        return bool(re.search(keys["stored_text"], result.text))
    values = dict(readings(result))
    try:
        return keys["answer"] in values and read(keys["stored"], values[keys["answer"]]) is True
    except UnexpectedResult:
        return False


def _sign(value: dict[str, object], ids: str) -> str:
    """An expression that is true for an answer that took a note."""
    for key in SUCCESS_KEYS:
        if value.get(key) is True:
            return key
        if value.get(key) is False:
            return ""
    for key, word in value.items():
        if isinstance(word, str) and word.lower() in SUCCESS_WORDS:
            return f"{key} == '{word}'"
    return f"{ids.removeprefix('to_string(').removesuffix(')')} != `null`" if ids else ""


def _ids(value: object, others: Sequence[object]) -> str:
    """The place of the server's name for a note: it differs from note to note."""
    for place, scalar in scalars_of(value):
        if not ID_KEY.search(str(place[-1])):
            continue
        try:
            all_of = {str(value_at(other, place)) for other in others}
        except (KeyError, TypeError, IndexError):
            continue
        if len(all_of) == len(others):
            return as_text(place, scalar)
    return ""


def _stored_in_words(texts: Sequence[str]) -> Given:
    """The same for prose: the words with which every answer begins, and the word with digits that differs."""
    first = texts[0]
    same = next((i for i in range(len(first)) if any(text[i : i + 1] != first[i] for text in texts)), len(first))
    words = first[:same].split("\n")[0]
    if first[len(words) : len(words) + 1].isalnum():
        words = re.sub(r"\w+$", "", words)  # the beginning of a word that differs
    words = re.split(r"\d|e0|VPIP", words)[0].rstrip(" (#:'\"`")
    if sum(map(str.isalpha, words)) < LETTERS_MIN:
        return {}
    keys = {"stored_text": f"^{re.escape(words)}".replace("\\ ", " ")}
    label = re.search(r"\b(?:ID|id|Id|#)(?:\*\*)?[:=# `]*\s*`?([\w-]*\d[\w-]*|[0-9a-f-]{8,})", first)
    if label and len({m[1] for text in texts if (m := _same_label(label, text))}) == len(texts):
        keys["id_text"] = r"\b(?:ID|id|Id|#)(?:\*\*)?[:=# `]*\s*`?([\w-]+)"
    return keys


def _same_label(_: re.Match[str], text: str) -> re.Match[str] | None:
    return re.search(r"\b(?:ID|id|Id|#)(?:\*\*)?[:=# `]*\s*`?([\w-]+)", text)


def names_of(results: Sequence[ToolResult]) -> list[str]:
    """What the server calls the notes, as far as it tells when it takes them."""
    keys = stored_keys(results)
    names = list[str]()
    for result in results:
        if "id_text" in keys and (match := re.search(keys["id_text"], result.text)):
            names.append(match[1])
        names += [
            str(scalar) for _, value in readings(result) for place, scalar in _deep(value) if ID_KEY.search(place)
        ]
    return names


def empty_keys(result: ToolResult, shape: Shape) -> Given:
    """What is said of an answer that holds nothing, where it has another form than one with entries."""
    if shape.keys["answer"] == "text":
        return {}
    for answer, value in readings(result):
        if answer == shape.keys["answer"]:
            try:
                if isinstance(read(shape.keys["items"], value), list):
                    return {}
            except UnexpectedResult:
                pass
            return {"items": f"({shape.keys['items']}) || `[]`"}
    if re.fullmatch(r"\s*(\[\]|\{\})\s*", result.text) and shape.keys["answer"] != "structured":
        return {}
    if not result.text.strip():
        return {"empty_text": r"^\s*$"}
    words = re.split(r"[\d\"'“:.\n]", result.text.strip())[0].split()[:EMPTY_WORDS_MAX]
    return {"empty_text": f"^{re.escape(' '.join(words))}".replace("\\ ", " ")} if words else {}
