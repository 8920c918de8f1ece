"""The rating over all games: which games count, whose intervals it has, and in what order its players stand.

One rule for an arena's own table and for results that others published.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import isnan
from typing import Any, NamedTuple, Protocol, TypeVar

from agzamov_verify.scoring.arena_ratings.connection import NO_PART
from agzamov_verify.scoring.arena_ratings.headline import headline
from agzamov_verify.scoring.arena_ratings.rating_scale import GameRating, RatingInterval, wald_intervals

from .game_fits import Rating, ratings_of


class RatedGame(NamedTuple):
    """A game's rating, and the intervals that it is shown with."""

    rating: GameRating
    intervals: Sequence[RatingInterval | None]


class OverGames(NamedTuple):
    """Ratings by player, None of one who is not rated in every game that counts; these games, and the share of each."""

    ratings: Sequence[Rating | None]
    games: tuple[str, ...] = ()
    shares: tuple[float, ...] = ()


class RatedRow(Protocol):
    """A row of a table of ratings."""

    @property
    def player(self) -> str: ...
    @property
    def rating(self) -> Rating | None: ...


Row = TypeVar("Row", bound=RatedRow)


def over_games(rated: Mapping[str, RatedGame], names: Sequence[str]) -> OverGames:
    """The mean over the games that count. Over one game it is that game's rating, with its intervals."""
    games = games_that_count(rated, len(names))
    if not games:
        return OverGames([None] * len(names))
    whole = headline([rated[game].rating for game in games])
    intervals = rated[games[0]].intervals if len(games) == 1 else wald_intervals(whole.rating)
    shares = tuple(round(one, 3) for one in whole.shares.tolist() if not isnan(one))
    return OverGames(ratings_of(whole.rating, intervals, names), tuple(games), shares)


def games_that_count(rated: Mapping[str, RatedGame], players: int) -> list[str]:
    """The games of the rating over all games: those in which more than half of the players are rated.

    A game that few play among themselves would else take everybody else out of that rating.
    """
    return [name for name, one in rated.items() if 2 * (one.rating.connection.part != NO_PART).sum() > players]


def games_of_player(rated: Mapping[str, RatedGame], player: int) -> tuple[str, ...]:
    """The games in which a player has a rating."""
    return tuple(game for game, one in rated.items() if one.rating.connection.part[player] != NO_PART)


def not_counted_words(rated: Iterable[str], counted: Sequence[str]) -> str:
    """The games that are no part of the rating over all games; empty where all are."""
    missing = [game for game in rated if game not in counted]
    of_few = "which at most half of the players play"
    return f"Not part of the rating over all games: {', '.join(missing)}, {of_few}." if missing else ""


def in_parts(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Rows by rating, those of one part together, the largest part first; at the end those without a rating.

    Ratings of two parts cannot be compared: nobody of one has met anybody of the other, not even through others.
    """
    every = list(rows)
    size = Counter(row.rating.part for row in every if row.rating)

    def place(row: Row) -> tuple[Any, ...]:
        if row.rating is None:
            return (1, row.player)
        return (0, -size[row.rating.part], row.rating.part, -row.rating.elo, row.player)

    return tuple(sorted(every, key=place))
