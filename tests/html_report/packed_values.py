"""The values of a packed column, read by its format alone: what `assets/chunks.js` does in the page."""

from collections.abc import Iterator
from typing import Any

RECENT = 9
END = -1


def values(packed: Any) -> list[Any]:
    if isinstance(packed, list):
        return packed
    if "steps" in packed:
        return list(texts(packed["lines"], packed["steps"]))
    if "names" in packed:
        return [packed["names"][number] for number in packed["at"]]
    if "counts" in packed:
        one = iter(values(packed["of"]))
        return [[next(one) for _ in range(count)] for count in packed["counts"]]
    if "rows" in packed:
        places = [iter(values(place)) for place in packed["of"]]
        return [[next(place) for place in places[:length]] for length in packed["rows"]]
    columns = {name: iter(values(column)) for name, column in packed["of"].items()}
    return [{name: next(columns[name]) for name in packed["keys"][shape]} for shape in packed["at"]]


def texts(lines: list[str], steps: list[int]) -> Iterator[list[str]]:
    text = list[str]()
    for number in numbers(steps):
        if number == END:
            yield text
            text = []
        else:
            text.append(lines[number])


def numbers(steps: list[int]) -> Iterator[int]:
    past, place, count = list[int](), 0, 0
    for at, step in enumerate(steps):
        if at % 2 == 0:
            for _ in range(step):
                yield past[place]
                past.append(past[place])
                place += 1
            continue
        if step == 0:
            number, count = count, count + 1
        elif step == 1:
            number = END
        else:
            number = count - (step - 1) if step <= RECENT + 1 else step - RECENT - 2
        before = [where for where, one in enumerate(past) if one == number]
        place = (before[-1] if before else place) + 1
        yield number
        past.append(number)
