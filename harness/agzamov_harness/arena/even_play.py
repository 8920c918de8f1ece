"""Whether everybody met everybody as often: pairings that were played more than others.

A schedule keeps two pairings of a game within one unit of each other. Bundles that are left out of a folder, or added
to it, may not: whoever shows only rounds that went well, or adds games with a weak opponent, is seen by this.
"""

from itertools import combinations
from typing import NamedTuple

from agzamov_verify.table.registry import GAMES

from .arena_table import GameTable


class _Met(NamedTuple):
    """How often two players met."""

    results: int
    one: str
    other: str

    @property
    def words(self) -> str:
        return f"{self.results:,} of {self.one} and {self.other}"


def uneven_words(game: GameTable) -> str:
    """The pairing that met least and the one that met most, where they are more than one unit apart.

    Empty for games of teams and for more than two at a table, whose schedule balances who sits with whom.
    """
    least, most = _extremes(game)
    unit = game.results / max(1, game.units)
    is_of_pairs = len(GAMES[game.game].players) == 1 and not GAMES[game.game].team_names
    if not is_of_pairs or most.results - least.results <= unit:
        return ""
    return f"Not everybody met everybody as often: {least.words}, {most.words}."


def _extremes(game: GameTable) -> tuple[_Met, _Met]:
    met = {(one.player, one.opponent): one.results for one in game.pairings}
    names = sorted(row.player for row in game.rows)
    found = [_Met(met.get(pair, 0), *pair) for pair in combinations(names, 2)]
    return min(found, default=_Met(0, "", "")), max(found, default=_Met(0, "", ""), key=lambda one: one.results)
