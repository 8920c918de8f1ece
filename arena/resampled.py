"""Bootstrap intervals of a Bradley-Terry fit: all games drawn again, and fitted again.

Thousands of fits run side by side, one in each element of an array. Every operation is an elementwise +, -, *,
/ or square root in a fixed order, which IEEE 754 rounds correctly: no sums over an array, no exponentials. So
the same bits come out on every machine. A step s multiplies a worth by (2 + s) / (2 - s), which is e^s to the
third order and leads to the same maximum.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

import numpy as np

from agzamov_verify.scoring.draws.by_numpy import resampled_counts
from agzamov_verify.scoring.ratings.decimal_arithmetic import places
from agzamov_verify.scoring.statistics import Interval
from likelihood import Array, Pairing, Shape, newton_terms, solve

STEPS: Final = 9
UNSETTLED_PER_THOUSAND_MAX: Final = 25
_SETTLED: Final = 1e-9
_CHUNK_DRAWS: Final = 2**21  # number of draws in memory at a time; no effect on results


def bootstrap(
    pairings: Sequence[Pairing[Decimal]], worths: Sequence[Decimal], shape: Shape, seed: bytes, resamples: int
) -> tuple[list[Interval] | None, int]:
    """95 % percentile intervals of the parameters in their order, and how many resamples had no fit.

    Games stand by pairing, in a pairing by outcome for the first: wins, draws, losses; they are drawn by
    `resampled_counts`. No intervals where more than 25 in 1000 resamples have no fit. Call it within `wide`.
    """
    outcomes = [int(count) for pairing in pairings for count in (pairing.wins, pairing.draws, pairing.losses)]
    kinds = np.repeat(np.arange(len(outcomes)), outcomes)
    keys: list[Array] = []
    for times in resampled_counts(len(kinds), seed, resamples, _CHUNK_DRAWS):
        counts = _counted(times, kinds, len(outcomes))
        drawn = [
            Pairing(pairing.first, pairing.second, *counts[3 * number : 3 * number + 3])
            for number, pairing in enumerate(pairings)
        ]
        keys.append(_keys(*_fitted(drawn, worths, shape), shape))
    settled_keys = np.concatenate(keys, axis=1)
    unsettled = resamples - settled_keys.shape[1]
    if 1000 * unsettled > UNSETTLED_PER_THOUSAND_MAX * resamples:
        return None, unsettled
    powers = [shape.players] * shape.players + [1] * (shape.size - shape.players)
    return [
        _interval(np.sort(key), power, resamples) for key, power in zip(settled_keys, powers, strict=True)
    ], unsettled


def _counted(times: Array, kinds: Array, size: int) -> Array:
    """Number of games of each kind of outcome in each resample; one column for each resample."""
    belongs = np.arange(size)[:, None] == kinds[None, :]
    return np.ascontiguousarray(belongs.astype(np.int64) @ times.T).astype(np.float64)


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
            for change in step[1:]:
                longest = np.maximum(longest, np.abs(change))
            shorter = 1 / np.maximum(longest, 1)
            worths = [
                worth * (2 + change * shorter) / (2 - change * shorter)
                for worth, change in zip(worths, step, strict=True)
            ]
        return worths, longest < _SETTLED


def _keys(worths: Sequence[Array], settled: Array, shape: Shape) -> Array:
    """Sort keys of the resamples: worth^players / product of all worths for a player, the worth for other terms."""
    settled_worths = [worth[settled] for worth in worths]
    product = settled_worths[0]
    for worth in settled_worths[1 : shape.players]:
        product = product * worth
    keys = list(settled_worths)
    for player in range(shape.players):
        power = settled_worths[player]
        for _ in range(shape.players - 1):
            power = power * settled_worths[player]
        keys[player] = power / product
    return np.array(keys)


def _interval(keys: Array, power: int, resamples: int) -> Interval:
    cut = len(keys) * 25 // 1000
    low, high = (places(Decimal(float(keys[rank])).ln() / power) for rank in (cut, len(keys) - 1 - cut))
    return Interval(low, high, f"bootstrap-{resamples}")
