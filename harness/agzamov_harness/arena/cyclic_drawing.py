"""The cyclic plane of a game as a drawing and as a table: who does better against whom than one strength a player says.

A player does better than its strength says against those up to half a turn counterclockwise from it, the further both
are from the middle the more: by |p_i| |p_j| sin(angle from p_i to p_j) logits (`arena_ratings.transitivity`).
"""

from collections.abc import Iterator, Sequence
from math import hypot
from typing import Final

from agzamov_verify.core.columns import foreign_name
from agzamov_verify.show.html_report.drawing import pixels
from agzamov_verify.show.html_report.markup import Element, element, table
from agzamov_verify.show.html_report.plane_charts import WIDTH_PX, places

from .arena_table import CyclicPlace, CyclicTest
from .order_words import and_words

SIZE: Final = 320.0
RADIUS: Final = 130.0
DOT: Final = 5.0
TOLD_FROM: Final = 0.25
"""Of the greatest such lead: lesser ones are not told in words."""


def cyclic_plane(tested: CyclicTest) -> Element:
    """The drawing, with its numbers explained in a table beside it."""
    rows = [
        (f"{number}. {foreign_name(one.player)}", _listed(one, tested.places, 1), _listed(one, tested.places, -1))
        for number, one in enumerate(tested.places, 1)
    ]
    header = ("player", "does better than its strength says against", "worse against")
    return element("div", _drawing(tested.places), table(header, rows), class_="cyclic")


def better_by(one: CyclicPlace, other: CyclicPlace) -> float:
    """What the plane adds to one player's lead over another, in logits."""
    return one.x * other.y - one.y * other.x


def _listed(one: CyclicPlace, all_places: Sequence[CyclicPlace], sign: int) -> str:
    greatest = max(better_by(a, b) for a in all_places for b in all_places) or 1.0
    found = [other for other in all_places if sign * better_by(one, other) >= TOLD_FROM * greatest]
    found.sort(key=lambda other: (-sign * better_by(one, other), other.player))
    return and_words([foreign_name(other.player) for other in found]) if found else "nobody"


def _drawing(all_places: Sequence[CyclicPlace]) -> Element:
    """Points with their numbers around the middle; an arrow says which way round."""
    middle, furthest = SIZE / 2, max(hypot(one.x, one.y) for one in all_places) or 1.0
    title = "Cyclic plane: players by number; each does better against those up to half a turn counterclockwise"
    drawing = element(
        "svg", viewBox=f"0 0 {pixels(SIZE)} {pixels(SIZE)}", class_="chart plane", role="img", aria_label=title
    )
    for radius in (RADIUS / 2, RADIUS):
        ring = element("circle", cx=pixels(middle), cy=pixels(middle), r=pixels(radius), class_="ring")
        drawing.append(ring)
    points = [(middle + RADIUS * one.x / furthest, middle - RADIUS * one.y / furthest) for one in all_places]
    drawing.extend(_arrow(middle))
    for number, (one, (x, y)) in enumerate(zip(all_places, points, strict=True), 1):
        drawing.append(element("line", x1=pixels(middle), y1=pixels(middle), x2=pixels(x), y2=pixels(y), class_="grid"))
        dot = element("circle", cx=pixels(x), cy=pixels(y), r=pixels(DOT), class_="dot")
        drawing.append(element("g", element("title", f"{number}. {foreign_name(one.player)}"), dot, class_="unsure"))
    across = [(100 * x / WIDTH_PX, y) for x, y in points]
    for number, place in enumerate(places(across, SIZE), 1):
        x = place.x * WIDTH_PX / 100
        named = element(
            "text", str(number), x=pixels(x), y=pixels(place.y + 4), text_anchor="middle", class_="label number"
        )
        drawing.append(named)
    return drawing


def _arrow(middle: float) -> Iterator[Element]:
    """An arc counterclockwise outside of the ring, from the right upwards."""
    reach = RADIUS + 14
    end = middle - reach * 0.7071
    start_x, end_x = middle + reach, middle + reach * 0.7071
    path = (
        f"M{pixels(start_x)} {pixels(middle)} A{pixels(reach)} {pixels(reach)} 0 0 0 {pixels(end_x)} {pixels(end)}"
        f" m9 1 l-9 -1 l1 9"
    )
    yield element("path", d=path, class_="turn")
