"""A hand against the house by what it could have held: its range, as its published policy and its actions leave it.

The house's policy gives the probability of each of its actions for each holding. Given the other player's cards, the
board and all actions, the house's holdings are therefore as likely as the product of those probabilities; the other
player has seen none of them, so its own actions tell nothing more. The posterior is exact: integers, all holdings.

    range        the hand's result, averaged over that posterior; where nobody could act any more, over the cards to
                 come as well. A fold or forfeit has the same result for all holdings
    range_luck   range, less three luck terms, each a value after an event less its exact average before it:
                 the deal       the baseline's value of the other player's cards against all 1,225 holdings
                 the house      at each of its decisions, what its action was worth, averaged over the range that the
                                action leaves, less the average over all that it might have done
                 the board      half of what the baseline says that flop, turn and river were worth (baseline.py)

Why both are unbiased. `range` is E[result | other cards, board, actions], and the mean of a conditional mean is the
mean. Each luck term has mean zero given all that came before it: the deal's value is antisymmetric, a decision's
average is over the policy's own probabilities, the board's over all cards that could have come with the house's real
cards. So subtracting them changes no mean, whatever the values are; they are fixed here, before any data.

A hand in which the house did not keep to its policy (an action that the policy never takes with its cards, a reply
that was no legal action, a forfeit of its own) keeps its plain result. Verification refuses such a run anyway.

Sources: M. Bowling, M. Johanson, N. Burch and D. Szafron, "Strategy evaluation in extensive games with importance
sampling", ICML 2008; N. Burch, M. Schmid, M. Moravcik, D. Morrill and M. Bowling, "AIVAT: a new variance reduction
technique for agent evaluation in imperfect information games", AAAI 2018.
"""

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import comb
from operator import mul
from typing import Final, NamedTuple

import pkrbot

from ...games.holdem.house import (
    HOLDINGS,
    NONE,
    SHARES,
    STANDINGS,
    Hole,
    Spot,
    choices,
    number_of,
    shares_by_standing,
    spot_of,
    standings,
    values,
)
from ...games.holdem.rules import BOARD_CARDS, DECK, ActionKind, Hand, HandEnd, PokerAction
from ...games.holdem.script import HandRecord, HandStory
from .adjusted import PER_CHIP, last_street
from .baseline import SIXTEENTHS, street_luck, weights
from .classes import CLASSES
from .edges import FLOP, PREFLOP, RIVER, UNITS
from .matchups import BOARDS, matchup

HALVES: Final = 2
STAYING_WORTH: Final = (4, 2, 2, 2)
BETTING_WORTH: Final = (4, 2, 2, 3)
"""By street, in halves: what a chip that both will have in after a call is worth for each unit of edge, if the house
checks or calls, and if it bets or raises; 1 where nobody can bet any more. After the flop an edge is only who is ahead.
Chosen by trial on other decks than calibration/house.py measures on; they decide the variance, never the mean."""

BOARD_LUCK: Final = Fraction(1, 2)
SUITS: Final = "cdhs"


class RangeMethod(StrEnum):
    """What is averaged or taken out, least first."""

    RANGE = "range"
    RANGE_LUCK = "range_luck"


def range_units(record: HandRecord, house: int, stack_chips: int) -> tuple[int, ...]:
    """What the button won by each of RangeMethod, in units of 1 / PER_CHIP chip, each rounded once, half-even.

    `house` is 0 where the house has the button, 1 where it is the big blind. Raises ValueError for a hand without its
    story.
    """
    story = record.story
    if story is None:
        raise ValueError(f"{record.game}: expected a hand with its cards and actions, found its result alone")
    seen = None if _unplayed(record, house) else _seen(story, house, stack_chips)
    if seen is None:
        return (record.net_chips * PER_CHIP,) * len(RangeMethod)
    sign, last = 1 - 2 * house, last_street(record.end, story)
    average = Fraction(record.net_chips * PER_CHIP)
    if record.end is HandEnd.SHOWDOWN:
        average = sign * SIXTEENTHS * seen.matched_chips * _final_edge(seen.posterior, last)
    return round(average), round(average - sign * seen.luck - BOARD_LUCK * _board_luck(story, last))


class Posterior:
    """How likely the house holds each of HOLDINGS, in no fixed unit, and its edge over the other player's cards.

    `weights` are whole numbers; `edges` are in units of 1 / UNITS for each chip: exact before the flop, then who is
    ahead on the board as it lies. Where the weight is zero, the edge means nothing.
    """

    __slots__ = ("board", "edges", "other", "standings", "weights")

    def __init__(self, other: Hole) -> None:
        self.other = other
        self.board: tuple[str, ...] = ()
        self.weights = [int(other[0] not in hole and other[1] not in hole) for hole in HOLDINGS]
        self.edges: Sequence[int] = _starting_edges(other)
        self.standings = standings(())

    def see(self, board: tuple[str, ...]) -> None:
        """Cards of the board become known."""
        self.board, self.standings = board, standings(board)
        self.weights = [0 if at == NONE else weight for at, weight in zip(self.standings, self.weights, strict=True)]
        found = values(board)
        mine = found[number_of(self.other)]
        self.edges = [UNITS * ((value > mine) - (value < mine)) for value in found]

    def act(self, by_standing: Sequence[int]) -> None:
        """The house did something that it does with this share of each standing."""
        self.weights = [
            weight and weight * by_standing[at] for weight, at in zip(self.weights, self.standings, strict=True)
        ]

    @property
    def total(self) -> int:
        """The sum of weights."""
        return sum(self.weights)

    @property
    def lead(self) -> int:
        """The sum of weights times edges."""
        return sum(map(mul, self.weights, self.edges))

    def by_standing(self) -> tuple[list[int], list[int]]:
        """Total and lead of the holdings of each standing."""
        totals, leads = [0] * STANDINGS, [0] * STANDINGS
        for weight, at, edge in zip(self.weights, self.standings, self.edges, strict=True):
            if weight:
                totals[at] += weight
                leads[at] += weight * edge
        return totals, leads


class _Seen(NamedTuple):
    """What a hand shows of the house in the end: its range, what both had put in, and its luck but the board's."""

    posterior: Posterior
    matched_chips: int
    luck: Fraction


def _unplayed(record: HandRecord, house: int) -> bool:
    """Whether some action of the house was not its own, or it forfeited."""
    lost = record.net_chips < 0 if house == 0 else record.net_chips > 0
    return bool(record.faults[house]) or (record.end is HandEnd.FORFEIT and lost)


def _seen(story: HandStory, house: int, stack_chips: int) -> _Seen | None:
    """The hand replayed; None where the house does what its policy never does with its cards."""
    hand = Hand(story.deal, (stack_chips, stack_chips))
    own, posterior = number_of(hand.hole(house)), Posterior(hand.hole(1 - house))
    luck = Fraction(weights().deal * sum(posterior.edges), posterior.total)
    for played in story.history:
        if hand.board != posterior.board:
            posterior.see(hand.board)
        if played.player == house:
            spot = spot_of(hand)
            column = _column(spot, played.action)
            if column is None or not column[posterior.standings[own]]:
                return None
            luck += decision_luck(posterior, spot, played.action, hand.put_in[house])
            posterior.act(column)
        hand.act(played.action)
    return _Seen(posterior, min(hand.put_in), luck)


def _column(spot: Spot, done: PokerAction) -> list[int] | None:
    """The share of an action for each standing; None if the house never does it here."""
    possible = choices(spot)
    if done not in possible:
        return None
    at = possible.index(done)
    return [row[at] for row in shares_by_standing(spot)]


def decision_luck(posterior: Posterior, spot: Spot, done: PokerAction, put_in_chips: int) -> Fraction:
    """What the house's action is worth to it less the average over all that it might have done, in 1 / PER_CHIP."""
    totals, leads = posterior.by_standing()
    rows, everything, found = shares_by_standing(spot), Fraction(0), Fraction(0)
    for at, action in enumerate(choices(spot)):
        column = [row[at] for row in rows]
        total = sum(map(mul, totals, column))
        if action.kind is ActionKind.FOLD:
            worth = -put_in_chips * PER_CHIP * total
        else:
            worth = _worth(spot, action, put_in_chips) * sum(map(mul, leads, column))
        everything += worth
        if action == done:
            found = Fraction(worth, total)
    return found - everything / (SHARES * sum(totals))


def _worth(spot: Spot, action: PokerAction, put_in_chips: int) -> Fraction:
    """What a unit of the house's edge is worth after an action that is no fold, in 1 / PER_CHIP chip."""
    bets = action.kind in (ActionKind.BET, ActionKind.RAISE)
    factor = (BETTING_WORTH if bets else STAYING_WORTH)[spot.street] if spot.legal.max_to_chips else HALVES
    return Fraction((put_in_chips + spot.to_call_chips) * factor * SIXTEENTHS, HALVES)


def _final_edge(posterior: Posterior, last: int) -> Fraction:
    """The house's edge at showdown over its range and the cards to come after the last decision, in 1 / UNITS."""
    return Fraction(posterior.lead, posterior.total) if last in (PREFLOP, RIVER) else runout_edge(posterior)


def _board_luck(story: HandStory, last: int) -> int:
    fixed = weights()
    streets = zip(range(FLOP, last + 1), story.matched_chips, strict=False)
    return sum(street_luck(story.deal, at, chips, fixed) for at, chips in streets)


def runout_edge(posterior: Posterior) -> Fraction:
    """The house's exact edge over all cards that can still come to a flop or a turn, in units of 1 / UNITS."""
    board, other = [_CARDS[card] for card in posterior.board], [_CARDS[card] for card in posterior.other]
    live = [(*hole, weight) for hole, weight in zip(HOLDINGS, posterior.weights, strict=True) if weight]
    unseen = [card for card in DECK if card not in posterior.board and card not in posterior.other]
    missing, found = BOARD_CARDS[RIVER] - len(board), 0
    for cards in combinations(unseen, missing):
        shown = board + [_CARDS[card] for card in cards]
        mine = pkrbot.evaluate(other + shown)
        for a, b, weight in live:
            if a not in cards and b not in cards:
                value = pkrbot.evaluate([_CARDS[a], _CARDS[b], *shown])
                found += weight * ((value > mine) - (value < mine))
    return Fraction(UNITS * found, comb(len(unseen) - 2, missing) * posterior.total)


@lru_cache(maxsize=len(HOLDINGS))
def _starting_edges(other: Hole) -> tuple[int, ...]:
    """The exact edge of each holding over two cards before the flop; 0 where they share a card."""
    suits = "".join(dict.fromkeys(f"{other[0][1]}{other[1][1]}{SUITS}"))
    first, second = (card[0] + SUITS[suits.index(card[1])] for card in other)
    known = _class_edges(first, second)
    return tuple([known[at] for at in _renamed(suits)])


@lru_cache(maxsize=2 * CLASSES)
def _class_edges(first: str, second: str) -> tuple[int, ...]:
    found = []
    for hole in HOLDINGS:
        wins, ties = (0, BOARDS) if first in hole or second in hole else matchup(hole, (first, second))
        found.append((2 * wins + ties - BOARDS) * (UNITS // BOARDS))
    return tuple(found)


@lru_cache(maxsize=24)
def _renamed(suits: str) -> tuple[int, ...]:
    """The place of each of HOLDINGS after a renaming of `suits` to those of SUITS, in order."""
    names = {card: card[0] + SUITS[suits.index(card[1])] for card in DECK}
    return tuple(number_of((names[a], names[b])) for a, b in HOLDINGS)


_CARDS: Final[dict[str, pkrbot.Card]] = {card: pkrbot.Card(card) for card in DECK}
