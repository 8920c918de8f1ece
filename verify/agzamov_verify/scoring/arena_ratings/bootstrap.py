"""Strengths in resamples of the clusters: how far they move, and in what share of resamples something is so.

In each resample every cluster weighs as many times as a Poisson number of mean 1 says (Hanley and MacGibbon 2006,
Computer Methods and Programs in Biomedicine 83:57), which is drawing clusters with replacement but for their total
number. The games are counted anew by pairing and outcome, and the fit follows by Newton's method from the linear
approximation until a step is below STEP_MAX, so that what is left is less than its square.

Shares of resamples are shares of resamples. They are no probabilities that a player has a rank, and percentiles of
ranks are no intervals (Mogstad et al. 2024).
"""

import hashlib
from collections.abc import Iterator
from math import exp, factorial
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from .davidson import OUTCOMES, Counts, DavidsonFit, Model, derivatives, whole
from .rating_scale import centring
from .results_table import Floats, PairResults, cluster_places

RESAMPLES: Final = 1_000
STEP_MAX: Final = 0.05
STEPS_MAX: Final = 50
LOGITS_A_STEP_MAX: Final = 2.0
WORDS: Final = 2**16

Weights: TypeAlias = npt.NDArray[np.uint8]
"""At most 12, the greatest number in the table."""


def resampled_strengths(results: PairResults, fit: DavidsonFit, resamples: int = RESAMPLES) -> Floats:
    """Centred strengths of each resample (resamples by m), in logits; NaN for players without a game.

    A player may have no game in a resample: its ghost game then puts it at the ghost's strength.
    """
    m = results.players
    centre = centring(fit.rating.connection.part)
    found = np.empty((resamples, m))
    inverse = np.asarray(np.linalg.inv(fit.information), dtype=np.float64)
    for row, counts in enumerate(resampled_counts(results, resamples)):
        found[row] = centre @ refit(counts, fit.model, fit.parameters, inverse)[:m]
    found[:, np.isnan(fit.rating.strengths)] = np.nan
    return found


def resampled_counts(results: PairResults, resamples: int) -> Iterator[Counts]:
    """Games by pairing and outcome in each resample."""
    m = results.players
    place, clusters = cluster_places(results.cluster)
    cell = (results.outcome * m + results.first) * m + results.second
    # Rows sorted by cell: one sum over runs of rows counts a resample.
    order = np.argsort(cell, kind="stable")
    cells, starts = np.unique(cell[order], return_index=True)
    of_row, count = place[order], results.count[order]
    are_single = bool((count == 1).all())
    for weights in cluster_weights(clusters, seed_of(results), resamples):
        rows = weights[of_row].astype(np.int64)
        flat = np.zeros(OUTCOMES * m * m)
        flat[cells] = np.add.reduceat(rows if are_single else rows * count, starts)
        lost, drawn, won = flat.reshape(OUTCOMES, m, m)
        yield Counts(won, drawn, lost)


def cluster_weights(clusters: int, seed: bytes, resamples: int) -> Iterator[Weights]:
    """How many times each cluster counts in each resample; in a byte each they are gathered twice as fast."""
    source, table = np.random.PCG64(int.from_bytes(seed, "big")), poisson_table()
    words = -(-clusters // 4)
    for _ in range(resamples):
        drawn = np.asarray(source.random_raw(words), dtype="<u8").view("<u2")
        yield table[drawn[:clusters]]


def poisson_table() -> Weights:
    """The Poisson number of mean 1 of each 16-bit word: its quantile at (word + 1/2) / 2^16."""
    reached = np.cumsum([exp(-1) / factorial(k) for k in range(12)])
    return np.searchsorted(reached, (np.arange(WORDS) + 0.5) / WORDS).astype(np.uint8)


def seed_of(results: PairResults) -> bytes:
    """SHA-256 of the results without their players' numbers, in an order of their own."""
    place, _ = cluster_places(results.cluster)
    order = np.lexsort((results.count, results.outcome, place))
    rows = np.stack((place, results.outcome, results.count))[:, order]
    return hashlib.sha256(rows.astype("<i8").tobytes()).digest()


def refit(counts: Counts, model: Model, near: Floats, inverse: Floats) -> Floats:
    """Parameters of the greatest likelihood of a resample, near those of the data; `inverse`: of their information."""
    free = np.ix_(model.is_free, model.is_free)
    first = inverse @ derivatives(counts, model, near).gradient[model.is_free]
    at = near[model.is_free] + _within_reach(first)
    for _ in range(STEPS_MAX):
        gradient, information = derivatives(counts, model, whole(model, at))
        solved = np.linalg.solve(_solvable(information[free]), gradient[model.is_free])
        step = np.asarray(solved, dtype=np.float64)
        at = at + _within_reach(step)
        # Of the strengths alone: without a draw in the resample ln nu falls for ever, and moves nothing else.
        if np.abs(step[: len(counts.won)]).max() < STEP_MAX:
            break
    return whole(model, at)


def _solvable(information: Floats) -> Floats:
    """A resample may lack every draw, and then tells nothing of nu: its row gets a little weight."""
    return information + 1e-9 * np.eye(len(information))


def _within_reach(step: Floats) -> Floats:
    return step * min(1.0, LOGITS_A_STEP_MAX / max(float(np.abs(step).max(initial=0.0)), LOGITS_A_STEP_MAX))
