"""Strengths of players from finishing orders of tables of two and more, with ties and a term for each seat.

A finishing order is chosen in stages: of the players A who are left, the set S finishes next with probability

    f(S) / sum over T in A, |T| <= D of f(T),   f(S) = delta_|S| (product over i in S of a_i)^(1 / |S|)

(Turner, van Etten, Firth and Kosmidis 2020, Computational Statistics 35:1027; delta_1 = 1, D the greatest number who
tied), ln a_i = theta_i + gamma_seat, the seats' terms adding up to 0. A tie of two is Davidson's draw. Sizes of ties
that never occurred have no delta. The penalty is a ghost game for each player and each seat, as in davidson.py, and for
each delta that would rise for ever, as where all was drawn. Clusters are tables, or what tables have in common.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from .connection import Connection, connection, reached
from .newton import Derivatives, Likelihood, maximise
from .rating_scale import GameRating, centring, rating_of
from .results_table import Floats, Ints, Mask, TableResults, cluster_places
from .sandwich import CLUSTERS_MIN, clusters_of_players, expect_clusters, inverse, raised, sandwich, summed_scores

SINGLE: Final = 1


class Stages(NamedTuple):
    """Stages with equally many players left: who (stages by r), their seats, which set came next, which cluster."""

    players: Ints
    seats: Ints
    chosen: Ints
    cluster: Ints
    sets: Floats


@dataclass(frozen=True, slots=True, eq=False)
class PlackettLuceFit:
    """Strengths by player; the advantage of each seat, in logits; delta of each size of tie that occurred."""

    rating: GameRating
    seat_effects: Floats
    tie_parameters: dict[int, float]
    information_covariance: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Layout:
    """Places of the parameters: strengths, seats, ln delta of the sizes of ties."""

    players: int
    seats: int
    ties: tuple[int, ...]
    tie_ghosts: tuple[bool, ...]

    @property
    def size(self) -> int:
        """How many parameters there are."""
        return self.players + self.seats + len(self.ties)

    @property
    def ghosts(self) -> Floats:
        """How many ghost games each parameter plays."""
        return np.array([1.0] * (self.players + self.seats) + [float(one) for one in self.tie_ghosts])

    def reduced(self) -> Floats:
        """All parameters from the free ones: the last seat's term is minus the sum of the others'."""
        free = max(self.seats - 1, 0)
        whole = np.zeros((self.size, self.players + free + len(self.ties)))
        whole[: self.players, : self.players] = np.eye(self.players)
        seats = slice(self.players, self.players + self.seats)
        if free:
            whole[seats, self.players : self.players + free] = np.vstack((np.eye(free), -np.ones(free)))
        whole[self.players + self.seats :, self.players + free :] = np.eye(len(self.ties))
        return whole


def fit_plackett_luce(results: TableResults) -> PlackettLuceFit:
    """Strengths of all players of a game of tables. Raises ValueError without two clusters."""
    place, clusters = cluster_places(results.cluster)
    expect_clusters(clusters)
    tables = list(_tables(results, place))
    ties = _tie_sizes(tables)
    layout = _Layout(results.players, _seats(results), ties, _without_limit(tables, ties))
    stages = _stages(tables, layout.ties)
    reduced = layout.reduced()
    free = maximise(_likelihood(stages, layout, reduced), np.zeros(reduced.shape[1]))
    whole, m = reduced @ free, results.players
    information = reduced.T @ _derivatives(stages, layout, whole).information @ reduced
    scores = reduced.T @ _clustered(stages, layout, whole, clusters) @ reduced
    connected = finishing_connection(results)
    centre = centring(connected.part)
    own = centre @ inverse(information)[:m, :m] @ centre.T
    rating = rating_of(whole[:m], sandwich(information, scores)[:m, :m], connected)
    few = clusters_of_players(place, results.player, m) < CLUSTERS_MIN
    few |= connected.open_above | connected.open_below | _always_level(results)
    rating = GameRating(rating.strengths, raised(rating.covariance, own, few), connected)
    deltas = np.exp(whole[m + layout.seats :])
    return PlackettLuceFit(rating, whole[m : m + layout.seats], dict(zip(layout.ties, deltas, strict=True)), own)


def finishing_connection(results: TableResults) -> Connection:
    """Who has a common rating, by who finished before or level with whom."""
    points = np.zeros((results.players, results.players), dtype=np.bool_)
    met = np.zeros_like(points)
    for players, ranks, *_ in _tables(results, results.cluster):
        points[np.ix_(players, players)] |= ranks[:, None] <= ranks[None, :]
        met[np.ix_(players, players)] = True
    np.fill_diagonal(points, val=False)
    np.fill_diagonal(met, val=False)
    return connection(points, met)


def _always_level(results: TableResults) -> Mask:
    """Players at whose tables all finished level: results that are all alike tell nothing of their variance."""
    _, place = np.unique(results.table, return_inverse=True)
    ranks = np.unique(np.stack((place, results.rank)), axis=1)[0]
    differ = np.bincount(ranks)[place] > 1
    found = np.bincount(results.player, weights=differ, minlength=results.players)
    return np.asarray(found == 0, dtype=np.bool_)


_Table = tuple[Ints, Ints, Ints, int]


def _tables(results: TableResults, cluster: Ints) -> Iterator[_Table]:
    """Players, ranks, seats and cluster of each table, best first."""
    order = np.lexsort((results.player, results.rank, results.table))
    cuts = np.flatnonzero(np.diff(results.table[order])) + 1
    for rows in np.split(order, cuts) if len(order) else []:
        yield results.player[rows], results.rank[rows], results.seat[rows], int(cluster[rows[0]])


def _seats(results: TableResults) -> int:
    """How many seats have a term: none where all sit in one."""
    seats = int(results.seat.max(initial=0)) + 1
    return seats if seats > 1 else 0


def _tie_sizes(tables: list[_Table]) -> tuple[int, ...]:
    sizes = {int(size) for _, ranks, *_ in tables for size in np.unique(ranks, return_counts=True)[1]}
    return tuple(sorted(sizes - {SINGLE}))


def _choices(tables: list[_Table]) -> Iterator[tuple[Ints, Ints, int, int]]:
    """Of each stage: who is left, best first, their seats, how many came next, cluster. The last alone is no choice."""
    for players, ranks, seats, cluster in tables:
        start = 0
        while start < len(players) - 1:
            size = int((ranks == ranks[start]).sum())
            yield players[start:], seats[start:], size, cluster
            start += size


def _without_limit(tables: list[_Table], ties: tuple[int, ...]) -> tuple[bool, ...]:
    """Whether the delta of each size of tie has no greatest likelihood.

    delta_c is at least as far up as delta_f where c came next and f could have. Sizes that are not held down, through
    others, by a single player who came next rise together for ever.
    """
    sizes = (SINGLE, *ties)
    holds_down = np.zeros((len(sizes), len(sizes)), dtype=np.bool_)
    for left, size in {(len(players), size) for players, _, size, _ in _choices(tables)}:
        holds_down[sizes.index(size)] |= np.array([one <= left for one in sizes])
    return tuple((~reached(holds_down)[0, 1:]).tolist())


def _stages(tables: list[_Table], ties: tuple[int, ...]) -> list[Stages]:
    """Stages by how many are left."""
    grouped: dict[int, list[tuple[Ints, Ints, int, int]]] = {}
    for one in _choices(tables):
        grouped.setdefault(len(one[0]), []).append(one)
    found = []
    for left, some in sorted(grouped.items()):
        sets = _sets(left, ties)
        # Players are sorted by rank, so the first `size` of those left are the ones that came next.
        firsts = {size: _place_of_first(sets, size) for size in (SINGLE, *ties) if size <= left}
        players, seats = (np.stack([one[column] for one in some]) for column in (0, 1))
        chosen = np.array([firsts[one[2]] for one in some])
        found.append(Stages(players, seats, chosen, np.array([one[3] for one in some]), sets))
    return found


def _sets(left: int, ties: tuple[int, ...]) -> Floats:
    """Every set that may come next (sets by players left): 1 / |S| for its members."""
    rows = []
    for size in (SINGLE, *ties):
        for members in combinations(range(left), size):
            row = np.zeros(left)
            row[list(members)] = 1 / size
            rows.append(row)
    return np.array(rows)


def _place_of_first(sets: Floats, size: int) -> int:
    wanted = np.zeros(sets.shape[1])
    wanted[:size] = 1 / size
    return int(np.flatnonzero((sets == wanted).all(axis=1))[0])


def _design(stage: Stages, layout: _Layout) -> tuple[Ints, Floats]:
    """Statistics of each set: the players' shares and, one column each, the sizes of ties; and their places."""
    sizes = np.rint((stage.sets > 0).sum(axis=1)).astype(np.int64)
    tied = np.array([[float(size == one) for one in layout.ties] for size in sizes]).reshape(len(sizes), -1)
    count = len(stage.players)
    ties = np.broadcast_to(np.arange(len(layout.ties)) + layout.players + layout.seats, (count, len(layout.ties)))
    return np.hstack((stage.players, ties)).astype(np.int64), np.hstack((stage.sets, tied))


def _log_weights(stage: Stages, layout: _Layout, whole: Floats) -> Floats:
    """ln f(S) of each set of each stage."""
    columns, statistics = _design(stage, layout)
    worth = whole[columns]
    if layout.seats:
        worth[:, : stage.players.shape[1]] += whole[layout.players + stage.seats]
    return worth @ statistics.T


def _likelihood(stages: list[Stages], layout: _Layout, reduced: Floats) -> Likelihood:
    def derived(at: Floats) -> Derivatives:
        gradient, information = _derivatives(stages, layout, reduced @ at)
        return Derivatives(reduced.T @ gradient, reduced.T @ information @ reduced)

    return Likelihood(lambda at: _log_likelihood(stages, layout, reduced @ at), derived)


def _log_likelihood(stages: list[Stages], layout: _Layout, whole: Floats) -> float:
    total = 0.0
    for stage in stages:
        logs = _log_weights(stage, layout, whole)
        total += float((logs[np.arange(len(logs)), stage.chosen] - np.logaddexp.reduce(logs, axis=1)).sum())
    return total - float(layout.ghosts @ (np.logaddexp(0, whole) + np.logaddexp(0, -whole))) / 2


def _residuals(stage: Stages, layout: _Layout, whole: Floats) -> tuple[Floats, Floats]:
    """Probability of each set, and statistics of the chosen one less their mean."""
    logs = _log_weights(stage, layout, whole)
    chances = np.exp(logs - np.logaddexp.reduce(logs, axis=1)[:, None])
    statistics = _design(stage, layout)[1]
    return chances, statistics[stage.chosen] - chances @ statistics


def _entries(stage: Stages, layout: _Layout, values: Floats) -> tuple[Ints, Floats]:
    """Places and values of a stage's contributions; a player's goes to its seat too."""
    columns, _ = _design(stage, layout)
    if not layout.seats:
        return columns, values
    of_players = values[:, : stage.players.shape[1]]
    return np.hstack((columns, layout.players + stage.seats)), np.hstack((values, of_players))


def _derivatives(stages: list[Stages], layout: _Layout, whole: Floats) -> Derivatives:
    size, ghosts = layout.size, layout.ghosts
    gradient, information = np.zeros(size), np.zeros((size, size))
    for stage in stages:
        chances, surplus = _residuals(stage, layout, whole)
        columns, statistics = _design(stage, layout)
        places, values = _entries(stage, layout, surplus)
        gradient += np.bincount(places.ravel(), weights=values.ravel(), minlength=size)
        mean = chances @ statistics
        products = (statistics[:, :, None] * statistics[:, None, :]).reshape(len(statistics), -1)
        covariance = (chances @ products).reshape(len(mean), *[mean.shape[1]] * 2) - mean[:, :, None] * mean[:, None, :]
        if layout.seats:
            # A column of a seat repeats that of the player who sits there.
            repeat = [*range(columns.shape[1]), *range(stage.players.shape[1])]
            covariance = covariance[:, repeat][:, :, repeat]
        flat = places[:, :, None] * size + places[:, None, :]
        information += np.bincount(flat.ravel(), weights=covariance.ravel(), minlength=size * size).reshape(size, size)
    tilt = np.tanh(whole / 2)
    gradient -= ghosts * tilt / 2
    information += np.diag(ghosts * (1 - tilt * tilt) / 4)
    return Derivatives(gradient, information)


def _clustered(stages: list[Stages], layout: _Layout, whole: Floats, clusters: int) -> Floats:
    """sum of s_c s_c' C / (C - 1) of all parameters, over stages of every size."""
    cluster, column, value = [], [], []
    for stage in stages:
        places, values = _entries(stage, layout, _residuals(stage, layout, whole)[1])
        cluster.append(np.repeat(stage.cluster, places.shape[1]))
        column.append(places.reshape(-1, 1))
        value.append(values.reshape(-1, 1))
    rows, columns, values = np.concatenate(cluster), np.concatenate(column), np.concatenate(value)
    return summed_scores(rows, clusters, columns, values, layout.size)
