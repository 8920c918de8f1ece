"""A hand of hold'em in progress, as its prompts show it: a player's cards are known once it was asked."""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

from ...core.questions import Message
from ...table.prompt_lines import Page, labelled, read_page
from .rules import BIG_BLIND, BOARD_CARDS, SMALL_BLIND, STREETS

PLACES: Final = ("Button", "Big blind")
NO_ACTION: Final = "none"
_STACKS: Final = re.compile(r"you ([0-9.]+) BB \| opponent ([0-9.]+) BB")
_POT: Final = re.compile(r"([0-9.]+) BB \| To call: [0-9.]+ BB")
_RAISED: Final = re.compile(r"(?:bet|raise to) ([0-9.]+) BB")
_CARD: Final = re.compile("[2-9TJQKA][cdhs]")


class _Told(NamedTuple):
    """An action as a prompt tells it: by which place, on which street, in which words."""

    place: int
    street: int
    words: str


def hand_live_frame(asked: Sequence[tuple[Message, ...]]) -> dict[str, Any]:
    """The hand as it was asked about last; cards of a place are empty until it was asked. Raises ValueError."""
    holes: list[list[str]] = [[], []]
    for messages in asked:
        page = read_page(messages)
        holes[PLACES.index(labelled(page, "Position"))] = _CARD.findall(labelled(page, "Hole cards"))
    page = read_page(asked[-1])
    to_act = PLACES.index(labelled(page, "Position"))
    board = _CARD.findall(labelled(page, "Board"))
    actions = _actions(page, to_act)
    bets = _bets(actions, BOARD_CARDS.index(len(board)))
    mine, theirs = _amounts(_STACKS, labelled(page, "Stacks"))
    last = actions[-1] if actions else None
    return {
        "label": last.words if last else "blinds",
        "said": f"{PLACES[last.place]}: {last.words}" if last else "Blinds are posted",
        "street": STREETS[BOARD_CARDS.index(len(board))],
        "by": last.place if last else -1,
        "to_act": to_act,
        "holes": holes,
        "board": board,
        "stacks": [theirs, mine] if to_act else [mine, theirs],
        "bets": bets,
        "pot": _amounts(_POT, labelled(page, "Pot"))[0] - sum(bets),
    }


def _actions(page: Page, to_act: int) -> list[_Told]:
    """The actions so far: "preflop: you raise to 3 BB, opponent call; flop: opponent check"."""
    told = labelled(page, "Action")
    if told == NO_ACTION:
        return []
    actions = []
    for part in told.split("; "):
        street, _, done = part.partition(": ")
        for one in done.split(", "):
            who, _, words = one.partition(" ")
            actions.append(_Told(to_act if who == "you" else 1 - to_act, STREETS.index(street), words))
    return actions


def _bets(actions: Sequence[_Told], street: int) -> list[int]:
    """The chips in front of both places on the present street."""
    bets = [0, 0] if street else [SMALL_BLIND, BIG_BLIND]
    for told in actions:
        if told.street != street:
            continue
        if raised := _RAISED.match(told.words):
            bets[told.place] = _chips(raised[1])
        elif told.words.startswith("call"):
            bets[told.place] = bets[1 - told.place]
    return bets


def _amounts(pattern: re.Pattern[str], text: str) -> list[int]:
    """The amounts in big blinds, in chips."""
    found = pattern.match(text)
    if found is None:
        raise ValueError(f"expected amounts in BB, found {text!r}")
    return [_chips(amount) for amount in found.groups()]


def _chips(amount: str) -> int:
    return int(Fraction(amount) * BIG_BLIND)
