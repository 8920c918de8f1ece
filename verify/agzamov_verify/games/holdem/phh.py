"""A hand of hold'em in the Poker Hand History file format (PHH; Kim 2024, arXiv:2312.11753), which is TOML.

Heads-up, pokerkit takes p1 to have the big blind and p2 the button, and turns the two blinds round. Chips are as in
the journal, 100 a big blind.
"""

import json
from collections.abc import Iterator
from typing import Final

from ...core.columns import ascii_words
from ...show.replayed_game import PlayedGame
from .hand_script import HandRecord, HandStory
from .rules import BIG_BLIND, BOARD_CARDS, SMALL_BLIND, ActionKind, Hand, HandEnd

BUTTON, BIG = "p2", "p1"
PLAYERS: Final = (BUTTON, BIG)
SPELLED: Final = {ActionKind.FOLD: "f", ActionKind.CHECK: "cc", ActionKind.CALL: "cc"}


def phh(played: PlayedGame, title: str, stack_chips: int) -> str:
    """The keys of one hand, without a table's header. Raises ValueError for a hand without its course."""
    record: HandRecord = played.record
    if record.story is None:
        raise ValueError(f"{record.game} has no course to export")
    stacks = [stack_chips, stack_chips]
    fields = {
        "variant": "NT",
        "ante_trimming_status": True,
        "antes": [0, 0],
        "blinds_or_straddles": [SMALL_BLIND, BIG_BLIND],
        "min_bet": BIG_BLIND,
        "starting_stacks": stacks,
        "actions": [*_actions(record, record.story)],
        "hand": played.number + 1,
        "players": [ascii_words(name) for name in played.placed[::-1]],
        "finishing_stacks": [stack_chips - record.net_chips, stack_chips + record.net_chips],
        "winnings": _winnings(record, record.story, stack_chips),
        "event": ascii_words(title),
        "_game": record.game,
        "_match": played.match.id,
        "_end": record.end.value,
    }
    return "".join(f"{name} = {json.dumps(value)}\n" for name, value in fields.items()) + "\n"


def _winnings(record: HandRecord, story: HandStory, stack_chips: int) -> list[int]:
    """Chips that each player takes out of the pot, the big blind first. What was not called goes back, and is none."""
    hand = Hand(story.deal, (stack_chips, stack_chips))
    for acted in story.history:
        hand.act(acted.action)
    put_in = min(hand.put_in)
    return [put_in - record.net_chips, put_in + record.net_chips]


def _actions(record: HandRecord, story: HandStory) -> Iterator[str]:
    deal, board = story.deal, story.deal.board
    holes = {BIG: "".join(deal.big_blind), BUTTON: "".join(deal.button)}
    for player, hole in holes.items():
        yield f"d dh {player} {hole}"
    street = 0
    for acted in story.history:
        yield from _streets(board, street, acted.street)
        street = acted.street
        action = acted.action
        spelled = SPELLED.get(action.kind, f"cbr {action.to_chips}")
        yield f"{PLAYERS[acted.player]} {spelled}"
    if record.end is HandEnd.SHOWDOWN:
        yield from _streets(board, street, len(BOARD_CARDS) - 1)
        for player, hole in holes.items():
            yield f"{player} sm {hole}"


def _streets(board: tuple[str, ...], before: int, now: int) -> Iterator[str]:
    """The cards that were dealt since an action."""
    for street in range(before + 1, now + 1):
        yield f"d db {''.join(board[BOARD_CARDS[street - 1] : BOARD_CARDS[street]])}"
