"""The rules of the village, without questions: roles, votes, the end.

night    the wolves whisper to each other and choose a victim
day      all who live speak, then all vote; whoever has most votes leaves, nobody where two have as many
end      no wolf lives: the village wins; as many wolves as others: the wolves win
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from ...core.dice import Stream

NAMES: Final = ("Ann", "Bob", "Cat", "Dan", "Eve", "Fay", "Gus", "Hal", "Ivy")
"""Of the places at the table."""
SEATS_MIN, SEATS_MAX = 5, len(NAMES)
WOLF, VILLAGER = "wolf", "villager"
TEAMS: Final = {WOLF: "wolves", VILLAGER: "villagers"}
"""Of each role, the name of the team."""


def deal_roles(draws: Stream, seats: int) -> tuple[str, ...]:
    """A role for each place: a wolf for every four seats, at least one."""
    wolves = set(draws.deal(range(seats), max(1, seats // 4)))
    return tuple(WOLF if place in wolves else VILLAGER for place in range(seats))


def most_voted(votes: Sequence[int | None]) -> int | None:
    """The place that has more votes than any other; None where there is none."""
    counts = Counter(vote for vote in votes if vote is not None).most_common(2)
    if not counts or (len(counts) == 2 and counts[0][1] == counts[1][1]):
        return None
    return counts[0][0]


def winner(roles: Sequence[str], living: Sequence[int]) -> str | None:
    """The team that has won: that of the wolves, or the village; None while neither has."""
    wolves = sum(roles[place] == WOLF for place in living)
    if not wolves:
        return VILLAGER
    return WOLF if 2 * wolves >= len(living) else None
