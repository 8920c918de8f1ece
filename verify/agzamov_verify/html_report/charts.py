"""Charts as SVG: points with intervals, courses with a band, scattered points, stacked bars.

Colours and fonts are classes of the page's style sheet, so that light, dark and print have their own. Lengths are in
user units of a drawing 720 wide. Each chart stands beside a table of its numbers (`figures`).
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil, floor, isfinite, log10
from typing import Final, NamedTuple

from .markup import Element, element

WIDTH: Final = 720.0
ROW: Final = 30.0
LABELS: Final = 300.0
MARGIN: Final = 16.0
AXIS: Final = 34.0
PLOT_HEIGHT: Final = 220.0
LEFT: Final = 56.0
TICKS: Final = 5
LABEL_CHARACTERS: Final = 44


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


class Dot(NamedTuple):
    """One scattered point with its name; its interval is vertical."""

    label: str
    x: float
    y: float
    low: float | None
    high: float | None


class Scale(NamedTuple):
    """A linear scale from values to user units."""

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


def whiskers(rows: Sequence[Whisker], null: float, unit: str, title: str) -> Element:
    """One row for each figure: a point, its interval, and a line at the value of no difference."""
    scale = _scale([null, *(bound for row in rows for bound in (row.value, row.low, row.high))], LABELS, WIDTH - MARGIN)
    bottom = MARGIN + ROW * len(rows)
    drawing = _drawing(bottom + AXIS, title)
    _x_axis(drawing, scale, MARGIN, bottom, unit)
    drawing.append(_line(scale(null), MARGIN, scale(null), bottom, "null"))
    drawing.append(_text(scale(null), MARGIN - 5, _tick(null), "tick", "middle"))
    for index, row in enumerate(rows):
        y = MARGIN + ROW * (index + 0.5)
        drawing.extend(_label(row.label, y))
        group = element("g", element("title", f"{row.label}: {row.value:g}"), class_=certainty(row.low, row.high, null))
        if row.low is not None and row.high is not None:
            low, high = scale(row.low), scale(row.high)
            group.append(_line(low, y, high, y, "whisker"))
            group.extend(_line(end, y - 5, end, y + 5, "whisker") for end in (low, high))
        group.append(_circle(scale(row.value), y, 4.5))
        drawing.append(group)
    return drawing


def certainty(low: float | None, high: float | None, null: float) -> str:
    """The class of a figure: above or below the value of no difference, or not shown to differ."""
    if low is not None and high is not None:
        if low > null:
            return "above"
        if high < null:
            return "below"
    return "unsure"


def course(lines: Sequence[Line], band: tuple[float, float] | None, axes: tuple[str, str], title: str) -> Element:
    """Courses over results. `band`: a horizontal stripe between two values. `axes`: what x and y are."""
    across = [x for line in lines for x, _ in line.points]
    up = [y for line in lines for _, y in line.points]
    x_scale = _scale([0.0, *across], LEFT, WIDTH - MARGIN)
    y_scale = _scale([*up, *(band or ())], PLOT_HEIGHT, MARGIN)
    drawing = _drawing(PLOT_HEIGHT + AXIS, title)
    _x_axis(drawing, x_scale, MARGIN, PLOT_HEIGHT, axes[0])
    _y_axis(drawing, y_scale, axes[1])
    if band:
        top, height = y_scale(band[1]), y_scale(band[0]) - y_scale(band[1])
        drawing.append(
            element(
                "rect",
                x=_n(LEFT),
                y=_n(top),
                width=_n(WIDTH - MARGIN - LEFT),
                height=_n(height),
                class_="band",
            )
        )
    for line in lines:
        points = " ".join(f"{_n(x_scale(x))},{_n(y_scale(y))}" for x, y in line.points)
        drawing.append(element("polyline", points=points, class_=f"course {line.kind}"))
    return drawing


def scattered(
    dots: Sequence[Dot], frontier: Sequence[tuple[float, float]], axes: tuple[str, str], title: str
) -> Element:
    """Points with vertical intervals and their numbers from 1 on, and the frontier as a line of steps."""
    x_scale = _scale([0.0, *(dot.x for dot in dots)], LEFT, WIDTH - MARGIN)
    y_scale = _scale([bound for dot in dots for bound in (dot.y, dot.low, dot.high)], PLOT_HEIGHT, MARGIN)
    drawing = _drawing(PLOT_HEIGHT + AXIS, title)
    _x_axis(drawing, x_scale, MARGIN, PLOT_HEIGHT, axes[0])
    _y_axis(drawing, y_scale, axes[1])
    corners = [corner for (x, y), (right, up) in pairwise(frontier) for corner in ((x, y), (right, y), (right, up))]
    points = " ".join(f"{_n(x_scale(x))},{_n(y_scale(y))}" for x, y in corners)
    drawing.append(element("polyline", points=points, class_="course frontier"))
    for number, dot in enumerate(dots, 1):
        x, y = x_scale(dot.x), y_scale(dot.y)
        group = element("g", element("title", f"{number}. {dot.label}: {dot.x:g}, {dot.y:g}"), class_="unsure")
        if dot.low is not None and dot.high is not None:
            group.append(_line(x, y_scale(dot.low), x, y_scale(dot.high), "whisker"))
        group.append(_circle(x, y, 4.5))
        group.append(_text(x + 7, y - 6, str(number), "label"))
        drawing.append(group)
    return drawing


def stacked(rows: Sequence[tuple[str, Sequence[float]]], total: float, unit: str, title: str) -> Element:
    """One bar for each row, cut into parts in order; `total` is the length of the axis."""
    scale = Scale(0.0, total, LABELS, WIDTH - MARGIN)
    bottom = MARGIN + ROW * len(rows)
    drawing = _drawing(bottom + AXIS, title)
    _x_axis(drawing, scale, MARGIN, bottom, unit)
    for index, (label, parts) in enumerate(rows):
        top, reached = MARGIN + ROW * index, 0.0
        drawing.extend(_label(label, top + ROW / 2))
        for number, part in enumerate(parts):
            left, right = scale(reached), scale(reached + part)
            reached += part
            if part:
                drawing.append(
                    element(
                        "rect",
                        x=_n(left),
                        y=_n(top + 7),
                        width=_n(right - left),
                        height=_n(ROW - 14),
                        class_=f"part-{number}",
                    )
                )
    return drawing


def _scale(values: Sequence[float | None], start: float, end: float) -> Scale:
    """A scale that holds all finite values, with some room on both sides."""
    finite = [value for value in values if value is not None and isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    room = (high - low) * 0.06 or max(abs(high) * 0.1, 0.5)
    return Scale(low - room, high + room, start, end)


def _drawing(height: float, title: str) -> Element:
    return element("svg", viewBox=f"0 0 {_n(WIDTH)} {_n(height)}", role="img", aria_label=title, class_="chart")


def _x_axis(drawing: Element, scale: Scale, top: float, bottom: float, unit: str) -> None:
    for value in ticks(scale.low, scale.high):
        drawing.append(_line(scale(value), top, scale(value), bottom, "grid"))
        drawing.append(_text(scale(value), bottom + 14, _tick(value), "tick", "middle"))
    drawing.append(_text(scale.end, bottom + 29, unit, "unit", "end"))


def _y_axis(drawing: Element, scale: Scale, unit: str) -> None:
    for value in ticks(scale.low, scale.high):
        drawing.append(_line(LEFT, scale(value), WIDTH - MARGIN, scale(value), "grid"))
        drawing.append(_text(LEFT - 6, scale(value) + 4, _tick(value), "tick", "end"))
    drawing.append(_text(LEFT, MARGIN - 5, unit, "unit"))


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Element:
    return element("line", x1=_n(x1), y1=_n(y1), x2=_n(x2), y2=_n(y2), class_=kind)


def _circle(x: float, y: float, radius: float) -> Element:
    return element("circle", cx=_n(x), cy=_n(y), r=_n(radius), class_="dot")


def _text(x: float, y: float, text: str, kind: str, anchor: str = "start") -> Element:
    return element("text", text, x=_n(x), y=_n(y), text_anchor=anchor, class_=kind)


def _label(text: str, y: float) -> Iterator[Element]:
    """The name of a row around a height: on one line if it fits, else on two, the second cut if it must be."""
    if len(text) <= LABEL_CHARACTERS:
        yield _text(0, y + 4, text, "label")
        return
    end = text.rfind(" ", 0, LABEL_CHARACTERS + 1)
    end = end if end > 0 else LABEL_CHARACTERS
    rest = text[end:].strip()
    yield _text(0, y - 2, text[:end], "label")
    yield _text(0, y + 11, rest if len(rest) <= LABEL_CHARACTERS else f"{rest[: LABEL_CHARACTERS - 1]}…", "label")


def _tick(value: float) -> str:
    return f"{value + 0.0:,.10g}"


def _n(value: float) -> str:
    """A coordinate to a tenth of a unit."""
    return f"{value:.1f}".removesuffix(".0")
