"""How the notes that were stored are read out of an answer: as whole entries, as previews, or within a longer text.

An answer is looked at as structured content, as JSON in its text, and as prose, in this order.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from agzamov_verify.memory.declared_server import Answer

from ...servers.mcp_client import ToolResult
from ..result_reader import UnexpectedResult, value_of

PREVIEW_MIN: Final = 24
"""So many characters of a note must be there for it to be known by its beginning."""
IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
ID_KEY: Final = re.compile(r"(^|_)(id|uuid|rid|hash|key)$|Id$|^(id|uuid|rid)")
ELLIPSES: Final = ("...", "\u2026", " ...", " \u2026")
Path = tuple[str | int, ...]
Given = dict[str, str]
"""Keys of an adapter's part, with their values."""


class Shape(NamedTuple):
    """The keys by which entries are read, and what they are. `notes`: how many of the notes were there."""

    keys: Given
    gives: str
    notes: int


class Leaf(NamedTuple):
    """A text in a JSON value that holds a note: whole, as its beginning (preview), or within more text."""

    path: Path
    note: str
    how: str
    text: str


def readings(result: ToolResult) -> Iterator[tuple[Answer, object]]:
    """The JSON values that a result can be read as."""
    for answer in ("structured", "json_text", "json_in_text"):
        try:
            value = value_of(result, answer)
        except UnexpectedResult:
            continue
        if isinstance(value, dict | list) and value:
            yield answer, value


def json_shape(result: ToolResult, notes: Sequence[str], names: Sequence[str] = ()) -> Shape | None:
    """The shape of an answer that is JSON. `names`: the server's own names of the notes, where they are known."""
    for answer, value in readings(result):
        leaves = [leaf for leaf in leaves_of(value, notes) if any(isinstance(one, int) for one in leaf.path)]
        shapes = (_shape(answer, value, leaves, how, names) for how in ("whole", "preview", "within"))
        if shape := next(filter(None, shapes), None):
            return shape
    return None


def leaves_of(value: object, notes: Sequence[str], path: Path = ()) -> Iterator[Leaf]:
    """The texts of a JSON value in which a note is found. One with several notes is prose, and none of these."""
    if isinstance(value, str):
        held = [leaf for note in notes if (leaf := _held(path, note, value))]
        if len(held) == 1:
            yield held[0]
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from leaves_of(item, notes, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves_of(item, notes, (*path, index))


def _held(path: Path, note: str, text: str) -> Leaf | None:
    if text == note:
        return Leaf(path, note, "whole", text)
    if note in text:
        return Leaf(path, note, "within", text)
    cut = next((text.removesuffix(mark) for mark in ELLIPSES if text.endswith(mark)), text).rstrip()
    return Leaf(path, note, "preview", text) if len(cut) >= PREVIEW_MIN and note.startswith(cut) else None


def _shape(answer: Answer, value: object, leaves: Sequence[Leaf], how: str, names: Sequence[str]) -> Shape | None:
    """The shape by the place that holds the most notes in this way; a short note may be whole beside previews."""
    kinds = {"whole": ("whole",), "preview": ("whole", "preview"), "within": ("within",)}[how]
    places = dict[tuple[str, str], list[Leaf]]()
    for leaf in leaves:
        if leaf.how in kinds:
            places.setdefault(_place(leaf.path), []).append(leaf)
    place, held = max(places.items(), key=lambda pair: len({leaf.note for leaf in pair[1]}), default=(None, []))
    if not place or (how == "preview" and all(leaf.how == "whole" for leaf in held)):
        return None
    if how == "whole" and any(leaf.how != "whole" and _place(leaf.path) == place for leaf in leaves):
        return None  # the long ones are cut: they are previews
    keys = {"answer": answer, "items": place[0], "content": place[1]}
    if own := _id_of(value, held[0].path, names):
        keys["id"] = own
    if how == "preview":
        cut = next(leaf.text for leaf in held if leaf.how == "preview")
        keys["ellipsis"] = next((mark for mark in reversed(ELLIPSES) if cut.endswith(mark)), "")
    if how == "within":
        keys["content_text"] = around([(leaf.text, leaf.note) for leaf in held])
    return Shape(keys, "previews" if how == "preview" else "entries", len({leaf.note for leaf in held}))


def _place(path: Path) -> tuple[str, str]:
    """The list of an entry and the place in it, as expressions."""
    last = max(index for index, part in enumerate(path) if isinstance(part, int))
    return expression(path[: last + 1]), expression(path[last + 1 :]) or "@"


def expression(path: Path) -> str:
    """The JMESPath of a place, whatever the place in a list."""
    words = ""
    for part in path:
        if isinstance(part, int):
            words += "[]"
        else:
            key = part if IDENTIFIER.fullmatch(part) else '"' + part.replace('"', '\\"') + '"'
            words += f".{key}" if words else key
    return words


def _id_of(value: object, path: Path, names: Sequence[str]) -> str:
    """The place of the server's own name in an entry."""
    last = max(index for index, part in enumerate(path) if isinstance(part, int))
    item = value_at(value, path[: last + 1])
    scalars = dict(scalars_of(item)) if isinstance(item, dict) else {}
    known = [place for place, scalar in scalars.items() if str(scalar) in names]
    likely = [place for place in scalars if ID_KEY.search(str(place[-1]))]
    place = next(iter([*known, *likely]), None)
    return as_text(place, scalars[place]) if place else ""


def as_text(place: Path, scalar: object) -> str:
    """The JMESPath of a name as text: some are numbers."""
    return expression(place) if isinstance(scalar, str) else f"to_string({expression(place)})"


def value_at(value: Any, path: Path) -> Any:
    """The value at a place of a JSON value."""
    for part in path:
        value = value[part]
    return value


def scalars_of(value: object, path: Path = ()) -> Iterator[tuple[Path, object]]:
    """The texts and numbers of a JSON object by their places, those in lists left out."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from scalars_of(item, (*path, str(key)))
    elif isinstance(value, str | int) and not isinstance(value, bool):
        yield path, value


def around(examples: Sequence[tuple[str, str]]) -> str:
    """A regular expression that finds a note in a longer text, from texts with their notes."""
    before = [text[: text.index(note)] for text, note in examples]
    after = [text[text.index(note) + len(note) :] for text, note in examples]
    head = re.escape(before[0]) if len(set(before)) == 1 else r".*?" + re.escape(_common_end(before))
    tail = re.escape(after[0]) if len(set(after)) == 1 else re.escape(_common_start(after)) + r".*"
    return f"(?s)^{head}(.*){tail}$" if tail == re.escape(after[0]) else f"(?s)^{head}(.*?){tail}$"


def _common_start(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    return first[
        : next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    ]


def _common_end(texts: Sequence[str]) -> str:
    return _common_start([text[::-1] for text in texts])[::-1]
