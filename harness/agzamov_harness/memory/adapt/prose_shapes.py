"""How the notes that were stored are read out of prose: a regular expression from what stands between them.

Words that stand before and after every note are taken as they are, and words with digits, such as dates, scores and
names of entries, stand for any such word. The expression counts only if it gives the notes exactly.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from .answer_shapes import ELLIPSES, PREVIEW_MIN, Shape

TOKEN: Final = re.compile(r"[\w.-]*\d[\w.:+%-]*|[A-Za-z_]+|\s+|.", re.DOTALL)
ANY: Final = r"[\w.:+%-]+"
TOKENS_MAX: Final = 24
"""As many tokens beside a note are looked at."""


def prose_shape(text: str, notes: Sequence[str], names: Sequence[str] = ()) -> Shape | None:
    """The shape of an answer in prose that holds whole notes, or beginnings of some."""
    places = sorted(place for note in notes if (place := _place(text, note)))
    if not places:
        return None
    wanted = [text[start:end] for start, end in places]
    for pattern in _patterns(text, places, names):
        found = [match["content"] for match in re.finditer(pattern, text)]
        if found == wanted:
            is_whole = all(one in notes for one in wanted)
            keys = {"answer": "text", "items_text": pattern}
            if not is_whole:
                cut = next(one for one in wanted if one not in notes)
                keys["ellipsis"] = next((mark for mark in reversed(ELLIPSES) if cut.endswith(mark)), "")
            return Shape(keys, "entries" if is_whole else "previews", len(places))
    return None


def _place(text: str, note: str) -> tuple[int, int] | None:
    """Where a note stands, or as much of its beginning as does."""
    start = text.find(note)
    if start >= 0:
        return start, start + len(note)
    start = text.find(note[:PREVIEW_MIN])
    if start < 0:
        return None
    same = next((i for i, (a, b) in enumerate(zip(note, text[start:], strict=False)) if a != b), len(note))
    mark = next((mark for mark in ELLIPSES if text.startswith(mark, start + same)), "")
    return start, start + same + len(mark)


def _patterns(text: str, places: Sequence[tuple[int, int]], names: Sequence[str]) -> Iterator[str]:
    """Expressions to try, the most exact first."""
    edges = [0, *(place for pair in places for place in pair), len(text)]
    gaps = [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    befores, afters = gaps[:-1], gaps[1:]
    before = _common([list(reversed(_tokens(gap))) for gap in befores])[::-1]
    after = _common([_tokens(gap) for gap in afters])
    for depth in range(len(before), 0, -1):
        head = _pattern(before[-depth:], names)
        for reach in range(len(after), 0, -1):
            yield f"(?s){head}(?P<content>.*?){_pattern(after[:reach], ())}"
        yield rf"(?s){head}(?P<content>.*?)(?=\s*{_pattern(before[-depth:], ())}|\s*\Z)"
    for reach in range(len(after), 0, -1):
        yield rf"(?s)(?:\A|\n)(?P<content>.*?){_pattern(after[:reach], ())}"


def _tokens(text: str) -> list[str]:
    return TOKEN.findall(text)


def _common(gaps: Sequence[Sequence[str]]) -> list[str]:
    """The tokens with which all begin; a word with digits is like any other."""
    found = list[str]()
    for tokens in zip(*gaps, strict=False):
        if len(set(tokens)) > 1 and not all(any(c.isdigit() for c in token) for token in tokens):
            break
        found.append(tokens[0])
    return found[:TOKENS_MAX]


def _pattern(tokens: Sequence[str], names: Sequence[str]) -> str:
    """The expression for tokens; the server's own name of the entry is its group."""
    words = list[str]()
    for token in tokens:
        if token in names and "(?P<id>" not in "".join(words):
            words.append(f"(?P<id>{ANY})")
        else:
            words.append(ANY if any(c.isdigit() for c in token) else re.escape(token))
    return "".join(words).replace("\\\n", "\\n").replace("\\ ", " ")
