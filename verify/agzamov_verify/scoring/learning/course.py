"""A course: results in the order of play, and whether its trend is larger than in a random order.

A course: results in the order of play, of one match or of careers side by side.

Careers are repeated independently and the results of one depend on each other (docs/decisions/0040), so what is tested
over careers is one whole number from each: its sum with a shape that is fixed before the data.

The permutation null: how large a trend is in the same units in a random order (Fisher 1935, Pitman 1937).

At constant strength every order of a match's units is equally likely, whatever their distribution, so a
detector that compares with random orders errs at most as often as its level says: heavy tails, draws and
unequal colours do not matter.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from ..inference.means import one_sample_t
from ..inference.resampling import ordered_extremes
from ..inference.significance import Alternative, Significance
from .curve import Rows, along, refuse_inexact, risings, tau_grid


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


class Trend(NamedTuple):
    """The two-sided p of a trend in either direction, and the direction of the largest sum."""

    p: Fraction
    rises: bool


def trend_p(values: Sequence[int], shapes: Rows, seed: bytes, permutations: int) -> Fraction:
    """The p of the largest of the sums of `values` with each row of `shapes`."""
    return _permuted(values, shapes, seed, permutations, max)


def trend_either_way(values: Sequence[int], shapes: Rows, seed: bytes, permutations: int) -> Trend:
    """The trend of `values` along the rows of `shapes` or against them.

    The statistic is the largest |sum| over all rows, in random orders too, so one p covers both directions and every
    row. Equally large sums of either sign are called a rise.
    """
    p = _permuted(values, shapes, seed, permutations, _either_way)
    sums = along(values, shapes)
    return Trend(p, max(sums) >= -min(sums))


def drop_p(before: Sequence[int], after: Sequence[int], seed: bytes, permutations: int) -> Fraction:
    """The p of how far the mean of `after` lies below the mean of `before`, one-sided."""
    sizes = (len(before), len(after))
    contrast = [[sizes[1]] * sizes[0] + [-sizes[0]] * sizes[1]]
    return trend_p([*before, *after], contrast, seed, permutations)


def _permuted(
    values: Sequence[int], shapes: Rows, seed: bytes, permutations: int, size: Callable[[tuple[int, int]], int]
) -> Fraction:
    """The p of the `size` of the least and the greatest sum with a row: (1 + as large) / (1 + permutations).

    Raises ValueError if a sum may not fit into 64 bits.
    """
    refuse_inexact(len(values) * max(map(abs, values)) * max(max(map(abs, row)) for row in shapes))
    sums = along(values, shapes)
    observed = size((min(sums), max(sums)))
    drawn = ordered_extremes(values, shapes, seed, permutations)
    return Fraction(1 + sum(size(extremes) >= observed for extremes in drawn), 1 + permutations)


def _either_way(extremes: tuple[int, int]) -> int:
    return max(-extremes[0], extremes[1])
