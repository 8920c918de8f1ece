"""What the cards of the board gave each player of a hand, with mean 0 whatever the players do.

Before each street the chips in the middle stand in pots, each with the players who can win it. On turn and river a card
was worth

    luck_i = sum over pots of chips * (share_i after the card - share_i before it)

share_i: the pot's part that i wins on average over all boards to come, given every hole card that was dealt. The
average of `share_i after` over all cards that could have come is `share_i before`, so the mean is exactly 0; chips and
players were fixed before the card. Where nobody can act any more after the flop, this is the all-in correction. A flop
has 10,000 boards too many for that, and its correction is a count with a known mean instead:

    luck_i = FLOP_WEIGHT * pot * (pairs_i - mean of pairs over the live players),
    pairs_i = (flop cards of a rank that i holds) - 3 * (unseen cards of such a rank) / (unseen cards)

The weight was fitted once, to scripted players, and no run changes it. Deals have none: over a duplicate set everybody
has every hand of a deck. Sources: M. White and M. Bowling, IJCAI 2009; docs/decisions/0017 for two players.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Final

from ...poker.actions import BOARD_CARDS, ActionKind
from ...poker.cards import CARDS, DECK, evaluate
from .hand_script import RingStory
from .rules import RingDeal

FLOP, TURN, RIVER = 1, 2, 3
FLOP_CARDS: Final = BOARD_CARDS[FLOP]
FLOP_WEIGHT: Final = Fraction(1, 2)
CACHED: Final = 2**12
"""Boards with the players who compare hands on them: those of a set come again in each rotation."""

Places = tuple[int, ...]


def hand_luck(story: RingStory, stack_chips: int, small_blind_chips: int, big_blind_chips: int) -> tuple[Fraction, ...]:
    """What flop, turn and river gave each place, in chips; they add up to 0. All began with equal stacks."""
    deal, seats = story.deal, len(story.deal.holes)
    found = [Fraction(0)] * seats
    for street, paid, live in _streets(story, stack_chips, (small_blind_chips, big_blind_chips)):
        if street == FLOP:
            _add(found, _flop_luck(deal, sum(paid), live))
            continue
        for chips, places in pots_of(paid, live):
            before, after = (shares(deal, places, cards) for cards in (BOARD_CARDS[street - 1], BOARD_CARDS[street]))
            change = (chips * (now - then) for then, now in zip(before, after, strict=True))
            _add(found, dict(zip(places, change, strict=True)))
    return tuple(found)


def _add(found: list[Fraction], more: dict[int, Fraction]) -> None:
    for place, chips in more.items():
        found[place] += chips


def _streets(story: RingStory, stack: int, blinds: tuple[int, int]) -> Iterator[tuple[int, list[int], Places]]:
    """Each street that was dealt after the first one: what every place had paid before it, and who was live."""
    seats = len(story.deal.holes)
    paid, bets, live, street = [0] * seats, [0] * seats, set(range(seats)), 0
    bets[1], bets[2] = (min(blind, stack) for blind in blinds)
    for acted in story.history:
        while street < acted.street:
            street += 1
            paid, bets = [before + bet for before, bet in zip(paid, bets, strict=True)], [0] * seats
            yield street, paid, tuple(sorted(live))
        match acted.action.kind:
            case ActionKind.FOLD:
                live.discard(acted.player)
            case ActionKind.BET | ActionKind.RAISE:
                bets[acted.player] = acted.action.to_chips
            case _:
                bets[acted.player] = min(max(bets), stack - paid[acted.player])
    while len(live) > 1 and street < RIVER:
        street += 1
        paid, bets = [before + bet for before, bet in zip(paid, bets, strict=True)], [0] * seats
        yield street, paid, tuple(sorted(live))


def pots_of(paid: Sequence[int], live: Sequence[int]) -> list[tuple[int, Places]]:
    """Chips of each pot and the live places that can win it. What nobody else matched is its owner's."""
    merged: dict[Places, int] = {}
    before = 0
    for level in sorted({paid[place] for place in live}):
        able = tuple(place for place in live if paid[place] >= level)
        chips = sum(min(put_in, level) - min(put_in, before) for put_in in paid)
        merged[able] = merged.get(able, 0) + chips
        before = level
    return [(chips, places) for places, chips in merged.items() if chips and len(places) > 1]


def shares(deal: RingDeal, places: Places, cards: int) -> tuple[Fraction, ...]:
    """The part of a pot that each place wins on average once so many cards (3 to 5) of the board are known."""
    dead = tuple(card for hole in deal.holes for card in hole)
    return _shares(tuple(deal.holes[place] for place in places), dead, deal.board[:cards])


@lru_cache(maxsize=CACHED)
def _shares(holes: tuple[tuple[str, str], ...], dead: Places, board: tuple[str, ...]) -> tuple[Fraction, ...]:
    known = {*dead, *board}
    rest = [CARDS[card] for card in DECK if card not in known]
    begun = [[CARDS[card] for card in (*hole, *board)] for hole in holes]
    won: dict[tuple[int, ...], int] = {}
    boards = 0
    for more in combinations(rest, BOARD_CARDS[RIVER] - len(board)):
        values = [evaluate([*cards, *more]) for cards in begun]
        best = max(values)
        winners = tuple(number for number, value in enumerate(values) if value == best)
        won[winners] = won.get(winners, 0) + 1
        boards += 1
    return tuple(
        Fraction(sum(Fraction(times, len(who)) for who, times in won.items() if number in who)) / boards
        for number in range(len(holes))
    )


def _flop_luck(deal: RingDeal, pot_chips: int, live: Places) -> dict[int, Fraction]:
    """The correction of the flop by live place."""
    pairs = {place: _pairs(deal, place) for place in live}
    mean = Fraction(sum(pairs.values()), len(live))
    return {place: FLOP_WEIGHT * pot_chips * (count - mean) for place, count in pairs.items()}


def _pairs(deal: RingDeal, place: int) -> Fraction:
    """Flop cards of a rank that a place holds, less the mean over all flops."""
    ranks = {card[0] for card in deal.holes[place]}
    dead = {card for hole in deal.holes for card in hole}
    unseen = [card for card in DECK if card not in dead]
    able = sum(card[0] in ranks for card in unseen)
    return sum(card[0] in ranks for card in deal.board[:FLOP_CARDS]) - Fraction(FLOP_CARDS * able, len(unseen))
