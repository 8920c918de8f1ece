"""The table of an arena: ratings of its players in each game and over all of them, from what was collected.

A game of two whose results are won or lost is rated by Davidson's model, one of chips by its win rates
(`agzamov_verify.scoring.arena_ratings`). The headline is the mean over games of centred ratings, so every game weighs
the same. Nothing is asked of the order of bundles or players: equal bundles give an equal table.
"""

from collections.abc import Iterable, Sequence
from math import isnan

import msgspec

from agzamov_verify.scoring.arena_ratings.connection import NO_PART
from agzamov_verify.scoring.arena_ratings.davidson import DavidsonFit
from agzamov_verify.scoring.arena_ratings.transitivity import transitivity

from .game_fits import TWO, GameFit, Rating, WinRate, fitted, ratings_of
from .older_columns import OlderRatings, TierRow, older_ratings, tier_rows
from .over_games import RatedGame, games_of_player, in_parts, over_games
from .pairings import Pairing, pairings
from .perception import PerceptionGap, perception_gaps
from .schedule import RoundsHere
from .verified_bundles import Collected, Counted, GamePlayed, LeftOut, Spent


class GameRow(msgspec.Struct, frozen=True):
    """A player in one game. `rating_by_play`: without the games that a forfeit decided; null where that leaves none.

    `points`: the sum of `GamePlayed.points`. `bb_per_100` in games of chips, with the half width of its 95 % interval,
    less what the cards gave (control variates); `bb_raw` with it. Tokens and US dollars are of one result; no dollars
    (null) of a model whose price the plan does not say.
    """

    player: str
    results: int
    points: float
    forfeits: int
    unusable: int
    decisions: int
    tokens: float
    cost_usd: float | None
    rating: Rating | None
    rating_by_play: Rating | None
    bb_per_100: float | None = None
    bb_half_width: float | None = None
    bb_raw: float | None = None
    bb_raw_half_width: float | None = None
    older: OlderRatings | None = None


class CyclicPlace(msgspec.Struct, frozen=True):
    """A player's place in the cyclic plane, in roots of logits."""

    player: str
    x: float
    y: float


class CyclicTest(msgspec.Struct, frozen=True):
    """Whether one strength a player is enough: the test's p over so many pairings.

    Where it is not, `places` are of the plane of who beats whom in a circle; `share`: of what strengths leave.
    """

    p: float
    statistic: float
    pairings: int
    share: float | None = None
    places: tuple[CyclicPlace, ...] = ()


class GameTable(msgspec.Struct, frozen=True):
    """One game. `distinct`: results without those that repeat another move for move. `units`: independent ones.

    `not_rated`: why nobody has a rating in it; it is then no part of the headline.
    """

    game: str
    results: int
    distinct: int
    units: int
    first_mover_elo: float | None
    not_rated: str
    rows: tuple[GameRow, ...]
    pairings: tuple[Pairing, ...]
    cyclic: CyclicTest | None = None


class TableRow(msgspec.Struct, frozen=True):
    """A player over all games; without a rating where it has none in some game."""

    player: str
    described: str
    rating: Rating | None
    games: tuple[str, ...]
    tier: TierRow | None = None


class ArenaTable(msgspec.Struct, frozen=True):
    """The whole table, and the bundles that it follows from. `headline`: the games of the rating over all games.

    `shares`: of each of these, how much of the differences between the ratings over all games comes from it. `limits`:
    those of all models, in words; empty where no model plays. `rounds`: of an arena's file.
    """

    rows: tuple[TableRow, ...]
    games: tuple[GameTable, ...]
    bundles: tuple[Counted, ...]
    left_out: tuple[LeftOut, ...]
    headline: tuple[str, ...] = ()
    limits: str = ""
    perception: tuple[PerceptionGap, ...] = ()
    rounds: RoundsHere | None = None
    shares: tuple[float, ...] = ()


def arena_table(collected: Collected, rounds: RoundsHere | None = None) -> ArenaTable:
    """The table of what was collected. `rounds`: of an arena's file."""
    names = sorted(collected.players)
    fits = {name: fitted(name, results, names) for name, results in sorted(collected.results.items()) if results}
    rated = {name: fit for name, fit in fits.items() if not isinstance(fit, str)}
    games = tuple(_game_table(name, collected, names, fit) for name, fit in fits.items())
    compared = {name: RatedGame(fit.rating, fit.intervals) for name, fit in rated.items()}
    overall = over_games(compared, names)
    counted = overall.games
    tiers = tier_rows({name: rated[name] for name in counted}) if counted else [None] * len(names)
    rows = [
        TableRow(
            name,
            collected.players[name],
            overall.ratings[index],
            games_of_player(compared, index),
            tiers[index],
        )
        for index, name in enumerate(names)
    ]
    gaps = tuple(perception_gaps(collected))
    limits, left_out = collected.limits, collected.left_out
    return ArenaTable(in_parts(rows), games, collected.counted, left_out, counted, limits, gaps, rounds, overall.shares)


def _game_table(game: str, collected: Collected, names: Sequence[str], fit: "GameFit | str") -> GameTable:
    results = collected.results[game]
    rated = None if isinstance(fit, str) else fit
    none: Sequence[None] = [None] * len(names)
    ratings = ratings_of(rated.rating, rated.intervals, names) if rated else none
    points = _points(results)
    by_play, rates = (rated.by_play, rated.win_rates or none) if rated else (none, none)
    older = older_ratings(rated.pairs) if rated and rated.pairs else none
    rows = [
        _row(
            name,
            points[name],
            collected.spent[game, name],
            (ratings[index], by_play[index]),
            rates[index],
            older[index],
        )
        for index, name in enumerate(names)
        if (game, name) in collected.spent
    ]
    return GameTable(
        game,
        len(results),
        rated.distinct if rated else len(results),
        len({one.unit for one in results}),
        rated.first_mover_elo if rated else None,
        fit if isinstance(fit, str) else "",
        in_parts(rows),
        tuple(pairings(game, results)),
        _cyclic(rated.fit, names) if rated and rated.fit else None,
    )


def _cyclic(fit: DavidsonFit, names: Sequence[str]) -> CyclicTest | None:
    """The test of a game; None of less than three players, who cannot beat each other in a circle."""
    if (fit.rating.connection.part != NO_PART).sum() <= TWO:
        return None
    found = transitivity(fit)
    tested = CyclicTest(round(found.p, 4), round(found.statistic, 4), found.pairings)
    if found.plane is None:
        return tested
    placed = zip(names, found.plane.places.tolist(), strict=True)
    places = tuple(CyclicPlace(name, round(x, 4), round(y, 4)) for name, (x, y) in placed if not isnan(x))
    return msgspec.structs.replace(tested, share=round(found.plane.share, 4), places=places)


def _row(
    name: str,
    points: float,
    spent: Spent,
    ratings: tuple[Rating | None, Rating | None],
    rate: WinRate | None,
    older: OlderRatings | None,
) -> GameRow:
    each = max(1, spent.results)
    return GameRow(
        name,
        spent.results,
        points,
        spent.forfeits,
        spent.faults,
        spent.decisions,
        round(spent.tokens / each, 1),
        None if spent.has_no_price else round(spent.cost_usd / each, 6),
        *ratings,
        rate.bb_per_100 if rate else None,
        rate.half_width if rate else None,
        rate.raw if rate else None,
        rate.raw_half_width if rate else None,
        older,
    )


def _points(results: Iterable[GamePlayed]) -> dict[str, float]:
    """Points of each player over all results."""
    found: dict[str, float] = {}
    for one in results:
        for player, points in zip(one.players, one.points, strict=True):
            found[player] = found.get(player, 0.0) + points
    return {player: round(points, 4) for player, points in found.items()}


def table_bytes(table: ArenaTable) -> bytes:
    """The table as JSON: equal bundles give equal bytes."""
    return msgspec.json.format(msgspec.json.encode(table, order="deterministic"), indent=1) + b"\n"
