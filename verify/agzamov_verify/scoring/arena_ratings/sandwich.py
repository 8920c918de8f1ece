"""Covariance of estimates whose results depend on each other within clusters.

    V = H^-1 (sum over clusters c of s_c s_c' C / (C - 1)) H^-1

s_c: the summed score of cluster c at the estimate, H: the information with its penalty, C: how many clusters (Liang and
Zeger 1986, Biometrika 73:13). No cluster tells of its own variance, so a player of few clusters would look certain:
below CLUSTERS_MIN of them its variance is at least that of the information alone.
"""

from typing import Final

import numpy as np

from .results_table import Floats, Ints, Mask

CLUSTERS_MIN: Final = 10
NUMBERS_AT_ONCE: Final = 2_000_000


def summed_scores(cluster: Ints, clusters: int, columns: Ints, values: Floats, size: int) -> Floats:
    """sum over clusters of s_c s_c' C / (C - 1), size by size.

    `cluster`: of each row, from 0. `columns`, `values`: rows by k, which parameters a row adds what to. Raises
    ValueError for fewer than two clusters.
    """
    expect_clusters(clusters)
    order = np.argsort(cluster, kind="stable")
    ordered, total = cluster[order], np.zeros((size, size))
    step = max(1, NUMBERS_AT_ONCE // size)
    for start in range(0, clusters, step):
        low, high = np.searchsorted(ordered, [start, start + step])
        rows, width = order[low:high], min(step, clusters - start)
        flat = (ordered[low:high] - start)[:, None] * size + columns[rows]
        sums = np.bincount(flat.ravel(), weights=values[rows].ravel(), minlength=width * size).reshape(width, size)
        total += sums.T @ sums
    return np.asarray(total * (clusters / (clusters - 1)), dtype=np.float64)


def expect_clusters(clusters: int) -> None:
    """Raises ValueError for fewer than two."""
    if clusters < 2:
        raise ValueError(f"ratings: expected at least 2 clusters, found {clusters}")


def sandwich(information: Floats, scores: Floats) -> Floats:
    """H^-1 S H^-1, symmetric to the last bit."""
    half = np.linalg.solve(information, scores)
    covariance = np.linalg.solve(information, half.T)
    return np.asarray((covariance + covariance.T) / 2, dtype=np.float64)


def inverse(information: Floats) -> Floats:
    """The covariance by the information alone, as if all results were independent."""
    found = np.linalg.inv(information)
    return np.asarray((found + found.T) / 2, dtype=np.float64)


def clusters_of_players(cluster: Ints, player: Ints, players: int) -> Ints:
    """How many clusters each player was in; `player` has a column for each player of a row, or is one column."""
    wide = player.reshape(len(cluster), -1)
    pairs = np.unique(cluster[:, None] * players + wide)
    return np.bincount(pairs % players, minlength=players).astype(np.int64)


def raised(covariance: Floats, information_covariance: Floats, who: Mask) -> Floats:
    """The covariance with the variances of some players raised to those of the information, where they are less."""
    lacking = np.maximum(np.diag(information_covariance) - np.diag(covariance), 0.0)
    return np.asarray(covariance + np.diag(np.where(who, lacking, 0.0)), dtype=np.float64)
