"""A learning curve fitted by least squares, with bootstrap intervals.

y(n) = plateau - gain e^(-n / tau), tau from a grid (`basis`), plateau and gain exact for each tau; the best is
the one that explains most with a gain > 0. Units are resampled together with their place in the match (Efron
and Tibshirani 1993, section 9.5: pairs), which asks neither for a distribution nor for equal variances.
"""

import hashlib
from collections.abc import Iterator, Sequence
from decimal import ROUND_CEILING
from fractions import Fraction
from itertools import accumulate
from typing import Final

import msgspec
import numpy as np

from ..exact import Figure, figure, fixed
from ..ratings.wide import decimal_of, wide
from ..statistics import Interval
from .basis import ONE, decays, refuse_inexact, risings, tau_grid

SHORTFALL: Final = Fraction(5, 100)
_CHUNK_DRAWS: Final = 2**20  # how many draws are in memory at a time; shows nowhere


class Explained(msgspec.Struct, frozen=True):
    """The share of the units' variance that a rising exponential, a straight line and one step explain (R squared)."""

    exponential: Figure
    linear: Figure
    step: Figure


class Curve(msgspec.Struct, frozen=True):
    """A fitted curve in points per game or bb/100; tau and what follows from it in games or hands.

    `to_95_of_plateau` is when the curve reaches 95 % of its plateau, the paper's words without the noise; None for
    a plateau that is not positive. `to_95_of_gain` is when it has made 95 % of its gain, which does not depend on
    where zero lies. Either may lie beyond the match.
    """

    tau: int
    tau_ci: Interval
    start: Figure
    gain: Figure
    gain_ci: Interval
    plateau: Figure
    to_95_of_plateau: int | None
    to_95_of_gain: int
    explained: Explained


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
    tau_ci, gain_ci = _intervals(values, decay, grid, per, seed, resamples)
    return Curve(
        grid[best],
        tau_ci,
        figure(plateau - gain),
        figure(gain),
        gain_ci,
        figure(plateau),
        _reached(grid[best], gain, plateau * SHORTFALL) if plateau > 0 else None,
        _reached(grid[best], Fraction(1), SHORTFALL),
        _explained(values, chosen),
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


def _explained(values: Sequence[int], decay: Sequence[int]) -> Explained:
    units = range(len(values))
    return Explained(
        figure(_share([-value for value in decay], values)),
        figure(_share(units, values)),
        figure(_best_step(values)),
    )


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


def _intervals(
    values: Sequence[int], decay: np.ndarray, grid: Sequence[int], per: Fraction, seed: bytes, resamples: int
) -> tuple[Interval, Interval]:
    """Percentile intervals of tau and the gain; resample r draws as `statistics.bootstrap_95` does.

    Sums are integers; a fit's tau is compared by one division and one square root, which IEEE 754 rounds correctly.
    """
    n = len(values)
    refuse_inexact(2 * n * n * ONE * max(ONE, *(abs(value) for value in values)))
    y = np.asarray(values, dtype=np.int64)
    sums = np.concatenate([decay, decay * decay, decay * y, y[None]]).T
    taus, gains = [], []
    for counts in _resampled(n, seed, resamples):
        q, qq, qy, total = np.split(counts @ sums, [len(grid), 2 * len(grid), 3 * len(grid)], axis=1)
        common = (q * total - n * qy).astype(np.float64)
        spread = (n * qq - q * q).astype(np.float64)
        best = (common / np.sqrt(np.maximum(spread, 1))).argmax(axis=1)
        rows = np.arange(len(best))
        taus.append(best)
        gains.append(common[rows, best] / np.maximum(spread[rows, best], 1))
    method = f"bootstrap-{resamples}"
    shortest, longest = _percentiles(np.concatenate(taus))
    tau = Interval(fixed(Fraction(grid[int(shortest)])), fixed(Fraction(grid[int(longest)])), method)
    low, high = (fixed(Fraction(end) * ONE * per) for end in _percentiles(np.concatenate(gains)))
    return tau, Interval(low, high, method)


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
