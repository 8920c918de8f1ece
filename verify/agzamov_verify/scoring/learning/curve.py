"""Learning curves: exponentials as integers, and one fitted by least squares, with an interval of its time constant.

Learning curves as integers: exponentials rounded once to 16 bits, so that every sum with them is exact.

A curve is y(n) = plateau - gain e^(-n / tau), where n is the number of results already played. Results are
summed in units (start pairs, sessions), over which colours, seats and sessions balance; a unit's exponential
is the mean over its results.

A learning curve fitted by least squares, with an interval of its time constant.

y(n) = plateau - gain e^(-n / tau), tau from a grid (as above), plateau and gain exact for each tau; the best is
the one that explains most with a gain > 0.
"""

from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import isqrt
from operator import mul
from typing import Final, NamedTuple, TypeAlias

import msgspec

from ..inference.distributions import t_quantile
from ..inference.estimate import ALPHA
from ..inference.exact import Figure, decimal_of, figure, fixed, high_precision, rounded, square_root
from ..inference.power import detectable_noncentrality
from ..inference.samples import Interval

ONE: Final = 2**16
_FINE_BITS: Final = 128
GRID_RATIO: Final = (11, 10)
SHORTEST_SHARE: Final = 50
_SUM_MAX: Final = 2**62

Rows: TypeAlias = Sequence[Sequence[int]]
"""Curves by row, one value for each unit."""


def tau_grid(results: int, unit_results: int) -> tuple[int, ...]:
    """Time constants to choose from, in results: steps of a tenth from 1/50 of the match to all of it."""
    grid = [max(unit_results, results // SHORTEST_SHARE, 1)]
    up, down = GRID_RATIO
    while grid[-1] * up < results * down:
        grid.append(max(grid[-1] + 1, grid[-1] * up // down))
    return tuple(grid)


@lru_cache(maxsize=32)
def decays(units: int, unit_results: int, grid: tuple[int, ...]) -> Rows:
    """Mean of e^(-n / tau) over each unit, times 2^16, rounded down: one row for each tau of the grid."""
    return tuple(tuple(_decay(units, unit_results, tau)) for tau in grid)


def _decay(units: int, unit_results: int, tau: int) -> list[int]:
    with high_precision():
        per_result = (Decimal(-1) / tau).exp()
        per_unit = (Decimal(-unit_results) / tau).exp()
        # First unit of m results: (1 / m) sum of e^(-k / tau), k < m, a geometric series; each later one is e^(-m /
        # tau) of it.
        mean = (1 - per_unit) / (1 - per_result) / unit_results
        level, factor = (int(value * 2**_FINE_BITS) for value in (mean, per_unit))
    means = []
    for _ in range(units):
        means.append(level * ONE >> _FINE_BITS)
        level = level * factor >> _FINE_BITS
    return means


def rising(decay: Sequence[int]) -> list[int]:
    """The rising curve of a decay with mean 0 and root mean square 2^16, rounded: the weights of a trend test."""
    units, total = len(decay), sum(decay)
    centred = [total - units * value for value in decay]
    # 2^64 root(n 2^32 / sum c^2): the norm that makes the root mean square 2^16, kept to 64 bits after the point.
    norm = isqrt(units * ONE * ONE * 2**_FINE_BITS // sum(value * value for value in centred))
    return [value * norm + 2 ** (_FINE_BITS // 2 - 1) >> _FINE_BITS // 2 for value in centred]


@lru_cache(maxsize=32)
def risings(units: int, unit_results: int, grid: tuple[int, ...]) -> Rows:
    """The rising curves of the grid, by row."""
    return tuple(tuple(rising(row)) for row in decays(units, unit_results, grid))


def along(values: Sequence[int], rows: Rows) -> list[int]:
    """The sums of the values with each row."""
    return [sum(map(mul, values, row)) for row in rows]


def too_many(values: Sequence[int]) -> bool:
    """True if the sums that a curve of these units needs, squares of the time axis included, may not fit exactly."""
    greatest = max(ONE, *(abs(value) for value in values))
    return 2 * len(values) ** 2 * ONE * greatest > _SUM_MAX


def refuse_inexact(sum_max: int) -> None:
    """Raises ValueError for sums that would not fit exactly into 64 bits."""
    if sum_max > _SUM_MAX:
        raise ValueError(
            f"sums of at most {_SUM_MAX} were expected, found up to {sum_max}: take fewer or smaller units"
        )


SHORTFALL: Final = Fraction(5, 100)
PARAMETERS: Final = 3
"""Plateau, gain and tau."""


class Curve(msgspec.Struct, frozen=True):
    """A fitted curve in points per game or bb/100; tau and the figures derived from it in games or hands.

    `tau_ci`: the time constants that a test does not refuse (`interval_of_tau`); None where units depend on each other.
    `to_95_of_plateau` is when the curve reaches 95 % of its plateau, the paper's words without the noise: 0 where it
    starts within 5 % of it, None for a plateau that is not positive. `to_95_of_gain` is when it has made 95 % of its
    gain, which does not depend on where zero lies. Either may lie beyond the match. `gain_mde` is the least gain that
    a t test at this tau would find. `explained_...` are the shares of the units' variance that this curve, a straight
    line and one step explain (R squared). The curve describes; how much was gained is `LearningOutcome.change`.
    """

    tau: int
    tau_ci: Interval | None
    start: Figure
    gain: Figure
    gain_mde: Figure | None
    plateau: Figure
    to_95_of_plateau: int | None
    to_95_of_gain: int
    explained_exponential: Figure
    explained_linear: Figure
    explained_step: Figure


def fitted(values: Sequence[int], unit_results: int, units_per_point: int, *, independent: bool = True) -> Curve:
    """The curve of unit sums in order. Needs two units that differ. `independent`: the units do not go together."""
    units = len(values)
    if too_many(values):
        raise ValueError(f"{units} units are too many for exact sums")
    grid = tau_grid(units * unit_results, unit_results)
    decay = decays(units, unit_results, grid)
    sums = along(values, risings(units, unit_results, grid))
    best = sums.index(max(sums))
    per = Fraction(1, unit_results * units_per_point)
    chosen = decay[best]
    slope = _slope(chosen, values)
    gain = -slope * ONE * per
    plateau = (Fraction(sum(values)) - slope * sum(chosen)) / units * per
    mde = _gain_mde(values, chosen)
    return Curve(
        grid[best],
        interval_of_tau(values, decay, grid) if independent else None,
        figure(plateau - gain),
        figure(gain),
        None if mde is None else rounded(mde * ONE * per),
        figure(plateau),
        _reached(grid[best], gain, plateau * SHORTFALL) if plateau > 0 else None,
        _reached(grid[best], Fraction(1), SHORTFALL),
        figure(_share([-value for value in chosen], values)),
        figure(_share(range(len(values)), values)),
        figure(_best_step(values)),
    )


def interval_of_tau(values: Sequence[int], decay: Rows, grid: Sequence[int]) -> Interval | None:
    """The 95 % interval of the time constant: every tau of the grid that a test does not refuse.

    The test of a tau adds the curve's derivative by tau, n e^(-n / tau), to its regression on 1 and e^(-n / tau): were
    tau right, its coefficient would be 0. Student's t with n - 3 degrees of freedom, over the standard error HC3, which
    holds where variances differ (MacKinnon and White 1985, Journal of Econometrics 29:305): a player who wins nearly
    always varies less. A bound at an end of the grid is 0 or "inf": faster or slower curves were not tried. It holds
    whether or not a trend was detected, so it is given either way. None for fewer than five units, or if every tau is
    refused.
    """
    df = len(values) - PARAMETERS
    if df < 2:
        return None
    with high_precision():
        y = _centred([Decimal(value) for value in values])
        most = decimal_of(t_quantile(1 - ALPHA / 2, Fraction(df))) ** 2
        kept = [tau for tau, row in zip(grid, decay, strict=True) if not _refused(_direction(tuple(row)), y, most)]
    if not kept:
        return None
    low = fixed(Fraction(0 if kept[0] == grid[0] else kept[0]))
    return Interval(low, "inf" if kept[-1] == grid[-1] else fixed(Fraction(kept[-1])), "test-inversion")


class _Direction(NamedTuple):
    """A curve's shape, centred; its derivative by tau less what 1 and the shape explain of it; 1 less the leverages."""

    shape: list[Decimal]
    shape_size: Decimal
    rest: list[Decimal]
    size: Decimal
    kept: list[Decimal]


@lru_cache(maxsize=256)
def _direction(row: tuple[int, ...]) -> _Direction:
    shape = _centred([Decimal(value) for value in row])
    # n e^(-n / tau) at a unit's middle, n = place + 1/2; the factor 2 changes no t.
    slope = _centred([Decimal((2 * place + 1) * value) for place, value in enumerate(row)])
    shape_size = _dot(shape, shape)
    share = _dot(shape, slope) / shape_size
    rest = [d - share * q for d, q in zip(slope, shape, strict=True)]
    size = _dot(rest, rest)
    even = 1 - 1 / Decimal(len(row))
    # 1 - leverage: 1 - 1 / n - q^2 / sum q^2 - d^2 / sum d^2, since the three regressors are orthogonal.
    kept = [even - q * q / shape_size - d * d / size for q, d in zip(shape, rest, strict=True)] if size else []
    return _Direction(shape, shape_size, rest, size, kept)


def _refused(along: _Direction, y: Sequence[Decimal], most: Decimal) -> bool:
    """True if t squared of the derivative's coefficient is above `most`; `y` is centred (Frisch, Waugh and Lovell)."""
    if not along.size or min(along.kept) <= 0:
        return False
    product = _dot(along.rest, y)
    first, second = _dot(along.shape, y) / along.shape_size, product / along.size
    units = zip(y, along.shape, along.rest, along.kept, strict=True)
    # HC3: t^2 = (sum d y)^2 / sum of (d e / (1 - h))^2, e the residual and h the leverage.
    spread = sum(((d * (value - first * q - second * d) / left) ** 2 for value, q, d, left in units), Decimal(0))
    return product * product > most * spread


def _centred(values: Sequence[Decimal]) -> list[Decimal]:
    mean = sum(values, Decimal(0)) / len(values)
    return [value - mean for value in values]


def _dot(first: Sequence[Decimal], second: Sequence[Decimal]) -> Decimal:
    return sum(map(mul, first, second), Decimal(0))


def _slope(shape: Sequence[int], values: Sequence[int]) -> Fraction:
    # Least squares: (n sum qy - sum q sum y) / (n sum q^2 - (sum q)^2).
    n, total = len(values), sum(shape)
    spread = n * sum(value * value for value in shape) - total * total
    return Fraction(_covariance(shape, values), spread)


def _covariance(shape: Sequence[int], values: Sequence[int]) -> int:
    return len(values) * sum(a * b for a, b in zip(shape, values, strict=True)) - sum(shape) * sum(values)


def _reached(tau: int, gain: Fraction, missing: Fraction) -> int:
    """Least whole n at which gain e^(-n / tau) is no more than `missing`."""
    if gain <= missing:
        return 0
    with high_precision():
        exact = tau * decimal_of(gain / missing).ln()
        return int(exact.to_integral_value(rounding=ROUND_CEILING))


def _share(shape: Sequence[int], values: Sequence[int]) -> Fraction:
    """The share of the variance that a rising shape explains; 0 if the values fall along it."""
    common = max(0, _covariance(shape, values))
    return Fraction(common * common, _covariance(shape, shape) * _covariance(values, values))


def _best_step(values: Sequence[int]) -> Fraction:
    """The same for a step up from 0 to 1, wherever it explains most."""
    # A step after `split` units has n times the covariance split * total - n * below, and n times the sum of squares
    # split (n - split).
    n, total, sums = len(values), sum(values), accumulate(values[:-1])
    steps = ((max(0, split * total - n * below), split * (n - split)) for split, below in enumerate(sums, 1))
    best = max(Fraction(common * common, spread) for common, spread in steps)
    return best / _covariance(values, values)


def _gain_mde(values: Sequence[int], shape: Sequence[int]) -> Fraction | None:
    """The least slope along a shape that a two-sided t test at 5 % finds with 80 % power; None if no error is left."""
    n, spread = len(values), _covariance(shape, shape)
    left = _covariance(values, values) - Fraction(_covariance(shape, values) ** 2, spread)
    if n < 3 or not left:
        return None
    return detectable_noncentrality(n - 2, ALPHA) * square_root(left / ((n - 2) * spread))
