"""What the teams of a match won, where its game has teams: counts, no inference.

A team's players may change from result to result, so the row of a team is of no seat.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from ..table.game import Game


class TeamOutcome(msgspec.Struct, frozen=True):
    """Numbers of results (games or hands) that one team won, drew and lost, of those in which it played."""

    team: str
    won: int
    drawn: int
    lost: int

    @property
    def count(self) -> int:
        """Number of results in which the team played."""
        return self.won + self.drawn + self.lost


def team_outcomes(game: Game, records: Iterable[Any]) -> tuple[TeamOutcome, ...]:
    """A row for each of `Game.team_names`, in their order; none for a game without teams."""
    counts = {number: {1: 0, 0: 0, -1: 0} for number in range(len(game.team_names))}
    if counts:
        for record in records:
            for number, won in game.won_by_team(record).items():
                counts[number][won] += 1
    return tuple(TeamOutcome(game.team_names[number], *row.values()) for number, row in counts.items())
