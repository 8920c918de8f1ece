"""The scale of ratings, and what each rated game gives: strengths with their covariance, parts and open ends.

    Elo = 1200 + 400 / ln 10 * strength

A strength is in natural logits and centred: the players of a part have mean 0, so mean 1200.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import log, sqrt
from typing import Final, NamedTuple

import numpy as np

from ..inference.distributions import normal_quantile
from ..inference.estimate import ALPHA
from .connection import NO_PART, Connection
from .results_table import Floats, Ints

ELO_MEAN: Final = 1200.0
ELO_PER_LOGIT: Final = 400 / log(10)
DECIMALS: Final = 2


class RatingInterval(NamedTuple):
    """A rating with its 95 % interval; an end that is None is open: "at least" or "at most"."""

    rating: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, eq=False)
class GameRating:
    """Strengths (m) and covariance (m by m) of one game, both NaN for players without a game, and how they connect."""

    strengths: Floats
    covariance: Floats
    connection: Connection


def elo(strengths: Floats) -> Floats:
    """Ratings on the scale of Elo."""
    return ELO_MEAN + ELO_PER_LOGIT * strengths


def two_sided_z(alpha: Fraction = ALPHA) -> float:
    """The normal deviate with alpha / 2 above it: 1.96 for 5 %."""
    return float(normal_quantile(1 - alpha / 2))


def centring(part: Ints) -> Floats:
    """The matrix (m by m) that takes off the mean of each part; rows of players without a part are 0."""
    same = (part[:, None] == part[None, :]) & (part != NO_PART)[:, None]
    return np.where(same, np.eye(len(part)) - 1 / np.maximum(same.sum(axis=1), 1)[:, None], 0.0)


def rating_of(strengths: Floats, covariance: Floats, connected: Connection) -> GameRating:
    """A game's rating from strengths and covariance of any origin: centred by part, NaN without a game."""
    centre, missing = centring(connected.part), connected.part == NO_PART
    centred, spread = centre @ strengths, centre @ covariance @ centre.T
    centred[missing] = np.nan
    spread[missing, :] = spread[:, missing] = np.nan
    return GameRating(centred, spread, connected)


def wald_intervals(rating: GameRating, alpha: Fraction = ALPHA) -> list[RatingInterval | None]:
    """Elo with estimate ± z standard errors, open where the connection says so; None without a game."""
    z, found = two_sided_z(alpha), list[RatingInterval | None]()
    for player, value in enumerate(elo(rating.strengths).tolist()):
        if rating.connection.part[player] == NO_PART:
            found.append(None)
            continue
        reach = z * ELO_PER_LOGIT * sqrt(max(float(rating.covariance[player, player]), 0.0))
        low = None if rating.connection.open_below[player] else value - reach
        high = None if rating.connection.open_above[player] else value + reach
        found.append(RatingInterval(value, low, high))
    return found


def published(interval: RatingInterval) -> RatingInterval:
    """As it is printed: two decimals of Elo."""
    rating, low, high = (None if one is None else round(one, DECIMALS) for one in interval)
    assert rating is not None
    return RatingInterval(rating, low, high)
