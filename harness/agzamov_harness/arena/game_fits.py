"""What is fitted to the results of one game of an arena: wins, chips, orders of finish, or wins of teams."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import compress
from math import isnan
from typing import Final, NamedTuple

import msgspec
import numpy as np

from agzamov_verify.scoring.arena_ratings.chips import elo_strengths, fit_win_rates
from agzamov_verify.scoring.arena_ratings.davidson import DavidsonFit, fit_davidson
from agzamov_verify.scoring.arena_ratings.plackett_luce import fit_plackett_luce
from agzamov_verify.scoring.arena_ratings.profile import intervals
from agzamov_verify.scoring.arena_ratings.rating_scale import (
    ELO_PER_LOGIT,
    GameRating,
    RatingInterval,
    wald_intervals,
)
from agzamov_verify.scoring.arena_ratings.results_table import (
    PairResults,
    distinct,
    pair_results,
    played_out,
    table_results,
    team_results,
)
from agzamov_verify.scoring.arena_ratings.simultaneous_ranks import better_in_parts, ranks_of
from agzamov_verify.scoring.arena_ratings.teams import fit_teams
from agzamov_verify.table.registry import GAMES

from .verified_bundles import GamePlayed

CHIPS_A_BIG_BLIND: Final = 100
HAND_SD: Final = 900.0
"""Standard deviation of one hand, in bb/100, by which win rates become ratings of sessions of 100 hands."""
TWO: Final = 2
NORMAL_95: Final = 1.959963984540054


class Rating(msgspec.Struct, frozen=True):
    """A rating on the scale of Elo with its 95 % interval; an end that is null is open. Ranks are a rank set.

    `ahead_of`: the players of whom this one was found better; the ranks follow from it.
    """

    elo: float
    low: float | None
    high: float | None
    best_rank: int
    worst_rank: int
    part: int
    ahead_of: tuple[str, ...] = ()


class WinRate(NamedTuple):
    """Big blinds a hundred hands, the half width of their 95 % interval, and both without control variates."""

    bb_per_100: float
    half_width: float
    raw: float
    raw_half_width: float


class GameFit(NamedTuple):
    """A game's fit: strengths, intervals by player, and what the same is by play alone.

    `fit`: of games of two, whose results are `pairs`. `pairs` of chips for two are sessions; of more players None.
    """

    rating: GameRating
    intervals: Sequence[RatingInterval | None]
    by_play: Sequence[Rating | None]
    distinct: int
    first_mover_elo: float | None = None
    win_rates: Sequence["WinRate | None"] = ()
    fit: DavidsonFit | None = None
    pairs: PairResults | None = None


def fitted(game: str, results: Sequence[GamePlayed], names: Sequence[str]) -> "GameFit | str":
    """The fit of a game, or why there is none."""
    try:
        return _rated(game, results, names)
    except ValueError as error:
        return str(error)


def _rated(game: str, results: Sequence[GamePlayed], names: Sequence[str]) -> GameFit:
    """Raises ValueError with the game's name where it has too few results to be rated."""
    if GAMES[game].team_names:
        return _by_teams(results, names)
    if results[0].is_finish:
        return _by_finish(results, names)
    if is_of_chips(game, len(results[0].players)):
        return _by_chips(results, names)
    return _by_wins(results, names)


def is_of_chips(game: str, seats: int) -> bool:
    """True if the results of a game are chips, of which many make a contest."""
    found = GAMES[game]
    return found.contest_results(found.rules(), seats) > 1


def _by_wins(results: Sequence[GamePlayed], names: Sequence[str]) -> GameFit:
    pairs = _pair_results(results, names)
    fit = fit_davidson(pairs)
    by_play = ratings_by_play(played_out(pairs), len(names))
    first = ELO_PER_LOGIT * fit.order_effect
    return GameFit(fit.rating, intervals(fit), by_play, int(pairs.count.sum()), round(first, 2), (), fit, pairs)


def ratings_by_play(rest: PairResults, players: int) -> list[Rating | None]:
    """The ratings of players by the games that no forfeit decided; none where these alone cannot be rated."""
    if len(set(rest.cluster.tolist())) > 1:
        with suppress(ValueError, ArithmeticError, np.linalg.LinAlgError):
            fit = fit_davidson(rest)
            return ratings_of(fit.rating, intervals(fit))
    return [None] * players


def _pair_results(results: Sequence[GamePlayed], names: Sequence[str]) -> PairResults:
    """Games of two, each that was played alike once."""
    place = {name: index for index, name in enumerate(names)}
    two = [one for one in results if len(set(one.players)) == TWO]
    units = {unit: index for index, unit in enumerate(sorted({one.unit for one in two}))}
    pairs = pair_results(
        len(names),
        [place[one.players[0]] for one in two],
        [place[one.players[1]] for one in two],
        [one.won[0] + 1 for one in two],
        [units[one.unit] for one in two],
        [one.is_forfeit for one in two],
    )
    return distinct(pairs, [one.moves_sha256 for one in two])


def _by_teams(results: Sequence[GamePlayed], names: Sequence[str]) -> GameFit:
    """Each player on both sides, and the mean of the two; games that no team won tell nothing here."""
    place = {name: index for index, name in enumerate(names)}
    decided = [one for one in results if any(one.won)]
    units = {unit: index for index, unit in enumerate(sorted({one.unit for one in decided}))}
    roles = {role: index for index, role in enumerate(sorted({role for one in decided for role in one.roles}))}
    rows = [
        (number, place[name], team, roles.get(role, 0), (won > 0) == (team == 0), units[one.unit])
        for number, one in enumerate(decided)
        for name, team, role, won in zip(one.players, one.teams, one.roles or one.players, one.won, strict=True)
    ]
    fit = fit_teams(team_results(len(names), rows))
    return GameFit(fit.both, wald_intervals(fit.both), [None] * len(names), len(results))


def _by_chips(results: Sequence[GamePlayed], names: Sequence[str]) -> GameFit:
    """Each hand is a row for each of its players, with the seat that it had; a unit of hands is one cluster.

    What the cards gave is taken off first (`luck`): its mean is 0 whatever the players do.
    """
    place = {name: index for index, name in enumerate(names)}
    hands = [one for one in results if len(set(one.players)) == len(one.players)]
    if not hands:
        raise ValueError("ratings: somebody sat twice at each table, and such tables are not rated")
    units = {unit: index for index, unit in enumerate(sorted({one.unit for one in hands}))}
    rows = [
        (number, place[name], _rank(chips, hand.outcomes), 100 * chips / CHIPS_A_BIG_BLIND, seat, units[hand.unit])
        for number, hand in enumerate(hands)
        for seat, (name, chips) in enumerate(zip(hand.players, hand.outcomes, strict=True))
    ]
    raw = table_results(len(names), rows)
    luck = [chips for hand in hands for chips in hand.luck or [0.0] * len(hand.players)]
    adjusted = replace(raw, chips=raw.chips - 100 * np.asarray(luck, dtype=np.float64) / CHIPS_A_BIG_BLIND)
    fit = fit_win_rates(adjusted)
    rating = elo_strengths(fit.rating, HAND_SD)
    won = _win_rates(fit.rating, fit_win_rates(raw).rating)
    return GameFit(
        rating, wald_intervals(rating), [None] * len(names), len(results), None, won, pairs=_sessions(hands, names)
    )


def _win_rates(adjusted: GameRating, raw: GameRating) -> list[WinRate | None]:
    figures = [
        figure
        for one in (adjusted, raw)
        for figure in (one.strengths, NORMAL_95 * np.sqrt(np.maximum(np.diag(one.covariance), 0)))
    ]
    rows = np.stack(figures, axis=1).round(2).tolist()
    return [None if isnan(row[0]) else WinRate(*row) for row in rows]


def _by_finish(results: Sequence[GamePlayed], names: Sequence[str]) -> GameFit:
    """Strengths of the orders of finish (Plackett and Luce); tables on one series of decks are one cluster.

    A table that was played alike again, move for move by the same players, is no further one.
    """
    place = {name: index for index, name in enumerate(names)}
    tables = {
        (one.players, one.moves_sha256): one for one in reversed(results) if len(set(one.players)) == len(one.players)
    }
    if not tables:
        raise ValueError("ratings: somebody sat twice at each table, and such tables are not rated")
    units = {unit: index for index, unit in enumerate(sorted({one.unit for one in tables.values()}))}
    rows = [
        (number, place[name], _rank(points, one.outcomes), 0.0, seat, units[one.unit])
        for number, one in enumerate(tables.values())
        for seat, (name, points) in enumerate(zip(one.players, one.outcomes, strict=True))
    ]
    fit = fit_plackett_luce(table_results(len(names), rows))
    return GameFit(fit.rating, wald_intervals(fit.rating), [None] * len(names), len(tables))


def _sessions(hands: Sequence[GamePlayed], names: Sequence[str]) -> PairResults | None:
    """Sessions of two as results, by who won chips in them; None of tables of more."""
    place = {name: index for index, name in enumerate(names)}
    won: dict[tuple[str, str, int], dict[str, int]] = {}
    for hand in hands:
        if len(hand.players) != TWO:
            return None
        of_unit = won.setdefault(hand.unit, {})
        for name, chips in zip(hand.players, hand.outcomes, strict=True):
            of_unit[name] = of_unit.get(name, 0) + chips
    firsts, seconds = zip(*won.values(), strict=True)
    outcomes = [1 + (one > other) - (one < other) for one, other in (chips.values() for chips in won.values())]
    numbers = list(range(len(outcomes)))
    return pair_results(
        len(names), [place[name] for name in firsts], [place[name] for name in seconds], outcomes, numbers
    )


def _rank(chips: int, outcomes: Sequence[int]) -> int:
    """How many at the table won more."""
    return sum(other > chips for other in outcomes)


def ratings_of(
    rating: GameRating, found: Sequence[RatingInterval | None], names: Sequence[str] = ()
) -> list[Rating | None]:
    """Ratings with intervals and rank sets, rounded to two decimals. Without names nobody is said to be ahead."""
    better = better_in_parts(rating)
    ranks = ranks_of(better, rating).tolist()
    return [
        None
        if one is None
        else _rating(one, ranks[index], int(rating.connection.part[index]), tuple(compress(names, better[index])))
        for index, one in enumerate(found)
    ]


def _rating(one: RatingInterval, ranks: Sequence[int], part: int, ahead_of: tuple[str, ...]) -> Rating:
    low, high = (None if end is None else round(float(end), 2) for end in (one.low, one.high))
    return Rating(round(float(one.rating), 2), low, high, int(ranks[0]), int(ranks[1]), part, ahead_of)
