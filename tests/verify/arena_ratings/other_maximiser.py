"""The greatest penalised likelihood and its clustered covariance by scipy and by differences, for any likelihood."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

STEP = 1e-4


class Found(NamedTuple):
    """Parameters, clustered covariance, inverse of the information."""

    parameters: np.ndarray
    covariance: np.ndarray
    own: np.ndarray


def found_by_differences(
    of_clusters: Callable[[np.ndarray], np.ndarray], penalty: Callable[[np.ndarray], float], size: int
) -> Found:
    """`of_clusters`: the log-likelihood of each cluster at `size` parameters; `penalty` is taken off their sum."""

    def loss(at: np.ndarray) -> float:
        return penalty(at) - float(of_clusters(at).sum())

    best = minimize(loss, np.zeros(size), method="BFGS", options={"gtol": 1e-6}).x
    steps = np.eye(size) * STEP
    scores = np.array([(of_clusters(best + e) - of_clusters(best - e)) / (2 * STEP) for e in steps])
    information = np.array(
        [
            [
                (loss(best + a + b) - loss(best + a - b) - loss(best - a + b) + loss(best - a - b)) / (4 * STEP**2)
                for b in steps
            ]
            for a in steps
        ]
    )
    own, clusters = np.linalg.inv(information), scores.shape[1]
    return Found(best, own @ (scores @ scores.T) @ own * clusters / (clusters - 1), own)


def ghost_games(at: np.ndarray) -> float:
    """What a ghost game of each parameter, half won, takes off."""
    return float(-(np.log(1 / (1 + np.exp(-at))) + np.log(1 / (1 + np.exp(at)))).sum() / 2)
