"""Convergence: how soon the gain of a real arm over its control is there (paper Table 4, row 7).

The gain is the difference of the two arms, unit by unit. g (1 - e^(-n / τ)) is fitted to it by least squares, n results
after the start: with τ = 0 all of the gain is there from the first result. 95 % of it is reached after τ ln 20 results,
and the speed is 1 less that number over τ_max, within [0, 1]. The speed counts where a gain is shown at all: where the
mean difference lies above 0 by Student's one-sided test at 2.5 %, over what was repeated independently. Else it is 0.
How fast is decided by the fit; the only test is whether there is a gain. Figures: docs/decisions/0046.

With careers the courses of all careers are added position by position, and n counts the results of one career. Where
the arms were not played on the same starts, the control's mean is taken from every unit of the real arm: a control
keeps nothing from game to game, so its course is level.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil, floor
from typing import Final, NamedTuple

import msgspec
import numpy as np

from ..hypotheses.contrasts import Weighted, combined
from ..inference.distributions import t_quantile
from ..inference.exact import Figure, figure, square_root
from ..inference.means import contrast_t
from ..inference.samples import Moments, contrast, moments
from ..inference.significance import Alternative
from ..inference.unit_values import Measure, Units, careers_of, equal_parts
from ..learning.curve import ONE, decays, refuse_inexact
from ..learning.outcome import LearningOutcome
from ..units.cells import Cell

STEPS: Final = 50
"""Curves are fitted for speeds from 1 to 0 in so many equal steps."""

STEPS_BEYOND: Final = 10
"""And for so many more beyond 1: a gain that was somewhat greater at first."""

LN_20: Final = Fraction(2995732273553991, 10**15)
"""ln 20: a gain g (1 - e^(-n / τ)) has reached 95 % at n = τ ln 20."""

TAIL: Final = Fraction(1, 40)
"""One-sided level of the test that shows a gain, in decimals 0.025."""

ALIKE_MIN: Final = 6
"""So many equal differences show a gain: n of one sign have p = 2^-n by the sign test, below 1/40 from six on."""


class Convergence(msgspec.Struct, frozen=True):
    """Speed of the gain in one game; beside it the real arm's own τ, which are not scored.

    `gain`: mean difference of the arms in `unit`: points of score (a draw is half of one) or bb/100. `p`: of its
    one-sided test against 0, None where nothing was repeated. `early`, `late`: the gain in the first and in the second
    half of the results, of every career, which the speed does not tell apart: a gain that ends half-way is as fast as
    one that stays. `is_shown`: else `speed` is 0. `to_95`: games or hands to
    95 % of the gain, None where no gain is shown or it takes τ_max or more. `is_paired`: on the same starts. `careers`:
    the courses that were added. `tau_by_words` and `tau_fitted`: by the paper's words, and from the curve of the real
    arm where learning was detected.
    """

    game: str
    gain: Figure
    early: Figure
    late: Figure
    unit: str
    p: str | None
    is_shown: bool
    is_paired: bool
    careers: int
    speed: Figure
    to_95: int | None
    tau_by_words: int | None
    tau_fitted: int | None


class Curves(NamedTuple):
    """Curves that may be fitted, the fastest first: their speeds, and their values at each position times 2^16.

    1 - e^(-n / τ) for speeds below 1; for those above it 1 + e^(-n / τ) with the τ of a speed as far below 1, a gain
    that was greatest at first. It counts as 1; these are fitted so that noise about 1 falls on both sides of it.
    """

    speeds: tuple[Fraction, ...]
    shapes: np.ndarray


class Gain:
    """A real arm and its control, unit by unit, with what was repeated independently as rows: units or careers.

    `differences`: of each row, in order; a row of one unit stands at the place of its number. Where the arms were not
    played on the same starts, `control` holds the control's units and `differences` the real arm's alone.
    """

    def __init__(self, real: Cell, control: Cell) -> None:
        real_units, control_units = real.measured(Measure.SCORE), control.measured(Measure.SCORE)
        self.is_paired = real_units.pairs_with(control_units)
        groups = [Weighted(real_units, Fraction(1)), Weighted(control_units, Fraction(-1))]
        self.units = combined(groups) if self.is_paired else real_units
        self.control = None if self.is_paired else control_units
        self.unit_results = real.units(lambda _: 1)[0] // real.results_per_step
        self.rows = rows_of(self.units)

    @property
    def careers(self) -> int:
        """Number of careers that are rows; 0 where units are."""
        return len(self.rows) if self.units.careers > 1 and not self.units.is_one_career else 0

    @property
    def positions(self) -> int:
        """Number of units of a course."""
        return len(self.units.values) // max(1, self.careers)

    @property
    def controls(self) -> tuple[int, int]:
        """Sum and number of the control's units that are taken from each unit of the rows; (0, 1) where paired."""
        return (sum(self.control.values), len(self.control.values)) if self.control else (0, 1)

    @cached_property
    def total(self) -> int:
        """Sum of all differences, times the number of the control's units."""
        taken, size = self.controls
        return size * sum(self.units.values) - taken * len(self.units.values)

    @property
    def mean(self) -> Fraction:
        """Mean difference in the published unit."""
        return Fraction(self.total, len(self.units.values) * self.controls[1]) * self.units.scale.factor

    @property
    def halves(self) -> tuple[Fraction, Fraction]:
        """Mean difference in the first and the second half of each course in the published unit; a middle unit is in
        neither.
        """
        courses = equal_parts(self.units.values, max(1, self.careers))
        half = max(1, self.positions // 2)
        taken, size = self.controls
        sums = (sum(sum(course[:half]) for course in courses), sum(sum(course[-half:]) for course in courses))
        means = [(Fraction(one, half * len(courses)) - Fraction(taken, size)) for one in sums]
        return means[0] * self.units.scale.factor, means[1] * self.units.scale.factor

    @cached_property
    def threshold(self) -> int:
        """A gain is shown by a total above this, and ruled out by one below its opposite."""
        groups, weights = self._groups()
        if self.units.untested or min(group.n for group in groups) < 2:
            return 2**62
        total = contrast(groups, weights)
        if not total.df:
            return 0 if len(self.rows) >= ALIKE_MIN else 2**62
        return floor(t_quantile(1 - TAIL, total.df) * square_root(total.squared_error))

    @property
    def is_shown(self) -> bool:
        """True if the mean difference lies above 0 by the test."""
        return self.total > self.threshold

    def p(self) -> str | None:
        """The p of that test; None where there is none (`Units.untested`), or all differences are equal."""
        return None if self.units.untested else contrast_t(*self._groups(), Alternative.GREATER).p

    def _groups(self) -> tuple[list[Moments], list[Fraction]]:
        """The samples whose weighted means make the total."""
        _, size = self.controls
        rows = [moments([sum(row) for row in self.rows])]
        if self.control is None:
            return rows, [Fraction(len(self.rows))]
        apart = moments([sum(row) for row in rows_of(self.control)])
        weight = Fraction(len(self.units.values) * apart.n)
        return [*rows, apart], [Fraction(len(self.rows) * size), -weight]


class Sums(NamedTuple):
    """Sums over each row of the values with each curve, of the curves' squares, and of the curves."""

    with_values: np.ndarray
    squares: np.ndarray
    levels: np.ndarray


def rows_of(units: Units) -> list[Sequence[int]]:
    """The values of each career, or each unit by itself."""
    if units.careers < 2 or units.is_one_career:
        return [(value,) for value in units.values]
    return careers_of(units)


def curves_of(gain: Gain, tau_max: Fraction) -> Curves:
    """The curves over the positions of a gain."""
    return _curves(gain.positions, gain.unit_results, tau_max)


@lru_cache(maxsize=32)
def _curves(positions: int, unit_results: int, tau_max: Fraction) -> Curves:
    steps = range(1, STEPS + 1)
    speeds = tuple(1 - Fraction(step, STEPS) for step in range(-STEPS_BEYOND, STEPS + 1))
    # A speed of 1 - step / STEPS reaches 95 % after tau ln 20 = (step / STEPS) tau_max results.
    grid = tuple(max(1, round(step * tau_max / STEPS / LN_20)) for step in steps)
    falling = np.array(decays(positions, unit_results, grid), dtype=np.int64)
    level = np.full((1, positions), ONE, dtype=np.int64)
    return Curves(speeds, np.vstack([(ONE + falling[:STEPS_BEYOND])[::-1], level, ONE - falling]))


def sums_of(gain: Gain, curves: Curves) -> Sums:
    """The sums of each row that the fit needs, as whole numbers: (rows, curves) each."""
    values = np.array(gain.rows, dtype=np.int64)
    shapes = curves.shapes.T
    refuse_inexact(2 * len(gain.units.values) * gain.controls[1] * ONE * max(ONE, int(np.abs(values).max())))
    if gain.careers:
        alike = (len(values), len(curves.speeds))
        squares, levels = (np.broadcast_to(table.sum(axis=0), alike) for table in (shapes * shapes, shapes))
        return Sums(values @ shapes, squares, levels)
    return Sums(values * shapes, shapes * shapes, shapes)


def best_of(sums: Sums, taken: np.ndarray, size: int) -> np.ndarray:
    """Place of the curve with least squares in each resample, the fastest of equal ones.

    `sums`: those of the resamples; `taken`: sums of the control's units, `size` their number (0 and 1 where paired).
    What a curve explains rises with (sum of values with it) / (root of its squares): exact sums, one correctly rounded
    quotient and root.
    """
    # With y the gains and q a shape, g = sum yq / sum q^2 leaves sum y^2 - (sum yq)^2 / sum q^2; a gain has g > 0, so
    # the best shape has the greatest sum yq / root(sum q^2). y is size times a unit less the control's sum, hence
    # `common`.
    common = size * sums.with_values - taken[:, None] * sums.levels
    place: np.ndarray = (common.astype(np.float64) / np.sqrt(sums.squares.astype(np.float64))).argmax(axis=1)
    return place


@lru_cache(maxsize=64)  # a score reads a fit again for each of its constants
def fitted(gain: Gain, tau_max: Fraction) -> tuple[Fraction, int]:
    """Speed of the best curve, no more than 1, and its τ ln 20 in results, rounded up; the gain may not be shown."""
    curves = curves_of(gain, tau_max)
    taken, size = gain.controls
    whole = Sums(*(table.sum(axis=0, keepdims=True) for table in sums_of(gain, curves)))
    speed = min(Fraction(1), curves.speeds[int(best_of(whole, np.array([taken]), size)[0])])
    return speed, ceil((1 - speed) * tau_max)


def speed_of(gain: Gain, tau_max: Fraction) -> Fraction:
    """The sub-score of one game: the speed where a gain is shown, else 0."""
    return fitted(gain, tau_max)[0] if gain.is_shown else Fraction(0)


def convergence_of(game: str, gain: Gain, tau_max: Fraction, learned: LearningOutcome | None) -> Convergence:
    """The convergence figure with its accompanying ones. `learned`: of the real arm alone."""
    early, late = gain.halves
    speed, to_95 = fitted(gain, tau_max) if gain.is_shown else (Fraction(0), 0)
    return Convergence(
        game,
        figure(gain.mean),
        figure(early),
        figure(late),
        gain.units.scale.unit,
        gain.p(),
        gain.is_shown,
        gain.is_paired,
        gain.careers,
        figure(speed),
        to_95 if gain.is_shown and speed else None,
        learned.words.tau if learned else None,
        learned.tau if learned else None,
    )
