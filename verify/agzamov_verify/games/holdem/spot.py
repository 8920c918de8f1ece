"""A hold'em decision as its player sees it, read off the prompt or taken from the hand."""

import re
from dataclasses import dataclass
from enum import StrEnum

from ...table.prompt_lines import Page, labelled
from .rules import STREETS, ActionKind, Hand, PlayedAction


class Verb(StrEnum):
    """A player's actions, in the words of the action line."""

    FOLD = "fold"
    CHECK = "check"
    CALL = "call"
    BET = "bet"
    RAISE = "raise"


class Who(StrEnum):
    """The player of an action, in the words of the history."""

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
class LegalOptions:
    """The actions that may be declared now, and the range of totals for a bet or raise (0 where there is none)."""

    verbs: tuple[Verb, ...]
    min_to_chips: int
    max_to_chips: int


@dataclass(frozen=True, slots=True)
class SeenSpot:
    """A hold'em decision as its prompt shows it. 100 chips are one big blind."""

    hole: tuple[str, ...]
    board: tuple[str, ...]
    pot_chips: int
    to_call_chips: int
    stacks_chips: tuple[int, int]
    history: tuple[Deed, ...]
    on_button: bool
    options: LegalOptions

    @property
    def price(self) -> float:
        """Price of a call (pot odds), as a share of the pot after it."""
        return self.to_call_chips / (self.pot_chips + self.to_call_chips)

    @property
    def in_front_chips(self) -> int:
        """Chips that this player has bet on this street; 0 where it may not raise, since there it does not matter."""
        return max(0, self.options.max_to_chips - self.stacks_chips[0])

    @property
    def raises(self) -> list[Deed]:
        """The raises before the flop; the first is the open, the second the 3-bet."""
        return [deed for deed in self.history if deed.street == "preflop" and deed.verb is Verb.RAISE]


_VERBS = {kind: Verb(kind.value) for kind in ActionKind}
_MONEY = r"(\d+(?:\.\d{1,2})?) BB"
_POT = re.compile(rf"^{_MONEY} \| To call: {_MONEY}$")
_STACKS = re.compile(rf"^you {_MONEY} \| opponent {_MONEY}$")
_DEED = re.compile(rf"(you|opponent) (fold|check|call|bet|raise)(?: to)?(?: {_MONEY})?")
_RANGE = re.compile(rf"(bet|raise)(?: to a total)? from (\d+(?:\.\d{{1,2}})?) to {_MONEY}")


def read_spot(page: Page) -> SeenSpot:
    """The decision on `page`. Raises ValueError for a line that does not read."""
    pot, to_call = _amounts(_POT, labelled(page, "Pot"))
    return SeenSpot(
        _cards(labelled(page, "Hole cards")),
        _cards(labelled(page, "Board")),
        pot,
        to_call,
        _amounts(_STACKS, labelled(page, "Stacks")),
        _history(labelled(page, "Action")),
        labelled(page, "Position") == "Button",
        _options(labelled(page, "Legal actions")),
    )


def spot_of(hand: Hand, player: int) -> SeenSpot:
    """The decision of `player`, who is to act, as `read_spot` reads it off the prompt."""
    legal = hand.legal()
    return SeenSpot(
        hand.hole(player),
        hand.board,
        hand.pot_chips,
        hand.to_call_chips,
        (hand.stacks[player], hand.stacks[1 - player]),
        tuple(deed_of(played, player) for played in hand.history),
        player == 0,
        LegalOptions(tuple(_VERBS[kind] for kind in legal.kinds), legal.min_to_chips, legal.max_to_chips),
    )


def deed_of(played: PlayedAction, player: int) -> Deed:
    """An action as `player` sees it."""
    who = Who.ME if played.player == player else Who.OPPONENT
    return Deed(STREETS[played.street], who, _VERBS[played.action.kind], played.action.to_chips)


def _cards(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[2-9TJQKA][cdhs]", text))


def _amounts(pattern: re.Pattern[str], text: str) -> tuple[int, int]:
    matched = pattern.match(text)
    if matched is None:
        raise ValueError(f"expected two amounts in BB, found {text!r}")
    return _chips(matched[1]), _chips(matched[2])


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


def _options(text: str) -> LegalOptions:
    verbs = [Verb(word) for word in text.split(", ") if word in (Verb.FOLD, Verb.CHECK, Verb.CALL)]
    sized = _RANGE.search(text)
    if sized is None:
        options = LegalOptions(tuple(verbs), 0, 0)
    else:
        options = LegalOptions((*verbs, Verb(sized[1])), _chips(sized[2]), _chips(sized[3]))
    if not options.verbs or options.min_to_chips > options.max_to_chips:
        raise ValueError(f"expected legal actions, found {text[:60]!r}")
    return options
