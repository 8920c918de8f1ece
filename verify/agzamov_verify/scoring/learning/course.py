"""A course: results in the order of play, of one match or of careers side by side.

Careers are repeated independently and the results of one depend on each other (docs/decisions/0040), so what is tested
over careers is one whole number from each: its sum with a shape that is fixed before the data.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from ..inference.means import one_sample_t
from ..inference.significance import Alternative, Significance
from .basis import risings, tau_grid


class Course(NamedTuple):
    """Values by result. `careers`: those of each career; `values` are then their sums, position by position.

    Without careers all results are independent. With one career nothing was repeated. `is_too_little`: careers
    are too few for a test, or have too few units (`Cell.too_short`).
    """

    values: Sequence[int]
    careers: tuple[Sequence[int], ...] = ()
    is_too_little: bool = False

    def part(self, first: int, end: int | None = None) -> "Course":
        """Results [first, end) of the course and of each career; as slices take them."""
        careers = tuple(career[first:end] for career in self.careers)
        return Course(self.values[first:end], careers, self.is_too_little)


def course_of(careers: Sequence[Sequence[int]], *, is_too_little: bool = False) -> Course:
    """Careers of one length as a course."""
    return Course([sum(values) for values in zip(*careers, strict=True)], tuple(careers), is_too_little)


def unit_sums(values: Sequence[int], size: int) -> list[int]:
    """Sums over whole units, in order."""
    return [sum(values[first : first + size]) for first in range(0, len(values) - size + 1, size)]


def trend_contrasts(careers: Sequence[Sequence[int]], unit_results: int) -> list[int]:
    """The trend of each career: the sum of its units with the mean of the rising curves, in one scale for all.

    `careers`: the sums of units of `unit_results` results.
    """
    shape = mean_rising(len(careers[0]), unit_results)
    return [sum(weight * value for weight, value in zip(shape, career, strict=True)) for career in careers]


@lru_cache(maxsize=32)
def mean_rising(units: int, unit_results: int) -> tuple[int, ...]:
    """The sum of the rising curves of the grid: they have one norm, so it weighs them alike."""
    grid = tau_grid(units * unit_results, unit_results)
    return tuple(map(sum, zip(*risings(units, unit_results, grid), strict=True)))


def over_careers(contrasts: Sequence[int], alternative: Alternative) -> Significance:
    """H0: the mean of the careers' contrasts is 0, by Student's t."""
    return one_sample_t(contrasts, Fraction(0), alternative)
