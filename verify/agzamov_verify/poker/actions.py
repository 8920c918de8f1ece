"""Actions of a player of no-limit hold'em, in integer chips: 100 are one big blind."""

from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Protocol

import msgspec

BIG_BLIND, SMALL_BLIND = 100, 50
STREETS = ("preflop", "flop", "turn", "river")
BOARD_CARDS = (0, 3, 4, 5)


class ActionKind(StrEnum):
    """Kinds of action of a player. BET opens a street, RAISE raises a bet (the blinds are bets)."""

    FOLD = "fold"
    CHECK = "check"
    CALL = "call"
    BET = "bet"
    RAISE = "raise"


class PokerAction(msgspec.Struct, frozen=True, gc=False):
    """An action; `to_chips` is the player's total on this street after a bet or raise, else 0."""

    kind: ActionKind
    to_chips: int = 0


class Legal(msgspec.Struct, frozen=True, gc=False):
    """Legal actions of the player to act: kinds, and the range of totals for a bet or raise."""

    kinds: tuple[ActionKind, ...]
    min_to_chips: int
    max_to_chips: int


class PlayedAction(msgspec.Struct, frozen=True, gc=False):
    """An action as it was played: street 0-3, the player's place, verb and amount."""

    street: int
    player: int
    action: PokerAction
    all_in: bool


class Betting(Protocol):
    """A hand in progress, as far as the spelling of an action depends on it. Bets and stacks are by place."""

    @property
    def to_act(self) -> int | None: ...

    @property
    def bets(self) -> Sequence[int]: ...

    @property
    def stacks(self) -> Sequence[int]: ...

    @property
    def to_call_chips(self) -> int: ...

    def legal(self) -> Legal: ...

    def fault(self, action: PokerAction) -> str | None: ...


def fault_of(action: PokerAction, legal: Legal) -> str | None:
    """Reason why `action` is not legal now; None if it is."""
    if action.kind not in legal.kinds:
        return f"{action.kind.value} is not legal here"
    sized = action.kind in (ActionKind.BET, ActionKind.RAISE)
    if sized and not legal.min_to_chips <= action.to_chips <= legal.max_to_chips:
        return f"the amount must be from {in_bb(legal.min_to_chips)} to {in_bb(legal.max_to_chips)} BB"
    return None


@lru_cache(maxsize=2**14)
def in_bb(chips: int) -> str:
    """Chips as big blinds with at most two decimals: 250 -> "2.5"."""
    whole, hundredths = divmod(chips, BIG_BLIND)
    return f"{whole}.{hundredths:02d}".rstrip("0").rstrip(".")
