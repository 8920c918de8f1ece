"""Strengths of players from games of two with wins, draws and losses, and an advantage of moving first.

    win : draw : loss = e^(x/2) : nu : e^(-x/2),   x = theta_i - theta_j + eta

for i moving first (Davidson 1970, JASA 65:317; order effect: Davidson and Beaver 1977, Biometrics 33:693). A draw
weighs half a win in the score equation. nu and eta are the game's own. Each player also plays one ghost game, half
won, against a ghost of strength 0, without draws or an order: a penalty of (ln s(theta) + ln s(-theta)) / 2, s(t) = 1
/ (1 + e^-t), which keeps strengths finite where somebody won all. The covariance is clustered (sandwich.py).

Four cases have no greatest likelihood of their own. Without a draw nu is 0. Where all was drawn nu is that of half a
decided game more. Where those who moved first never won, or never lost, eta plays a ghost game too. So it does where
some strengths would do the same as eta: A always moves first against B, so nobody can tell which of the two it was.
There every variance is at least that of the information, since games that are all explained say nothing of the two.
"""

from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from math import exp, inf, log
from typing import Final, NamedTuple

import numpy as np

from .connection import Connection, connection
from .newton import Derivatives, Likelihood, maximise
from .rating_scale import GameRating, centring, rating_of
from .results_table import WIN, Floats, Ints, Mask, PairResults, cluster_places
from .sandwich import CLUSTERS_MIN, clusters_of_players, inverse, raised, sandwich, summed_scores

OUTCOMES: Final = 3


class Order(Enum):
    """Whether moving first may be an advantage in this game."""

    MATTERS = auto()
    NONE = auto()


class Counts(NamedTuple):
    """Games by who moved first (rows) and second (columns): won, drawn and lost by the first. m by m each."""

    won: Floats
    drawn: Floats
    lost: Floats


class Shares(NamedTuple):
    """Expected outcomes for each first and second player: expected (w - l) / 2, and the share of draws."""

    lead: Floats
    drawn: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """Which of the parameters (m strengths, eta, ln nu) are estimated; the others keep their value in `start`.

    `is_confounded`: strengths and eta cannot be told apart.
    """

    start: Floats
    is_free: Mask
    order_ghost: float
    is_confounded: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class DavidsonFit:
    """A fitted game. `parameters`: strengths (not centred), eta, ln nu. `information`: of the free ones.

    `rating.covariance`: clustered; of players with fewer than CLUSTERS_MIN clusters, or whose results are all alike,
    the variance is at least that of the information. `information_covariance`: m by m, as if games were independent.
    """

    counts: Counts
    model: Model
    parameters: Floats
    information: Floats
    rating: GameRating
    information_covariance: Floats
    all_alike: Mask

    @property
    def order_effect(self) -> float:
        """eta, in logits: what moving first is worth."""
        return float(self.parameters[-2])

    @property
    def draw_parameter(self) -> float:
        """nu: among equals without an order effect the share of draws is nu / (2 + nu)."""
        return exp(self.parameters[-1])


def counts_of(results: PairResults) -> Counts:
    """Games by pairing and outcome."""
    m = results.players
    cell = (results.outcome * m + results.first) * m + results.second
    flat = np.bincount(cell, weights=results.count, minlength=OUTCOMES * m * m).astype(np.float64)
    lost, drawn, won = flat.reshape(OUTCOMES, m, m)
    return Counts(won, drawn, lost)


def fit_davidson(results: PairResults, order: Order = Order.MATTERS) -> DavidsonFit:
    """Strengths of all players of a game. Raises ValueError without two clusters of games."""
    counts = counts_of(results)
    model = model_of(counts, order)
    parameters = greatest(counts, model)
    information = derivatives(counts, model, parameters).information[np.ix_(model.is_free, model.is_free)]
    connected = connection_of(counts)
    place, clusters = cluster_places(results.cluster)
    scores = _clustered_scores(results, parameters, place, clusters)[np.ix_(model.is_free, model.is_free)]
    m, alike = results.players, results_all_alike(counts)
    own = inverse(information)[:m, :m]
    met = clusters_of_players(place, np.stack((results.first, results.second), axis=1), m)
    centre = centring(connected.part)
    rating = rating_of(parameters[:m], sandwich(information, scores)[:m, :m], connected)
    centred_own = centre @ own @ centre.T
    covariance = raised(rating.covariance, centred_own, (met < CLUSTERS_MIN) | alike | model.is_confounded)
    rating = GameRating(rating.strengths, covariance, connected)
    return DavidsonFit(counts, model, parameters, information, rating, centred_own, alike)


def connection_of(counts: Counts) -> Connection:
    """Who has a common rating, by who took half a point or more from whom."""
    won, drawn, lost = counts
    points = (won > 0) | (drawn > 0) | ((lost + drawn) > 0).T
    return connection(points, won + drawn + lost > 0)


def results_all_alike(counts: Counts) -> Mask:
    """Players who won all their games, lost all or drew all."""
    return np.asarray((own_outcomes(counts) > 0).sum(axis=0) == 1, dtype=np.bool_)


def own_outcomes(counts: Counts) -> Floats:
    """Games that each player won, drew and lost (3 by m)."""
    won, drawn, lost = counts
    return np.stack((won.sum(1) + lost.sum(0), drawn.sum(1) + drawn.sum(0), lost.sum(1) + won.sum(0)))


def model_of(counts: Counts, order: Order) -> Model:
    """Which parameters these games can tell of."""
    m = len(counts.won)
    won, drawn, lost = (float(one.sum()) for one in counts)
    is_free, start = np.ones(m + 2, dtype=np.bool_), np.zeros(m + 2)
    is_free[m] = order is Order.MATTERS and won + lost > 0
    is_free[m + 1] = drawn > 0 and won + lost > 0
    if drawn == 0:
        start[m + 1] = -inf
    elif won + lost == 0:
        # nu / (2 + nu) = (n + 1/2) / (n + 1)
        start[m + 1] = log(4 * drawn + 2)
    else:
        start[m + 1] = log(2 * drawn / (won + lost))
    confounded = bool(is_free[m]) and is_order_confounded(counts)
    return Model(start, is_free, float(is_free[m] and (won == 0 or lost == 0 or confounded)), confounded)


def is_order_confounded(counts: Counts) -> bool:
    """Whether some strengths have a lead of 1 for the first player in every game, which eta = 1 has too.

    That is so where each pair met in one order alone, and all ways from one player to another have the same lead.
    """
    met = (counts.won + counts.drawn + counts.lost) > 0
    if (met & met.T).any():
        return False
    lead: dict[int, int] = {}
    for start in np.flatnonzero(met.any(axis=0) | met.any(axis=1)).tolist():
        waiting = [] if start in lead else [start]
        lead.setdefault(start, 0)
        while waiting:
            one = waiting.pop()
            steps = [(other, -1) for other in np.flatnonzero(met[one]).tolist()]
            steps += [(other, 1) for other in np.flatnonzero(met[:, one]).tolist()]
            for other, step in steps:
                if other not in lead:
                    lead[other] = lead[one] + step
                    waiting.append(other)
                elif lead[other] != lead[one] + step:
                    return False
    return True


def greatest(counts: Counts, model: Model) -> Floats:
    """All m + 2 parameters of the greatest penalised likelihood."""
    return whole(model, maximise(likelihood_of(counts, model), model.start[model.is_free]))


def whole(model: Model, free: Floats) -> Floats:
    """All parameters from the free ones."""
    parameters = model.start.copy()
    parameters[model.is_free] = free
    return parameters


def likelihood_of(counts: Counts, model: Model) -> Likelihood:
    """The penalised log-likelihood of the free parameters."""
    free = np.ix_(model.is_free, model.is_free)

    def derived(at: Floats) -> Derivatives:
        gradient, information = derivatives(counts, model, whole(model, at))
        return Derivatives(gradient[model.is_free], information[free])

    return Likelihood(lambda at: log_likelihood(counts, model, whole(model, at)), derived)


def leads(parameters: Floats) -> Floats:
    """x of each first (row) and second player (column)."""
    theta = parameters[:-2]
    return np.asarray(theta[:, None] - theta[None, :] + parameters[-2], dtype=np.float64)


def shares_of(parameters: Floats) -> Shares:
    """Expected outcomes of each pairing."""
    up = np.exp(leads(parameters) / 2)
    down, nu = 1 / up, np.exp(parameters[-1])
    total = up + down + nu
    return Shares((up - down) / (2 * total), nu / total)


def log_likelihood(counts: Counts, model: Model, parameters: Floats) -> float:
    """The penalised log-likelihood of all m + 2 parameters."""
    won, drawn, lost = counts
    x, log_nu = leads(parameters), parameters[-1]
    total = np.logaddexp(np.logaddexp(x / 2, -x / 2), log_nu)
    value = ((won - lost) * x / 2 - (won + drawn + lost) * total).sum()
    draws = drawn.sum()
    ghost = partial(np.logaddexp, 0.0)
    theta, eta = parameters[:-2], parameters[-2]
    penalty = (ghost(theta) + ghost(-theta)).sum() + model.order_ghost * (ghost(eta) + ghost(-eta))
    return float(value + (draws * log_nu if draws else 0.0) - penalty / 2)


def derivatives(counts: Counts, model: Model, parameters: Floats) -> Derivatives:
    """Gradient and information in all m + 2 parameters, ghost games included."""
    won, drawn, lost = counts
    lead, draw = shares_of(parameters)
    games = won + drawn + lost
    # A game's statistics are t = (w - l) / 2 and d; their variances and covariance under the model are these.
    of_lead = games * ((1 - draw) / 4 - lead * lead)
    of_both = -games * lead * draw
    surplus = (won - lost) / 2 - games * lead
    m = len(won)
    information = np.empty((m + 2, m + 2))
    information[:m, :m] = -(of_lead + of_lead.T)
    np.fill_diagonal(information[:m, :m], of_lead.sum(0) + of_lead.sum(1))
    for place, matrix in ((m, of_lead), (m + 1, of_both)):
        information[:m, place] = information[place, :m] = matrix.sum(1) - matrix.sum(0)
    information[m, m], information[m + 1, m + 1] = of_lead.sum(), (games * draw * (1 - draw)).sum()
    information[m, m + 1] = information[m + 1, m] = of_both.sum()
    gradient = np.empty(m + 2)
    gradient[:m] = surplus.sum(1) - surplus.sum(0)
    gradient[m:] = surplus.sum(), drawn.sum() - (games * draw).sum()
    # A ghost game of x, half won: gradient 1/2 - s(x) = -tanh(x / 2) / 2, information s(x) s(-x).
    tilt = np.tanh(parameters[: m + 1] / 2)
    weight = np.append(np.ones(m), model.order_ghost)
    gradient[: m + 1] -= weight * tilt / 2
    information[np.arange(m + 1), np.arange(m + 1)] += weight * (1 - tilt * tilt) / 4
    return Derivatives(gradient, information)


def _clustered_scores(results: PairResults, parameters: Floats, place: Ints, clusters: int) -> Floats:
    """sum of s_c s_c' C / (C - 1) of all m + 2 parameters."""
    m = results.players
    lead, draw = shares_of(parameters)
    pairing = (results.first, results.second)
    surplus = results.count * ((results.outcome - WIN / 2) / 2 - lead[pairing])
    draws = results.count * ((results.outcome == 1) - draw[pairing])
    last = np.full(len(surplus), m)
    columns = np.stack((results.first, results.second, last, last + 1), axis=1)
    values = np.stack((surplus, -surplus, surplus, draws), axis=1)
    return summed_scores(place, clusters, columns, values, m + 2)
