"""The button's exact edge in a deal: its chance to win less its chance to lose, at each street.

An edge is what the button wins, on average over the cards to come, for each chip that both have put in if nothing
more is bet. It is an integer in units of 1 / UNITS: the least common multiple of 1,712,304 boards, 990 runouts of a
flop and 44 of a turn, so no edge is ever rounded.
"""

from functools import lru_cache
from typing import Final

from ..rules import BOARD_CARDS, Deal, compare
from .preflop_matchups import BOARDS, matchup
from .runouts import RIVER_CARDS, TURN_CARDS, Kind, river_cards, turn_cards

UNITS: Final = 8_561_520
PREFLOP, FLOP, TURN, RIVER = range(4)
CACHED: Final = 2**16  # streets of deals: all conditions of a run play the same decks


@lru_cache(maxsize=CACHED)
def edge(deal: Deal, street: int) -> int:
    """The button's edge once the cards of `street` (0 before the flop, 3 the river) are known, in units."""
    match street:
        case 0:
            wins, ties = matchup(deal.button, deal.big_blind)
            # Wins less losses, since losses = BOARDS - wins - ties.
            return (2 * wins + ties - BOARDS) * (UNITS // BOARDS)
        case 1:
            # Wins less losses over 45 * 44 runouts in order: each kind's balance is over the 44 rivers after it.
            balance = sum(len(kind.cards) * kind.balance for kind in next_cards(deal, TURN))
            return balance * (UNITS // (TURN_CARDS * RIVER_CARDS))
        case 2:
            balance = sum(len(kind.cards) * kind.balance for kind in next_cards(deal, RIVER))
            return balance * (UNITS // RIVER_CARDS)
        case _:
            return compare(deal) * UNITS


@lru_cache(maxsize=4)
def next_cards(deal: Deal, street: int) -> tuple[Kind, ...]:
    """Kinds of all cards that could have come on the turn or river, with the button's balance after each."""
    find = turn_cards if street == TURN else river_cards
    return tuple(find(deal.button, deal.big_blind, deal.board[: BOARD_CARDS[street - 1]]))
