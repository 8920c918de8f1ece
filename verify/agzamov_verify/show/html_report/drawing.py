"""Lines, points and words of a chart as SVG, scales and their ticks.

Across, lengths are percentages, and down they are pixels: a chart is as wide as the page lets it be, and its words keep
their size, on a phone too. Colours and fonts are classes of the page's style sheet, so that light, dark and print have
their own.
"""

from collections.abc import Sequence
from math import ceil, floor, isfinite, log10
from typing import Final, NamedTuple

from .markup import Element, element

TICKS: Final = 5


class AxisScale(NamedTuple):
    """A linear scale from values to percentages of the width, or to pixels of the height, with about so many ticks."""

    low: float
    high: float
    start: float
    end: float
    parts: int = TICKS

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


def scale_of(values: Sequence[float | None], start: float, end: float) -> AxisScale:
    """A scale that holds all finite values, with some room on both sides."""
    finite = [value for value in values if value is not None and isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    room = (high - low) * 0.06 or max(abs(high) * 0.1, 0.5)
    return AxisScale(low - room, high + room, start, end)


def ticks_of(scale: AxisScale) -> list[float]:
    """The values of a scale's ticks."""
    return ticks(scale.low, scale.high, scale.parts)


def svg(height: str, kind: str, title: str = "") -> Element:
    """An empty drawing as wide as its place. One without a title is no more than what the words beside it say."""
    named = {"role": "img", "aria_label": title} if title else {"aria_hidden": "true"}
    return element("svg", width="100%", height=height, class_=kind, **named)


def tick(value: float) -> str:
    """The number at a tick."""
    return f"{value + 0.0:,.10g}"


def box(left: float, top: float, right: float, height: float, kind: str) -> Element:
    """A filled rectangle."""
    return element(
        "rect", x=percents(left), y=pixels(top), width=percents(right - left), height=pixels(height), class_=kind
    )


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Element:
    """A line between two points."""
    return element("line", x1=percents(x1), y1=pixels(y1), x2=percents(x2), y2=pixels(y2), class_=kind)


def circle(x: float, y: float, radius: float, kind: str) -> Element:
    """A filled circle."""
    return element("circle", cx=percents(x), cy=pixels(y), r=pixels(radius), class_=kind)


def text(x: float, y: float, words: str, kind: str, anchor: str = "start") -> Element:
    """Words at a point, on their line."""
    return element("text", words, x=percents(x), y=pixels(y), text_anchor=anchor, class_=kind)


def pixels(value: float) -> str:
    """A length in pixels, to a tenth."""
    return f"{value:.1f}".removesuffix(".0")


def percents(value: float) -> str:
    """A percentage of the width, to a hundredth."""
    return f"{value:.2f}".removesuffix(".00") + "%"
