"""Whether one strength a player is enough: a test of what the pairings say beyond it, and its cyclic part drawn.

    S_ij = sum over games of i and j, in both orders, of (points of i - expected points of i),   points 1, 1/2, 0
    T = sum over pairings of S_ij^2 / v_ij,   v_ij: variance of S_ij under the fit

Both orders add up to one signed residual, so what moving first is worth beyond the game's eta cancels in equal numbers.
The null distribution of T is made by parametric bootstrap: games drawn from the fit, fitted anew. It takes games as
independent: identical games have to be counted once before (results_table.distinct).

Where T is too great for chance, the residual is drawn. r_ij is what a pairing's lead in logits lacks beyond theta_i -
theta_j, with one ghost game, half won; 0 for players who did not meet. r is antisymmetric, so its singular values come
in equal pairs, and the leading pair is a rotation in a plane:

    r_ij ~ a_i b_j - b_i a_j = |p_i| |p_j| sin(angle from p_i to p_j),   p_i = (a_i, b_i)

a disc in which i does better against those up to half a turn counterclockwise from it than their strengths say
(mElo_2: Balduzzi et al. 2018, "Re-evaluating evaluation", section 4; disc decomposition: Bertrand et al. 2023, "On the
limitations of the Elo"). The plane fixes angles but for a turn of all: the player furthest out is on the first axis.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from ..inference.estimate import ALPHA
from .bootstrap import refit
from .canonical_order import canonical_order, in_order, seed_of_counts
from .connection import NO_PART
from .davidson import Counts, DavidsonFit, Model, derivatives, leads, shares_of
from .results_table import Floats, Ints, Mask

RESAMPLES: Final = 999
DIGITS: Final = 9
"""Of the shares that games are drawn from: rounding of the last places does not reach the draws."""
LOGITS_MAX: Final = 40.0
HALVINGS: Final = 60
ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class CyclicPlane:
    """Places of players (m by 2, root of logits; NaN without a game), and their share of the residual's square sum."""

    places: Floats
    share: float


@dataclass(frozen=True, slots=True, eq=False)
class Transitivity:
    """T over so many pairings with its p, and the residual logits (m by m, row beyond its strength against column).

    `plane` is None where p is above the level of the test.
    """

    statistic: float
    pairings: int
    p: float
    residual: Floats
    plane: CyclicPlane | None


def transitivity(fit: DavidsonFit, resamples: int = RESAMPLES, alpha: Fraction = ALPHA) -> Transitivity:
    """The test of a fitted game; renamed players have the same p. Raises ValueError without a resample."""
    if resamples < 1:
        raise ValueError(f"transitivity: expected 1 resample or more, found {resamples}")
    order = canonical_order(fit.counts)
    statistic = _statistic(fit.counts, fit.parameters)
    drawn = _null_statistics(fit, order, resamples)
    p = float(1 + (drawn >= statistic * (1 - ROUNDING) - ROUNDING).sum()) / (resamples + 1)
    residual = residual_logits(fit.counts, fit.parameters)
    plane = cyclic_plane(residual, order) if p <= alpha else None
    if plane is not None:
        plane.places[fit.rating.connection.part == NO_PART] = np.nan
    met = fit.counts.won + fit.counts.drawn + fit.counts.lost
    return Transitivity(statistic, int(np.triu(met + met.T > 0, 1).sum()), p, residual, plane)


def signed_residuals(counts: Counts, parameters: Floats) -> tuple[Floats, Floats]:
    """S and its variance v (m by m each): S is antisymmetric, both are 0 for players who did not meet."""
    won, drawn, lost = counts
    games = won + drawn + lost
    lead, draw = shares_of(parameters)
    # A game's (w - l) / 2 is its points less a half; its mean is `lead`, its variance (1 - d) / 4 - lead^2.
    surplus = (won - lost) / 2 - games * lead
    variance = games * ((1 - draw) / 4 - lead * lead)
    return surplus - surplus.T, variance + variance.T


def residual_logits(counts: Counts, parameters: Floats) -> Floats:
    """r of each pairing (m by m, antisymmetric): the root of S_ij(r) - tanh(r / 2) / 2, which falls in r."""
    won, drawn, lost = counts
    games, x = won + drawn + lost, leads(parameters)
    nu = np.exp(parameters[-1])
    met = games + games.T > 0

    def surplus(r: Floats) -> Floats:
        up = np.exp((x + r) / 2)
        expected = games * (up - 1 / up) / (2 * (up + 1 / up + nu))
        own = (won - lost) / 2 - expected
        return np.asarray(own - own.T - np.tanh(r / 2) / 2, dtype=np.float64)

    low, high = np.full(games.shape, -LOGITS_MAX), np.full(games.shape, LOGITS_MAX)
    for _ in range(HALVINGS):
        middle = np.triu((low + high) / 2, 1)
        is_below = surplus(middle - middle.T) > 0
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    found = np.where(np.triu(met, 1), (low + high) / 2, 0.0)
    return np.asarray(found - found.T, dtype=np.float64)


def cyclic_plane(residual: Floats, order: Ints) -> CyclicPlane:
    """The leading rotation of an antisymmetric matrix; `order` decides between players equally far out.

    With R antisymmetric i R is Hermitian. Of its greatest value s and vector z follow the places p = root(2 s) conj(z):
    R_ij ~ Im(conj(p_i) p_j). Where two pairs are equally great the plane is one of many.
    """
    values, vectors = np.linalg.eigh(1j * residual)
    greatest = max(float(values[-1]), 0.0)
    places = np.sqrt(2 * greatest) * vectors[:, -1].conj()
    radius = np.abs(places)
    furthest = next(player for player in order.tolist() if radius[player] >= radius.max() * (1 - ROUNDING))
    if radius[furthest] > 0:
        places = places * places[furthest].conj() / radius[furthest]
    squares = float((residual * residual).sum())
    share = min(2 * greatest**2 / squares, 1.0) if squares > 0 else 0.0
    return CyclicPlane(np.stack((places.real, places.imag), axis=1), share)


def _statistic(counts: Counts, parameters: Floats) -> float:
    surplus, variance = signed_residuals(counts, parameters)
    known: Mask = np.triu(variance, 1) > 0
    return float((surplus[known] ** 2 / variance[known]).sum())


def _null_statistics(fit: DavidsonFit, order: Ints, resamples: int) -> Floats:
    """T of games drawn from the fit, in the order of players that is their own."""
    counts, m = in_order(fit.counts, order), len(order)
    everything = np.concatenate((order, [m, m + 1]))
    parameters = fit.parameters[everything]
    model = Model(fit.model.start[everything], fit.model.is_free[everything], fit.model.order_ghost)
    information = derivatives(counts, model, parameters).information[np.ix_(model.is_free, model.is_free)]
    inverse = np.asarray(np.linalg.inv(information), dtype=np.float64)
    games, chances = sum(counts, np.zeros((m, m))).astype(np.int64), _chances(parameters)
    seed = seed_of_counts("transitivity", counts)
    source = np.random.Generator(np.random.PCG64(int.from_bytes(seed, "big")))
    found = np.empty(resamples)
    for number in range(resamples):
        drawn = Counts(*np.moveaxis(source.multinomial(games, chances).astype(np.float64), -1, 0))
        found[number] = _statistic(drawn, refit(drawn, model, parameters, inverse))
    return found


def _chances(parameters: Floats) -> Floats:
    """Rounded shares won, drawn and lost (m by m by 3) of each first and second player."""
    lead, draw = shares_of(parameters)
    won, drawn = np.round((1 - draw) / 2 + lead, DIGITS), np.round(draw, DIGITS)
    drawn = np.minimum(drawn, 1 - won)
    return np.stack((won, drawn, np.maximum(1 - won - drawn, 0.0)), axis=-1)
