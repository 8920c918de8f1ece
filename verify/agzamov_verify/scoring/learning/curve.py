"""A learning curve fitted by least squares, with bootstrap intervals.

y(n) = plateau - gain e^(-n / tau), tau from a grid (`basis`), plateau and gain exact for each tau; the best is
the one that explains most with a gain > 0. Units are resampled together with their place in the match (Efron
and Tibshirani 1993, section 9.5: pairs), which asks neither for a distribution nor for equal variances.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from itertools import accumulate
from typing import Final, NamedTuple

import msgspec
import numpy as np

from ..exact import Figure, figure, fixed, square_root
from ..inference.estimate import ALPHA
from ..inference.power import detectable_noncentrality
from ..inference.precise import rounded
from ..ratings.wide import decimal_of, wide
from ..statistics import Interval
from .basis import ONE, decays, risings, tau_grid, too_many

SHORTFALL: Final = Fraction(5, 100)
_CHUNK_DRAWS: Final = 2**20  # how many draws are in memory at a time; shows nowhere


class Refits(NamedTuple):
    """The curves of all resamples: the place of tau in the grid, and the gain.

    Result n is within 5 % of the plateau where `gained` e^(-n / tau) is at most `missing`; their scale is their own.
    """

    best: np.ndarray
    gains: np.ndarray
    gained: np.ndarray
    missing: np.ndarray


class Curve(msgspec.Struct, frozen=True):
    """A fitted curve in points per game or bb/100; tau and what follows from it in games or hands.

    `to_95_of_plateau` is when the curve reaches 95 % of its plateau, the paper's words without the noise: 0 where it
    starts within 5 % of it, None for a plateau that is not positive. `to_95_of_gain` is when it has made 95 % of its
    gain, which does not depend on where zero lies. Either may lie beyond the match; a bound of "inf" is beyond any.
    `gain_mde` is the least gain that a t test at this tau would find. `explained_…` are the shares of the units'
    variance that this curve, a straight line and one step explain (R squared).
    """

    tau: int
    tau_ci: Interval
    start: Figure
    gain: Figure
    gain_ci: Interval
    gain_mde: Figure | None
    plateau: Figure
    to_95_of_plateau: int | None
    to_95_of_plateau_ci: Interval | None
    to_95_of_gain: int
    to_95_of_gain_ci: Interval
    explained_exponential: Figure
    explained_linear: Figure
    explained_step: Figure


def fitted(values: Sequence[int], unit_results: int, units_per_point: int, seed: bytes, resamples: int) -> Curve:
    """The curve of unit sums in order. Needs two units that differ."""
    units = len(values)
    grid = tau_grid(units * unit_results, unit_results)
    decay = decays(units, unit_results, grid)
    best = int((risings(units, unit_results, grid) @ np.asarray(values, dtype=np.int64)).argmax())
    per = Fraction(1, unit_results * units_per_point)
    chosen = [int(value) for value in decay[best]]
    slope = _slope(chosen, values)
    gain = -slope * ONE * per
    plateau = (Fraction(sum(values)) - slope * sum(chosen)) / units * per
    refits = _refits(values, decay, seed, resamples)
    bounds = [grid[int(at)] for at in _percentiles(refits.best)]
    gains = [Fraction(float(end)) * ONE * per for end in _percentiles(refits.gains)]
    mde = _gain_mde(values, chosen)
    return Curve(
        grid[best],
        _interval(bounds, resamples),
        figure(plateau - gain),
        figure(gain),
        _interval(gains, resamples),
        None if mde is None else rounded(mde * ONE * per),
        figure(plateau),
        _reached(grid[best], gain, plateau * SHORTFALL) if plateau > 0 else None,
        _interval(reached_bounds(refits, grid), resamples) if plateau > 0 else None,
        _reached(grid[best], Fraction(1), SHORTFALL),
        _interval([_reached(tau, Fraction(1), SHORTFALL) for tau in bounds], resamples),
        figure(_share([-value for value in chosen], values)),
        figure(_share(range(len(values)), values)),
        figure(_best_step(values)),
    )


def _slope(shape: Sequence[int], values: Sequence[int]) -> Fraction:
    n, total = len(values), sum(shape)
    spread = n * sum(value * value for value in shape) - total * total
    return Fraction(_covariance(shape, values), spread)


def _covariance(shape: Sequence[int], values: Sequence[int]) -> int:
    return len(values) * sum(a * b for a, b in zip(shape, values, strict=True)) - sum(shape) * sum(values)


def _reached(tau: int, gain: Fraction, missing: Fraction) -> int:
    """When gain e^(-n / tau) is no more than `missing`, rounded up to a whole result."""
    if gain <= missing:
        return 0
    with wide():
        exact = tau * decimal_of(gain / missing).ln()
        return int(exact.to_integral_value(rounding=ROUND_CEILING))


def _share(shape: Sequence[int], values: Sequence[int]) -> Fraction:
    """The share of the variance that a rising shape explains; 0 if the values fall along it."""
    common = max(0, _covariance(shape, values))
    return Fraction(common * common, _covariance(shape, shape) * _covariance(values, values))


def _best_step(values: Sequence[int]) -> Fraction:
    """The same for a step up from 0 to 1, wherever it explains most."""
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


def _refits(values: Sequence[int], decay: np.ndarray, seed: bytes, resamples: int) -> Refits:
    """Resample r draws as `statistics.bootstrap_95` does.

    Sums are integers; what is compared comes from them by single products, quotients, sums and square roots, each of
    which IEEE 754 rounds correctly.
    """
    n, rows = len(values), len(decay)
    if too_many(values):
        raise ValueError(f"{n} units are too many for exact sums")
    y = np.asarray(values, dtype=np.int64)
    sums = np.concatenate([decay, decay * decay, decay * y, y[None]]).T
    found: list[tuple[np.ndarray, ...]] = []
    for counts in _resampled(n, seed, resamples):
        q, qq, qy, total = np.split(counts @ sums, [rows, 2 * rows, 3 * rows], axis=1)
        common = (q * total - n * qy).astype(np.float64)
        spread = (n * qq - q * q).astype(np.float64)
        best = (common / np.sqrt(np.maximum(spread, 1))).argmax(axis=1)
        at = (np.arange(len(best)), best)
        gained, over = common[at], np.maximum(spread[at], 1)
        level = total[:, 0].astype(np.float64) * over + gained * q[at].astype(np.float64)
        found.append((best, gained / over, gained * (n * ONE * SHORTFALL.denominator), level * SHORTFALL.numerator))
    return Refits(*(np.concatenate(column) for column in zip(*found, strict=True)))


def reached_bounds(refits: Refits, grid: Sequence[int]) -> list[int | None]:
    """The order statistics 2.5 % from either end of when the refitted curves reach 95 % of their plateau.

    None: never, because their plateau is not positive. A curve is there by result k if its gain is at most what may be
    missing times e^(k / tau); those factors are rounded once, so the count is the same on every machine.
    """
    size = len(refits.best)
    cut = size * 25 // 1000
    ever = refits.missing > 0

    def there(result: int) -> int:
        with wide():
            factors = np.array([float((Decimal(result) / tau).exp()) for tau in grid])
        with np.errstate(over="ignore", invalid="ignore"):
            return int((ever & (refits.gained <= refits.missing * factors[refits.best])).sum())

    return [_first(there, wanted) if int(ever.sum()) >= wanted else None for wanted in (cut + 1, size - cut)]


def _first(there: Callable[[int], int], wanted: int) -> int:
    """The first result by which so many curves are there."""
    low, high = -1, 0
    while there(high) < wanted:
        low, high = high, 2 * high + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if there(middle) >= wanted else (middle, high)
    return high


def _interval(bounds: Sequence[Fraction | int | None], resamples: int) -> Interval:
    low, high = ("inf" if bound is None else fixed(Fraction(bound)) for bound in bounds)
    return Interval(low, high, f"bootstrap-{resamples}")


def _percentiles(found: np.ndarray) -> tuple[float, float]:
    """The order statistics 2.5 % from either end."""
    cut = len(found) * 25 // 1000
    ordered = np.sort(found)
    return float(ordered[cut]), float(ordered[len(found) - 1 - cut])


def _resampled(size: int, seed: bytes, resamples: int) -> Iterator[np.ndarray]:
    """How often each of `size` units is drawn, some resamples at a time."""
    rows = max(1, _CHUNK_DRAWS // size)
    for first in range(0, resamples, rows):
        chunk = range(first, min(first + rows, resamples))
        drawn = b"".join(hashlib.shake_256(seed + row.to_bytes(4, "big")).digest(4 * size) for row in chunk)
        words = np.frombuffer(drawn, dtype="<u4").reshape(len(chunk), size).astype(np.uint64)
        places = ((words * np.uint64(size)) >> np.uint64(32)).astype(np.intp) + size * np.arange(len(chunk))[:, None]
        yield np.bincount(places.ravel(), minlength=size * len(chunk)).reshape(len(chunk), size)
