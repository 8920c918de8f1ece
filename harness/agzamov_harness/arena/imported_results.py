"""Results that others published, as columns by game: who met whom and how it ended. Nothing here was verified.

They come from tables of pairs (`pair_tables`) and from episodes (`game_arena_episodes`), and they are rated by
themselves (`imported_table`): no result of a verified bundle stands beside them.
"""

from array import array
from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec
import numpy as np

from agzamov_verify.core.columns import foreign_name
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.scoring.arena_ratings.results_table import (
    Ints,
    PairResults,
    TableResults,
    distinct,
    table_results,
)

PLAYERS_MAX: Final = 500
GAMES_MAX: Final = 100
ROWS_MAX: Final = 5_000_000
COUNT_MAX: Final = 1_000_000
"""The most like results that a row may stand for."""
NAME_CHARACTERS_MAX: Final = 200


class Source(msgspec.Struct, frozen=True):
    """The place from which results were taken: a file, or a folder of so many files.

    `sha256`: of the file's bytes; of a folder, of the digests of its files in the order of their names.
    """

    path: str
    files: int
    sha256: str

    @property
    def label(self) -> str:
        """What stands above everything that follows from it."""
        of = "" if self.files == 1 else f" of its {self.files:,} files"
        return f"not verified: taken from {self.path} (sha256{of} {self.sha256})"


class PairRow(NamedTuple):
    """A result of two players. `outcome`: the first one's (0 loss, 1 draw, 2 win).

    `cluster`: rows that share one are not independent; a row with an empty one is a cluster by itself. `digest`: of
    what was played, where it is known: games of one digest are counted once. `weight`: so many like results.
    """

    game: str
    first: str
    second: str
    outcome: int
    cluster: str = ""
    digest: str = ""
    weight: int = 1
    is_forfeit: bool = False


class Finish(NamedTuple):
    """The order of finish at a table of three and more: 0 is first, players who tie have one rank.

    `cluster`: as of a `PairRow`.
    """

    names: tuple[str, ...]
    ranks: tuple[int, ...]
    cluster: str = ""


class GameColumns:
    """The rows of one game in columns; players and clusters by number, in the order in which they were met."""

    def __init__(self) -> None:
        self.first, self.second, self.outcome = array("q"), array("q"), array("q")
        self.cluster, self.count, self.forfeit = array("q"), array("q"), array("b")
        self.digests = list[str]()
        self.tables = list[tuple[tuple[int, ...], tuple[int, ...], str]]()
        self._clusters = dict[str, int]()

    def add(self, row: PairRow, first: int, second: int) -> None:
        """One more row, of players with these numbers."""
        number = len(self.first)
        cluster = self._clusters.setdefault(row.cluster, number) if row.cluster else number
        columns = (self.first, first), (self.second, second), (self.outcome, row.outcome), (self.cluster, cluster)
        for column, value in columns:
            column.append(value)
        self.count.append(row.weight)
        self.forfeit.append(row.is_forfeit)
        if row.digest or self.digests:
            self.digests += [""] * (number - len(self.digests)) + [row.digest]

    def finishes(self, order: Ints) -> TableResults:
        """The tables for a fit, in an order that does not depend on that of the source."""
        told = sorted(
            (tuple(int(order[player]) for player in players), ranks, cluster) for players, ranks, cluster in self.tables
        )
        clusters = dict[str, int]()
        rows = [
            (number, player, rank, 0.0, seat, clusters.setdefault(cluster, number) if cluster else number)
            for number, (players, ranks, cluster) in enumerate(told)
            for seat, (player, rank) in enumerate(zip(players, ranks, strict=True))
        ]
        return table_results(len(order), rows)

    @property
    def results(self) -> int:
        """How many results the rows stand for."""
        return sum(self.count)

    def pairs(self, order: Ints) -> PairResults:
        """The rows for a fit, each game of one digest once. `order`: the new number of each player."""
        columns = (np.array(one, dtype=np.int64) for one in (self.outcome, self.cluster, self.count))
        outcome, cluster, count = columns
        first, second = order[np.array(self.first)], order[np.array(self.second)]
        pairs = PairResults(len(order), first, second, outcome, cluster, count, np.array(self.forfeit, dtype=np.bool_))
        if not any(self.digests):
            return pairs
        rest = [""] * (len(first) - len(self.digests))
        told = enumerate((*self.digests, *rest))
        return distinct(pairs, [digest or number for number, digest in told])


class ImportedResults(NamedTuple):
    """All results of one source. `players`: names by number. `left_out`: reasons with how often each was met."""

    source: Source
    players: tuple[str, ...]
    games: Mapping[str, GameColumns]
    left_out: Mapping[str, int]


class Gathered:
    """Results as they are read, row by row."""

    def __init__(self) -> None:
        self._players = dict[str, int]()
        self._games = dict[str, GameColumns]()
        self._left_out = dict[str, int]()
        self._rows = 0

    def add(self, row: PairRow) -> None:
        """Raises ManifestError, without a place, for a row that cannot be."""
        if row.first == row.second:
            raise ManifestError(f"expected two players, found {foreign_name(row.first)} against itself")
        if not 1 <= row.weight <= COUNT_MAX:
            raise ManifestError(f"expected a weight from 1 to {COUNT_MAX:,}, a whole number, found {row.weight}")
        self._rows += 1
        if self._rows > ROWS_MAX:
            raise ManifestError(f"expected at most {ROWS_MAX:,} results")
        columns = self._games.setdefault(_name("game", row.game), GameColumns())
        if len(self._games) > GAMES_MAX:
            raise ManifestError(f"expected at most {GAMES_MAX} games")
        columns.add(row, self._player(row.first), self._player(row.second))

    def add_finish(self, game: str, finish: Finish) -> None:
        """A table of a game of which pairs were added, by its order of finish."""
        players = tuple(self._player(name) for name in finish.names)
        self._games[game].tables.append((players, finish.ranks, finish.cluster))

    def leave_out(self, reason: str) -> None:
        """Something of the source counts for nothing."""
        self._left_out[reason] = self._left_out.get(reason, 0) + 1

    def results(self, source: Source) -> ImportedResults:
        """All that was read. Raises ManifestError where that is nothing."""
        if not self._games:
            told = "; ".join(f"{reason}: {count:,}" for reason, count in self._left_out.items())
            raise ManifestError(f"{source.path}: expected results, found none" + (f" ({told})" if told else ""))
        return ImportedResults(source, tuple(self._players), dict(sorted(self._games.items())), dict(self._left_out))

    def _player(self, name: str) -> int:
        number = self._players.get(name)
        if number is None:
            number = self._players[_name("player", name)] = len(self._players)
            if number >= PLAYERS_MAX:
                raise ManifestError(f"expected at most {PLAYERS_MAX} players")
        return number


def _name(what: str, name: str) -> str:
    if not 1 <= len(name) <= NAME_CHARACTERS_MAX or not name.strip():
        raise ManifestError(f"expected the name of a {what}, of at most {NAME_CHARACTERS_MAX} characters")
    return name
