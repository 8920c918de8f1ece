"""Results of one game in columns: of two players, of tables of several, of teams. Players are numbers from 0.

A cluster is what was independently repeated: the two games of one start pair, a deck with its rotations, a table.
Clusters are any whole numbers; results that share one are not taken for independent of each other.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields
from typing import Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]

LOSS, DRAW, WIN = 0, 1, 2
ROLES_MAX: Final = 100
SEATS_MAX: Final = 10
"""Seats at a table: hold'em has nine, and the sets of players who may tie are listed one by one."""

KINDS: Final[dict[object, type[np.generic]]] = {Ints: np.int64, Floats: np.float64, Mask: np.bool_}
Columns = TypeVar("Columns", "PairResults", "TableResults", "TeamResults")


@dataclass(frozen=True, slots=True, eq=False)
class PairResults:
    """Games of two. `outcome` is the first player's (0 loss, 1 draw, 2 win); a row stands for `count` like games."""

    players: int
    first: Ints
    second: Ints
    outcome: Ints
    cluster: Ints
    count: Ints
    decided_by_harness: Mask

    def __post_init__(self) -> None:
        _columns(self)
        _within("first player", self.first, 0, self.players - 1)
        _within("second player", self.second, 0, self.players - 1)
        _within("outcome", self.outcome, LOSS, WIN)
        _within("count", self.count, 1, None)
        if (self.first == self.second).any():
            raise ValueError("results: expected two players in a game, found one against itself")


@dataclass(frozen=True, slots=True, eq=False)
class TableResults:
    """A row for each player of each table: finishing rank (least is best, equal is tied), chips won, seat from 0.

    `chips` may be fractions: control variates were taken off before.
    """

    players: int
    table: Ints
    player: Ints
    rank: Ints
    chips: Floats
    seat: Ints
    cluster: Ints

    def __post_init__(self) -> None:
        _columns(self)
        _within("player", self.player, 0, self.players - 1)
        _within("seat", self.seat, 0, SEATS_MAX - 1)
        if not np.isfinite(self.chips).all():
            raise ValueError("results: expected chips that are numbers")
        sizes = np.unique(self.table, return_counts=True)[1]
        _within("players at a table", sizes, 2, SEATS_MAX)
        for name, column in (("player", self.player), ("seat", self.seat)):
            if len(np.unique(np.stack((self.table, column)), axis=1).T) < len(self.table):
                raise ValueError(f"results: expected each {name} once at a table")
        _one_cluster_a_table(self.table, self.cluster)


@dataclass(frozen=True, slots=True, eq=False)
class TeamResults:
    """A row for each player of each table: team (0 or 1), role (a number from 0), whether team 0 won that table."""

    players: int
    table: Ints
    player: Ints
    team: Ints
    role: Ints
    won: Mask
    cluster: Ints

    def __post_init__(self) -> None:
        _columns(self)
        _within("player", self.player, 0, self.players - 1)
        _within("team", self.team, 0, 1)
        _within("role", self.role, 0, ROLES_MAX - 1)
        _one_cluster_a_table(self.table, self.cluster)
        _, place = np.unique(self.table, return_inverse=True)
        rows, of_first, wins = (np.bincount(place, weights=w) for w in (None, self.team == 0, self.won))
        if ((of_first == 0) | (of_first == rows)).any():
            raise ValueError("results: expected both teams at every table")
        if ((wins != 0) & (wins != rows)).any():
            raise ValueError("results: expected one outcome of a table in all of its rows")


def pair_results(
    players: int,
    first: Sequence[int],
    second: Sequence[int],
    outcome: Sequence[int],
    cluster: Sequence[int],
    decided_by_harness: Sequence[bool] = (),
) -> PairResults:
    """Results of single games; without a mask all of them were decided by play."""
    one, other, ended, repeated = map(_whole, (first, second, outcome, cluster))
    by_harness = np.asarray(decided_by_harness or [False] * len(one), dtype=np.bool_)
    return PairResults(players, one, other, ended, repeated, np.ones(len(one), dtype=np.int64), by_harness)


def table_results(players: int, rows: Sequence[tuple[int, int, int, float, int, int]]) -> TableResults:
    """Rows of table, player, rank, chips, seat and cluster."""
    table, player, rank, chips, seat, cluster = zip(*rows, strict=True) if rows else ((),) * 6
    won = np.asarray(chips, dtype=np.float64)
    return TableResults(players, _whole(table), _whole(player), _whole(rank), won, _whole(seat), _whole(cluster))


def team_results(players: int, rows: Sequence[tuple[int, int, int, int, bool, int]]) -> TeamResults:
    """Rows of table, player, team, role, whether team 0 won the table, and cluster."""
    table, player, team, role, won, cluster = zip(*rows, strict=True) if rows else ((),) * 6
    first_won = np.asarray(won, dtype=np.bool_)
    teams, roles = _whole(team), _whole(role)
    return TeamResults(players, _whole(table), _whole(player), teams, roles, first_won, _whole(cluster))


def _whole(column: Sequence[int]) -> Ints:
    return np.asarray(column, dtype=np.int64)


def rows_of(results: Columns, keep: Mask | Ints) -> Columns:
    """Some rows alone, with the same players."""
    columns = {one.name: getattr(results, one.name) for one in fields(results)}
    return type(results)(**{name: value if name == "players" else value[keep] for name, value in columns.items()})


def played_out(results: PairResults) -> PairResults:
    """The results that the harness did not decide: no forfeits."""
    return rows_of(results, ~results.decided_by_harness)


def distinct(results: PairResults, digests: Sequence[Hashable]) -> PairResults:
    """Each game once: rows of the same two players in the same order with one digest are one game, of count 1.

    Which of them is kept does not depend on the order of rows: the one of the least cluster. Raises ValueError where
    they differ in outcome.
    """
    kept: dict[tuple[int, int, Hashable], int] = {}
    if len(digests) != len(results.first):
        raise ValueError(f"results: expected {len(results.first)} digests, found {len(digests)}")
    for row in np.argsort(results.cluster, kind="stable").tolist():
        name = (int(results.first[row]), int(results.second[row]), digests[row])
        known = kept.setdefault(name, row)
        same = results.outcome[known] == results.outcome[row]
        if not same or results.decided_by_harness[known] != results.decided_by_harness[row]:
            raise ValueError("results: expected one outcome of games with the same digest")
    once = rows_of(results, np.array(sorted(kept.values()), dtype=np.int64))
    columns = {one.name: getattr(once, one.name) for one in fields(once)}
    return PairResults(**columns | {"count": np.ones(len(once.first), dtype=np.int64)})


def cluster_places(cluster: Ints) -> tuple[Ints, int]:
    """Clusters numbered from 0 in their own order, and how many there are."""
    names, place = np.unique(cluster, return_inverse=True)
    return place.astype(np.int64), len(names)


def _columns(results: PairResults | TableResults | TeamResults) -> None:
    """Every column a row of numbers of its own kind, as many as in the others: narrow integers would run over."""
    columns = {one.name: (getattr(results, one.name), KINDS[one.type]) for one in fields(results) if one.type in KINDS}
    for name, (column, kind) in columns.items():
        if not isinstance(column, np.ndarray) or column.dtype != kind or column.ndim != 1:
            raise ValueError(f"results: expected {name} as a column of {np.dtype(kind)}")
    lengths = {len(column) for column, _ in columns.values()}
    if len(lengths) != 1:
        raise ValueError(f"results: expected columns of one length, found {sorted(lengths)}")


def _within(name: str, values: Ints, least: int, greatest: int | None) -> None:
    if len(values) and (values.min() < least or (greatest is not None and values.max() > greatest)):
        limits = f"from {least} to {greatest}" if greatest is not None else f"of {least} or more"
        raise ValueError(f"results: expected {name} {limits}, found {values.min()} to {values.max()}")


def _one_cluster_a_table(table: Ints, cluster: Ints) -> None:
    if len(np.unique(np.stack((table, cluster)), axis=1).T) > len(np.unique(table)):
        raise ValueError("results: expected one cluster in all rows of a table")
