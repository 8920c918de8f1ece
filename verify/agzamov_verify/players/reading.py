"""What a scripted player reads off its prompt: labelled lines, rules it must keep, the opponent profile.

    system message    ... You must keep this rule in every game: castle within your first 8 moves, ...
    user message      the situation, by labelled lines
                      Opponent profile:
                      - VPIP: 68% | PFR: 42% | 3-Bet: 12%

The law: a player knows this text and its seed, nothing else. Dice come from the situation without
the profile, so a profile that says nothing useful leaves every move as it was.
"""

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum

from ..dice import Stream
from ..questions import Message

_RULE = "You must keep this rule in every "
_PROFILE = "\nOpponent profile:\n"
_SIGNS = {"chess960": "\nFEN: ", "holdem": "Hole cards: ["}
"""What gives each game away in a user message."""


@dataclass(frozen=True, slots=True)
class Page:
    """A prompt, taken apart: the rules its reader must keep, the situation, what is said of the opponent."""

    rules: str
    situation: str
    profile: str


def read_page(messages: tuple[Message, ...]) -> Page:
    """The first system and user messages; what follows them are rejections of earlier answers."""
    situation, _, profile = _first(messages, "user").partition(_PROFILE)
    lines = _first(messages, "system").splitlines()
    rules = [line.partition(": ")[2] for line in lines if line.startswith(_RULE)]
    return Page("\n".join(rules), situation, profile)


def game_of(page: Page) -> str:
    """The game that a situation is of. Raises ValueError for one of neither."""
    game = next((game for game, sign in _SIGNS.items() if sign in page.situation), None)
    if game is None:
        raise ValueError(f"expected a prompt of {' or '.join(_SIGNS)}, found {page.situation[:60]!r}")
    return game


def dice(page: Page, seed: int, label: str) -> Stream:
    """The draws of one answer, from the seed and the situation."""
    return Stream(hashlib.sha256(f"{seed}\n{page.situation}".encode()).digest(), label)


def labelled(page: Page, label: str) -> str:
    """What follows `label: ` at the head of a line of the situation. Raises ValueError if no line does."""
    found = re.search(rf"^{label}: (.*)$", page.situation, re.MULTILINE)
    if found is None:
        raise ValueError(f"expected a line that starts with {label!r}, found {page.situation[:60]!r}")
    return found[1]


def _first(messages: tuple[Message, ...], role: str) -> str:
    return next((message.content for message in messages if message.role == role), "")


# --- hold'em -------------------------------------------------------------------------------------


class Verb(StrEnum):
    """What a player can do, in the words of the action line."""

    FOLD = "fold"
    CHECK = "check"
    CALL = "call"
    BET = "bet"
    RAISE = "raise"


class Who(StrEnum):
    """Who did it, in the words of the history."""

    ME = "you"
    OPPONENT = "opponent"


@dataclass(frozen=True, slots=True)
class Deed:
    """One action of the history; `to_chips` is the total on its street after a bet or raise, else 0."""

    street: str
    who: Who
    verb: Verb
    to_chips: int


@dataclass(frozen=True, slots=True)
class Options:
    """What may be declared now, and the range of totals for a bet or raise (0 where there is none)."""

    verbs: tuple[Verb, ...]
    min_to_chips: int
    max_to_chips: int


@dataclass(frozen=True, slots=True)
class Spot:
    """A hold'em decision as its prompt shows it. 100 chips are one big blind."""

    hole: tuple[str, ...]
    board: tuple[str, ...]
    pot_chips: int
    to_call_chips: int
    stacks_chips: tuple[int, int]
    history: tuple[Deed, ...]
    on_button: bool
    options: Options

    @property
    def price(self) -> float:
        """What a call adds to the pot, as a share of the pot after it."""
        return self.to_call_chips / (self.pot_chips + self.to_call_chips)

    @property
    def in_front_chips(self) -> int:
        """What this player has bet on this street; 0 where it may not raise, and it does not matter."""
        return max(0, self.options.max_to_chips - self.stacks_chips[0])

    @property
    def raises(self) -> list[Deed]:
        """The raises before the flop; the first is the open, the second the 3-bet."""
        return [deed for deed in self.history if deed.street == "preflop" and deed.verb is Verb.RAISE]


_MONEY = r"(\d+(?:\.\d{1,2})?) BB"
_POT = re.compile(rf"^{_MONEY} \| To call: {_MONEY}$")
_STACKS = re.compile(rf"^you {_MONEY} \| opponent {_MONEY}$")
_DEED = re.compile(rf"(you|opponent) (fold|check|call|bet|raise)(?: to)?(?: {_MONEY})?")
_RANGE = re.compile(rf"(bet|raise)(?: to a total)? from (\d+(?:\.\d{{1,2}})?) to {_MONEY}")


def read_spot(page: Page) -> Spot:
    """The decision on `page`. Raises ValueError for a line that does not read."""
    pot, to_call = _amounts(_POT, labelled(page, "Pot"))
    return Spot(
        _cards(labelled(page, "Hole cards")),
        _cards(labelled(page, "Board")),
        pot,
        to_call,
        _amounts(_STACKS, labelled(page, "Stacks")),
        _history(labelled(page, "Action")),
        labelled(page, "Position") == "Button",
        _options(labelled(page, "Legal actions")),
    )


def _cards(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[2-9TJQKA][cdhs]", text))


def _amounts(pattern: re.Pattern[str], text: str) -> tuple[int, int]:
    found = pattern.match(text)
    if found is None:
        raise ValueError(f"expected two amounts in BB, found {text!r}")
    return _chips(found[1]), _chips(found[2])


def _chips(big_blinds: str) -> int:
    whole, _, hundredths = big_blinds.partition(".")
    return int(whole) * 100 + int(hundredths.ljust(2, "0"))


def _history(text: str) -> tuple[Deed, ...]:
    deeds = []
    for part in text.split("; "):
        street, _, done = part.partition(": ")
        for who, verb, amount in _DEED.findall(done):
            deeds.append(Deed(street, Who(who), Verb(verb), _chips(amount) if amount else 0))
    return tuple(deeds)


def _options(text: str) -> Options:
    verbs = [Verb(word) for word in text.split(", ") if word in (Verb.FOLD, Verb.CHECK, Verb.CALL)]
    sized = _RANGE.search(text)
    if sized is None:
        options = Options(tuple(verbs), 0, 0)
    else:
        options = Options((*verbs, Verb(sized[1])), _chips(sized[2]), _chips(sized[3]))
    if not options.verbs or options.min_to_chips > options.max_to_chips:
        raise ValueError(f"expected legal actions, found {text[:60]!r}")
    return options
