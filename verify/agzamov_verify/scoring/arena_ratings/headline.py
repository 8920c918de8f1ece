"""One figure over all games: the mean of the centred strengths, every game of equal weight however many results it has.

    theta_i = 1/G sum over games g of theta_ig,   V = 1/G^2 sum over g of V_g

Only players who were rated in every game have it: a mean over fewer games would compare the hard with the easy. The
others are "incomplete". They stay opponents in each game's fit, but the mean that is taken off each game is that of the
complete players alone, so that a newcomer moves nobody's headline by being weak. Players with a headline who have no
common rating in some game are in different parts, each with its own mean. (One common strength with the games' results
weighted would be decided by the game in which strengths differ most.)
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .connection import NO_PART, Connection
from .rating_scale import GameRating, rating_of
from .results_table import Floats, Ints, Mask


@dataclass(frozen=True, slots=True, eq=False)
class Headline:
    """Mean strengths with their covariance, whose headline is missing, and each game's share of the spread.

    `rating`: as of one game; NaN for players who are not complete. `incomplete`: rated in some games, not in all.
    `by_game`: games by m, centred over the complete players of a part. `shares`: of each game, how much of the variance
    of the headline over players comes from it; they add up to 1, and one may be below 0.
    """

    rating: GameRating
    incomplete: Mask
    by_game: Floats
    shares: Floats


def headline(games: Sequence[GameRating]) -> Headline:
    """The mean over games. Raises ValueError without a game, or where games have rosters of unequal size."""
    sizes = {len(game.strengths) for game in games}
    if len(sizes) != 1:
        raise ValueError(f"headline: expected games of one roster, found {len(games)} games of sizes {sorted(sizes)}")
    connected = joint_connection([game.connection for game in games])
    complete = connected.part != NO_PART
    rated = np.any([game.connection.part != NO_PART for game in games], axis=0)
    by_game = np.stack([rating_of(np.nan_to_num(g.strengths), _known(g), connected).strengths for g in games])
    covariance = sum((_known(game) for game in games), np.zeros((len(rated), len(rated)))) / len(games) ** 2
    rating = rating_of(np.nan_to_num(by_game).mean(axis=0), covariance, connected)
    return Headline(rating, rated & ~complete, by_game, _shares(by_game[:, complete]))


def joint_connection(games: Sequence[Connection]) -> Connection:
    """Parts whose players have a common rating in every game; an end is open where it is open in some game."""
    labels = np.stack([game.part for game in games])
    complete = (labels != NO_PART).all(axis=0)
    _, where = np.unique(labels, axis=1, return_inverse=True)
    part = np.where(complete, _least_of(where.ravel()), NO_PART)
    above, below = (np.any([getattr(g, name) for g in games], axis=0) for name in ("open_above", "open_below"))
    return Connection(part, above & complete, below & complete)


def _least_of(where: Ints) -> Ints:
    """The least player of each player's group."""
    return np.asarray((where[:, None] == where[None, :]).argmax(axis=1), dtype=np.int64)


def _known(game: GameRating) -> Floats:
    return np.nan_to_num(game.covariance)


def _shares(by_game: Floats) -> Floats:
    """cov(theta_ig / G, theta_i) / var(theta_i) over players; equal shares where nobody differs."""
    games, players = by_game.shape
    if not players:
        return np.full(games, np.nan)
    mean = by_game.mean(axis=0)
    spread = float(mean @ mean)
    return by_game @ mean / (games * spread) if spread > 0 else np.full(games, 1 / games)
