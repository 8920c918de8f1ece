"""The columns of older arenas: Elo game by game, Glicko-2, Unified Apex Score and tiers, each with what it leaves open.

They are here for comparison with other publications; no rank is made of them. Elo in order and Glicko-2 depend on the
order of the games, which is that of runs by their names and has no meaning: `elo_order_sd` and `order_sd` say how far
another order of the same games moves them. UAS and tiers are of the joint fits (`arena_ratings.seed_columns`).

Results are those of games of two; of hold'em for two a session is one. Games of more have no order of results of two.
For tiers the strengths of games of two are fitted anew in each resample of the clusters; those of chips and of teams
are drawn from the normal distribution that their clustered covariance describes.
"""

import hashlib
from collections.abc import Mapping, Sequence
from math import isnan
from typing import Final

import msgspec
import numpy as np

from agzamov_verify.scoring.arena_ratings.bootstrap import RESAMPLES, resampled_strengths
from agzamov_verify.scoring.arena_ratings.rating_scale import GameRating, centring
from agzamov_verify.scoring.arena_ratings.results_table import Floats, PairResults
from agzamov_verify.scoring.arena_ratings.seed_columns import (
    RatedGame,
    elo_in_order,
    glicko2_in_order,
    order_spread,
    tiers,
)
from agzamov_verify.scoring.arena_ratings.simultaneous_ranks import drawn_errors
from agzamov_verify.scoring.inference.ratings import GlickoPoint

from .game_fits import GameFit

GLICKO_RESULTS_MAX: Final = 20_000
"""Its arithmetic is of sixty digits: so many results take some ten seconds."""


class OlderRatings(msgspec.Struct, frozen=True):
    """Elo after the last result and Glicko-2 with its deviation; null: too many results for it, or it runs away.

    `elo_order_sd`: standard deviation of Elo over shuffles of the same results.
    """

    elo: float
    elo_order_sd: float
    glicko2: float | None
    glicko2_deviation: float | None


class TierRow(msgspec.Struct, frozen=True):
    """Unified Apex Score with its 95 % interval (null: an open end), and the tier with its share of resamples.

    `is_provisional`: the interval does not lie in the tier. `order_sd`: of the score by Elo in order, over shuffles of
    the results of games of two; null without a result in each of them.
    """

    uas: float
    low: float | None
    high: float | None
    tier: str
    share: float
    is_provisional: bool
    order_sd: float | None


def older_ratings(pairs: PairResults) -> list[OlderRatings | None]:
    """Elo in order and Glicko-2 in one game; None for players without a result."""
    elos, spread = elo_in_order(pairs), order_spread([pairs]).elo[0]
    points = _glicko2(pairs)
    return [
        None
        if isnan(elos[player])
        else OlderRatings(
            round(float(elos[player]), 2),
            round(float(spread[player]), 2),
            round(float(point.rating), 2) if point else None,
            round(float(point.deviation), 2) if point else None,
        )
        for player, point in enumerate(points)
    ]


def _glicko2(pairs: PairResults) -> Sequence[GlickoPoint | None]:
    """Glicko-2 of each player, or of nobody: too many results, or its ratings run away."""
    if int(pairs.count.sum()) > GLICKO_RESULTS_MAX:
        return [None] * pairs.players
    try:
        return glicko2_in_order(pairs)
    except ArithmeticError:  # a period in which somebody won all: the next expectation has no variance left
        return [None] * pairs.players


def tier_rows(fits: Mapping[str, GameFit]) -> list[TierRow | None]:
    """The tiers of all players by the fits of all rated games; None for players without a game in each game."""
    games = [RatedGame(fit.rating, _resampled(name, fit)) for name, fit in fits.items()]
    pairs = [fit.pairs for fit in fits.values() if fit.pairs]
    spread: Sequence[float] = order_spread(pairs).uas.tolist() if pairs else [float("nan")] * len(games[0].resampled[0])
    return [
        TierRow(
            round(found.uas, 2),
            None if found.low is None else round(found.low, 2),
            None if found.high is None else round(found.high, 2),
            found.tier.name,
            round(found.share, 3),
            found.is_provisional,
            None if isnan(by_order) else round(by_order, 2),
        )
        if found
        else None
        for found, by_order in zip(tiers(games), spread, strict=True)
    ]


def _resampled(name: str, fit: GameFit) -> Floats:
    """Centred strengths in resamples (resamples by m), in logits."""
    if fit.fit and fit.pairs:
        return resampled_strengths(fit.pairs, fit.fit)
    return _drawn(name, fit.rating)


def _drawn(name: str, rating: GameRating) -> Floats:
    """Strengths with errors of the rating's covariance; NaN for players without a game."""
    seed = hashlib.sha256(b"tiers in " + name.encode()).digest()
    errors = drawn_errors(np.nan_to_num(rating.covariance), seed, RESAMPLES)
    return np.asarray(rating.strengths + (centring(rating.connection.part) @ errors).T, dtype=np.float64)
