"""A fixed public estimate of the value of a card: how far the pot grows, by street, pot and strength of hands.

A chip that both have put in is worth more than itself, because a hand that is ahead usually wins more bets. The
weights in tables/baseline.json say how much more; scripts/value_baseline fitted them once, to games between scripted
players on declared seeds, and a run cannot change them. They only decide how much variance is left: whatever they
are, each correction is a value after a card less its exact average over all cards that could have come, so its mean
is zero for any players.

    before the flop    deal x edge
    flop               matched chips x weight(matched chips) x change of edge
    turn, river        the same, and min(matched chips, half of what is behind them) x
                       (g after the card less the average of g over all 45 or 44 cards),
                       g = edge x weight(strength of the hand behind, strength of the hand ahead)
"""

from functools import lru_cache
from operator import mul
from typing import Final

import msgspec

from ..rules import BOARD_CARDS, Deal
from .equity import CACHED, FLOP, PREFLOP, RIVER, TURN, UNITS, edge, next_cards
from .hand_strength import Strength, strengths
from .preflop_matchups import NUMBER
from .runouts import RIVER_CARDS, TURN_CARDS
from .shipped_tables import table

BASELINE_SHA256: Final = "aab0b1d7f7bdbabab51950af0a189e782fe978704db165b1820d4ecfc84780f6"
SIXTEENTHS: Final = 16
STRENGTHS: Final = len(Strength)
PAIRS: Final = STRENGTHS**2
_CARDS = {TURN: TURN_CARDS, RIVER: RIVER_CARDS}


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The baseline's numbers, weights in sixteenths.

    `stack`: the stacks in chips that they were fitted for. `deal`: sixteenths of a chip for an edge of 1 before the
    flop. `pots`: the bounds in chips between sizes of pot. `flop`, `turn`, `river`: a weight for each size.
    `turn_strengths`, `river_strengths`: one for each pair of strengths, 3 * that of the hand behind + that of the
    hand ahead.
    """

    stack: int
    deal: int
    pots: tuple[int, ...]
    flop: tuple[int, ...]
    turn: tuple[int, ...]
    river: tuple[int, ...]
    turn_strengths: tuple[int, ...]
    river_strengths: tuple[int, ...]

    def of_pot(self, street: int, matched_chips: int) -> int:
        """The weight of a change of edge on `street`, when both had put in so many chips."""
        size = sum(matched_chips > bound for bound in self.pots)
        return (self.flop, self.turn, self.river)[street - FLOP][size]

    def room(self, matched_chips: int) -> int:
        """Assumed growth of a pot: as much again, but at most half of the chips behind."""
        return min(matched_chips, max(0, self.stack - matched_chips) // 2)


@lru_cache(maxsize=1)
def weights() -> Weights:
    """The shipped numbers."""
    return msgspec.json.decode(table("baseline.json", BASELINE_SHA256), type=Weights)


def deal_correction(deal: Deal, baseline: Weights) -> int:
    """Baseline value of the two hands to the button before any action, in units of 1 / (16 UNITS) chip."""
    return baseline.deal * edge(deal, PREFLOP)


def street_correction(deal: Deal, street: int, matched_chips: int, baseline: Weights) -> int:
    """Baseline value of the card or cards of `street` to the button, in units of 1 / (16 UNITS) chip."""
    change = edge(deal, street) - edge(deal, street - 1)
    worth = matched_chips * baseline.of_pot(street, matched_chips) * change
    if street > FLOP:
        by_strengths = baseline.turn_strengths if street == TURN else baseline.river_strengths
        worth += baseline.room(matched_chips) * sum(map(mul, by_strengths, growths(deal, street)))
    return worth


@lru_cache(maxsize=CACHED)
def growths(deal: Deal, street: int) -> tuple[int, ...]:
    """Edge of each pair of strengths where these hands meet after the card, less its average, in units.

    Pairs are in the order of the weights: 3 * strength of the hand behind + strength of the hand ahead.
    """
    holes = [[NUMBER[card] for card in hole] for hole in (deal.button, deal.big_blind)]
    shown = [NUMBER[card] for card in deal.board[: BOARD_CARDS[street - 1]]]
    came, cards = NUMBER[deal.board[BOARD_CARDS[street] - 1]], _CARDS[street]
    totals = [0] * PAIRS
    for kind in next_cards(deal, street):
        if kind.balance:
            button, big_blind = strengths(holes, [*shown, kind.cards[0]])
            behind, ahead = (big_blind, button) if kind.balance > 0 else (button, big_blind)
            # n g(card that came) - sum of g over all n cards: n times the value less its average; `scale` divides by n.
            times = cards * (came in kind.cards) - len(kind.cards)
            totals[STRENGTHS * behind + ahead] += times * kind.balance
    scale = UNITS // (cards * (RIVER_CARDS if street == TURN else 1))
    return tuple(scale * value for value in totals)
