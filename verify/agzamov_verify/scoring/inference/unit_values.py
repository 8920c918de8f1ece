"""Values of a cell's results by statistical unit, as a start pair or a session.

`PERFORMANCE` is the paper's P (Eq. 2): wins in chess, big blinds per 100 hands in hold'em. `SCORE` counts a drawn game
as half a point; in hold'em it is P again. They stand side by side and never stand in for each other.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Final, TypeVar

import msgspec

from .estimate import Estimate, Scale
from .exact import fixed

CAREERS: Final = "careers"
CAREERS_AND_UNITS: Final = "careers and units"
ONE_CAREER: Final = "one career"
WITHIN_ONE_CAREER: Final = "within one career: nothing was repeated, so nothing is known of the system"
NO_FINDING: Final = "no finding: "
"""Beginning of a reason that leaves no figure either (`Cell.no_finding`)."""

Value = TypeVar("Value")


class Measure(StrEnum):
    """The measured quantity."""

    PERFORMANCE = "performance"
    SCORE = "score"


class Units(msgspec.Struct, frozen=True):
    """Whole numbers by unit, in order; the scale that makes them figures; and their pairing key ("": unpaired).

    `careers`: the units are as many equal consecutive careers (`Match.careers`). Units of a career depend on each
    other, so only `by_career` values can be tested. 1: nothing was repeated. 0: all units are independent.
    `over`: what the values are, where they are not the game's units: CAREERS. `too_short`: as `Cell.untested`.
    """

    values: tuple[int, ...]
    scale: Scale
    starts: str = ""
    careers: int = 0
    over: str = ""
    too_short: str = ""

    @property
    def is_one_career(self) -> bool:
        """True if there is no independent repetition, so that there is no interval and no test."""
        return bool(self.careers) and (self.careers == 1 or len(self.values) % self.careers != 0)

    @property
    def untested(self) -> str:
        """The reason why there is neither an interval nor a test; empty where there may be."""
        is_told = self.is_one_career and not self.too_short.startswith(NO_FINDING)
        return WITHIN_ONE_CAREER if is_told else self.too_short

    def pairs_with(self, other: "Units") -> bool:
        """True if, for every k, unit k of both was played on the same start or the same decks."""
        alike = not (self.careers and other.careers) or self.careers == other.careers
        same = self.over == other.over and len(self.values) == len(other.values)
        return bool(self.starts) and self.starts == other.starts and alike and same


class Ratio(msgspec.Struct, frozen=True):
    """Sums of two values by unit, in order: their ratio is the figure, as errors by decisions or chips by hands.

    A unit without anything `below` is left out. `careers`: 1 where all units are one career. `over`, `too_short` and
    `untested` as in `Units`.
    """

    above: tuple[int, ...]
    below: tuple[int, ...]
    scale: Scale
    careers: int = 0
    over: str = ""
    too_short: str = ""

    @property
    def untested(self) -> str:
        """The reason why there is neither an interval nor a test; empty where there may be."""
        is_told = self.careers and not self.too_short.startswith(NO_FINDING)
        return WITHIN_ONE_CAREER if is_told else self.too_short


def equal_parts(values: Sequence[Value], count: int) -> list[Sequence[Value]]:
    """So many equal consecutive parts; values that fill no part are left out."""
    size = len(values) // count
    return [values[index * size : (index + 1) * size] for index in range(count)]


def by_career(units: Units) -> Units:
    """The sum of each career, which are independent; any other units as they are."""
    if not units.careers or units.is_one_career:
        return units
    careers = careers_of(units)
    scale = msgspec.structs.replace(units.scale, factor=units.scale.factor / len(careers[0]))
    return Units(tuple(map(sum, careers)), scale, units.starts, over=CAREERS, too_short=units.too_short)


def careers_of(units: Units) -> list[Sequence[int]]:
    """The values of each career, in order."""
    return equal_parts(units.values, units.careers)


def ratio_of(above: Sequence[int], below: Sequence[int], scale: Scale, careers: int = 0, too_short: str = "") -> Ratio:
    """Sums of two values by unit, or where the units are two or more careers, of each career."""
    if careers < 2 or len(above) % careers:
        return Ratio(tuple(above), tuple(below), scale, min(1, careers), too_short=too_short)
    sums = [tuple(map(sum, equal_parts(column, careers))) for column in (above, below)]
    return Ratio(sums[0], sums[1], scale, over=CAREERS, too_short=too_short)


def with_careers(estimate: Estimate, groups: Iterable[Units | Ratio]) -> Estimate:
    """An estimate with the values of all careers of its samples, in the published unit."""
    rows = tuple(tuple(map(fixed, _values(group))) for group in groups if group.over == CAREERS)
    return msgspec.structs.replace(estimate, by_career=rows)


def _values(group: Units | Ratio) -> Iterable[Fraction]:
    """The value of each unit; of a ratio those without anything below are left out."""
    if isinstance(group, Units):
        return (value * group.scale.factor for value in group.values)
    pairs = zip(group.above, group.below, strict=True)
    return (Fraction(above, below) * group.scale.factor for above, below in pairs if below)


def why_untested(groups: Iterable[Units | Ratio]) -> str:
    """The reason why a figure of these groups has neither an interval nor a test; empty where it may have."""
    return first_reason(group.untested for group in groups)


def first_reason(reasons: Iterable[str]) -> str:
    """The first of some reasons that is not empty, those that leave no figure before the others; else empty."""
    told = [why for why in reasons if why]
    return next((why for why in told if why.startswith(NO_FINDING)), told[0] if told else "")


def value_alone(estimate: Estimate, why: str) -> Estimate:
    """A figure without interval, spread and detectable effect; no figure where there is no finding.

    `why`: that of `why_untested`.
    """
    if why.startswith(NO_FINDING):
        return Estimate(None, None, estimate.n, None, None, estimate.unit, estimate.over, why)
    over, note = (ONE_CAREER, "") if why == WITHIN_ONE_CAREER else (estimate.over, why)
    return Estimate(estimate.value, None, estimate.n, None, None, estimate.unit, over, note, estimate.by_career)
