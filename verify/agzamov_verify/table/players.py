"""The players at a table, the name of a game, and the seeds that its players are given.

Nothing that is sent to a model may help it to know a hidden draw: see docs/decisions/0022.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final, TypeVar

import msgspec

from ..core.dice import Dice
from ..core.script import Script
from ..documents.library import Library
from ..memory.career_memory import CareerMemory
from .decision import AfterDecisions
from .game_tool import ToolUse
from .pictures import PictureDetail, PictureStyle
from .survey import UnitSurvey

V = TypeVar("V")

PLACES: Final = 16
"""Places of a game whose sent seeds are kept: more than any game has."""


class GameName(msgspec.Struct, frozen=True, gc=False):
    """`id` is unique in the run; `label` leaves the condition out.

    Draw decks and substitutes from `dice.stream(f".../{label}/...")`: then two arms of a match have the same ones.
    """

    id: str
    label: str


class PictureWish(msgspec.Struct, frozen=True):
    """How a seat is shown positions as images. `read_back`: images that it is asked to read before each game."""

    style: PictureStyle
    detail: PictureDetail
    read_back: int


class Player(msgspec.Struct, frozen=True):
    """A seat as one game needs it.

    `patterns`: sentences that its system message must hold, each after "You must keep this rule in every ...: ".
    `briefing`: text for the end of its user message, after a line "Opponent profile:"; "" for none. `scripted`: a
    script plays it. `tokens_max`: the limit of one answer, which `decision.answer_terms` tells it; 0 for none.
    `memory`: the store that it has in this career. `nothing_told`: the text in the place of what is remembered where
    nothing is; "" for no text. `tool`: how its tool is used. `library`: the documents that it may
    look up. `planted`: whatever follows its decisions, such as planted questions; give it to `decide`. `pictures`: how
    it is shown positions as images. `ended`: is told each result that is over (`tell_ended`). `survey`: what a person
    is asked beside the game. `is_person`: who may offer draws where the rules allow it.
    """

    seat: str
    patterns: tuple[str, ...] = ()
    briefing: str = ""
    scripted: bool = False
    tokens_max: int = 0
    memory: CareerMemory | None = None
    nothing_told: str = ""
    tool: ToolUse | None = None
    library: Library | None = None
    planted: AfterDecisions | None = None
    pictures: PictureWish | None = None
    ended: Callable[[Any], None] | None = None
    survey: UnitSurvey | None = None
    is_person: bool = False

    @property
    def remembers_nothing(self) -> bool:
        """True if its profile of the opponent is `told_of_opponent` at every decision."""
        return self.memory is None and not (self.briefing and self.nothing_told)

    @property
    def told_of_opponent(self) -> str:
        """The profile of a player without memory."""
        return self.briefing or self.nothing_told

    def profile(self, game: str, turn: int, query: Callable[[], str]) -> Script[str]:
        """Text about the opponent for a user message: its briefing, and the memory's entries for a query."""
        if self.remembers_nothing:
            return self.told_of_opponent
        recalled = (yield from self.memory.recall(game, turn, query())) if self.memory else ""
        return "\n".join(filter(None, (self.briefing, recalled or self.nothing_told)))

    def passages(self, name: GameName, turn: int, query: Callable[[], str], dice: Dice) -> str:
        """Text of its documents for a user message: the passages for a query."""
        if self.library is None:
            return ""
        return self.library.told(query(), dice.stream(f"documents_placebo/{name.label}/{turn}"))


def tell_ended(seats: Sequence[Player], record: Any) -> None:
    """Tell whoever listens that a result is over. Call it in a game's script; it changes nothing there."""
    if listener := seats[0].ended:
        listener(record)


def seed_for(player: Player, place_index: int, name: GameName, turn: int, dice: Dice) -> int:
    """The seed in a question to the player at a place: 0 White or button, 1 Black or big blind."""
    if player.scripted:
        return own_seed(dice, f"{name.id}/{place_index}", turn)
    return sent_seed(dice, name.id, place_index)


@lru_cache(maxsize=PLACES)
def sent_seed(dice: Dice, game: str, place_index: int) -> int:
    """The sampling seed that is sent to a model at one place in one game; servers take 31 bits.

    It is the same at every turn, and a game asks for it at every turn. Other dice have other seeds.
    """
    return dice.stream(f"sampling/{game}/{place_index}").below(2**31)


def own_seed(dice: Dice, place: str, turn: int) -> int:
    """The seed of one decision of a scripted player, who is not sent anywhere.

    One decision's action tells nothing of the next one's seed, nor of the player's cards beyond its policy, whoever
    searches all seeds for it.
    """
    return dice.stream(f"own/{place}/{turn}").wide()
