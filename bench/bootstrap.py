"""Ten thousand bootstrap resamples on one core, against scipy on the same data.

    python bench/bootstrap.py

Both run in turns in this process, CPU time, medians. Bar: each of ours below 1 s. The data are made up:
a chess condition is 250 start pairs, a poker condition 10,000 hands or its 100 sessions.
"""

import statistics
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
from scipy import stats

from agzamov_verify.scoring.inference.intervals import Bootstrap, Resamples, bootstrap_bounds

sys.path.insert(0, str(Path(__file__).parents[1] / "studies"))

from calibration.simulated_matches import (
    ChessWorld,
    PokerWorld,
    pair_points,
    session_chips,
)

ROUNDS = 5
RESAMPLES = 10_000
BAR_S = 1.0
SEED = bytes(32)
ALPHA = Fraction(1, 20)
ONE = [Fraction(1)]


def data() -> dict[str, list[int]]:
    """The samples by what they are."""
    hands = session_chips(PokerWorld(), 10_000, 1, 1, SEED)[0]
    return {
        "500 games, by pair": pair_points(ChessWorld(Fraction(1, 20)), 250, 1, SEED)[0].tolist(),
        "10,000 hands, by session": hands.reshape(100, 100).sum(axis=1).tolist(),
        "10,000 hands, by hand": hands.tolist(),
    }


def ours(values: list[int], method: Bootstrap) -> Callable[[], object]:
    return lambda: bootstrap_bounds([values], ONE, ALPHA, Resamples(SEED, RESAMPLES, method))


def scipys(values: list[int], method: str) -> Callable[[], object]:
    sample = np.asarray(values, dtype=np.float64)
    batch = max(1, 5_000_000 // len(values))
    return lambda: stats.bootstrap((sample,), np.mean, n_resamples=RESAMPLES, method=method, batch=batch, rng=1)


def seconds(runs: list[Callable[[], object]]) -> list[float]:
    """Median CPU seconds of each, run in turns."""
    taken: list[list[float]] = [[] for _ in runs]
    for _ in range(ROUNDS):
        for times, run in zip(taken, runs, strict=True):
            start = time.process_time()
            run()
            times.append(time.process_time() - start)
    return [statistics.median(times) for times in taken]


def main() -> None:
    for name, values in data().items():
        percentile, expanded, studentised, scipy, bca = seconds(
            [
                *(ours(values, method) for method in Bootstrap),
                scipys(values, "percentile"),
                scipys(values, "BCa"),
            ]
        )
        worst = max(percentile, expanded, studentised)
        print(f"{name}: {RESAMPLES} resamples")
        print(f"  percentile {percentile:.3f} s, {percentile / scipy:.2f} x scipy's ({scipy:.3f} s)")
        print(f"  expanded {expanded:.3f} s; studentised {studentised:.3f} s, {studentised / bca:.2f} x scipy's BCa")
        print(f"  slowest of ours {worst:.3f} s (bar {BAR_S} s): {'holds' if worst < BAR_S else 'MISSED'}")


if __name__ == "__main__":
    main()
