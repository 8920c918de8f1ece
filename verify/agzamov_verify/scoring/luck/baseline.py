"""A fixed public guess of what a card is worth: how far the pot grows, by street, pot and strength of hands.

A chip that both have put in is worth more than itself, because a hand that is ahead usually wins more bets. The
weights in tables/baseline.json say how much more; scripts/luck_baseline fitted them once, to games between scripted
players on declared seeds, and a run cannot change them. They only decide how much variance is left: whatever they
are, each correction is a value after a card less its exact average over all cards that could have come, so its mean
is zero for any players.

    before the flop    deal x edge
    flop               matched chips x weight(matched chips) x change of edge
    turn, river        the same, and matched chips x (g after the card - average of g over all 45 or 44 cards),
                       g = edge x weight(strength of the hand behind, strength of the hand ahead)
"""

from functools import lru_cache
from typing import Final

import msgspec

from ...games.holdem.rules import BOARD_CARDS, Deal
from .edges import CACHED, FLOP, PREFLOP, RIVER, UNITS, edge, next_cards
from .matchups import NUMBER
from .runouts import RIVER_CARDS, TURN_CARDS
from .shipped import table
from .strength import strengths

BASELINE_SHA256: Final = "b78a917c8a79bfaf7f06738ca365ebac77c3835f5a634940fb9f247177e1568b"
SIXTEENTHS: Final = 16
_NEXT = {2: TURN_CARDS, 3: RIVER_CARDS}


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The baseline's numbers, all in sixteenths.

    `deal`: chips for an edge of 1 before the flop. `pots`: the bounds in chips between sizes of pot. `flop`, `turn`,
    `river`: a weight for each size. `turn_strengths`, `river_strengths`: by the hand behind, then by the hand ahead.
    """

    deal: int
    pots: tuple[int, ...]
    flop: tuple[int, ...]
    turn: tuple[int, ...]
    river: tuple[int, ...]
    turn_strengths: tuple[tuple[int, ...], ...]
    river_strengths: tuple[tuple[int, ...], ...]

    def of_pot(self, street: int, matched_chips: int) -> int:
        """The weight of a change of edge on `street`, when both had put in so many chips."""
        size = sum(matched_chips > bound for bound in self.pots)
        return (self.flop, self.turn, self.river)[street - FLOP][size]

    def of_strengths(self, street: int) -> tuple[tuple[int, ...], ...]:
        return self.river_strengths if street == RIVER else self.turn_strengths


@lru_cache(maxsize=1)
def weights() -> Weights:
    """The shipped numbers."""
    return msgspec.json.decode(table("baseline.json", BASELINE_SHA256), type=Weights)


def deal_luck(deal: Deal, baseline: Weights) -> int:
    """What the two hands were worth to the button before anything was done, in units of 1 / (16 UNITS) chip."""
    return baseline.deal * edge(deal, PREFLOP)


def street_luck(deal: Deal, street: int, matched_chips: int, baseline: Weights) -> int:
    """What the card or cards of `street` were worth to the button, in units of 1 / (16 UNITS) chip."""
    change = edge(deal, street) - edge(deal, street - 1)
    worth = baseline.of_pot(street, matched_chips) * change
    if street > FLOP:
        worth += growth_luck(deal, street, baseline.of_strengths(street))
    return matched_chips * worth


@lru_cache(maxsize=CACHED)
def growth_luck(deal: Deal, street: int, by_strengths: tuple[tuple[int, ...], ...]) -> int:
    """For a matched chip: g after the card that came less its average, in units of 1 / (16 UNITS) chip."""
    holes = [[NUMBER[card] for card in hole] for hole in (deal.button, deal.big_blind)]
    shown = [NUMBER[card] for card in deal.board[: BOARD_CARDS[street - 1]]]
    came, total, after = NUMBER[deal.board[BOARD_CARDS[street] - 1]], 0, 0
    for kind in next_cards(deal, street):
        value = kind.balance * _weight(holes, [*shown, kind.cards[0]], kind.balance, by_strengths)
        total += len(kind.cards) * value
        if came in kind.cards:
            after = value
    cards = _NEXT[street]
    runouts = RIVER_CARDS if street < RIVER else 1
    return (cards * after - total) * (UNITS // (cards * runouts))


def _weight(holes: list[list[int]], board: list[int], balance: int, by_strengths: tuple[tuple[int, ...], ...]) -> int:
    if not balance:
        return 0
    button, big_blind = strengths(holes, board)
    return by_strengths[big_blind][button] if balance > 0 else by_strengths[button][big_blind]
