"""Made-up games and tables, with players in rotating seats; and the same results with one column changed."""

from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

from agzamov_verify.scoring.arena_ratings.results_table import PairResults, TableResults, TeamResults, pair_results

Columns = TypeVar("Columns", PairResults, TableResults, TeamResults)


def changed(results: Columns, **columns: Any) -> Columns:
    """The same results with other columns."""
    return type(results)(**{one.name: getattr(results, one.name) for one in fields(results)} | columns)


def games_of_two(m: int = 5, starts: int = 30, seed: int = 1, draws: float = 0.8) -> PairResults:
    """Both colours from so many starts of each pairing; strengths span 2 logits, moving first is worth 0.3."""
    rng, theta = np.random.default_rng(seed), np.linspace(1, -1, m)
    pairs = [(i, j) for i in range(m) for j in range(i)]
    rows = [(*order, cluster) for cluster, two in enumerate(pairs * starts) for order in (two, two[::-1])]
    first, second, cluster = (list(column) for column in zip(*rows, strict=True))
    x = theta[first] - theta[second] + 0.3
    weights = np.stack((np.exp(-x / 2), np.full(len(x), draws), np.exp(x / 2)))
    reached = np.cumsum(weights / weights.sum(axis=0), axis=0)
    outcome = (rng.random(len(x)) > reached).sum(axis=0)
    return pair_results(m, first, second, outcome.tolist(), cluster)


def table_results(m: int = 6, seated: int = 4, decks: int = 40, seed: int = 1, ties: bool = True) -> TableResults:
    """Two tables of each deck, the seats turned by one; what is won adds up to 0 at a table."""
    rng = np.random.default_rng(seed)
    players = np.stack([rng.permutation(m)[:seated] for _ in range(decks)])
    player = np.stack((players, np.roll(players, 1, axis=1)), axis=1).reshape(-1, seated)
    strength = np.linspace(1, -1, m)[player] + np.linspace(0.2, -0.2, seated)
    luck = strength + rng.gumbel(size=player.shape)
    chips = 50 * (luck - luck.mean(axis=1, keepdims=True)) + np.repeat(rng.normal(0, 20, (decks, seated)), 2, axis=0)
    chips -= chips.mean(axis=1, keepdims=True)
    shown = np.round(luck) if ties else luck
    rank = (shown[:, None, :] > shown[:, :, None]).sum(axis=2)
    table = np.repeat(np.arange(2 * decks), seated)
    return TableResults(
        m, table, player.ravel(), rank.ravel(), chips.ravel(), np.tile(np.arange(seated), 2 * decks), table // 2
    )


def team_results(m: int = 8, tables: int = 150, seed: int = 1, seers: bool = False) -> TeamResults:
    """Villages of four or five against two wolves; with `seers`, some villages have one."""
    rng = np.random.default_rng(seed)
    village, wolves = np.linspace(1, -1, m), np.linspace(-0.5, 0.5, m)
    rows: list[tuple[int, ...]] = []
    for table in range(tables):
        size = 4 + table % 2
        seats = rng.permutation(m)[: size + 2].tolist()
        seer = int(seers and rng.random() < 0.5)
        x = 0.4 + village[seats[:size]].mean() - wolves[seats[size:]].mean() + seer * 1.5 / size
        won = int(rng.random() < 1 / (1 + np.exp(-x)))
        for place, player in enumerate(seats):
            team = int(place >= size)
            rows.append((table, player, team, int(seer and place == 0) + 2 * team, won, table // 2))
    table_, player_, team_, role, won_, cluster = np.array(rows, dtype=np.int64).T
    return TeamResults(m, table_, player_, team_, role, won_ == 1, cluster)
