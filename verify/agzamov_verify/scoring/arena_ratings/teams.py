"""Strengths of players in a game of two teams with roles: how often the first team (the village) wins.

    logit P(team 0 wins) = beta + mean of theta^V over team 0 - mean of theta^W over team 1 + mean of role offsets
                           over team 0 - mean of role offsets over team 1

Each player has a strength on either side. beta is the set-up's: what the first team is worth among equals. A role whose
share of a team is the same at every table is part of beta, and has offset 0. Each strength and offset plays one ghost
game, half won (davidson.py), and so does beta where one team won every table. Clusters are tables.

Who met at a table, directly or through others, has a common rating. The ratings of a side are centred over the players
of a part who were on it. The headline is the mean of both sides, of the players who were on both.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from .connection import NO_PART, Connection, reached
from .headline import joint_connection
from .newton import Derivatives, Likelihood, maximise
from .rating_scale import GameRating, rating_of
from .results_table import Floats, Ints, Mask, TeamResults, cluster_places
from .sandwich import CLUSTERS_MIN, clusters_of_players, expect_clusters, inverse, raised, sandwich, summed_scores

ROUNDING: Final = 1e-9
"""Of a role's share of a team: seven sevenths are not quite 1."""


@dataclass(frozen=True, slots=True, eq=False)
class TeamFit:
    """Ratings by side (first team, second team) and their mean; beta and offsets of roles, in logits."""

    first_side: GameRating
    second_side: GameRating
    both: GameRating
    set_up: float
    role_offsets: Floats


class _Tables(NamedTuple):
    """Design of each table (tables by p), whether team 0 won, and the table's cluster."""

    design: Floats
    won: Mask
    cluster: Ints


def fit_teams(results: TeamResults) -> TeamFit:
    """Strengths of all players on both sides. Raises ValueError without two clusters."""
    expect_clusters(cluster_places(results.cluster)[1])
    tables, varies = _tables(results)
    place, clusters = cluster_places(tables.cluster)
    m, ghosts = results.players, _ghosts(tables, results.players)
    at = maximise(_likelihood(tables, ghosts), np.zeros(len(ghosts)))
    chance = _chance(tables.design @ at)
    information = _derivatives(tables, ghosts, at).information
    columns = np.broadcast_to(np.arange(len(at)), tables.design.shape)
    scores = summed_scores(place, clusters, columns, tables.design * (tables.won - chance)[:, None], len(at))
    spread, own = sandwich(information, scores), inverse(information)
    ends, few = [side_connection(results, team) for team in (0, 1)], [_few(results, team) for team in (0, 1)]
    first, second = np.eye(2 * m, len(at)).reshape(2, m, len(at))
    sides = [_rated(part, at, (spread, own), few[team], ends[team]) for team, part in enumerate((first, second))]
    both = _rated((first + second) / 2, at, (spread, own), few[0] | few[1], joint_connection(ends))
    offsets = np.zeros(len(varies))
    offsets[varies] = at[2 * m + 1 :]
    return TeamFit(sides[0], sides[1], both, float(at[2 * m]), offsets)


def _tables(results: TeamResults) -> tuple[_Tables, Mask]:
    """The design, and which roles vary between tables."""
    m, roles = results.players, int(results.role.max(initial=0)) + 1
    _, first_row, table = np.unique(results.table, return_index=True, return_inverse=True)
    sizes = np.zeros((len(first_row), 2))
    np.add.at(sizes, (table, results.team), 1.0)
    weight = (1 - 2 * results.team) / sizes[table, results.team]
    design = np.zeros((len(first_row), 2 * m + 1 + roles))
    np.add.at(design, (table, results.team * m + results.player), weight)
    design[:, 2 * m] = 1.0
    np.add.at(design, (table, 2 * m + 1 + results.role), weight)
    of_roles = design[:, 2 * m + 1 :]
    varies = np.abs(of_roles - of_roles[:1]).max(axis=0, initial=0.0) > ROUNDING
    kept = np.append(np.ones(2 * m + 1, dtype=np.bool_), varies)
    return _Tables(design[:, kept], results.won[first_row], results.cluster[first_row]), varies


def _ghosts(tables: _Tables, players: int) -> Floats:
    """How many ghost games each parameter plays."""
    ghosts = np.ones(tables.design.shape[1])
    ghosts[2 * players] = float(tables.won.all() or not tables.won.any())
    return ghosts


def _chance(x: Floats) -> Floats:
    return 0.5 * (1 + np.tanh(x / 2))


def _likelihood(tables: _Tables, ghosts: Floats) -> Likelihood:
    def value(at: Floats) -> float:
        x = tables.design @ at
        penalty = ghosts @ (np.logaddexp(0, at) + np.logaddexp(0, -at)) / 2
        return float(-np.logaddexp(0, np.where(tables.won, -x, x)).sum() - penalty)

    return Likelihood(value, lambda at: _derivatives(tables, ghosts, at))


def _derivatives(tables: _Tables, ghosts: Floats, at: Floats) -> Derivatives:
    chance, tilt = _chance(tables.design @ at), np.tanh(at / 2)
    gradient = tables.design.T @ (tables.won - chance) - ghosts * tilt / 2
    weighted = tables.design * (chance * (1 - chance))[:, None]
    return Derivatives(gradient, tables.design.T @ weighted + np.diag(ghosts * (1 - tilt * tilt) / 4))


def _few(results: TeamResults, team: int) -> Mask:
    """Whose clusters on a side are too few to tell their own variance."""
    here = results.team == team
    place, _ = cluster_places(results.cluster)
    return np.asarray(clusters_of_players(place[here], results.player[here], results.players) < CLUSTERS_MIN)


def _rated(what: Floats, at: Floats, spreads: tuple[Floats, Floats], few: Mask, connected: Connection) -> GameRating:
    """Rating of m sums of the parameters (m by p), from the clustered covariance and that of the information."""
    rating, plain = (rating_of(what @ at, what @ spread @ what.T, connected) for spread in spreads)
    raise_whom = few | connected.open_above | connected.open_below
    return GameRating(rating.strengths, raised(rating.covariance, plain.covariance, raise_whom), connected)


def side_connection(results: TeamResults, team: int) -> Connection:
    """Players of a side: parts, and open where a player's team won all of its tables, or lost all."""
    m, here = results.players, results.team == team
    success = results.won[here] == (team == 0)
    played = np.bincount(results.player[here], minlength=m)
    won = np.bincount(results.player[here], weights=success, minlength=m)
    on_it = played > 0
    linked = _linked(results)[team * m : (team + 1) * m, team * m : (team + 1) * m]
    part = np.where(on_it, linked.argmax(axis=1), NO_PART)
    return Connection(part, on_it & (won == played), on_it & (won == 0))


def _linked(results: TeamResults) -> Mask:
    """Who met whom at a table, directly or through others (2m by 2m: players on the first side, then on the second)."""
    _, table = np.unique(results.table, return_inverse=True)
    sat = np.zeros((int(table.max(initial=-1)) + 1, 2 * results.players), dtype=np.float32)
    sat[table, results.team * results.players + results.player] = 1.0
    return reached(sat.T @ sat > 0)
