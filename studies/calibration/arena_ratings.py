"""Do an arena's ratings hold what they say? Intervals, sets of ranks, players without a loss, tables, chips, teams.

Worlds: made-up games of Davidson's model, from so many starts of every pairing in both colours. A start may favour
whoever moves first in both of its games, or suit one of the two players in both. The truth is then what games without
end would give: the fit of expected counts. Tables are Plackett and Luce's. A repeat has an interval for each player,
and they depend on each other, so simulation errors are those of the repeats' shares.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from statistics import fmean
from typing import Final, NamedTuple

import numpy as np

from agzamov_verify.scoring.arena_ratings.chips import fit_win_rates
from agzamov_verify.scoring.arena_ratings.davidson import Counts, Order, fit_davidson, greatest, model_of
from agzamov_verify.scoring.arena_ratings.headline import headline
from agzamov_verify.scoring.arena_ratings.plackett_luce import fit_plackett_luce
from agzamov_verify.scoring.arena_ratings.profile import intervals
from agzamov_verify.scoring.arena_ratings.rating_scale import GameRating, RatingInterval, elo, wald_intervals
from agzamov_verify.scoring.arena_ratings.results_table import Floats, Ints, PairResults, TableResults
from agzamov_verify.scoring.arena_ratings.simultaneous_ranks import ranks_in_parts
from agzamov_verify.scoring.arena_ratings.teams import fit_teams

from .arena_tables import PLAYERS, at_chip_tables, at_team_tables, village_and_wolves, win_rates
from .error_rates import rate_of
from .finding import BANDS, HELD, RANKS, Finding, of_rate, of_shares

ORDER_EFFECT, DRAWS = 0.3, 0.8
SPANS: Final = (0.5, 0.75, 1.0, 1.25, 1.5)
"""Half of what strengths span in each of five games, in logits."""
RANK_DRAWS: Final = 2_000
EXPECTED_GAMES: Final = 1e7
NORMAL_95: Final = 1.959963984540054


class Size(NamedTuple):
    """How many repeats each kind of world has."""

    games: int
    ranks: int
    separated: int
    tables: int


FULL: Final = Size(games=1_000, ranks=5_000, separated=1_500, tables=1_000)
SMALL: Final = Size(games=20, ranks=120, separated=40, tables=15)


class Starts(NamedTuple):
    """So many starts of each pairing; the spread of what a start gives the first player, and one of the two, logits."""

    a_pairing: int
    side_sd: float = 0.0
    player_sd: float = 0.0


class Games(NamedTuple):
    """Twenty models in five games."""

    starts: Starts
    models: int = 20

    def __str__(self) -> str:
        side, player = (f", {what}" if sd else "" for what, sd in self._effects())
        return f"20 models, 5 games, {self.starts.a_pairing} starts a pairing{side}{player}"

    def _effects(self) -> Iterator[tuple[str, float]]:
        yield f"a start favours a side by SD {self.starts.side_sd:g}", self.starts.side_sd
        yield f"a start suits a player by SD {self.starts.player_sd:g}", self.starts.player_sd


def findings(case: str, size: Size, seed: str) -> list[Finding]:
    """What the repeats of one world found."""
    digest = hashlib.sha256(f"{seed}/arena ratings/{case}".encode()).digest()
    return list(CASES[case](size, np.random.default_rng(list(digest))))


def played(theta: Floats, starts: Starts, draw: np.random.Generator) -> PairResults:
    """Both colours from every start of every pairing."""
    m = len(theta)
    one, other = (np.repeat(column, starts.a_pairing).astype(np.int64) for column in np.triu_indices(m, 1))
    spreads = (starts.side_sd, starts.player_sd)
    of_side, of_player = (draw.normal(0, sd, len(one)) if sd else np.zeros(len(one)) for sd in spreads)
    first, second = np.concatenate((one, other)), np.concatenate((other, one))
    x = theta[first] - theta[second] + ORDER_EFFECT
    x += np.concatenate((of_side + of_player, of_side - of_player))
    loss, drawn, _ = chances(x)
    sure = draw.random(len(x))
    outcome = (sure > loss).astype(np.int64) + (sure > loss + drawn)
    cluster = np.tile(np.arange(len(one), dtype=np.int64), 2)
    return PairResults(m, first, second, outcome, cluster, np.ones_like(first), np.zeros(len(x), dtype=np.bool_))


def chances(x: Floats) -> tuple[Floats, Floats, Floats]:
    """Of a loss, a draw and a win of whoever moves first."""
    down, up = np.exp(-x / 2), np.exp(x / 2)
    total = down + up + DRAWS
    return down / total, DRAWS / total, up / total


def true_strengths(theta: Floats, starts: Starts) -> Floats:
    """What games without end would give, centred: effects of starts bring strengths nearer to each other."""
    sd = float(np.hypot(starts.side_sd, starts.player_sd))
    nodes, weights = np.polynomial.hermite_e.hermegauss(41)
    x = (theta[:, None] - theta[None, :] + ORDER_EFFECT)[:, :, None] + sd * nodes
    off_diagonal = EXPECTED_GAMES * (1 - np.eye(len(theta)))
    lost, drawn, won = (off_diagonal * (one @ weights) / weights.sum() for one in chances(x))
    counts = Counts(won, drawn, lost)
    found = greatest(counts, model_of(counts, Order.MATTERS))[: len(theta)]
    return np.asarray(found - found.mean(), dtype=np.float64)


Rated = Callable[[PairResults], GameRating]


def clustered(results: PairResults) -> GameRating:
    """As it is published."""
    return fit_davidson(results).rating


def of_games(world: Games, size: Size, draw: np.random.Generator, rated: Rated = clustered) -> Iterator[Finding]:
    """Shares of the intervals of one game, and of the mean of five, that hold the truth."""
    strengths = [span * np.linspace(1, -1, world.models) for span in SPANS]
    truths = [true_strengths(theta, world.starts) for theta in strengths]
    of_one, of_mean = [], []
    for _ in range(size.games):
        ratings = [rated(played(theta, world.starts, draw)) for theta in strengths]
        of_one.append(fmean(held(wald_intervals(r), truth) for r, truth in zip(ratings, truths, strict=True)))
        of_mean.append(held(wald_intervals(headline(ratings).rating), np.mean(truths, axis=0)))
    yield of_shares(f"95% interval of the mean, {world}", of_mean, BANDS[HELD])
    yield of_shares(f"95% interval of one game, {world}", of_one, BANDS[HELD])


def held(found: list[RatingInterval | None], truth: Floats) -> float:
    """The share of players whose interval holds the truth."""
    return float(np.mean([holds(one, true) for one, true in zip(found, elo(truth).tolist(), strict=True)]))


def holds(interval: RatingInterval | None, truth: float) -> bool:
    """Whether it is given and has the truth inside."""
    if interval is None:
        return False
    _, low, high = interval
    return (low is None or low <= truth) and (high is None or truth <= high)


def all_ranks(rating: GameRating) -> Ints:
    """As they are published, from fewer draws."""
    return ranks_in_parts(rating, draws=RANK_DRAWS)


Ranked = Callable[[GameRating], Ints]


def of_ranks(
    theta: Floats, name: str, size: Size, draw: np.random.Generator, ranked: Ranked = all_ranks
) -> Iterator[Finding]:
    """Repeats in which every set of ranks holds all ranks that equals share."""
    best, worst = 1 + (theta[:, None] < theta).sum(axis=1), (theta[:, None] <= theta).sum(axis=1)
    hits = 0
    for _ in range(size.ranks):
        found = ranked(headline([clustered(played(theta, Starts(10), draw)) for _ in range(2)]).rating)
        hits += bool(((found[:, 0] <= best) & (worst <= found[:, 1])).all())
    yield of_rate(f"all sets of ranks, {name}", rate_of(hits, size.ranks), RANKS)


def of_separated(size: Size, draw: np.random.Generator) -> Iterator[Finding]:
    """The interval of a player 6 logits ahead of seven equals, 10 games a pairing."""
    theta = np.array([6.0] + [0.0] * 7)
    truth = float(elo(theta - theta.mean())[0])
    hits = sum(holds(intervals(fit_davidson(played(theta, Starts(5), draw)))[0], truth) for _ in range(size.separated))
    yield of_rate("95% interval, 6 logits ahead of 7 equals", rate_of(hits, size.separated), BANDS[HELD])


def at_tables(theta: Floats, seated: int, tables: int, draw: np.random.Generator) -> TableResults:
    """Finishing orders of tables of random players in random seats, without ties."""
    player = draw.permuted(np.tile(np.arange(len(theta)), (tables, 1)), axis=1)[:, :seated].astype(np.int64)
    luck = theta[player] + draw.gumbel(size=player.shape)
    rank = (-luck).argsort(axis=1).argsort(axis=1).astype(np.int64)
    table = np.repeat(np.arange(tables, dtype=np.int64), seated)
    seat = np.tile(np.arange(seated, dtype=np.int64), tables)
    return TableResults(len(theta), table, player.ravel(), rank.ravel(), np.zeros(len(table)), seat, table)


def of_tables(size: Size, draw: np.random.Generator) -> Iterator[Finding]:
    """Twelve models, 200 tables of six."""
    theta = np.linspace(1, -1, 12)
    shares = [
        held(wald_intervals(fit_plackett_luce(at_tables(theta, 6, 200, draw)).rating), theta)
        for _ in range(size.tables)
    ]
    yield of_shares("95% interval, 12 models, 200 tables of six", shares, BANDS[HELD])


def by_the_cards(results: TableResults, luck: Floats) -> Floats:
    """What is taken off: what the cards gave, whose mean is 0."""
    assert len(luck) == len(results.chips)
    return luck


def of_chips(
    size: Size, draw: np.random.Generator, taken_off: Callable[[TableResults, Floats], Floats] = by_the_cards
) -> Iterator[Finding]:
    """Win rates of twelve models at duplicate tables of four, less what the cards gave, and raw."""
    truth = win_rates()
    shares: dict[str, list[float]] = {"less what the cards gave": [], "raw": []}
    for _ in range(-(-size.tables // 2)):
        raw, luck = at_chip_tables(truth, draw)
        for name, results in zip(shares, (replace(raw, chips=raw.chips - taken_off(raw, luck)), raw), strict=True):
            rating = fit_win_rates(results).rating
            inside = np.abs(rating.strengths - truth) <= NORMAL_95 * np.sqrt(np.diag(rating.covariance))
            shares[name].append(float(inside.mean()))
    for name, found in shares.items():
        yield of_shares(f"95% interval of bb/100 {name}, 12 models, 100 decks, tables of four", found, BANDS[HELD])


def of_teams(size: Size, draw: np.random.Generator) -> Iterator[Finding]:
    """Twelve models in sets of eight games of eight, in which each is a wolf twice."""
    village, wolves = village_and_wolves()
    shares: dict[str, list[float]] = {"as the village": [], "as a wolf": [], "of both": []}
    for _ in range(-(-size.tables // 2)):
        fit = fit_teams(at_team_tables(village, wolves, draw))
        sides = (fit.first_side, village), (fit.second_side, wolves), (fit.both, (village + wolves) / 2)
        for name, (rating, truth) in zip(shares, sides, strict=True):
            shares[name].append(held(wald_intervals(rating), truth))
    for name, found in shares.items():
        yield of_shares(f"95% interval {name}, {PLAYERS} models in 60 sets of Werewolf", found, BANDS[HELD])


WORLDS: Final = (
    Games(Starts(10, side_sd=1)),
    Games(Starts(10, player_sd=1)),
    Games(Starts(3)),
)
GROUPS: Final = np.repeat([1.5, 0.0, -1.5], 4)
CASES: Final[dict[str, Callable[[Size, np.random.Generator], Iterator[Finding]]]] = {
    **{str(world): partial(of_games, world) for world in WORLDS},
    "ranks of groups": partial(of_ranks, GROUPS, "12 models in 3 groups of equals"),
    "ranks of equals": partial(of_ranks, np.zeros(12), "12 equal models"),
    "separated": of_separated,
    "tables": of_tables,
    "win rates": of_chips,
    "teams": of_teams,
}
