"""No-limit Texas hold'em for two to nine, one hand: pokerkit keeps bets, pots and the showdown, in integer chips.

Place 0 is the button, place 1 the small blind, place 2 the big blind, and so on around the table; pokerkit begins with
the small blind. Of two players place 0 has the button and the small blind, and acts first before the flop.
Rules: TDA 2024 (rules 20, 43-47).

- A bet is at least one big blind; a raise at least the largest bet or raise of the street. All in is always allowed.
- Whoever acted on a street may raise again on it only if the bet has grown by a full raise since, in one raise or in
  several all-ins (rule 47). pokerkit 0.7.7 measures against the raises of the street alone, so that a first all-in of
  less than a big blind reopens the betting there; here it does not.
- There is no fold where a check is free.
- Players with equal hands share a pot; what cannot be shared evenly goes to the first of them to the left of the button
  (rule 20). Pots with the same winners are shared as one.
"""

from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import Final

import msgspec

from ...core.dice import Dice
from ...poker.actions import BIG_BLIND, BOARD_CARDS, ActionKind, Legal, PlayedAction, PokerAction, fault_of
from ...poker.cards import CARDS, DECK, evaluate, handtype

BUTTON, SMALL_BLIND_PLACE, BIG_BLIND_PLACE = 0, 1, 2
BLINDS: Final = 2
SEATS_MIN, SEATS_MAX = 3, 9
NOT_ACTED: Final = -1


class RingDeal(msgspec.Struct, frozen=True, gc=False):
    """The cards of a hand: two for each place, and the board's five."""

    holes: tuple[tuple[str, str], ...]
    board: tuple[str, ...]


class Pot(msgspec.Struct, frozen=True, gc=False):
    """Chips that the players at some places can win."""

    chips: int
    places: tuple[int, ...]


def deal_cards(dice: Dice, deck: str, seats: int) -> RingDeal:
    """The cards of a deck by its name: the deck is in an order drawn from the sealed seed."""
    cards = dice.stream(f"cards/{deck}").deal(DECK, BLINDS * seats + BOARD_CARDS[-1])
    holes = tuple((cards[2 * place], cards[2 * place + 1]) for place in range(seats))
    return RingDeal(holes, tuple(cards[2 * seats :]))


class RingHand:
    """One hand in progress. Raises ValueError for an action that is not legal.

    `stacks_chips`: what each place has before the blinds, at least a chip. The big blind is 100 chips, unless the hand
    is of a later level of a sit-and-go.
    """

    __slots__ = ("_acted_at", "_big_blind", "_full_raise", "_stacks_before", "_state", "deal", "history", "seats")

    def __init__(
        self,
        deal: RingDeal,
        stacks_chips: Sequence[int],
        small_blind_chips: int,
        big_blind_chips: int = BIG_BLIND,
    ) -> None:
        self.deal, self.seats, self._big_blind = deal, len(stacks_chips), big_blind_chips
        self.history: list[PlayedAction] = []
        self._stacks_before = tuple(stacks_chips)
        seated = [stacks_chips[self._place(index)] for index in range(self.seats)]
        self._state = _pokerkit_table().new_state(seated, small_blind_chips, big_blind_chips)
        for index in range(self.seats):
            self._state.deal_hole("".join(deal.holes[self._place(index)]))
        self._full_raise = big_blind_chips
        self._acted_at = [NOT_ACTED] * self.seats
        self._deal_board()

    def _place(self, index: int) -> int:
        """The place of a player of pokerkit's, whose first one has the small blind."""
        return (index + 1) % self.seats

    def _by_place(self, values: Sequence[int]) -> tuple[int, ...]:
        return (values[-1], *values[:-1])

    @property
    def to_act(self) -> int | None:
        """The place that is to act; None when the hand is over."""
        index = self._state.actor_index
        return None if index is None else self._place(index)

    @property
    def street(self) -> int:
        return BOARD_CARDS.index(len(self.board))

    @property
    def board(self) -> tuple[str, ...]:
        return self.deal.board[: len(self._state.board_cards)]

    @property
    def bets(self) -> tuple[int, ...]:
        """Chips that each place has bet on this street."""
        return self._by_place(self._state.bets)

    @property
    def stacks(self) -> tuple[int, ...]:
        return self._by_place(self._state.stacks)

    @property
    def live(self) -> tuple[bool, ...]:
        """Whether each place has its cards, in a hand in progress."""
        return tuple(map(bool, (self._state.statuses[-1], *self._state.statuses[:-1])))

    @property
    def pot_chips(self) -> int:
        """All chips in the middle, bets of this street included."""
        return int(self._state.total_pot_amount)

    @property
    def pots(self) -> tuple[Pot, ...]:
        """The pots of earlier streets, the main one first."""
        found = [
            Pot(pot.amount, tuple(sorted(map(self._place, pot.player_indices))))
            for pot in self._state.pots
            if pot.amount
        ]
        return tuple(found)

    @property
    def to_call_chips(self) -> int:
        """Chips that the player to act must add to stay in, at most its stack."""
        return int(self._state.checking_or_calling_amount or 0)

    def hole(self, place: int) -> tuple[str, str]:
        return self.deal.holes[place]

    def legal(self) -> Legal:
        """The legal actions of the player to act. Raises ValueError for a finished hand."""
        place = self.to_act
        if place is None:
            raise ValueError("expected a hand in progress, found a finished one")
        bets, stacks = self.bets, self.stacks
        highest, everything = max(bets), bets[place] + stacks[place]
        passive = (ActionKind.FOLD, ActionKind.CALL) if highest > bets[place] else (ActionKind.CHECK,)
        others = (other for other in range(self.seats) if other != place and self.live[other])
        is_callable = any(bets[other] + stacks[other] > highest for other in others)
        if everything <= highest or not is_callable or not self._may_raise(place, highest):
            return Legal(passive, 0, 0)
        kind = ActionKind.RAISE if highest else ActionKind.BET
        return Legal((*passive, kind), min(highest + self._full_raise, everything), everything)

    def _may_raise(self, place: int, highest: int) -> bool:
        """Whether a place has not acted on this street, or faces a full raise since it did."""
        acted_at = self._acted_at[place]
        return acted_at == NOT_ACTED or highest - acted_at >= self._full_raise

    def fault(self, action: PokerAction) -> str | None:
        """Reason why `action` is not legal now; None if it is."""
        return fault_of(action, self.legal())

    def act(self, action: PokerAction) -> None:
        """Play `action` for the player to act."""
        place = self.to_act
        if place is None or self.fault(action):
            raise ValueError("the hand is over" if place is None else self.fault(action))
        street, highest = self.street, max(self.bets)
        stack = self.stacks[place]
        added = self.to_call_chips
        match action.kind:
            case ActionKind.FOLD:
                added = 0
                self._state.fold()
            case ActionKind.CHECK | ActionKind.CALL:
                self._state.check_or_call()
            case ActionKind.BET | ActionKind.RAISE:
                added = action.to_chips - self.bets[place]
                self._state.consecutive_short_all_in_amounts.clear()  # rule 47 is ours: see the head
                self._state.complete_bet_or_raise_to(action.to_chips)
                self._full_raise = max(self._full_raise, action.to_chips - highest)
        self._acted_at[place] = max(highest, action.to_chips)
        self.history.append(PlayedAction(street, place, action, added == stack))
        self._deal_board()

    def _deal_board(self) -> None:
        """Put cards on the board until somebody is to act or the hand is over."""
        state = self._state
        while state.status:
            if state.actor_index is not None:
                if not self._is_idle():
                    return
                state.check_or_call()
                continue
            shown = len(state.board_cards)
            state.burn_card("??")
            state.deal_board("".join(self.deal.board[shown : max(3, shown + 1)]))
            self._full_raise = self._big_blind
            self._acted_at = [NOT_ACTED] * self.seats

    def _is_idle(self) -> bool:
        """Whether the player to act has nothing to call and nobody to bet against, so that there is nothing to ask."""
        place, stacks = self.to_act, self.stacks
        is_facing = (other != place and self.live[other] and stacks[other] > 0 for other in range(self.seats))
        return not self.to_call_chips and not any(is_facing)

    def give_up(self, place: int) -> None:
        """Fold for the player to act, who forfeits the hand; also where a check is free."""
        if place != self.to_act:
            raise ValueError(f"expected place {self.to_act} to act, found {place}")
        if self.to_call_chips:
            self.act(PokerAction(ActionKind.FOLD))
            return
        street, stack = self.street, self.stacks[place]
        _pokerkit_table().fold_for_free(self._state)
        self.history.append(PlayedAction(street, place, PokerAction(ActionKind.FOLD), not stack))
        self._deal_board()

    def net_chips(self) -> tuple[int, ...]:
        """Chips that each place won (positive) or lost (negative) in a finished hand."""
        pairs = zip(self.stacks, self._stacks_before, strict=True)
        return tuple(after - before for after, before in pairs)


def _pokerkit_table() -> ModuleType:
    """The module that imports pokerkit, when a hand is played.

    That takes half a second, and every command loads this module.
    """
    return import_module(f"{__package__}.pokerkit_table")


@lru_cache(maxsize=2**12)
def best_value(names: tuple[str, ...]) -> int:
    """The value of five to seven cards. Raises ValueError for fewer, which are no hand."""
    if not BOARD_CARDS[-1] <= len(names) <= BOARD_CARDS[-1] + BLINDS:
        raise ValueError(f"expected five to seven cards, found {len(names)}")
    return int(evaluate([CARDS[name] for name in names]))


def hand_value(hole: tuple[str, str], board: tuple[str, ...]) -> int:
    """The value of the best five of a player's cards and three to five of the board; the greater one wins."""
    return best_value(tuple(sorted((*hole, *board))))


def hand_kind(hole: tuple[str, str], board: tuple[str, ...]) -> str:
    """The kind of a player's best five: "Two Pair"."""
    return str(handtype(hand_value(hole, board)))
