"""Drawings of a board's rows: intervals on one scale for the whole board, and the ranks that are left open.

Across, lengths are percentages: a drawing is as wide as its place. Each stands beside its numbers, so it is hidden from
a screen reader.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from agzamov_verify.show.html_report.charts import certainty
from agzamov_verify.show.html_report.drawing import AxisScale, box, circle, line, scale_of, svg, text, tick, ticks
from agzamov_verify.show.html_report.markup import Element, element
from agzamov_verify.show.text.answers import Comparison

FIRST, LAST = 19.0, 96.0
"""Where a plot begins, behind the names of its intervals, and ends: percentages of its width."""
FIRST_PX, APART_PX = 16.0, 21.0
"""Height of the first interval of a row, and from one to the next."""
AXIS_PX: Final = 18.0
RANK_PX: Final = 8.0
CELLS_MAX: Final = 12
"""Ranks up to which a bar of ranks has gaps between them."""


def board_scale(figures: Iterable[Comparison]) -> AxisScale:
    """One scale for all intervals of a board, with no difference on it."""
    bounds = [bound for one in figures for bound in (one.value, one.low, one.high)]
    return scale_of([0.0, *bounds], FIRST, LAST)


def intervals(figures: Sequence[Comparison], scale: AxisScale) -> Element:
    """The intervals of one row below each other; the ranked one is the thickest."""
    drawing = svg(f"{2 * FIRST_PX + APART_PX * (len(figures) - 1):.0f}", "bars")
    drawing.extend(_uprights(scale))
    for number, one in enumerate(figures):
        y = FIRST_PX + APART_PX * number
        drawing.append(text(0, y + 4, one.against.removeprefix("a "), "tick"))
        drawing.append(_interval(one, scale, y, is_ranked=not number))
    return drawing


def axis(scale: AxisScale) -> Element:
    """The values of the ticks, on the scale of the intervals."""
    drawing = svg(f"{AXIS_PX:.0f}", "bars")
    drawing.extend(text(scale(value), 13, _signed(value), "tick", "middle") for value in ticks(scale.low, scale.high))
    return drawing


def rank_bar(ranks: tuple[int, int], of: int) -> Element:
    """All ranks of a board from best to worst, with those that are left open filled."""
    drawing, width = svg(f"{RANK_PX:.0f}", "ranks"), 100 / of
    gap = width * 0.12 if of <= CELLS_MAX else 0.0
    for rank in range(1, of + 1):
        kind = "open" if ranks[0] <= rank <= ranks[1] else "shut"
        drawing.append(box((rank - 1) * width, 0, rank * width - gap, RANK_PX, kind))
    return drawing


def _interval(one: Comparison, scale: AxisScale, y: float, *, is_ranked: bool) -> Element:
    group = element("g", class_=f"{certainty(one.low, one.high, one.null)}{'' if is_ranked else ' beside'}")
    if one.low is not None and one.high is not None:
        low, high = scale(one.low), scale(one.high)
        group.append(line(low, y, high, y, "whisker"))
        group.extend(line(end, y - 5, end, y + 5, "whisker") for end in (low, high))
    group.append(circle(scale(one.value), y, 5.5 if is_ranked else 4, "dot" if one.low is not None else "dot hollow"))
    return group


def _uprights(scale: AxisScale) -> Iterator[Element]:
    """Lines of the ticks and of no difference, as high as the row."""
    for value, kind in [*((value, "grid") for value in ticks(scale.low, scale.high)), (0.0, "null")]:
        made = line(scale(value), 0, scale(value), 0, kind)
        made.set("y2", "100%")
        yield made


def _signed(value: float) -> str:
    shown = tick(value)
    return shown if value <= 0 else f"+{shown}"
