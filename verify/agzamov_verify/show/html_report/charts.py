"""Charts with one row for each figure: an interval, a bar in parts, or a strip of time.

A row's name stands in a gutter on its left, its figure on its right, and neither on what is drawn; in a narrow place
both stand above it (`assets/report.css`). So rows are HTML, and each has an SVG of its own, all on one scale. A row may
be a link, to its games. Each chart stands beside a table of its numbers (`figures`).
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from .drawing import AxisScale, box, circle, line, scale_of, svg, text, tick, ticks_of
from .markup import Element, element

FIRST, LAST = 2.0, 98.0
"""Where a plot begins and ends: percentages of its width."""
ROW_PX: Final = "26"
"""Height of a row whose name is one line long."""
MIDDLE: Final = 13.0
HEAD_PX: Final = "16"
AXIS_PX: Final = "18"
BAR_TOP, BAR_HEIGHT = 5.0, 16.0
STRIP_HEIGHT: Final = 20.0


class Whisker(NamedTuple):
    """A figure with its interval. `low` and `high` are None where there is none; infinite ones reach the edge.

    `told`: the figure in words, beside its row; `href`: where the row leads to.
    """

    label: str
    value: float
    low: float | None
    high: float | None
    told: str = ""
    href: str = ""


def whiskers(rows: Sequence[Whisker], null: float | None, unit: str, title: str, null_words: str = "") -> Element:
    """One row for each figure: a point, its interval, and a line at the value of no difference.

    `null`: that value, and `null_words` what it means; None: there is none, and the axis holds 0. The point of a figure
    without an interval is hollow.
    """
    scale = scale_of_whiskers(rows, null)
    shown = [null_row(scale, null, null_words)] if null is not None else []
    for row in rows:
        kind = f"row {shade(row, null)}"
        shown.append(_row(row.label, whisker(row, scale, null), row.told, kind, row.href))
    return element("div", *shown, axis_row(scale, unit), class_="chart rows", role="group", aria_label=title)


def scale_of_whiskers(rows: Sequence[Whisker], null: float | None) -> AxisScale:
    """A scale for all rows and the value of no difference."""
    return scale_of([null or 0.0, *(bound for row in rows for bound in (row.value, row.low, row.high))], FIRST, LAST)


def shade(row: Whisker, null: float | None) -> str:
    """The class of a row's colour."""
    return "unsure" if null is None else certainty(row.low, row.high, null)


def certainty(low: float | None, high: float | None, null: float) -> str:
    """The class of a figure: above or below the value of no difference, or not shown to differ."""
    if low is not None and high is not None:
        if low > null:
            return "above"
        if high < null:
            return "below"
    return "unsure"


def stacked(rows: Sequence[tuple[str, Sequence[float], str]], total: float, unit: str, title: str) -> Element:
    """One bar for each row of a name, parts in order, and an address; `total` is the length of the axis."""
    scale = AxisScale(0.0, total, FIRST, LAST)
    shown = []
    for label, parts, href in rows:
        drawing, reached = _grid(scale), 0.0
        for number, part in enumerate(parts):
            left, right = scale(reached), scale(reached + part)
            reached += part
            if part:
                drawing.append(box(left, BAR_TOP, right, BAR_HEIGHT, f"part-{number}"))
        shown.append(_row(label, drawing, "", "row", href))
    return element("div", *shown, axis_row(scale, unit), class_="chart rows", role="group", aria_label=title)


def strips(rows: Sequence[tuple[str, Sequence[int]]], title: str) -> Element:
    """One strip for each row, in parts of equal width: a bar as high as the part's share of the row's greatest."""
    shown = []
    for label, counts in rows:
        drawing = svg(ROW_PX, "plot")
        width, most = (LAST - FIRST) / max(1, len(counts)), max(counts, default=0) or 1
        for number, count in enumerate(counts):
            tall, left = STRIP_HEIGHT * count / most, FIRST + number * width
            if count:
                drawing.append(box(left, STRIP_HEIGHT + 2 - tall, left + width, tall, "part-0"))
        drawing.append(line(FIRST, STRIP_HEIGHT + 2, LAST, STRIP_HEIGHT + 2, "grid"))
        shown.append(_row(label, drawing, "", "row", ""))
    return element("div", *shown, class_="chart rows", role="group", aria_label=title)


# --- rows ----------------------------------------------------------------------------------------


def _row(label: str, drawing: Element, told: str, kind: str, href: str) -> Element:
    cells = element("span", label, class_="label"), drawing, element("span", told, class_="told")
    return element("a", *cells, class_=kind, href=href) if href else element("div", *cells, class_=kind)


def null_row(scale: AxisScale, null: float, words: str) -> Element:
    """The value of no difference and its name above its line, towards the middle of the chart."""
    drawing, x = svg(HEAD_PX, "plot"), scale(null)
    anchor = "start" if x < 30 else "end" if x > 70 else "middle"
    drawing.append(text(x, 12, ", ".join(filter(None, (tick(null), words))), "tick", anchor))
    return element("div", drawing, class_="row scale")


def axis_row(scale: AxisScale, unit: str) -> Element:
    """The values of the ticks, and the unit below them."""
    drawing = svg(AXIS_PX, "plot")
    for value in ticks_of(scale):
        drawing.append(text(scale(value), 13, tick(value), "tick", "middle"))
    named = [element("span", unit, class_="unit")] if unit else []
    return element("div", drawing, *named, class_="row scale")


def whisker(row: Whisker, scale: AxisScale, null: float | None) -> Element:
    """The drawing of one row: its interval and its point before the lines of the ticks and of no difference."""
    drawing = _grid(scale)
    if null is not None:
        drawing.append(_upright(scale(null), "null"))
    if row.low is not None and row.high is not None:
        low, high = scale(row.low), scale(row.high)
        drawing.append(line(low, MIDDLE, high, MIDDLE, "whisker"))
        drawing.extend(line(end, MIDDLE - 5, end, MIDDLE + 5, "whisker") for end in (low, high))
    drawing.append(circle(scale(row.value), MIDDLE, 4.5, "dot" if row.low is not None else "dot hollow"))
    return drawing


def _grid(scale: AxisScale) -> Element:
    drawing = svg(ROW_PX, "plot")
    drawing.extend(_upright(scale(value), "grid") for value in ticks_of(scale))
    return drawing


def _upright(x: float, kind: str) -> Element:
    """A line from the top of a row to its bottom, however high it is."""
    made = line(x, 0, x, 0, kind)
    made.set("y2", "100%")
    return made
