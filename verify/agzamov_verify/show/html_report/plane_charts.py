"""Charts with two axes: courses with a band of chance, and scattered points. Values of y stand on their lines."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import cos, hypot, inf, pi, sin
from typing import Final, NamedTuple

from .drawing import AxisScale, box, circle, line, pixels, scale_of, svg, text, tick, ticks_of
from .markup import Element, element

WIDTH_PX: Final = 460.0
"""Of the chart for which places are sought; it may be shown wider or narrower."""
APART_PX: Final = (15.0, 11.0)
"""Across and down from the middle of one number to that of another."""
RINGS_PX: Final = (13.0, 20.0, 28.0, 37.0, 47.0, 58.0)
DIRECTIONS: Final = 16
LINED_FROM_PX: Final = 20.0
"""From so far on, a line leads from a point to its number."""
TOP: Final = 28.0
AXIS: Final = 34.0
PLOT_HEIGHT: Final = 220.0
LEFT, LAST = 7.0, 98.5
"""Where a plot begins behind the values of its y axis, and ends: percentages of the width."""
LINES_BOX: Final = 1000.0
"""Width of the box in which lines are drawn, which is stretched to the chart's."""


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


def course(
    lines: Sequence[Line],
    bands: Sequence[Band],
    axes: tuple[str, str],
    title: str,
    limits: tuple[float, float] = (-inf, inf),
) -> Element:
    """Courses over results, before stripes. `axes`: what x and y are; `limits`: what y can be."""
    across = [x for one in lines for x, _ in one.points]
    up = [y for one in lines for _, y in one.points]
    x_scale = scale_of([0.0, *across], LEFT, LAST)
    y_scale = scale_of([*up, *(bound for band in bands for bound in (band.low, band.high))], PLOT_HEIGHT, TOP)
    y_scale = y_scale._replace(low=max(y_scale.low, limits[0]), high=min(y_scale.high, limits[1]))
    drawing = _drawing(title)
    for band in bands:
        top = y_scale(band.high)
        drawing.append(box(LEFT, top, LAST, y_scale(band.low) - top, band.kind))
    _x_axis(drawing, x_scale, axes[0])
    drawing.extend(_y_grid(y_scale))
    drawing.append(_lines(lines, x_scale, y_scale))
    drawing.extend(_y_values(y_scale, axes[1]))
    return drawing


def scattered(
    dots: Sequence[Dot], frontier: Sequence[tuple[float, float]], axes: tuple[str, str], title: str
) -> Element:
    """Points with vertical intervals and their numbers from 1 on, and the frontier as a line of steps."""
    x_scale = scale_of([dot.x for dot in dots], LEFT + 2, LAST - 2)
    y_scale = scale_of([bound for dot in dots for bound in (dot.y, dot.low, dot.high)], PLOT_HEIGHT, TOP)
    drawing = _drawing(title)
    _x_axis(drawing, x_scale, axes[0])
    drawing.extend(_y_grid(y_scale))
    corners = [corner for (x, y), (right, up) in pairwise(frontier) for corner in ((x, y), (right, y), (right, up))]
    drawing.append(_lines([Line(corners, "frontier")], x_scale, y_scale))
    drawing.extend(_y_values(y_scale, axes[1]))
    points = [(x_scale(dot.x), y_scale(dot.y)) for dot in dots]
    for number, (dot, (x, y)) in enumerate(zip(dots, points, strict=True), 1):
        group = element("g", element("title", f"{number}. {dot.label}: {dot.x:.4g}, {dot.y:.4g}"), class_="unsure")
        if dot.low is not None and dot.high is not None:
            group.append(line(x, y_scale(dot.low), x, y_scale(dot.high), "whisker faint"))
        group.append(circle(x, y, 4, "dot" if dot.low is not None else "dot hollow"))
        drawing.append(group)
    for number, ((x, y), place) in enumerate(zip(points, places(points, PLOT_HEIGHT), strict=True), 1):
        if place.is_far:
            drawing.append(line(x, y, place.x, place.y, "leader"))
        drawing.append(text(place.x, place.y + 4, str(number), "label number", "middle"))
    return drawing


def _drawing(title: str) -> Element:
    return svg(pixels(PLOT_HEIGHT + AXIS), "chart", title)


def _x_axis(drawing: Element, scale: AxisScale, unit: str) -> None:
    for value in ticks_of(scale):
        drawing.append(line(scale(value), TOP, scale(value), PLOT_HEIGHT, "grid"))
        drawing.append(text(scale(value), PLOT_HEIGHT + 14, tick(value), "tick", "middle"))
    drawing.append(text(scale.end, PLOT_HEIGHT + 29, unit, "unit", "end"))


def _y_grid(scale: AxisScale) -> Iterator[Element]:
    for value in ticks_of(scale):
        yield line(0, scale(value), LAST, scale(value), "grid")


def _y_values(scale: AxisScale, unit: str) -> Iterator[Element]:
    """The values of a y axis on their lines, above what is drawn."""
    for value in ticks_of(scale):
        yield text(0, scale(value) - 3, tick(value), "tick")
    yield text(0, TOP - 18, unit, "unit")


def _lines(lines: Sequence[Line], x_scale: AxisScale, y_scale: AxisScale) -> Element:
    """Courses in a box of their own, which is stretched across while the strokes keep their width."""
    box = element(
        "svg",
        viewBox=f"0 0 {pixels(LINES_BOX)} {pixels(PLOT_HEIGHT)}",
        preserveAspectRatio="none",
        width="100%",
        height=pixels(PLOT_HEIGHT),
        class_="lines",
    )
    for one in lines:
        points = " ".join(f"{pixels(x_scale(x) * LINES_BOX / 100)},{pixels(y_scale(y))}" for x, y in one.points)
        box.append(element("polyline", points=points, vector_effect="non-scaling-stroke", class_=f"course {one.kind}"))
    return box
