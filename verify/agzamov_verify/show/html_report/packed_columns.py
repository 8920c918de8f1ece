"""JSON values column by column, as a chunk of a report has them: gzip makes less than half as much of them as of rows.

Values that stand for one thing in many games (all amounts of a pot, all labels of an action) lie side by side:

    [1, "a", None]            values that are no containers, or of several kinds: as they are
    {"names": [...], "at"}       strings, each once, and the number of each value's string
    {"lines": [...], "steps"}    texts: their lines, each once, and how they follow each other (`_texts`)
    {"counts": [...], "of"}      lists: how long each is, and the column of all their values
    {"rows": [...], "of"}        tuples: how long each is, and a column for each place
    {"keys": [...], "at", "of"}  objects: the lists of keys that occur, which each has, and a column for each key

`assets/chunks.js` makes the values of them again.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

Column: TypeAlias = Sequence[Any] | Mapping[str, Any]

NEW: Final = 0
ENDED: Final = 1
RECENT: Final = 9
"""Lines so recent are named by how many lines ago they were new; older ones by their number."""
END: Final = -1
"""Behind the last line of a text, where the number of a line could stand."""


class Text(NamedTuple):
    """A text of a bundle by its lines."""

    lines: tuple[str, ...]


def column(values: Sequence[Any]) -> Column:
    """The values as a column. Texts must stand where all values are texts."""
    if not values:
        return values
    if all(isinstance(value, Text) for value in values):
        return _texts(values)
    if all(isinstance(value, tuple) for value in values):
        places = range(max(map(len, values)))
        of = [column([value[place] for value in values if len(value) > place]) for place in places]
        return {"rows": [len(value) for value in values], "of": of}
    if all(isinstance(value, list) for value in values):
        return {"counts": [len(value) for value in values], "of": column([one for value in values for one in value])}
    if all(isinstance(value, dict) for value in values):
        return _objects(values)
    return _scalars(values)


def _scalars(values: Sequence[Any]) -> Column:
    """The values, or their names where strings are repeated enough."""
    if not all(isinstance(value, str) for value in values):
        return values
    numbers = {name: number for number, name in enumerate(dict.fromkeys(values))}
    if 2 * len(numbers) > len(values):
        return values
    return {"names": list(numbers), "at": [numbers[value] for value in values]}


def _objects(values: Sequence[Mapping[str, Any]]) -> Column:
    shapes = {keys: number for number, keys in enumerate(dict.fromkeys(tuple(value) for value in values))}
    names = dict.fromkeys(name for keys in shapes for name in keys)
    return {
        "keys": list(shapes),
        "at": [shapes[tuple(value)] for value in values],
        "of": {name: column([value[name] for value in values if name in value]) for name in names},
    }


def _texts(texts: Sequence[Text]) -> Column:
    """Texts as steps: how many lines were as foretold, then one that was not, and so on.

    Foretold is the line that came next when the line before stood last (or, where a new line stands in the place of a
    foretold one, what came after that). So a prompt costs as much as it differs from an earlier one.
    """
    numbers = dict[str, int]()
    past, last, steps = list[int](), dict[int, int](), list[int]()
    as_foretold = place = 0
    for number, step in _numbered(texts, numbers):
        if step != NEW and place < len(past) and past[place] == number:
            as_foretold, place = as_foretold + 1, place + 1
        else:
            steps += as_foretold, step
            as_foretold, place = 0, last.get(number, place) + 1
        last[number] = len(past)
        past.append(number)
    return {"lines": list(numbers), "steps": [*steps, as_foretold]}


def _numbered(texts: Sequence[Text], numbers: dict[str, int]) -> Iterator[tuple[int, int]]:
    """The number of each line, and the step that names it; END behind each text. `numbers` grows with them."""
    for text in texts:
        for line in text.lines:
            count = len(numbers)
            number = numbers.setdefault(line, count)
            back = count - number
            old = ENDED + back if back <= RECENT else ENDED + RECENT + 1 + number
            yield number, old if back else NEW
        yield END, ENDED
