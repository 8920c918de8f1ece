"""The rules of Werewolf, without questions: roles and names, votes, a night, the end.

night    wolves talk to each other and vote for a victim; the seer inspects somebody; the doctor protects somebody
dawn     the victim is dead unless the doctor protected it; what it was is told
day      all who live speak in turn, then all vote at once; whoever has most votes is exiled, nobody where two have
end      no wolf lives: the village wins; as many wolves as others: the wolves win; the last day is over: nobody wins

Sources: GAME_RULE.md of Kaggle's Werewolf and its standard configuration of eight seats. Ours differ where theirs has
options: votes are parallel, a tie by day exiles nobody, a tie of wolves is drawn from the sealed seed, the doctor
protects neither itself nor one player in two consecutive nights.
"""

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta

from ...core.dice import Dice, Stream
from ...experiment.plan_fields import Part
from ...table.decision import IllegalPolicy

SEATS_MIN, SEATS_MAX = 5, 12
NOBODY: Final = -1
"""In the place of a player: no vote, no victim."""
NAMES: Final = (
    "Alder",
    "Aspen",
    "Birch",
    "Cedar",
    "Elm",
    "Hazel",
    "Linden",
    "Maple",
    "Oak",
    "Pine",
    "Rowan",
    "Willow",
)
"""Trees: of nobody's sex or country. Which player has which is drawn for each game."""


class Role(StrEnum):
    """What a player is."""

    VILLAGER = "villager"
    SEER = "seer"
    DOCTOR = "doctor"
    WOLF = "wolf"


class Reveal(StrEnum):
    """What is told of a player who is dead."""

    ROLE = "role"
    NOTHING = "nothing"


class End(StrEnum):
    """How a game ended."""

    NO_WOLVES = "no_wolves"
    PARITY = "parity"
    DAY_LIMIT = "day_limit"


VILLAGE, WOLVES = 0, 1
TEAMS: Final = ("village", "wolves")


class WerewolfRules(Part, frozen=True):
    """Settings of the game. Whoever is neither wolf, seer nor doctor is a villager."""

    wolves: Annotated[int, Meta(ge=1, le=4)] = 2
    seers: Annotated[int, Meta(ge=0, le=1)] = 1
    doctors: Annotated[int, Meta(ge=0, le=1)] = 1
    speech_rounds: Annotated[int, Meta(ge=1, le=2)] = 1
    speech_characters: Annotated[int, Meta(ge=40, le=1000)] = 300
    days: Annotated[int, Meta(ge=1, le=20)] = 10
    reveal: Reveal = Reveal.ROLE
    illegal: IllegalPolicy = IllegalPolicy.SUBSTITUTE


def roles_of(rules: WerewolfRules, seats: int) -> tuple[Role, ...]:
    """The roles of a game, not yet dealt."""
    special = (Role.WOLF,) * rules.wolves + (Role.SEER,) * rules.seers + (Role.DOCTOR,) * rules.doctors
    return special + (Role.VILLAGER,) * (seats - len(special))


def deal_roles(rules: WerewolfRules, dice: Dice, draws: str, index: int, seats: int) -> tuple[Role, ...]:
    """The role of each place in result `index` of a match; `draws`: its label of hidden draws (`Match.draws`).

    Places keep their roles over a set of as many results as there are seats. In a set each seat has each place once
    (`seating`), so it has each role as often as the role is in the game.
    """
    return tuple(dice.stream(f"werewolf_roles/{draws}/{index // seats}").deal(roles_of(rules, seats), seats))


def deal_names(draws: Stream, seats: int) -> tuple[str, ...]:
    """A name for each place."""
    return tuple(draws.deal(NAMES, seats))


def leaders(votes: Sequence[int]) -> list[int]:
    """The places with most votes, in order; none where nobody voted."""
    counts = Counter(vote for vote in votes if vote != NOBODY)
    return sorted(place for place, count in counts.items() if count == max(counts.values()))


def exiled(votes: Sequence[int]) -> int:
    """The place that is exiled by day: that with more votes than any other."""
    most = leaders(votes)
    return most[0] if len(most) == 1 else NOBODY


def victim(votes: Sequence[int], tie: Stream) -> int:
    """The place that the wolves attack: of those with most votes, one drawn from `tie`."""
    most = leaders(votes)
    return tie.choice(most) if most else NOBODY


def ended(roles: Sequence[Role], living: Sequence[int]) -> End | None:
    """How the game has ended, if it has."""
    wolves = sum(roles[place] is Role.WOLF for place in living)
    if not wolves:
        return End.NO_WOLVES
    return End.PARITY if 2 * wolves >= len(living) else None


def halfpoints(end: End) -> tuple[int, int]:
    """Half-points of each player of the village, and of each wolf, dead or alive."""
    return {End.NO_WOLVES: (2, 0), End.PARITY: (0, 2), End.DAY_LIMIT: (1, 1)}[end]
