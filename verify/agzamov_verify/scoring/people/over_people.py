"""Means over people: what a study may say of people like those who played, and not of these games alone.

The unit is the person. Games with one person depend on each other (the same strength, the same eye for an opponent's
weaknesses), so the values of a person are first brought to one, their mean, each person counting alike:

    mean      sum over strata of (people of the stratum / all people) times the mean of its people's values
    interval  Student's over people, of the weighted strata with Welch and Satterthwaite's degrees of freedom

A stratum of one person shows no spread, so then all people are one sample. Of a study of one person the unit is the
start pair: such an interval is about this person's games, and says nothing of anybody else.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Final, NamedTuple

from ..inference.estimate import Ends, Estimate, Scale, contrast_estimate

PEOPLE: Final = "people"
PAIRS_OF_ONE: Final = "start pairs of one person"
GAMES_OF_ONE: Final = "games of one person"
GUESSES_OF_ONE: Final = "guesses of one person"
SINGULAR: Final = {
    PEOPLE: "person",
    PAIRS_OF_ONE: "start pair of one person",
    GAMES_OF_ONE: "game of one person",
    GUESSES_OF_ONE: "guess of one person",
}


class PersonValues(NamedTuple):
    """The values of one person, in order, in the published unit: of start pairs, of guesses. Empty: none."""

    stratum: str
    values: tuple[Fraction, ...]


def over_people(
    people: Sequence[PersonValues],
    unit: str,
    reach: tuple[int, int] | None = None,
    of_one: str = PAIRS_OF_ONE,
    *,
    is_difference: bool = False,
) -> Estimate:
    """The mean over people with its interval. `reach`: the least and greatest possible value, where there are any.

    `of_one`: what the values of a person are, which are what is repeated where there is one person. `is_difference`:
    the interval is cut to the reach, but values that do not vary have none, since they are no shares.
    """
    people = [person for person in people if person.values]
    bounds = None if reach is None else (Fraction(reach[0]), Fraction(reach[1]))
    if len(people) == 1:
        return _estimate([people[0].values], unit, bounds, of_one, is_difference=is_difference)
    strata: dict[str, list[Fraction]] = {}
    for person in people:
        strata.setdefault(person.stratum, []).append(sum(person.values, Fraction(0)) / len(person.values))
    groups = list(strata.values())
    if groups and min(map(len, groups)) < 2:
        groups = [[value for group in groups for value in group]]
    return _estimate(groups, unit, bounds, PEOPLE, is_difference=is_difference)


def _estimate(
    groups: Sequence[Sequence[Fraction]], unit: str, bounds: Ends | None, over: str, *, is_difference: bool
) -> Estimate:
    if not groups:
        return Estimate(None, None, (0,), None, None, unit, over)
    whole = lcm(*(value.denominator for group in groups for value in group))
    scale = Scale(unit, Fraction(1, whole), *((None, None) if is_difference else bounds or (None, None)))
    samples = [[int(value * whole) for value in group] for group in groups]
    total = sum(map(len, samples))
    found = contrast_estimate(samples, [Fraction(len(sample), total) for sample in samples], scale, None, bounds)
    why = "" if found.ci else "values of one person" if total < 2 else "values that do not vary"
    return Estimate(found.value, found.ci, found.n, found.sd, found.mde, unit, over, why)
