"""Charts as SVG: points with intervals, courses with a band, scattered points, stacked bars.

Across, lengths are percentages, and down they are pixels: a chart is as wide as the page lets it be, and its words keep
their size, on a phone too. So a name stands above its row, and the values of a y axis on its lines. Colours and fonts
are classes of the page's style sheet, so that light, dark and print have their own. Each chart stands beside a table of
its numbers (`figures`).
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil, cos, floor, hypot, inf, isfinite, log10, pi, sin
from typing import Final, NamedTuple

from .markup import Element, element

WIDTH_PX: Final = 460.0
"""Of the chart for which places are sought; it may be shown wider or narrower."""
APART_PX: Final = (15.0, 11.0)
"""Across and down from the middle of one number to that of another."""
RINGS_PX: Final = (13.0, 20.0, 28.0, 37.0, 47.0, 58.0)
DIRECTIONS: Final = 16
LINED_FROM_PX: Final = 20.0
"""From so far on, a line leads from a point to its number."""


class Place(NamedTuple):
    """Middle of a number: percentage across, pixels down."""

    x: float
    y: float
    is_far: bool


def places(points: Sequence[tuple[float, float]], height: float) -> list[Place]:
    """A place for the number of each point: the nearest that is free, up and to the right first."""
    middles = [(x * WIDTH_PX / 100, y) for x, y in points]
    taken: list[tuple[float, float]] = []
    found = []
    for x, y in middles:
        options = list(_around(x, y, height))
        place = next((one for one in options if _is_free(one, taken, middles)), options[-1])
        taken.append(place)
        is_far = hypot(place[0] - x, place[1] - y) >= LINED_FROM_PX
        found.append(Place(place[0] * 100 / WIDTH_PX, place[1], is_far))
    return found


def _around(x: float, y: float, height: float) -> Iterator[tuple[float, float]]:
    """Places around a point within the drawing, ring by ring."""
    for ring in RINGS_PX:
        for step in range(DIRECTIONS):
            turn = pi / 4 + 2 * pi * step / DIRECTIONS
            place = x + ring * cos(turn), y - ring * sin(turn)
            if (4 <= place[0] <= WIDTH_PX - 4 and 4 <= place[1] <= height - 4) or ring == RINGS_PX[-1]:
                yield place


def _is_free(
    place: tuple[float, float], taken: Sequence[tuple[float, float]], points: Sequence[tuple[float, float]]
) -> bool:
    (x, y), (across, down) = place, APART_PX
    on_number = any(abs(x - other) < across and abs(y - up) < down for other, up in taken)
    return not on_number and all(abs(x - other) >= across * 0.6 or abs(y - up) >= down * 0.8 for other, up in points)


LINE: Final = 14.0
"""Height of a line of a row's name."""
ROW: Final = 24.0
"""Height of a row without its name."""
TOP: Final = 28.0
AXIS: Final = 34.0
PLOT_HEIGHT: Final = 220.0
FIRST, LEFT, LAST = 1.5, 7.0, 98.5
"""Where a plot begins, begins behind the values of its y axis, and ends: percentages of the width."""
TICKS: Final = 5
LABEL_CHARACTERS: Final = 52
"""Of one line: what a phone holds."""
LINES_BOX: Final = 1000.0
"""Width of the box in which lines are drawn, which is stretched to the chart's."""


class Whisker(NamedTuple):
    """A figure with its interval. `low` and `high` are None where there is none; infinite ones reach the edge."""

    label: str
    value: float
    low: float | None
    high: float | None


class Line(NamedTuple):
    """Points of one course, and the class of its stroke."""

    points: Sequence[tuple[float, float]]
    kind: str


class Band(NamedTuple):
    """A horizontal stripe between two values, and its class."""

    low: float
    high: float
    kind: str


class Dot(NamedTuple):
    """One scattered point with its name; its interval is vertical."""

    label: str
    x: float
    y: float
    low: float | None
    high: float | None


class AxisScale(NamedTuple):
    """A linear scale from values to percentages of the width, or to pixels of the height."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        kept = min(max(value, self.low), self.high)
        return self.start + (kept - self.low) / (self.high - self.low) * (self.end - self.start)


def ticks(low: float, high: float, count: int = TICKS) -> list[float]:
    """Round values between two bounds, about so many: steps of 1, 2 or 5 times a power of ten."""
    rough = (high - low) / count
    power = 10.0 ** floor(log10(rough))
    step = next(step * power for step in (1, 2, 5, 10) if step * power >= rough * (1 - 1e-9))
    first = ceil(low / step - 1e-9)
    return [step * index for index in range(first, floor(high / step + 1e-9) + 1)]


def whiskers(rows: Sequence[Whisker], null: float | None, unit: str, title: str, null_words: str = "") -> Element:
    """One row for each figure: a point, its interval, and a line at the value of no difference.

    `null`: that value, and `null_words` what it means; None: there is none, and the axis holds 0. The point of a figure
    without an interval is hollow.
    """
    scale = _scale([null or 0.0, *(bound for row in rows for bound in (row.value, row.low, row.high))], FIRST, LAST)
    heights = [ROW + LINE * len(_wrapped(row.label)) for row in rows]
    bottom = TOP + sum(heights)
    drawing = _drawing(bottom + AXIS, title)
    _x_axis(drawing, scale, TOP, bottom, unit)
    if null is not None:
        drawing.append(_line(scale(null), TOP, scale(null), bottom, "null"))
        drawing.append(_null_name(scale(null), ", ".join(filter(None, (_tick(null), null_words)))))
    y = TOP
    for row, height in zip(rows, heights, strict=True):
        drawing.extend(_label(row.label, y))
        drawing.append(_whisker(row, scale, y + height - ROW + 10, null))
        y += height
    return drawing


def certainty(low: float | None, high: float | None, null: float) -> str:
    """The class of a figure: above or below the value of no difference, or not shown to differ."""
    if low is not None and high is not None:
        if low > null:
            return "above"
        if high < null:
            return "below"
    return "unsure"


def course(
    lines: Sequence[Line],
    bands: Sequence[Band],
    axes: tuple[str, str],
    title: str,
    limits: tuple[float, float] = (-inf, inf),
) -> Element:
    """Courses over results, before stripes. `axes`: what x and y are; `limits`: what y can be."""
    across = [x for line in lines for x, _ in line.points]
    up = [y for line in lines for _, y in line.points]
    x_scale = _scale([0.0, *across], LEFT, LAST)
    y_scale = _scale([*up, *(bound for band in bands for bound in (band.low, band.high))], PLOT_HEIGHT, TOP)
    y_scale = y_scale._replace(low=max(y_scale.low, limits[0]), high=min(y_scale.high, limits[1]))
    drawing = _drawing(PLOT_HEIGHT + AXIS, title)
    for band in bands:
        top = y_scale(band.high)
        drawing.append(_box(LEFT, top, LAST, y_scale(band.low) - top, band.kind))
    _x_axis(drawing, x_scale, TOP, PLOT_HEIGHT, axes[0])
    drawing.extend(_y_grid(y_scale))
    drawing.append(_lines(lines, x_scale, y_scale))
    drawing.extend(_y_values(y_scale, axes[1]))
    return drawing


def scattered(
    dots: Sequence[Dot], frontier: Sequence[tuple[float, float]], axes: tuple[str, str], title: str
) -> Element:
    """Points with vertical intervals and their numbers from 1 on, and the frontier as a line of steps."""
    x_scale = _scale([dot.x for dot in dots], LEFT + 2, LAST - 2)
    y_scale = _scale([bound for dot in dots for bound in (dot.y, dot.low, dot.high)], PLOT_HEIGHT, TOP)
    drawing = _drawing(PLOT_HEIGHT + AXIS, title)
    _x_axis(drawing, x_scale, TOP, PLOT_HEIGHT, axes[0])
    drawing.extend(_y_grid(y_scale))
    corners = [corner for (x, y), (right, up) in pairwise(frontier) for corner in ((x, y), (right, y), (right, up))]
    drawing.append(_lines([Line(corners, "frontier")], x_scale, y_scale))
    drawing.extend(_y_values(y_scale, axes[1]))
    points = [(x_scale(dot.x), y_scale(dot.y)) for dot in dots]
    for number, (dot, (x, y)) in enumerate(zip(dots, points, strict=True), 1):
        group = element("g", element("title", f"{number}. {dot.label}: {dot.x:.4g}, {dot.y:.4g}"), class_="unsure")
        if dot.low is not None and dot.high is not None:
            group.append(_line(x, y_scale(dot.low), x, y_scale(dot.high), "whisker faint"))
        group.append(_circle(x, y, 4, "dot" if dot.low is not None else "dot hollow"))
        drawing.append(group)
    for number, ((x, y), place) in enumerate(zip(points, places(points, PLOT_HEIGHT), strict=True), 1):
        if place.is_far:
            drawing.append(_line(x, y, place.x, place.y, "leader"))
        drawing.append(_text(place.x, place.y + 4, str(number), "label number", "middle"))
    return drawing


def stacked(rows: Sequence[tuple[str, Sequence[float]]], total: float, unit: str, title: str) -> Element:
    """One bar for each row, cut into parts in order; `total` is the length of the axis."""
    scale = AxisScale(0.0, total, FIRST, LAST)
    heights = [ROW + LINE * len(_wrapped(label)) for label, _ in rows]
    bottom = TOP + sum(heights)
    drawing = _drawing(bottom + AXIS, title)
    _x_axis(drawing, scale, TOP, bottom, unit)
    y = TOP
    for (label, parts), height in zip(rows, heights, strict=True):
        reached = 0.0
        drawing.extend(_label(label, y))
        for number, part in enumerate(parts):
            left, right = scale(reached), scale(reached + part)
            reached += part
            if part:
                drawing.append(_box(left, y + height - ROW + 4, right, ROW - 11, f"part-{number}"))
        y += height
    return drawing


def strips(rows: Sequence[tuple[str, Sequence[int]]], title: str) -> Element:
    """One strip for each row, in parts of equal width: a bar as high as the part's share of the row's greatest."""
    heights = [ROW + LINE * len(_wrapped(label)) for label, _ in rows]
    drawing = _drawing(TOP + sum(heights), title)
    y = TOP
    for (label, counts), height in zip(rows, heights, strict=True):
        drawing.extend(_label(label, y))
        width, most = (LAST - FIRST) / max(1, len(counts)), max(counts, default=0) or 1
        for number, count in enumerate(counts):
            tall = (ROW - 8) * count / most
            left = FIRST + number * width
            if count:
                drawing.append(_box(left, y + height - 4 - tall, left + width, tall, "part-0"))
        drawing.append(_line(FIRST, y + height - 4, LAST, y + height - 4, "grid"))
        y += height
    return drawing


def _scale(values: Sequence[float | None], start: float, end: float) -> AxisScale:
    """A scale that holds all finite values, with some room on both sides."""
    finite = [value for value in values if value is not None and isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    room = (high - low) * 0.06 or max(abs(high) * 0.1, 0.5)
    return AxisScale(low - room, high + room, start, end)


def _drawing(height: float, title: str) -> Element:
    return element("svg", width="100%", height=_n(height), role="img", aria_label=title, class_="chart")


def _x_axis(drawing: Element, scale: AxisScale, top: float, bottom: float, unit: str) -> None:
    for value in ticks(scale.low, scale.high):
        drawing.append(_line(scale(value), top, scale(value), bottom, "grid"))
        drawing.append(_text(scale(value), bottom + 14, _tick(value), "tick", "middle"))
    drawing.append(_text(scale.end, bottom + 29, unit, "unit", "end"))


def _y_grid(scale: AxisScale) -> Iterator[Element]:
    for value in ticks(scale.low, scale.high):
        yield _line(0, scale(value), LAST, scale(value), "grid")


def _y_values(scale: AxisScale, unit: str) -> Iterator[Element]:
    """The values of a y axis on their lines, above what is drawn."""
    for value in ticks(scale.low, scale.high):
        yield _text(0, scale(value) - 3, _tick(value), "tick")
    yield _text(0, TOP - 18, unit, "unit")


def _null_name(x: float, words: str) -> Element:
    """The value of no difference and its name above its line, towards the middle of the chart."""
    anchor = "start" if x < 30 else "end" if x > 70 else "middle"
    return _text(x, TOP - 8, words, "tick", anchor)


def _whisker(row: Whisker, scale: AxisScale, y: float, null: float | None) -> Element:
    shade = "unsure" if null is None else certainty(row.low, row.high, null)
    group = element("g", element("title", f"{row.label}: {row.value:.4g}"), class_=shade)
    if row.low is not None and row.high is not None:
        low, high = scale(row.low), scale(row.high)
        group.append(_line(low, y, high, y, "whisker"))
        group.extend(_line(end, y - 5, end, y + 5, "whisker") for end in (low, high))
    group.append(_circle(scale(row.value), y, 4.5, "dot" if row.low is not None else "dot hollow"))
    return group


def _lines(lines: Sequence[Line], x_scale: AxisScale, y_scale: AxisScale) -> Element:
    """Courses in a box of their own, which is stretched across while the strokes keep their width."""
    box = element(
        "svg",
        viewBox=f"0 0 {_n(LINES_BOX)} {_n(PLOT_HEIGHT)}",
        preserveAspectRatio="none",
        width="100%",
        height=_n(PLOT_HEIGHT),
        class_="lines",
    )
    for line in lines:
        points = " ".join(f"{_n(x_scale(x) * LINES_BOX / 100)},{_n(y_scale(y))}" for x, y in line.points)
        box.append(element("polyline", points=points, vector_effect="non-scaling-stroke", class_=f"course {line.kind}"))
    return box


def _box(left: float, top: float, right: float, height: float, kind: str) -> Element:
    return element("rect", x=_p(left), y=_n(top), width=_p(right - left), height=_n(height), class_=kind)


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Element:
    return element("line", x1=_p(x1), y1=_n(y1), x2=_p(x2), y2=_n(y2), class_=kind)


def _circle(x: float, y: float, radius: float, kind: str) -> Element:
    return element("circle", cx=_p(x), cy=_n(y), r=_n(radius), class_=kind)


def _text(x: float, y: float, text: str, kind: str, anchor: str = "start") -> Element:
    return element("text", text, x=_p(x), y=_n(y), text_anchor=anchor, class_=kind)


def _label(text: str, y: float) -> Iterator[Element]:
    """The name of a row from a height on, in as many lines as it needs."""
    for number, line in enumerate(_wrapped(text), 1):
        yield _text(0, y + LINE * number, line, "label")


def _wrapped(text: str) -> list[str]:
    """A name in lines, cut at a blank where there is one; nothing of it is left out, so that no two become one."""
    lines = []
    while len(text) > LABEL_CHARACTERS:
        end = text.rfind(" ", 0, LABEL_CHARACTERS + 1)
        end = end if end > 0 else LABEL_CHARACTERS
        lines.append(text[:end])
        text = text[end:].strip()
    return [*lines, text]


def _tick(value: float) -> str:
    return f"{value + 0.0:,.10g}"


def _n(value: float) -> str:
    """A length in pixels, to a tenth."""
    return f"{value:.1f}".removesuffix(".0")


def _p(value: float) -> str:
    """A percentage of the width, to a hundredth."""
    return f"{value:.2f}".removesuffix(".00") + "%"
