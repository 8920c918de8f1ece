"""Places for the numbers of scattered points, so that no number lies on another or on a point."""

from collections.abc import Iterator, Sequence
from math import cos, hypot, pi, sin
from typing import Final, NamedTuple

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
