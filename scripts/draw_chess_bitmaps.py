"""Draw the bitmaps of chess pieces and of the characters beside a board: shapes and characters of our own.

    python scripts/draw_chess_bitmaps.py > verify/agzamov_verify/games/chess/bitmaps.txt

Marks: "." see-through, "o" the piece, "#" its edge, "x" its letter. Whole numbers alone decide a mark.
"""

import sys
from collections.abc import Iterator
from typing import TypeAlias

SIDE = 28
Points: TypeAlias = set[tuple[int, int]]

GLYPHS = {
    "K": "x...x x..x. x.x.. xx... x.x.. x..x. x...x",
    "Q": ".xxx. x...x x...x x...x x.x.x x..x. .xx.x",
    "R": "xxxx. x...x x...x xxxx. x.x.. x..x. x...x",
    "B": "xxxx. x...x x...x xxxx. x...x x...x xxxx.",
    "N": "x...x xx..x x.x.x x.x.x x.x.x x..xx x...x",
    "P": "xxxx. x...x x...x xxxx. x.... x.... x....",
    "a": "..... ..... .xxx. ....x .xxxx x...x .xxxx",
    "b": "x.... x.... xxxx. x...x x...x x...x xxxx.",
    "c": "..... ..... .xxxx x.... x.... x.... .xxxx",
    "d": "....x ....x .xxxx x...x x...x x...x .xxxx",
    "e": "..... ..... .xxx. x...x xxxxx x.... .xxx.",
    "f": "..xx. .x... xxxx. .x... .x... .x... .x...",
    "g": "..... .xxxx x...x x...x .xxxx ....x .xxx.",
    "h": "x.... x.... xxxx. x...x x...x x...x x...x",
    "1": "..x.. .xx.. ..x.. ..x.. ..x.. ..x.. .xxx.",
    "2": ".xxx. x...x ....x ...x. ..x.. .x... xxxxx",
    "3": ".xxx. x...x ....x ..xx. ....x x...x .xxx.",
    "4": "...x. ..xx. .x.x. x..x. xxxxx ...x. ...x.",
    "5": "xxxxx x.... xxxx. ....x ....x x...x .xxx.",
    "6": ".xxx. x.... x.... xxxx. x...x x...x .xxx.",
    "7": "xxxxx ....x ...x. ..x.. .x... .x... .x...",
    "8": ".xxx. x...x x...x .xxx. x...x x...x .xxx.",
}


def box(left: int, top: int, right: int, bottom: int) -> Points:
    """The points of a rectangle, edges included."""
    return {(x, y) for x in range(left, right + 1) for y in range(top, bottom + 1)}


def disc(twice_x: int, twice_y: int, radius: int) -> Points:
    """The points of a disc about a centre in half points."""
    points = box(0, 0, SIDE - 1, SIDE - 1)
    return {(x, y) for x, y in points if (2 * x - twice_x) ** 2 + (2 * y - twice_y) ** 2 <= 4 * radius**2}


def skirt(top: int, bottom: int, half_top: int, half_bottom: int) -> Points:
    """The points of a trapezium about the middle."""
    rows = ((y, half_top + (half_bottom - half_top) * (y - top) // (bottom - top)) for y in range(top, bottom + 1))
    return {(x, y) for y, half in rows for x in range(14 - half, 14 + half)}


def spikes(columns: tuple[int, ...], top: int, bottom: int) -> Points:
    """The points of triangles that stand side by side, wider below."""
    rows = [(y, (y - top) // 4) for y in range(top, bottom + 1)]
    return {(x, y) for at in columns for y, half in rows for x in range(at - half, at + half + 1)}


FOOT = box(5, 23, 22, 25) | box(7, 21, 20, 23)
FIGURES: dict[str, Points] = {
    "P": FOOT | disc(27, 18, 5) | skirt(12, 22, 4, 6),
    "R": FOOT | box(8, 9, 19, 22) | box(6, 3, 9, 9) | box(12, 3, 15, 9) | box(18, 3, 21, 9) | box(6, 7, 21, 10),
    "B": FOOT | disc(27, 5, 2) | skirt(4, 11, 1, 6) | box(8, 11, 19, 17) | skirt(17, 22, 6, 5),
    "N": FOOT | box(9, 8, 20, 22) | box(3, 9, 12, 14) | box(5, 6, 18, 10) | box(11, 2, 13, 6) | box(16, 4, 18, 8),
    "Q": FOOT | skirt(11, 22, 9, 6) | spikes((5, 10, 17, 22), 4, 12) | disc(27, 5, 2) | box(12, 5, 15, 11),
    "K": FOOT | box(12, 1, 15, 10) | box(9, 3, 18, 6) | skirt(9, 22, 7, 6) | box(6, 10, 21, 14),
}


def marks_of(points: Points, letter: str, scale: int, left: int, top: int) -> Iterator[str]:
    """Rows of a piece with its letter."""
    rows = GLYPHS[letter].split()
    letters = {
        (left + scale * x + dx, top + scale * y + dy)
        for y, row in enumerate(rows)
        for x, mark in enumerate(row)
        if mark == "x"
        for dx in range(scale)
        for dy in range(scale)
    }
    for y in range(SIDE):
        yield "".join(_mark(x, y, points, letters) for x in range(SIDE))


def _mark(x: int, y: int, points: Points, letters: Points) -> str:
    if (x, y) not in points:
        return "."
    if {(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)} - points:
        return "#"
    return "x" if (x, y) in letters else "o"


def main() -> None:
    """Print the bitmaps."""
    lines: list[str] = []
    for letter, points in FIGURES.items():
        lines += [f"figures {letter}:", *marks_of(points, letter, 1, 12, 14)]
    for letter in FIGURES:
        lines += [f"discs {letter}:", *marks_of(disc(27, 27, 12), letter, 2, 9, 7)]
    for name, glyph in GLYPHS.items():
        lines += [f"glyph {name}:", *glyph.split()]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
