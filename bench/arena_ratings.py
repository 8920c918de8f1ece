"""Ratings of an arena of 100 models, 5 games and 1,000,000 results on one core, against sorting the same results.

    OPENBLAS_NUM_THREADS=1 python bench/arena_ratings.py [RESAMPLES]

The results are made up: start pairs of both colours, all pairings. CPU time. Bars: the five fits alone below 2 s; fits,
1,000 cluster bootstraps of each game and rank sets together below 30 s. The columns of older arenas come on top: Elo in
order with 200 shuffles, scores and tiers over the same resamples; Glicko-2, of which a table has no more than 20,000
results, is timed on so many.
"""

import sys
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from agzamov_harness.arena.older_columns import GLICKO_RESULTS_MAX
from agzamov_verify.scoring.arena_ratings.bootstrap import resampled_strengths
from agzamov_verify.scoring.arena_ratings.davidson import fit_davidson
from agzamov_verify.scoring.arena_ratings.headline import headline
from agzamov_verify.scoring.arena_ratings.results_table import PairResults
from agzamov_verify.scoring.arena_ratings.seed_columns import (
    RatedGame,
    elo_in_order,
    glicko2_in_order,
    order_spread,
    tiers,
)
from agzamov_verify.scoring.arena_ratings.simultaneous_ranks import ranks_in_parts

PLAYERS, GAMES, PAIRS = 100, 5, 100_000
FIT_BAR_S, BAR_S = 2.0, 30.0
T = TypeVar("T")


def world(seed: int, pairs: int = PAIRS) -> PairResults:
    """So many start pairs of random pairings, with draws and an advantage of moving first."""
    rng = np.random.default_rng(seed)
    theta = np.sort(rng.normal(size=PLAYERS))
    one = rng.integers(0, PLAYERS, pairs)
    other = (one + rng.integers(1, PLAYERS, pairs)) % PLAYERS
    first, second = np.concatenate((one, other)), np.concatenate((other, one))
    x = theta[first] - theta[second] + 0.2
    weights = np.stack((np.exp(-x / 2), np.ones(len(x)), np.exp(x / 2)))
    outcome = (rng.random(len(x)) > np.cumsum(weights / weights.sum(axis=0), axis=0)).sum(axis=0)
    columns = (first, second, outcome, np.tile(np.arange(pairs), 2))
    return PairResults(PLAYERS, *columns, np.ones(len(x), dtype=np.int64), np.zeros(len(x), dtype=np.bool_))


def timed(work: Callable[[], T]) -> tuple[T, float]:
    start = time.process_time()
    return work(), time.process_time() - start


def main() -> None:
    resamples = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    worlds = [world(seed) for seed in range(GAMES)]
    _, sorting = timed(lambda: [np.lexsort((one.second, one.first, one.outcome)) for one in worlds])
    fits, fitting = timed(lambda: [fit_davidson(one) for one in worlds])
    _, ranking = timed(lambda: ranks_in_parts(headline([fit.rating for fit in fits]).rating))
    pairs = list(zip(worlds, fits, strict=True))
    drawn, drawing = timed(lambda: [resampled_strengths(results, fit, resamples) for results, fit in pairs])
    whole = fitting + ranking + drawing
    print(
        f"{PLAYERS} models, {GAMES} games, {2 * PAIRS * GAMES} results; CPU seconds, sorting them takes {sorting:.2f}"
    )
    print(f"  fits with covariance {fitting:.2f} (bar {FIT_BAR_S}), {fitting / sorting:.1f} x sorting")
    print(f"  rank sets {ranking:.2f}; {resamples} cluster bootstraps of each game {drawing:.1f}")
    print(f"  all {whole:.1f} (bar {BAR_S}), {whole / sorting:.0f} x sorting: {'holds' if whole < BAR_S else 'MISSED'}")
    _, in_order = timed(lambda: [(elo_in_order(one), order_spread([one])) for one in worlds])
    rated = [RatedGame(fit.rating, strengths) for fit, strengths in zip(fits, drawn, strict=True)]
    _, tiering = timed(lambda: (tiers(rated), order_spread(worlds)))
    few = world(GAMES, GLICKO_RESULTS_MAX // 2)
    _, glicko = timed(lambda: glicko2_in_order(few))
    print("  the columns of older arenas, on top")
    print(f"    Elo in order and its spread over orders {in_order:.1f}; scores and tiers {tiering:.1f}")
    print(f"    Glicko-2 of {GLICKO_RESULTS_MAX:,} results {glicko:.1f}")


if __name__ == "__main__":
    main()
