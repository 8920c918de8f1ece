"""Every decision of a played hand, as the player that took it saw it."""

from collections.abc import Iterator
from typing import NamedTuple

from .page import Deed, Spot, deed_of, spot_of
from .rules import BIG_BLIND, Hand
from .script import HandStory

STACK_CHIPS_ANY = 10**9
"""Stands for both stacks of a hand in which nobody was all in: every greater stack gives the same decisions."""


class Decision(NamedTuple):
    """View and action of `player` (0 the button, 1 the big blind) at action `turn`, its own or a substitute."""

    turn: int
    player: int
    spot: Spot
    deed: Deed


def decisions(story: HandStory) -> Iterator[Decision]:
    """The decisions of both players, in order."""
    stack_chips = _stack_chips(story)
    hand = Hand(story.deal, (stack_chips, stack_chips))
    for turn, played in enumerate(story.history):
        yield Decision(turn, played.player, spot_of(hand, played.player), deed_of(played, played.player))
        hand.act(played.action)


def _stack_chips(story: HandStory) -> int:
    """Both stacks at the start: as much as a player had put in who was all in, since the stacks are equal."""
    if not any(played.all_in for played in story.history):
        return STACK_CHIPS_ANY
    most = [BIG_BLIND, 0, 0, 0]
    for played in story.history:
        most[played.street] = max(most[played.street], played.action.to_chips)
    return sum(most)
