"""Win rates of players at tables of two and more, by a linear model of what each won, with a term for each seat.

    y = mu_i - mean of mu over the others at the table + seat + e      (bb/100)

by least squares; the mu of a part add up to 0, and so do the seats' terms. Where the data cannot tell seats from
players, as when somebody never changes seats, seats have no term. Control variates are taken off y before. The order of
chips throws money away, so this is poker's primary figure. Clusters are decks with their rotations; the covariance is
the jackknife over them, which holds with fewer decks than the sandwich (MacKinnon, Nielsen and Webb 2023, Journal of
Econometrics 232:272).

A rating needs a length of session, since the better player wins more often the longer they play. By the protocol it is
100 hands:

    P = Phi(10 mu / SD),   strength = ln(P / (1 - P))

SD: of one hand, in bb/100 (900 for 9 big blinds), sealed with the protocol; 10 is the root of 100 hands. 20 bb/100 at
900 are 62 Elo, and would be 6 by the hand and 750 in sessions of 10,000.
"""

from dataclasses import dataclass
from math import erfc, exp, inf, log, pi, sqrt
from typing import Final

import numpy as np

from .connection import connection
from .rating_scale import GameRating, centring, rating_of
from .results_table import Floats, Ints, TableResults, cluster_places
from .sandwich import CLUSTERS_MIN, clusters_of_players, expect_clusters, raised

SESSION_HANDS: Final = 100
HELD: Final = 1e-7
DEVIATE_MAX: Final = 35.0
"""A win rate beyond it is taken for this: 270 decimal places from certainty, where binary floating point ends."""


@dataclass(frozen=True, slots=True, eq=False)
class WinRates:
    """Win rates in bb/100: `rating` has them as strengths, with their clustered covariance; the seats' terms alike.

    `information_covariance`: as if tables were independent of each other, with one variance of a row. What is won at a
    table adds up to 0, so each table has one row less that tells something.
    """

    rating: GameRating
    seat_effects: Floats
    information_covariance: Floats


def bb_per_100(chips: Floats, big_blind: Floats | float, hands: Ints | int) -> Floats:
    """What was won in so many hands, in big blinds a hundred hands."""
    blinds = np.asarray(big_blind, dtype=np.float64) * np.asarray(hands, dtype=np.float64)
    return np.asarray(100 * np.asarray(chips, dtype=np.float64) / blinds, dtype=np.float64)


def fit_win_rates(results: TableResults) -> WinRates:
    """Win rates of all players; `results.chips` in bb/100. Raises ValueError without two clusters."""
    m = results.players
    seats = int(results.seat.max(initial=0)) + 1
    design = _design(results, seats if seats > 1 else 0)
    reduced = _reduced(results, design.shape[1])
    if not _told_apart(design @ reduced, m):
        reduced = reduced[:, :m]
    free = design @ reduced
    information = free.T @ free
    estimate = reduced @ np.linalg.lstsq(information, free.T @ results.chips, rcond=None)[0]
    residual = results.chips - design @ estimate
    place, clusters = cluster_places(results.cluster)
    expect_clusters(clusters)
    met = results_met(results)
    connected = connection(met, met)
    centre = centring(connected.part) @ np.eye(m, design.shape[1]) @ reduced
    variance = _residual_variance(results, residual, _rank(information))
    own = centre @ np.linalg.pinv(information, hermitian=True) @ centre.T * variance
    spread = _jackknifed(information, _by_cluster(place, clusters), free, residual, reduced)[:m, :m]
    rating = rating_of(estimate[:m], spread, connected)
    few = clusters_of_players(place, results.player, m) < CLUSTERS_MIN
    rating = GameRating(rating.strengths, raised(rating.covariance, own, few), connected)
    return WinRates(rating, estimate[m:], own)


def results_met(results: TableResults) -> np.ndarray:
    """Who sat at a table with whom (m by m)."""
    met = np.zeros((results.players, results.players), dtype=np.bool_)
    order = np.argsort(results.table, kind="stable")
    cuts = np.flatnonzero(np.diff(results.table[order])) + 1
    for rows in np.split(order, cuts) if len(order) else []:
        players = results.player[rows]
        met[np.ix_(players, players)] = True
    np.fill_diagonal(met, val=False)
    return met


def elo_strengths(rates: GameRating, sd_protocol: float) -> GameRating:
    """Strengths in logits of a session of 100 hands against an average player, with the covariance carried over.

    `sd_protocol`: standard deviation of one hand, in bb/100. Raises ValueError unless it is a number above 0.
    """
    if not 0 < sd_protocol < inf:
        raise ValueError(f"win rates: expected a standard deviation above 0 and finite, found {sd_protocol}")
    scale = sqrt(SESSION_HANDS) / sd_protocol
    deviates = np.clip(np.nan_to_num(rates.strengths) * scale, -DEVIATE_MAX, DEVIATE_MAX).tolist()
    strengths = np.array([_log_tail(-z) - _log_tail(z) for z in deviates])
    # d logit P / d mu = phi(z) scale / (P (1 - P))
    slopes = np.array([exp(-z * z / 2 - log(2 * pi) / 2 - _log_tail(z) - _log_tail(-z)) * scale for z in deviates])
    covariance = np.nan_to_num(rates.covariance) * slopes[:, None] * slopes[None, :]
    return rating_of(strengths, covariance, rates.connection)


def _log_tail(z: float) -> float:
    """ln P(Z > z)."""
    return log(erfc(z / sqrt(2)) / 2)


def _design(results: TableResults, seats: int) -> Floats:
    """Rows by m + seats."""
    _, table, sizes = np.unique(results.table, return_inverse=True, return_counts=True)
    others = 1 / (sizes - 1.0)
    at_table = np.zeros((len(sizes), results.players))
    at_table[table, results.player] = 1.0
    design = np.zeros((len(table), results.players + seats))
    design[:, : results.players] = -at_table[table] * others[table][:, None]
    design[np.arange(len(table)), results.player] = 1.0
    if seats:
        design[np.arange(len(table)), results.players + results.seat] = 1.0
    return design


def _reduced(results: TableResults, size: int) -> Floats:
    """All parameters from the free ones: the last seat's term is minus the sum of the others'."""
    m, seats = results.players, size - results.players
    reduced = np.eye(size, m + max(seats - 1, 0))
    if seats:
        reduced[size - 1, m:] = -1.0
    return reduced


def _told_apart(free: Floats, players: int) -> bool:
    """Whether no sum of seats' terms equals one of players' strengths in all rows."""
    information = free.T @ free
    of_players, of_seats = information[:players, :players], information[players:, players:]
    return _rank(information) == _rank(of_players) + _rank(of_seats)


def _rank(information: Floats) -> int:
    return int(np.linalg.matrix_rank(information, hermitian=True)) if information.size else 0


def _residual_variance(results: TableResults, residual: Floats, spent: int) -> float:
    """With so many degrees of freedom spent. Where none is left: that of the results themselves about 0."""
    rows = len(residual) - len(np.unique(results.table))
    if rows > spent:
        return float(residual @ residual) / (rows - spent)
    return float(results.chips @ results.chips) / max(rows, 1)


def _by_cluster(place: Ints, clusters: int) -> list[Ints]:
    """The rows of each cluster."""
    order = np.argsort(place, kind="stable")
    return np.split(order, np.cumsum(np.bincount(place, minlength=clusters))[:-1])


def _jackknifed(information: Floats, clusters: list[Ints], free: Floats, residual: Floats, reduced: Floats) -> Floats:
    """The covariance of the estimates without each cluster in turn.

    Without cluster c, whose design is X and residual e, the estimate moves by (A - X'X)^-1 X'e, A the information. The
    level of each part, and what one cluster alone tells, is held by a little weight.
    """
    held = information + np.eye(len(information)) * HELD * float(np.diag(information).max())
    moved = np.stack(
        [np.linalg.solve(held - free[rows].T @ free[rows], free[rows].T @ residual[rows]) for rows in clusters]
    )
    return np.asarray(reduced @ (moved.T @ moved) @ reduced.T * (len(clusters) - 1) / len(clusters), dtype=np.float64)
