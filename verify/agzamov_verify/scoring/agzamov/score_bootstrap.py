"""Bootstrap of the score, with convergence computed again in every resample, and an interval of two bounds an end.

Units are start pairs and sessions; where an arm has careers they are the units. Baseline, control and real arm are
drawn independently, control and real arm jointly where they were played on the same starts.

A percentile bootstrap of the score itself covers 86 to 90 % of true scores: deltas below 0 are cut to 0, so the score
is too high on average where there is no effect, and too low where a gain is there and is not shown. So each end has
two bounds, of which the tighter one counts:

- low: (a) deltas not cut at 0, a speed only where the resample shows a gain; (b) the four parts of performance alone,
  since the other three are worth at least nothing;
- high: (a) deltas and speeds not cut at 1, and the speed of every resample that does not rule a gain out; (b) the
  four parts and the other three in full.

All are percentiles, 2.5 % from below and 3.5 % from above (where (a) is generous to a gain that is not shown), of five
careers 4.5 % each. They are moved out as far as Student's interval would be with Welch and Satterthwaite's degrees
of freedom (Hesterberg 2015, The American Statistician 69:371), which for few careers is further than need be. How often
they cover: docs/decisions/0046, studies/calibration/scores.py.

Sums are whole numbers. What follows from them is single sums, products, quotients and roots, each correctly rounded
(IEEE 754), so the interval is the same on every machine. The logistic function is read from a table in steps of 1/256
of its argument, exact to 30 places at the steps and with a line between them: 2e-7 off at most.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import floor
from typing import Final, NamedTuple

import numpy as np

from ..inference.distributions import normal_upper, t_quantile
from ..inference.draws_by_numpy import resampled_counts
from ..inference.exact import fixed, square_root
from ..inference.intervals import Resamples
from ..inference.resampling import bootstrap_sums
from ..inference.samples import Interval, Moments, contrast, moments, sample_variance
from ..inference.unit_values import Units, equal_parts
from ..units.cells import Cell
from ..units.score_constants import CHESS, POKER, SCALE, SCORED_GAMES, ScoreConstants
from .convergence import Gain, Sums, best_of, curves_of, rows_of, sums_of
from .score_scale import logistic_table, sigmoid

ONE: Final = 10**12
TAILS: Final = (Fraction(25, 1000), Fraction(35, 1000))
"""Shares left out below and above; chosen by simulation with the bounds above."""

FEW_CAREERS, FEW_CAREERS_TAIL = 5, Fraction(45, 1000)
"""So much at each end with five careers; what that is more falls with the square of the number of careers."""

ROWS_MIN: Final = 20
"""Fewer start pairs or sessions of an arm have no interval."""

_FINE: Final = 10**9  # weights of a linear combination of cells are rounded to this


class Drawn(NamedTuple):
    """One game in each resample: P of baseline, control and real arm; speed where a gain is shown, and is possible.

    The latter is not cut at 1.
    """

    baseline: np.ndarray
    control: np.ndarray
    real: np.ndarray
    shown: np.ndarray
    possible: np.ndarray


class Arms(NamedTuple):
    """The cells of one game, and the gain of the real arm over its control."""

    baseline: Cell
    control: Cell
    real: Cell
    gain: Gain


class Spread(NamedTuple):
    """The score's interval and its variance, and the variance of each component's place.

    `gain_ci`: of the score less the one that the control would have in the real arm's place.
    """

    ci: Interval
    gain_ci: Interval
    variance: Fraction
    variances: tuple[Fraction, ...]


def why_no_interval(arms: Mapping[str, Arms], careers_min: int) -> str:
    """Reason for which a score has no interval; empty if it has one. `careers_min`: of the protocol."""
    for game, (baseline, control, real, gain) in arms.items():
        for name, cell in (("baseline", baseline), ("control", control), ("real arm", real)):
            units = cell.measured()
            careers = units.careers
            if units.is_one_career:
                return f"the {name} of {game} is one career: nothing was repeated"
            if careers and careers < careers_min:
                return f"the {name} of {game} has {careers} careers, fewer than {careers_min}"
            if units.too_short:
                return f"the {name} of {game} has {units.too_short}"
            if len(units.values) < ROWS_MIN:
                return f"the {name} of {game} has {len(units.values)} units, fewer than {ROWS_MIN}"
        if gain.units.is_one_career:
            return f"the control of {game} has other careers than the real arm"
    return ""


def spread_of(arms: Mapping[str, Arms], constants: ScoreConstants, resamples: Resamples) -> Spread:
    """Interval of the score, and variances of the score and its components."""
    drawn = {
        game: _drawn(arms[game], constants.tau_max(game), resamples.seed + bytes([index]), resamples.count)
        for index, game in enumerate(SCORED_GAMES)
    }
    chess, poker = drawn[CHESS], drawn[POKER]
    c = float(constants.c_bb_per_100.exact)
    # Eq. 1 in each resample: four places of P (hold'em's by the logistic function of bb/100 over c), two deltas in
    # delta_max, one speed, which is the mean of both games'. All lie on a scale of 0 to 1.
    level = [chess.baseline, chess.real, logistic_table(poker.baseline / c), logistic_table(poker.real / c)]
    deltas = [(means.real - means.control) / float(constants.delta_max(game)) for game, means in drawn.items()]
    parts = Parts(deltas, (chess.shown + poker.shown) / 2, (chess.possible + poker.possible) / 2)
    weights = [float(weight) for weight in constants.exact_weights]
    performance = _sum(level, weights[:4])
    # The control in the real arm's place has no delta and no speed: its score is that of the levels alone.
    over_control = [chess.real - chess.control, level[3] - logistic_table(poker.control / c)]
    gained = _sum(over_control, [weights[1], weights[3]])
    cut = [np.clip(delta, 0.0, 1.0) for delta in deltas]
    variances = tuple(_variance(place) for place in (*level, *cut, parts.shown))
    whole = performance + _sum([*cut, parts.shown], weights[4:])
    name = f"bootstrap-bounds-{resamples.count}"
    ends = [SCALE * min(max(bound, Fraction(0)), Fraction(1)) for bound in _bounds(performance, parts, arms, constants)]
    score = Interval(fixed(ends[0]), fixed(ends[1]), name)
    ends = [SCALE * bound for bound in _bounds(gained, parts, arms, constants, less=True)]
    gain = Interval(fixed(ends[0]), fixed(ends[1]), name)
    return Spread(score, gain, SCALE**2 * _variance(whole), variances)


class Parts(NamedTuple):
    """The parts of a score beside performance, in each resample: deltas in delta_max, not cut, and speeds (`Drawn`)."""

    deltas: Sequence[np.ndarray]
    shown: np.ndarray
    possible: np.ndarray


def _bounds(
    performance: np.ndarray, parts: Parts, arms: Mapping[str, Arms], constants: ScoreConstants, *, less: bool = False
) -> tuple[Fraction, Fraction]:
    """Both ends, as shares of the scale, of what performance and the other three parts add up to.

    `less`: performance is the real arm's less its control's, and no baseline is in it.
    """
    weights = [float(weight) for weight in constants.exact_weights]
    # Bound (a) of each end: a delta is cut only where the cut moves the end away from the score.
    low = performance + _sum([*(np.minimum(delta, 1.0) for delta in parts.deltas), parts.shown], weights[4:])
    high = performance + _sum([*(np.maximum(delta, 0.0) for delta in parts.deltas), parts.possible], weights[4:])
    linear = [
        [part for game in SCORED_GAMES for part in _linear(arms[game], game, constants, deltas=own, over_control=less)]
        for own in (True, False)
    ]
    with_deltas, alone = (_tails(arms, samples) for samples in linear)
    # Bound (b): the three other parts add at least 0 below, at most `_rest` above. The tighter bound of each end
    # counts.
    return (
        max(_percentile(low, with_deltas[0], 0), _percentile(performance, alone[0], 0)),
        min(_percentile(high, with_deltas[1], 1), _percentile(performance, alone[1], 1) + _rest(constants)),
    )


def _rest(constants: ScoreConstants) -> Fraction:
    """The weight of deltas and convergence together: their greatest addition to the score."""
    return sum(constants.exact_weights[4:], Fraction(0))


def _sum(places: Sequence[np.ndarray], weights: Sequence[float]) -> np.ndarray:
    """The weighted sum, from the first place to the last."""
    total = np.zeros(len(places[0]))
    for place, weight in zip(places, weights, strict=True):
        total = total + weight * place
    return total


def _percentile(values: np.ndarray, tail: Fraction, end: int) -> Fraction:
    """The order statistic that leaves out `tail` of the resamples below (end 0) or above (end 1)."""
    cut = floor(len(values) * tail)
    return Fraction(float(np.sort(values)[cut if end == 0 else len(values) - 1 - cut]))


def _variance(values: np.ndarray) -> Fraction:
    return sample_variance([int(value) for value in np.rint(values * ONE)]) / ONE**2


def _drawn(arms: Arms, tau_max: Fraction, seed: bytes, resamples: int) -> Drawn:
    """The resampled means and speeds of one game."""
    gain = arms.gain
    baseline, real, control = arms.baseline.measured(), arms.real.measured(), arms.control.measured()
    (first,) = _apart([baseline], seed, 0, resamples)
    curves = curves_of(gain, tau_max)
    # Summed over the rows of each resample: the real arm; real arm less control where paired, else the real arm alone;
    # and the control, where it is paired, so that both arms are drawn together.
    columns = [_row_sums(real, gain), [sum(row) for row in gain.rows]]
    taken = np.zeros(resamples, dtype=np.int64)
    if gain.control is None:
        columns.append(_row_sums(control, gain))
    else:
        other, taken = _apart([control, gain.control], seed, 1, resamples)
    size = gain.controls[1]
    sums = sums_of(gain, curves)
    speeds = np.array([float(speed) for speed in curves.speeds])
    row_sums, places = _refits(sums, columns, taken, size, seed, resamples)
    # As `Gain.total`: size times the sum of gains, less `taken`, the sum of `size` units of the control, for each unit
    # (0 and 1 where paired). So a mean gain is totals / (size * units), and nothing is rounded. `threshold` is t(97.5
    # %) standard errors of the observed sample: above it a gain is shown, below its opposite one is ruled out.
    totals = size * row_sums[1] - taken * len(gain.units.values)
    speed = speeds[places]
    shown, possible = totals > gain.threshold, totals >= -gain.threshold
    if gain.control is None:
        other = row_sums[2]
    means = _mean(first, baseline), _mean(other, control), _mean(row_sums[0], real)
    cut = np.minimum(speed, 1.0)
    return Drawn(*means, np.where(shown, cut, 0.0), np.where(shown, speed, np.where(possible, cut, 0.0)))


def _refits(
    sums: Sums, columns: Sequence[Sequence[int]], taken: np.ndarray, size: int, seed: bytes, resamples: int
) -> tuple[list[np.ndarray], np.ndarray]:
    """Sums of the columns over the rows of each resample, and the place of its best curve."""
    values = np.array(columns, dtype=np.int64).T
    row_sums, places, first = [], [], 0
    for counts in resampled_counts(len(values), seed + b"rows", resamples):
        part = slice(first, first + len(counts))
        drawn = Sums(*(_times(counts, table) for table in sums))
        places.append(best_of(drawn, taken[part], size))
        row_sums.append(_times(counts, values))
        first += len(counts)
    return list(np.concatenate(row_sums).T), np.concatenate(places)


def _times(counts: np.ndarray, table: np.ndarray) -> np.ndarray:
    """The matrix product of whole numbers; as floating point where every sum is exact in it, which is much faster."""
    if int(counts.sum(axis=1).max()) * int(np.abs(table).max(initial=0)) < 2**53:
        product: np.ndarray = (counts.astype(np.float64) @ table.astype(np.float64)).astype(np.int64)
        return product
    exact: np.ndarray = counts @ table
    return exact


def _row_sums(units: Units, gain: Gain) -> list[int]:
    """Sums of units over the rows of a gain."""
    return [sum(row) for row in equal_parts(units.values, len(gain.rows))]


def _apart(samples: Sequence[Units], seed: bytes, sample: int, resamples: int) -> list[np.ndarray]:
    """Resampled sums of cells that are drawn by themselves; several of one cell jointly."""
    columns = [[sum(row) for row in rows_of(units)] for units in samples]
    return [np.array(sums) for sums in bootstrap_sums(columns, seed, sample, resamples)]


def _mean(totals: np.ndarray, units: Units) -> np.ndarray:
    """Means in the published unit."""
    return totals * float(units.scale.factor / len(units.values))


def _tails(arms: Mapping[str, Arms], parts: Sequence[tuple[Moments, Fraction]]) -> tuple[Fraction, Fraction]:
    """Shares of resamples to leave out below and above, from the score as a linear combination of means.

    `parts`: of `_linear`; convergence is left out, since it is no mean. Degrees of freedom are rounded down.
    """
    groups, factors = [group for group, _ in parts], [factor for _, factor in parts]
    total, tails = contrast(groups, factors), _nominal_tails(arms)
    if not total.df:
        return tails
    # Resampled means have (n - 1) / n of the unbiased variance and near-normal tails. A percentile as far out as
    # Student's bound therefore leaves out P(Z > t(1 - tail, df) * SE / SE of resampled means).
    rows = zip(factors, groups, strict=True)
    variance = sum((factor**2 * group.variance * (group.n - 1) / group.n**2 for factor, group in rows), Fraction(0))
    wider, df = square_root(total.squared_error / variance), max(1, floor(total.df))
    low, high = (normal_upper(wider * t_quantile(1 - tail, df)) for tail in tails)
    return low, high


def _nominal_tails(arms: Mapping[str, Arms]) -> tuple[Fraction, Fraction]:
    """Shares to leave out below and above before they are moved out."""
    # tail + (5 / careers)^2 (4.5 % - tail); without careers the tail itself.
    careers = [count for arm in arms.values() if (count := arm.real.measured().careers)]
    share = Fraction(FEW_CAREERS, max(FEW_CAREERS, *careers)) ** 2 if careers else Fraction(0)
    low, high = (tail + share * (FEW_CAREERS_TAIL - tail) for tail in TAILS)
    return low, high


def _linear(
    arms: Arms, game: str, constants: ScoreConstants, *, deltas: bool, over_control: bool
) -> list[tuple[Moments, Fraction]]:
    """Samples of a game with their weights in the score, to first order about their means.

    With the deltas or without them; of the real arm less its control, where asked for, instead of with the baseline.
    """
    baseline, control, real = (cell.measured() for cell in (arms.baseline, arms.control, arms.real))
    # d score = slope * dP + d(real - control) / delta_max. The components' weights are taken as equal: only ratios of
    # squared errors enter the degrees of freedom.
    gained = 1 / constants.delta_max(game) if deltas else Fraction(0)
    slopes = [_slope(units, game, constants) for units in (baseline, real, control)]
    first = _group([sum(row) for row in rows_of(baseline)], slopes[0] * baseline.scale.factor)
    taken = gained + slopes[2] if over_control else gained
    weights = [(slopes[1] + gained) * real.scale.factor, -taken * control.scale.factor]
    others = [] if over_control else [first]
    if not arms.gain.is_paired:
        rows = [[sum(row) for row in rows_of(units)] for units in (control, real)]
        return [*others, _group(rows[1], weights[0]), _group(rows[0], weights[1])]
    whole = [round(weight * _FINE) for weight in weights]
    pairs = zip(_row_sums(real, arms.gain), _row_sums(control, arms.gain), strict=True)
    return [*others, _group([whole[0] * a + whole[1] * b for a, b in pairs], Fraction(1, _FINE))]


def _group(rows: Sequence[int], factor: Fraction) -> tuple[Moments, Fraction]:
    return moments(rows), factor


def _slope(units: Units, game: str, constants: ScoreConstants) -> Fraction:
    """Derivative of P's sub-score by P: 1 in chess, the logistic function's slope at the mean in hold'em."""
    if game == CHESS:
        return Fraction(1)
    c = constants.c_bb_per_100.exact
    place = sigmoid(Fraction(sum(units.values), len(units.values)) * units.scale.factor / c)
    return place * (1 - place) / c
