"""Bootstrap intervals of a Bradley-Terry fit: all games drawn again, and fitted again.

Thousands of fits run side by side, one in each element of an array. Every operation is an elementwise +, -, *,
/ or square root in a fixed order, which IEEE 754 rounds correctly: no sums over an array, no exponentials. So
the same bits come out on every machine. A step s multiplies a worth by (2 + s) / (2 - s), which is e^s to the
third order and leads to the same maximum.
"""

import hashlib
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

import numpy as np

from ..statistics import Interval
from .likelihood import Array, Pairing, Shape, newton_terms, solve
from .wide import places

STEPS: Final = 9
UNSETTLED_PER_THOUSAND_MAX: Final = 25
_SETTLED: Final = 1e-9
_CHUNK_DRAWS: Final = 2**21  # how many draws are in memory at a time; shows nowhere


def bootstrap(
    pairings: Sequence[Pairing[Decimal]], worths: Sequence[Decimal], shape: Shape, seed: bytes, resamples: int
) -> tuple[list[Interval] | None, int]:
    """95 % percentile intervals of the parameters in their order, and how many resamples had no fit.

    Games stand by pairing, in a pairing by outcome for the first: wins, draws, losses. Resample r draws their
    indices from SHAKE-256(seed + r as 4 bytes big-endian) as `statistics.bootstrap_95` does. No intervals where
    more than 25 in 1000 resamples have no fit. Call it within `wide`.
    """
    outcomes = [int(count) for one in pairings for count in (one.wins, one.draws, one.losses)]
    kinds = np.repeat(np.arange(len(outcomes)), outcomes)
    rows = max(1, _CHUNK_DRAWS // len(kinds))
    keys: list[Array] = []
    for first in range(0, resamples, rows):
        counts = _counted(kinds, len(outcomes), seed, range(first, min(first + rows, resamples)))
        drawn = [Pairing(one.first, one.second, *counts[3 * at : 3 * at + 3]) for at, one in enumerate(pairings)]
        keys.append(_keys(*_fitted(drawn, worths, shape), shape))
    found = np.concatenate(keys, axis=1)
    unsettled = resamples - found.shape[1]
    if 1000 * unsettled > UNSETTLED_PER_THOUSAND_MAX * resamples:
        return None, unsettled
    powers = [shape.players] * shape.players + [1] * (shape.size - shape.players)
    return [_interval(np.sort(key), power, resamples) for key, power in zip(found, powers, strict=True)], unsettled


def _counted(kinds: Array, size: int, seed: bytes, rows: range) -> Array:
    """How many games of each kind of outcome each resample has; one column for each resample."""
    games = len(kinds)
    digests = b"".join(hashlib.shake_256(seed + row.to_bytes(4, "big")).digest(4 * games) for row in rows)
    words = np.frombuffer(digests, dtype="<u4").astype(np.uint64)
    drawn = kinds[((words * np.uint64(games)) >> np.uint64(32)).astype(np.intp)]
    place = drawn + size * np.repeat(np.arange(len(rows)), games)
    counts = np.bincount(place, minlength=size * len(rows)).reshape(len(rows), size)
    return np.ascontiguousarray(counts.T).astype(np.float64)


def _fitted(pairings: Sequence[Pairing[Array]], start: Sequence[Decimal], shape: Shape) -> tuple[list[Array], Array]:
    """Worths after a fixed number of steps, and where they have settled."""
    rows = len(pairings[0].wins)
    worths = [np.full(rows, float(worth)) for worth in start]
    longest = np.zeros(rows)
    with np.errstate(all="ignore"):
        for _ in range(STEPS):
            gradient, information = newton_terms(pairings, worths, shape, np.sqrt)
            step = solve(information, gradient)
            longest = np.abs(step[0])
            for one in step[1:]:
                longest = np.maximum(longest, np.abs(one))
            shorter = 1 / np.maximum(longest, 1)
            worths = [
                worth * (2 + one * shorter) / (2 - one * shorter) for worth, one in zip(worths, step, strict=True)
            ]
        return worths, longest < _SETTLED


def _keys(worths: Sequence[Array], settled: Array, shape: Shape) -> Array:
    """What orders the resamples: worth^players / product of all worths for a player, the worth for other terms."""
    kept = [worth[settled] for worth in worths]
    product = kept[0]
    for worth in kept[1 : shape.players]:
        product = product * worth
    keys = list(kept)
    for at in range(shape.players):
        power = kept[at]
        for _ in range(shape.players - 1):
            power = power * kept[at]
        keys[at] = power / product
    return np.array(keys)


def _interval(keys: Array, power: int, resamples: int) -> Interval:
    cut = len(keys) * 25 // 1000
    low, high = (places(Decimal(float(keys[at])).ln() / power) for at in (cut, len(keys) - 1 - cut))
    return Interval(low, high, f"bootstrap-{resamples}")
