"""Hands of a table in the Poker Hand History file format (PHH; Kim 2024, arXiv:2312.11753), which is TOML.

p1 has the small blind, and the last player the button. Chips are as in the journal, 100 a big blind. A hand that was
given up where a check is free has a fold there, which pokerkit reads with a warning.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from ...core.columns import ascii_words
from ...poker.actions import BIG_BLIND, BOARD_CARDS, ActionKind, PlayedAction
from ...show.replayed_game import PlayedGame
from .hand_script import RingRecord, RingRules, RingStory, end_of, replayed, steps_of
from .positions import ALONE
from .rules import RingHand
from .sit_and_go import SitAndGoRecord

SPELLED: Final = {ActionKind.FOLD: "f", ActionKind.CHECK: "cc", ActionKind.CALL: "cc"}


def phh(played: PlayedGame, title: str, rules: RingRules) -> str:
    """The keys of one hand, without a table's header."""
    record: RingRecord = played.record
    blinds, stacks = (rules.small_blind_chips, BIG_BLIND), (rules.stack_chips,) * len(record.order)
    steps = replayed(record.story, rules)
    told = _Told(played.number + 1, blinds, stacks, record.outcomes, played.placed)
    return _toml(_fields(record.story, steps, told) | _named(played, title) | {"_end": record.end.value})


def tournament_phh(played: PlayedGame, title: str) -> Iterator[str]:
    """The keys of each hand of a sit-and-go."""
    record: SitAndGoRecord = played.record
    for number, hand in enumerate(record.hands, start=1):
        names = [played.placed[place] for place in hand.places]
        blinds = (hand.big_blind_chips // 2, hand.big_blind_chips)
        told = _Told(number, blinds, hand.stacks, hand.net, names)
        fields = _fields(hand.story, steps_of(hand.begun(), hand.story), told)
        yield _toml(fields | _named(played, title) | {"_end": end_of(hand.story, len(hand.places)).value})


class _Told(NamedTuple):
    """What stands around the cards and actions of a hand, by place, the button first."""

    number: int
    blinds: tuple[int, int]
    stacks: Sequence[int]
    net: Sequence[int]
    names: Sequence[str]


def _named(played: PlayedGame, title: str) -> dict[str, object]:
    return {"event": ascii_words(title), "_game": played.record.game, "_match": played.match.id}


def _toml(fields: Mapping[str, object]) -> str:
    return "".join(f"{name} = {json.dumps(value)}\n" for name, value in fields.items()) + "\n"


def _fields(story: RingStory, steps: Iterator[tuple[RingHand, PlayedAction | None]], told: _Told) -> dict[str, object]:
    """The keys of a hand of its cards and actions."""
    _, blinds, stacks, net, names = told
    seats = len(stacks)
    posted = [0] * seats
    for place, blind in zip(((0, 1) if seats == len(ALONE) else (1, 2)), blinds, strict=True):
        posted[place] = blind
    # Of two players pokerkit reads the small blind first, and gives it to the second player, who has the button.
    in_order = [*posted[1:], posted[0]] if seats > len(ALONE) else posted
    finishing = [stack + won for stack, won in zip(stacks, net, strict=True)]
    return {
        "variant": "NT",
        "ante_trimming_status": True,
        "antes": [0] * seats,
        "blinds_or_straddles": in_order,
        "min_bet": blinds[1],
        "starting_stacks": [*stacks[1:], stacks[0]],
        "actions": [*_actions(story, steps, seats)],
        "hand": told.number,
        "players": [ascii_words(name) for name in (*names[1:], names[0])],
        "finishing_stacks": [*finishing[1:], finishing[0]],
    }


def _player(place: int, seats: int) -> str:
    """pokerkit's name of a place: the small blind is p1, the button the last."""
    return f"p{(place - 1) % seats + 1}"


def _actions(story: RingStory, steps: Iterator[tuple[RingHand, PlayedAction | None]], seats: int) -> Iterator[str]:
    holes, shown = story.deal.holes, 0
    in_order = [*range(1, seats), 0]
    for place in in_order:
        yield f"d dh {_player(place, seats)} {''.join(holes[place])}"
    last: RingHand | None = None
    folded = set[int]()
    for hand, acted in steps:
        yield from _boards(hand.board, shown)
        shown, last = len(hand.board), hand
        if acted:
            folded |= {acted.player} if acted.action.kind is ActionKind.FOLD else set()
            yield f"{_player(acted.player, seats)} {SPELLED.get(acted.action.kind, f'cbr {acted.action.to_chips}')}"
    if last and len(folded) < seats - 1:
        for place in in_order:
            if place not in folded:
                yield f"{_player(place, seats)} sm {''.join(holes[place])}"


def _boards(board: tuple[str, ...], shown: int) -> Iterator[str]:
    """The cards that were dealt since an action."""
    for before, after in pairwise(BOARD_CARDS):
        if shown <= before and after <= len(board):
            yield f"d db {''.join(board[before:after])}"
