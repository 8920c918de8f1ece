"""The arena's older columns, as its methodology states them: Elo game by game, Glicko-2, Unified Apex Score and tiers.

    E(A) = 1 / (1 + 10^((R_B - R_A) / 400)),   R'_A = R_A + K (S_A - E(A)),   from 1200, K = 32
    UAS = mean over games of max(0, Elo - 1000);   S >= 600, A >= 300, B >= 200, C >= 130, D below

Elo in order and Glicko-2 depend on the order of the games. How much is measured by shuffles of the same games. UAS and
tiers are of the joint fit's Elo instead, which has no order. The mean of a part is 1200, so a player of average
strength has a UAS of about 200 wherever it stands among others, the border of B and C; max(0, .) lifts the weak; and
tiers of different parts have no common scale. These are columns for comparison with other publications. Ranks are
made by simultaneous_ranks.py.

A tier is "provisional" until it holds the whole 95 % interval of UAS (percentiles of the resampled clusters; an open
end of a rating is an open end here). Its share is that of resamples in the tier, which is no probability.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from math import floor, inf
from typing import Final, NamedTuple

import numpy as np

from ..inference.estimate import ALPHA
from ..inference.ratings import POINTS_PER_TENFOLD, EloRule, Game, GlickoPoint, GlickoRule, glicko2_pool
from .canonical_order import canonical_order, in_order, seed_of_counts
from .connection import NO_PART
from .davidson import Counts, counts_of
from .headline import joint_connection
from .rating_scale import GameRating, elo
from .results_table import Floats, Ints, PairResults

SEED_RULE: Final = EloRule(k=32, start=1200)
UAS_ZERO: Final = 1000.0
SHUFFLES: Final = 200
PERIOD_GAMES: Final = 20
"""Games of a player in a rating period of Glicko-2, on average; Glickman advises 10 to 15 or more."""
NUMBERS_AT_ONCE: Final = 20_000_000


class Tier(Enum):
    """A class of UAS, by its least value."""

    S = 600.0
    A = 300.0
    B = 200.0
    C = 130.0
    D = -inf


class RatedGame(NamedTuple):
    """A game by the joint fit: its rating, and the centred strengths of resamples (resamples by m), in logits."""

    rating: GameRating
    resampled: Floats


@dataclass(frozen=True, slots=True)
class TierOfPlayer:
    """UAS with its 95 % interval (None: open end), the tier with its share of resamples, and the player's part."""

    uas: float
    low: float | None
    high: float | None
    tier: Tier
    share: float
    is_provisional: bool
    part: int


@dataclass(frozen=True, slots=True, eq=False)
class OrderSpread:
    """Standard deviations over shuffles of the games: of Elo (games by m) and of UAS by it (m), in points."""

    elo: Floats
    uas: Floats


def elo_in_order(results: PairResults, rule: EloRule = SEED_RULE) -> Floats:
    """Elo after the last game, in the order of rows; NaN without a game."""
    rows = np.repeat(np.arange(len(results.first)), results.count)
    games = np.stack((results.first, results.second, results.outcome))[:, rows]
    last = _last_ratings(games, np.arange(len(rows))[:, None], results.players, rule)
    return np.asarray(last[0], dtype=np.float64)


def glicko2_in_order(results: PairResults, rule: GlickoRule | None = None) -> list[GlickoPoint | None]:
    """Glicko-2 after the last period; None without a game.

    Without a rule a period has PERIOD_GAMES games of a player on average, in the order of rows. Arithmetic is of sixty
    digits: about half a millisecond for each opponent and result that a player meets in a period.
    """
    rows = np.repeat(np.arange(len(results.first)), results.count).tolist()
    first, second, outcome = (column.tolist() for column in (results.first, results.second, results.outcome))
    games = [Game(_name(first[row]), _name(second[row]), outcome[row]) for row in rows]
    active = len({*first, *second})
    used = rule or GlickoRule(period_results=max(1, PERIOD_GAMES * active // 2))
    size = used.period_results
    courses = glicko2_pool([games[start : start + size] for start in range(0, len(games), size)], used)
    return [courses[_name(player)][-1] if _name(player) in courses else None for player in range(results.players)]


def unified_apex_scores(elos: Floats) -> Floats:
    """Mean over the first axis (games) of what Elo exceeds 1000 by; NaN without a rating in some game."""
    return np.asarray(np.maximum(elos - UAS_ZERO, 0.0).mean(axis=0), dtype=np.float64)


def tier_of(uas: float) -> Tier:
    """The tier of a UAS."""
    return next(tier for tier in Tier if uas >= tier.value)


def tiers(games: Sequence[RatedGame]) -> list[TierOfPlayer | None]:
    """Tiers by the joint fits; None for players without a game in each game.

    Raises ValueError without a game, or where games have unequal numbers of players or resamples.
    """
    shapes = {(len(game.rating.strengths), *game.resampled.shape) for game in games}
    if len(shapes) != 1 or any(players != wide for players, _, wide in shapes):
        raise ValueError(f"tiers: expected games of one roster and number of resamples, found {sorted(shapes)}")
    scores = unified_apex_scores(elo(np.stack([game.rating.strengths for game in games])))
    resampled = unified_apex_scores(elo(np.stack([game.resampled for game in games])))
    connected = joint_connection([game.rating.connection for game in games])
    found = list[TierOfPlayer | None]()
    for player, part in enumerate(connected.part.tolist()):
        if part == NO_PART:
            found.append(None)
            continue
        low, high = _percentiles(resampled[:, player])
        ends = (None if connected.open_below[player] else low, None if connected.open_above[player] else high)
        found.append(_tier(float(scores[player]), ends, resampled[:, player].tolist(), part))
    return found


def order_spread(games: Sequence[PairResults], rule: EloRule = SEED_RULE, shuffles: int = SHUFFLES) -> OrderSpread:
    """How far another order of the same games moves Elo, and UAS by it. NaN for players without a game.

    The shuffles follow from the games: neither names nor the order of rows change them.
    """
    last = np.stack([_shuffled_ratings(results, rule, shuffles) for results in games])
    return OrderSpread(last.std(axis=1, ddof=1), unified_apex_scores(last).std(axis=0, ddof=1))


def _tier(uas: float, ends: tuple[float | None, float | None], resampled: Sequence[float], part: int) -> TierOfPlayer:
    low, high = ends
    tier = tier_of(uas)
    share = sum(tier_of(one) is tier for one in resampled) / len(resampled)
    held = {tier_of(-inf if low is None else low), tier, tier_of(inf if high is None else high)}
    return TierOfPlayer(uas, low, high, tier, share, len(held) > 1, part)


def _percentiles(drawn: Floats) -> tuple[float, float]:
    """The 2.5 % and 97.5 % points: of n values the k-th from either end, k = alpha (n + 1) / 2 rounded down."""
    ordered = np.sort(drawn)
    place = max(0, floor(ALPHA * (len(drawn) + 1) / 2) - 1)
    return float(ordered[place]), float(ordered[len(drawn) - 1 - place])


def _shuffled_ratings(results: PairResults, rule: EloRule, shuffles: int) -> Floats:
    """Elo after the last game of each shuffle (shuffles by m)."""
    counts = counts_of(results)
    order = canonical_order(counts)
    ordered = in_order(counts, order)
    games = _listed(ordered)
    count = games.shape[1]
    source = np.random.PCG64(int.from_bytes(seed_of_counts("order of games", ordered), "big"))
    width = max(1, min(shuffles, NUMBERS_AT_ONCE // max(count, 1)))
    blocks = list[Floats]()
    for start in range(0, shuffles, width):
        words = [np.asarray(source.random_raw(count)) for _ in range(start, min(start + width, shuffles))]
        rows = np.stack([np.argsort(drawn, kind="stable") for drawn in words], axis=1)
        blocks.append(_last_ratings(games, rows, results.players, rule))
    found = np.empty((shuffles, results.players))
    found[:, order] = np.concatenate(blocks)
    return found


def _listed(counts: Counts) -> Ints:
    """The games one by one: first player, second player, outcome (3 by games)."""
    flat = np.stack((counts.lost, counts.drawn, counts.won)).astype(np.int64)
    outcome, first, second = np.unravel_index(np.repeat(np.arange(flat.size), flat.ravel()), flat.shape)
    return np.stack((first, second, outcome)).astype(np.int64)


def _last_ratings(games: Ints, rows: Ints, players: int, rule: EloRule) -> Floats:
    """Elo (courses by m) after games (3 by n) in the orders of `rows` (n by courses); NaN without a game."""
    courses = rows.shape[1]
    base = np.arange(courses) * players
    ratings = np.full(courses * players, float(rule.start))
    for row in rows:
        first, second, outcome = games[:, row]
        one, other = base + first, base + second
        expected = 1 / (1 + 10 ** ((ratings[other] - ratings[one]) / POINTS_PER_TENFOLD))
        gain = rule.k * (outcome / 2 - expected)
        ratings[one] += gain
        ratings[other] -= gain
    found = ratings.reshape(courses, players)
    idle = np.ones(players, dtype=np.bool_)
    idle[games[:2].ravel()] = False
    found[:, idle] = np.nan
    return found


def _name(player: int) -> str:
    """Names that sort as the numbers do."""
    return f"{player:06d}"
