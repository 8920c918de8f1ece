"""One figure of Phase 3 or 5 with its detectable effect: the type that forecasts of these phases are made of."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from agzamov_verify.scoring.planning import Scoring, detectable, one_match

from .contrast_design import Row

MDE_TEST: Final = "two-sided 5 %, as its own MDE"
"""The test that every estimate's `mde` is of."""
ALPHA: Final = Fraction(1, 20)


class Figure(NamedTuple):
    """A figure of some matches: the least effect that its test finds with 80 % power.

    `words`: what stands in the place of effects, such as why there is no honest one. `in_short`: the beginning of a
    sentence that ends with the effect, where the forecast's first lines should say it.
    """

    name: str
    test: str = ""
    row: Row | None = None
    words: str = ""
    in_short: str = ""


class Repeated(NamedTuple):
    """Repetitions in a match: results in all, careers, and the intraclass correlation of one career's units."""

    results: int
    careers: int
    icc: Fraction
    over: str


def mean_figure(name: str, scorings: Sequence[Scoring], repeated: Repeated) -> Figure:
    """A mean over units or careers, by the formula of the analysis's own `mde`."""
    effects = tuple(
        detectable(one_match(scoring, repeated.results, ALPHA, repeated.careers, repeated.icc)) for scoring in scorings
    )
    return Figure(name, MDE_TEST, Row("", scorings[0].unit, repeated.over, effects))
