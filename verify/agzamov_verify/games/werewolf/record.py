"""One game of Werewolf as it was played: by place, with everything that was said and who heard it."""

from typing import Final

import msgspec

from ...table.decision import Tally, added
from ...table.game import Block
from ...table.seating import by_seat
from ...table.speech import Said
from .rules import End, Role, halfpoints

HALFPOINTS_OF_A_GAME: Final = 2


class Night(msgspec.Struct, frozen=True):
    """A night: the wolves' messages and votes, whom seer and doctor chose, who was attacked and who died.

    Numbers are places. `votes`: by place. -1: nobody, no vote, or no such player lives.
    """

    said: tuple[Said, ...]
    votes: tuple[int, ...]
    inspected: int
    protected: int
    attacked: int
    died: int


class Day(msgspec.Struct, frozen=True):
    """A day: the order of speech, all messages, for whom each place voted, who was exiled. Numbers as of a night."""

    order: tuple[int, ...]
    said: tuple[Said, ...]
    votes: tuple[int, ...]
    died: int


class WerewolfRecord(msgspec.Struct, frozen=True):
    """One game. `order`: the seats by place; names, roles and tallies are by place too.

    A night stands before the day of its number; the last day is missing where the night ended the game.
    """

    game: str
    order: tuple[int, ...]
    names: tuple[str, ...]
    roles: tuple[Role, ...]
    nights: tuple[Night, ...]
    days: tuple[Day, ...]
    end: End
    tallies: tuple[Tally, ...]

    @property
    def outcomes(self) -> tuple[int, ...]:
        """Half-points: 2 for each place of the team that won, dead or alive; 1 for all at the day limit."""
        village, wolves = halfpoints(self.end)
        return tuple(wolves if role is Role.WOLF else village for role in self.roles)

    @property
    def by_play(self) -> bool:
        """Whether every choice and message was a seat's own."""
        return not any(tally.substituted or tally.forfeited for tally in self.tallies)


class WerewolfBlock(Block, frozen=True):
    """Records of the games of one stream."""

    records: tuple[WerewolfRecord, ...]

    @property
    def tallies(self) -> tuple[Tally, ...]:
        seats = len(self.records[0].order)
        return added((by_seat(record.tallies, record.order) for record in self.records), seats)
