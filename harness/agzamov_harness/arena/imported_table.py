"""The table of results that others published: ratings and rank sets by the same fit as an arena's own.

Each game is rated by Davidson's model with an effect of standing first (`model_a`, the first seat), clusters as the
source has them; over several games the headline is the mean of the ratings, as in `arena_table`. Whether the
results are what was played nobody here has checked, and the table says so first.
"""

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Final

import msgspec
import numpy as np

from agzamov_verify.core.columns import WIDTH, foreign_name
from agzamov_verify.core.columns import table as in_columns
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.scoring.arena_ratings.davidson import fit_davidson
from agzamov_verify.scoring.arena_ratings.plackett_luce import fit_plackett_luce
from agzamov_verify.scoring.arena_ratings.profile import intervals
from agzamov_verify.scoring.arena_ratings.rating_scale import ELO_PER_LOGIT, wald_intervals
from agzamov_verify.scoring.arena_ratings.results_table import Ints, PairResults, cluster_places, played_out

from .game_fits import Rating, ratings_by_play, ratings_of
from .imported_results import GameColumns, ImportedResults, Source
from .over_games import RatedGame, games_of_player, in_parts, not_counted_words, over_games
from .table_text import ABOUT_RATINGS, interval_words, parts_words, ranks_words

HEAD: Final = ("player", "ranks", "rating", "95 %")
GAME_HEAD: Final = ("player", "ranks", "rating", "95 %", "results", "points", "forfeits", "by play")


class ImportedGameRow(msgspec.Struct, frozen=True):
    """A player in one game. `points`: a win is 1, a draw half. `rating_by_play`: without what a forfeit decided.

    `rating_by_finish`: of the orders of finish at tables of three and more, by Plackett and Luce's model.
    """

    player: str
    results: int
    points: float
    forfeits: int
    rating: Rating | None
    rating_by_play: Rating | None
    rating_by_finish: Rating | None = None


class ImportedGame(msgspec.Struct, frozen=True):
    """One game. `tables`: those of three and more with an order of finish; `not_by_finish`: why they are not rated.

    `distinct`: results without those that the source marks as played alike. `not_rated`: why none is.
    """

    game: str
    results: int
    distinct: int
    clusters: int
    first_elo: float | None
    not_rated: str
    rows: tuple[ImportedGameRow, ...]
    tables: int = 0
    not_by_finish: str = ""


class ImportedRow(msgspec.Struct, frozen=True):
    """A player over all games; without a rating where it has none in some game."""

    player: str
    rating: Rating | None
    games: tuple[str, ...]


class ImportedTable(msgspec.Struct, frozen=True):
    """The whole table. `is_verified` is always false. `headline`: the games of the rating over all games.

    `shares`: of each of these, how much of the differences between the ratings over all games comes from it.
    """

    is_verified: bool
    source: Source
    rows: tuple[ImportedRow, ...]
    games: tuple[ImportedGame, ...]
    left_out: dict[str, int]
    headline: tuple[str, ...]
    shares: tuple[float, ...]


class _Fitted(msgspec.Struct, frozen=True):
    """A game's fit; without a rating, why."""

    pairs: PairResults
    rated: RatedGame | None = None
    ratings: Sequence[Rating | None] = ()
    by_play: Sequence[Rating | None] = ()
    first_elo: float | None = None
    not_rated: str = ""
    by_finish: Sequence[Rating | None] = ()
    not_by_finish: str = ""


def imported_table(found: ImportedResults) -> ImportedTable:
    """The table of what was imported. Equal results in another order give an equal table."""
    names = sorted(found.players)
    place = {name: number for number, name in enumerate(names)}
    order = np.array([place[name] for name in found.players], dtype=np.int64)
    fits = {game: _with_finishes(_fitted(columns, order), columns, order) for game, columns in found.games.items()}
    rated = {game: fit.rated for game, fit in fits.items() if fit.rated}
    overall = over_games(rated, names)
    rows = [
        ImportedRow(name, overall.ratings[index], games_of_player(rated, index)) for index, name in enumerate(names)
    ]
    games = tuple(_game(game, found.games[game], fit, names) for game, fit in fits.items())
    left_out = dict(sorted(found.left_out.items()))
    return ImportedTable(False, found.source, in_parts(rows), games, left_out, overall.games, overall.shares)


def _fitted(columns: GameColumns, order: Ints) -> _Fitted:
    try:
        pairs = columns.pairs(order)
    except ValueError as error:
        rows = np.zeros(0, dtype=np.int64)
        none = PairResults(len(order), rows, rows, rows, rows, rows, rows.astype(np.bool_))
        return _Fitted(none, not_rated=str(error))
    try:
        fit = fit_davidson(pairs)
        rated = RatedGame(fit.rating, intervals(fit))
    except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
        return _Fitted(pairs, not_rated=str(error).removeprefix("ratings: "))
    rest = played_out(pairs)
    by_play = ratings_by_play(rest, len(order)) if len(rest.first) < len(pairs.first) else [None] * len(order)
    first = round(ELO_PER_LOGIT * fit.order_effect, 2)
    return _Fitted(pairs, rated, ratings_of(*rated), by_play, first)


def _with_finishes(fit: _Fitted, columns: GameColumns, order: Ints) -> _Fitted:
    """The fit of the pairs, and beside it that of whole tables: 15 pairs of six players are no 15 observations."""
    if not columns.tables:
        return fit
    try:
        rating = fit_plackett_luce(columns.finishes(order)).rating
    except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
        return msgspec.structs.replace(fit, not_by_finish=str(error).removeprefix("ratings: "))
    return msgspec.structs.replace(fit, by_finish=ratings_of(rating, wald_intervals(rating)))


def _game(game: str, columns: GameColumns, fit: _Fitted, names: Sequence[str]) -> ImportedGame:
    pairs, none = fit.pairs, [None] * len(names)
    points, results, forfeits = (np.zeros(len(names)) for _ in range(3))
    for player, won in ((pairs.first, pairs.outcome / 2), (pairs.second, 1 - pairs.outcome / 2)):
        np.add.at(points, player, won * pairs.count)
        np.add.at(results, player, pairs.count)
        lost = (won == 0) & pairs.decided_by_harness
        np.add.at(forfeits, player[lost], pairs.count[lost])
    rows = [
        ImportedGameRow(name, int(results[index]), float(points[index]), int(forfeits[index]), *found)
        for index, (name, *found) in enumerate(
            zip(names, fit.ratings or none, fit.by_play or none, fit.by_finish or none, strict=True)
        )
        if results[index]
    ]
    clusters = cluster_places(pairs.cluster)[1]
    distinct = int(pairs.count.sum())
    facts = game, columns.results, distinct, clusters, fit.first_elo, fit.not_rated
    return ImportedGame(*facts, in_parts(rows), len(columns.tables), fit.not_by_finish)


def imported_bytes(table: ImportedTable) -> bytes:
    """The table as JSON."""
    return msgspec.json.format(msgspec.json.encode(table, order="deterministic"), indent=1) + b"\n"


def imported_text(table: ImportedTable) -> str:
    """The table for a person."""
    return "\n".join(_lines(table)) + "\n"


def _lines(table: ImportedTable) -> Iterator[str]:
    yield printable(table.source.label)
    results = sum(game.results for game in table.games)
    sizes = (len(table.rows), "player"), (len(table.games), "game"), (results, "result")
    yield ", ".join(_counted(size, what) for size, what in sizes)
    if len(table.games) > 1:
        yield ""
        yield from in_columns(HEAD, map(_row, table.rows))
        yield from parts_words(table.rows)
        rated = [game.game for game in table.games if not game.not_rated]
        yield from wrap(printable(not_counted_words(rated, table.headline)), WIDTH)
    yield ""
    yield from ABOUT_RATINGS if len(table.games) > 1 else ABOUT_RATINGS[:-1]
    for game in table.games:
        yield ""
        yield from _game_lines(game)
    if table.left_out:
        yield ""
        yield "Left out"
        yield from (f"  {reason}: {count:,}" for reason, count in table.left_out.items())


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def _row(row: ImportedRow) -> tuple[str, ...]:
    if row.rating is None:
        return (foreign_name(row.player), "-", "-", f"rated in {len(row.games)} of the games")
    return (foreign_name(row.player), *_rating(row.rating))


def _rating(rating: Rating | None) -> tuple[str, str, str]:
    if rating is None:
        return ("-", "-", "-")
    return (ranks_words(rating), f"{rating.elo:.0f}", interval_words(rating))


def _game_lines(game: ImportedGame) -> Iterator[str]:
    again = game.results - game.distinct
    yield (
        f"{foreign_name(game.game)}: {_counted(game.results, 'result')} in {_counted(game.clusters, 'cluster')}"
        + (f", {again:,} of them played before move for move and not counted again" if again else "")
        + ("" if game.first_elo is None else f"; standing first is worth {game.first_elo:+.0f} Elo")
    )
    if game.not_rated:
        yield f"No ratings: {printable(game.not_rated)}"
    yield from parts_words(game.rows)
    yield from in_columns(GAME_HEAD, map(_game_row, game.rows))
    if game.tables:
        yield f"By the order of finish at {_counted(game.tables, 'table')} of three and more (Plackett and Luce)"
        if game.not_by_finish:
            yield f"No ratings: {printable(game.not_by_finish)}"
        finished = [row for row in game.rows if row.rating_by_finish]
        finished.sort(key=lambda row: (-row.rating_by_finish.elo if row.rating_by_finish else 0, row.player))
        yield from in_columns(HEAD, ((foreign_name(row.player), *_rating(row.rating_by_finish)) for row in finished))


def _game_row(row: ImportedGameRow) -> tuple[str, ...]:
    by_play = f"{row.rating_by_play.elo:.0f}" if row.rating_by_play else "-"
    told = f"{row.results:,}", f"{row.points:g}", f"{row.forfeits:,}", by_play
    return (foreign_name(row.player), *_rating(row.rating), *told)
