"""Heads-up no-limit Texas hold'em, one hand: betting, board, showdown, in integer chips.

100 chips are one big blind. Player 0 is the button: it posts the small blind, acts first before
the flop and last after it. Rules: TDA 2024 (rules 34, 43-47) and Robert's Rules of Poker v11, no-limit section:

- A bet is at least one big blind; a raise at least the last full bet or raise of the street.
- A player may always go all in for less. Such a short all-in does not reopen the betting: facing
  an all-in there is nothing but call and fold, since no one is left to raise.
- The part of a bet that the other player cannot match goes back to the bettor. So both have put
  the same into a pot at showdown, its size is even, and a split leaves no odd chip.
- There is no fold where a check is free.

pokerkit is the oracle: a test plays 100,000 random hands through both.
"""

from enum import StrEnum

import msgspec

from ...poker.actions import (
    BIG_BLIND,
    BOARD_CARDS,
    SMALL_BLIND,
    STREETS,
    ActionKind,
    Legal,
    PlayedAction,
    PokerAction,
    fault_of,
    in_bb,
)
from .cards import CARDS, evaluate, handtype

__all__ = [
    "BIG_BLIND",
    "BOARD_CARDS",
    "CARDS_DEALT",
    "SMALL_BLIND",
    "STREETS",
    "ActionKind",
    "Deal",
    "Hand",
    "HandEnd",
    "Legal",
    "PlayedAction",
    "PokerAction",
    "compare",
    "hand_kind",
    "in_bb",
]

CARDS_DEALT = 9


class HandEnd(StrEnum):
    """Reason for the end of a hand."""

    FOLD = "fold"
    SHOWDOWN = "showdown"
    FORFEIT = "forfeit"


class Deal(msgspec.Struct, frozen=True, gc=False):
    """The nine cards that a heads-up hand can use: button's two, big blind's two, the board's five."""

    button: tuple[str, str]
    big_blind: tuple[str, str]
    board: tuple[str, str, str, str, str]


class Hand:
    """One hand in progress. Raises ValueError for an action that is not legal."""

    __slots__ = (
        "_last_raise",
        "_legal",
        "_unacted",
        "bets",
        "deal",
        "history",
        "matched",
        "put_in",
        "stacks",
        "street",
        "to_act",
    )

    def __init__(self, deal: Deal, stacks: tuple[int, int]) -> None:
        self.deal = deal
        blinds = (min(SMALL_BLIND, stacks[0]), min(BIG_BLIND, stacks[1]))
        self.stacks = [stacks[0] - blinds[0], stacks[1] - blinds[1]]
        self.bets = list(blinds)
        self.put_in = list(blinds)
        self.street = 0
        self.history: list[PlayedAction] = []
        self.matched: list[int] = []
        self.to_act: int | None = 0
        self._last_raise = BIG_BLIND
        self._unacted = 2
        self._legal: Legal | None = None
        self._skip_players_who_need_not_act()

    @property
    def pot_chips(self) -> int:
        """All chips in the middle, bets of this street included."""
        return self.put_in[0] + self.put_in[1]

    @property
    def to_call_chips(self) -> int:
        """Chips that the player to act must add to stay in, at most its stack."""
        player = self.to_act or 0
        return min(self.bets[1 - player] - self.bets[player], self.stacks[player])

    @property
    def board(self) -> tuple[str, ...]:
        return self.deal.board[: BOARD_CARDS[self.street]]

    def hole(self, player: int) -> tuple[str, str]:
        return self.deal.big_blind if player else self.deal.button

    def legal(self) -> Legal:
        """The legal actions of the player to act. Raises ValueError for a finished hand."""
        if self._legal is None:
            self._legal = self._find_legal()
        return self._legal

    def _find_legal(self) -> Legal:
        player = self.to_act
        if player is None:
            raise ValueError("expected a hand in progress, found a finished one")
        mine, theirs = self.bets[player], self.bets[1 - player]
        passive = (ActionKind.FOLD, ActionKind.CALL) if theirs > mine else (ActionKind.CHECK,)
        everything = mine + self.stacks[player]
        if not self.stacks[1 - player] or everything <= theirs:
            return Legal(passive, 0, 0)
        minimum = min(theirs + self._last_raise, everything)
        aggressive = ActionKind.RAISE if theirs else ActionKind.BET
        return Legal((*passive, aggressive), minimum, everything)

    def fault(self, action: PokerAction) -> str | None:
        """Reason why `action` is not legal now; None if it is."""
        return fault_of(action, self.legal())

    def act(self, action: PokerAction) -> None:
        """Play `action` for the player to act."""
        player = self.to_act
        if player is None or self.fault(action):
            raise ValueError(self.fault(action) or "the hand is over")
        self._legal = None
        if action.kind is ActionKind.FOLD:
            self._record(player, action)
            self.to_act = None
            return
        raises_to = action.to_chips if action.kind in (ActionKind.BET, ActionKind.RAISE) else 0
        if raises_to:
            self._last_raise = max(self._last_raise, raises_to - self.bets[1 - player])
            self._put_in(player, raises_to - self.bets[player])
            self._unacted = 1
        else:
            self._put_in(player, self.to_call_chips)
            self._unacted -= 1
        self._record(player, action)
        self.to_act = 1 - player
        self._skip_players_who_need_not_act()

    def net_chips(self) -> tuple[int, int]:
        """Chips that each player won (positive) or lost (negative) in a finished hand."""
        last = self.history[-1] if self.history else None
        if last and last.action.kind is ActionKind.FOLD:
            return self.lost_by(last.player)
        matched = min(self.put_in)
        sign = compare(self.deal)
        return sign * matched, -sign * matched

    def lost_by(self, player: int) -> tuple[int, int]:
        """The hand's result when `player` gives it up: the other takes the matched pot."""
        matched = min(self.put_in)
        return (matched, -matched) if player else (-matched, matched)

    def _put_in(self, player: int, chips: int) -> None:
        self.stacks[player] -= chips
        self.bets[player] += chips
        self.put_in[player] += chips

    def _record(self, player: int, action: PokerAction) -> None:
        self.history.append(PlayedAction(self.street, player, action, not self.stacks[player]))

    def _skip_players_who_need_not_act(self) -> None:
        """Close the street when nobody is left to act, and run the board out when nobody can bet."""
        while self.to_act is not None:
            player = self.to_act
            owes = self.bets[1 - player] > self.bets[player]
            if self.stacks[player] and (owes or (self._unacted and self.stacks[1 - player])):
                return
            self._next_street()

    def _next_street(self) -> None:
        if self.street == 3:
            self.to_act = None
            return
        self.matched.append(min(self.put_in))
        self.street += 1
        self.bets = [0, 0]
        self._last_raise = BIG_BLIND
        self._unacted = 2
        self.to_act = 1


def compare(deal: Deal) -> int:
    """+1 if the button's best five of seven win at showdown, -1 if the big blind's do, 0 for a tie."""
    board = [CARDS[card] for card in deal.board]
    button = evaluate([CARDS[card] for card in deal.button] + board)
    big_blind = evaluate([CARDS[card] for card in deal.big_blind] + board)
    return int(button > big_blind) - int(button < big_blind)


def hand_kind(deal: Deal, player: int) -> str:
    """The kind of a player's best five of seven: "Two Pair"."""
    hole = deal.big_blind if player else deal.button
    return str(handtype(evaluate([CARDS[card] for card in (*hole, *deal.board)])))
