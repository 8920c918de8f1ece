"""A hand against the benchmark player, averaged over its range: its possible cards after its actions, by its policy.

The published policy gives the probability of each action for each holding. Given the other player's cards, the board
and all actions, the benchmark player's holdings are therefore as likely as the product of those probabilities; the
other player has seen none of them, so its own actions tell nothing more. The posterior is exact: integers, all
holdings.

    range           the hand's result, averaged over that posterior; where nobody could act any more, over the cards to
                    come as well. A fold or forfeit has the same result for all holdings
    range_adjusted  range, less three correction terms, each a value after an event less its exact average before it:
                    the deal    the baseline's value of the other player's cards against all 1,225 holdings
                    the policy  at each of its decisions, what its action was worth, averaged over the range that the
                                action leaves, less the average over all that it might have done
                    the board   half of what the baseline says that flop, turn and river were worth (control_variates)

Why both are unbiased. `range` is E[result | other cards, board, actions], and the mean of a conditional mean is the
mean. Each correction has mean zero given all that came before it: the deal's value is antisymmetric, a decision's
average is over the policy's own probabilities, the board's over all cards that could have come with the benchmark
player's real cards. So subtracting them changes no mean, whatever the values are; they are fixed here, before any data.

A hand in which the benchmark player left its policy (an action that the policy never takes with its cards, a reply
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

from .benchmark_player import (
    HOLDINGS,
    NONE,
    PERCENTILES,
    SHARES,
    Hole,
    Spot,
    choices,
    hand_percentiles,
    number_of,
    shares_by_percentile,
    spot_of,
    values,
)
from .cards import CARDS, DECK, SUITS, evaluate
from .control_variates import PER_CHIP, SIXTEENTHS, last_street, street_correction, weights
from .equity import BOARDS, FLOP, PREFLOP, RIVER, UNITS, matchup
from .hand_script import HandRecord, HandStory
from .rules import BOARD_CARDS, ActionKind, Hand, HandEnd, PokerAction
from .starting_hands import CLASSES

HALVES: Final = 2
STAYING_WORTH: Final = (4, 2, 2, 2)
BETTING_WORTH: Final = (4, 2, 2, 3)
"""By street, in halves: what a chip that both will have in after a call is worth for each unit of edge, if the player
checks or calls, and if it bets or raises; 1 where nobody can bet any more. After the flop an edge is only who is ahead.
Chosen by trial on other decks than those of studies/calibration/benchmark_variance.py; they decide the variance, never
the mean."""

BOARD_WEIGHT: Final = Fraction(1, 2)


class RangeMethod(StrEnum):
    """Variance-reduction method by the benchmark player's range, in order of increasing correction."""

    RANGE = "range"
    RANGE_ADJUSTED = "range_adjusted"


def range_units(record: HandRecord, benchmark_player: int, stack_chips: int) -> tuple[int, ...]:
    """Result of the button by each of RangeMethod, in units of 1 / PER_CHIP chip, each rounded once, half-even.

    `benchmark_player` is 0 where that player has the button, 1 where it is the big blind. Raises ValueError for a hand
    without its story.
    """
    story = record.story
    if story is None:
        raise ValueError(f"{record.game}: expected a hand with its cards and actions, found its result alone")
    replayed = None if _unplayed(record, benchmark_player) else _replay(story, benchmark_player, stack_chips)
    if replayed is None:
        return (record.net_chips * PER_CHIP,) * len(RangeMethod)
    sign, last = 1 - 2 * benchmark_player, last_street(record.end, story)
    average = Fraction(record.net_chips * PER_CHIP)
    if record.end is HandEnd.SHOWDOWN:
        average = sign * SIXTEENTHS * replayed.matched_chips * _final_edge(replayed.posterior, last)
    return round(average), round(average - sign * replayed.correction - BOARD_WEIGHT * _board_correction(story, last))


class Posterior:
    """Unnormalised posterior of the benchmark player's HOLDINGS, and the edge of each over the other player's cards.

    `weights` are whole numbers; `edges` are in units of 1 / UNITS for each chip: exact before the flop, then who is
    ahead on the board as it lies. Where the weight is zero, the edge is undefined.
    """

    __slots__ = ("board", "edges", "opposing_hole", "percentiles", "weights")

    def __init__(self, opposing: Hole) -> None:
        self.opposing_hole = opposing
        self.board: tuple[str, ...] = ()
        self.weights = [int(opposing[0] not in hole and opposing[1] not in hole) for hole in HOLDINGS]
        self.edges: Sequence[int] = _starting_edges(opposing)
        self.percentiles = hand_percentiles(())

    def see(self, board: tuple[str, ...]) -> None:
        """Leave out the holdings that the new board excludes, and compute hand percentiles and edges anew."""
        self.board, self.percentiles = board, hand_percentiles(board)
        self.weights = [
            0 if percentile == NONE else weight
            for percentile, weight in zip(self.percentiles, self.weights, strict=True)
        ]
        by_holding = values(board)
        mine = by_holding[number_of(self.opposing_hole)]
        self.edges = [UNITS * ((value > mine) - (value < mine)) for value in by_holding]

    def act(self, by_percentile: Sequence[int]) -> None:
        """Weigh each holding by the probability of the action at its percentile."""
        self.weights = [
            weight and weight * by_percentile[percentile]
            for weight, percentile in zip(self.weights, self.percentiles, strict=True)
        ]

    @property
    def total(self) -> int:
        """The sum of weights."""
        return sum(self.weights)

    @property
    def lead(self) -> int:
        """The sum of weights times edges."""
        return sum(map(mul, self.weights, self.edges))

    def by_percentile(self) -> tuple[list[int], list[int]]:
        """Total and lead of the holdings of each percentile."""
        totals, leads = [0] * PERCENTILES, [0] * PERCENTILES
        for weight, percentile, edge in zip(self.weights, self.percentiles, self.edges, strict=True):
            if weight:
                totals[percentile] += weight
                leads[percentile] += weight * edge
        return totals, leads


class _ReplayedHand(NamedTuple):
    """A replayed hand: posterior of the range, chips matched by both, correction for the deal and the decisions."""

    posterior: Posterior
    matched_chips: int
    correction: Fraction


def _unplayed(record: HandRecord, benchmark_player: int) -> bool:
    """True if some action of the benchmark player was not its own, or it forfeited."""
    lost = record.net_chips < 0 if benchmark_player == 0 else record.net_chips > 0
    return bool(record.faults[benchmark_player]) or (record.end is HandEnd.FORFEIT and lost)


def _replay(story: HandStory, benchmark_player: int, stack_chips: int) -> _ReplayedHand | None:
    """The hand replayed; None where the benchmark player does what its policy never does with its cards."""
    hand = Hand(story.deal, (stack_chips, stack_chips))
    holding, posterior = number_of(hand.hole(benchmark_player)), Posterior(hand.hole(1 - benchmark_player))
    correction = Fraction(weights().deal * sum(posterior.edges), posterior.total)
    for played in story.history:
        if hand.board != posterior.board:
            posterior.see(hand.board)
        if played.player == benchmark_player:
            spot = spot_of(hand)
            column = _column(spot, played.action)
            if column is None or not column[posterior.percentiles[holding]]:
                return None
            correction += decision_correction(posterior, spot, played.action, hand.put_in[benchmark_player])
            posterior.act(column)
        hand.act(played.action)
    return _ReplayedHand(posterior, min(hand.put_in), correction)


def _column(spot: Spot, done: PokerAction) -> list[int] | None:
    """The share of an action for each percentile; None if the policy never does it here."""
    possible = choices(spot)
    if done not in possible:
        return None
    index = possible.index(done)
    return [row[index] for row in shares_by_percentile(spot)]


def decision_correction(posterior: Posterior, spot: Spot, done: PokerAction, put_in_chips: int) -> Fraction:
    """Value of an action to the benchmark player less the average over all of its policy, in 1 / PER_CHIP chip."""
    # An action's worth, summed over holdings: weight * P(action | percentile) * value. A fold loses what was put in,
    # whatever the cards; else a unit of edge has the value `_worth`.
    totals, leads = posterior.by_percentile()
    rows, everything, done_worth = shares_by_percentile(spot), Fraction(0), Fraction(0)
    for index, action in enumerate(choices(spot)):
        column = [row[index] for row in rows]
        total = sum(map(mul, totals, column))
        if action.kind is ActionKind.FOLD:
            worth = -put_in_chips * PER_CHIP * total
        else:
            worth = _worth(spot, action, put_in_chips) * sum(map(mul, leads, column))
        everything += worth
        if action == done:
            done_worth = Fraction(worth, total)
    # Mean over the range that the action leaves, less the mean over the range before it (probabilities are in 64ths).
    return done_worth - everything / (SHARES * sum(totals))


def _worth(spot: Spot, action: PokerAction, put_in_chips: int) -> Fraction:
    """Value of a unit of the benchmark player's edge after an action other than a fold, in 1 / PER_CHIP chip."""
    bets = action.kind in (ActionKind.BET, ActionKind.RAISE)
    factor = (BETTING_WORTH if bets else STAYING_WORTH)[spot.street] if spot.legal.max_to_chips else HALVES
    return Fraction((put_in_chips + spot.to_call_chips) * factor * SIXTEENTHS, HALVES)


def _final_edge(posterior: Posterior, last: int) -> Fraction:
    """Edge at showdown over the benchmark player's range and the cards to come, in 1 / UNITS."""
    return Fraction(posterior.lead, posterior.total) if last in (PREFLOP, RIVER) else runout_edge(posterior)


def _board_correction(story: HandStory, last: int) -> int:
    fixed = weights()
    streets = zip(range(FLOP, last + 1), story.matched_chips, strict=False)
    return sum(street_correction(story.deal, street, chips, fixed) for street, chips in streets)


def runout_edge(posterior: Posterior) -> Fraction:
    """The benchmark player's exact edge over all cards that can still come to a flop or turn, in 1 / UNITS."""
    board, opposing = [CARDS[card] for card in posterior.board], [CARDS[card] for card in posterior.opposing_hole]
    live = [(*hole, weight) for hole, weight in zip(HOLDINGS, posterior.weights, strict=True) if weight]
    unseen = [card for card in DECK if card not in posterior.board and card not in posterior.opposing_hole]
    missing, lead = BOARD_CARDS[RIVER] - len(board), 0
    for cards in combinations(unseen, missing):
        shown = board + [CARDS[card] for card in cards]
        mine = evaluate(opposing + shown)
        for a, b, weight in live:
            if a not in cards and b not in cards:
                value = evaluate([CARDS[a], CARDS[b], *shown])
                lead += weight * ((value > mine) - (value < mine))
    # A holding shares no card with C(unseen - 2, missing) of the boards to come; all others were left out above.
    return Fraction(UNITS * lead, comb(len(unseen) - 2, missing) * posterior.total)


@lru_cache(maxsize=len(HOLDINGS))
def _starting_edges(opposing: Hole) -> tuple[int, ...]:
    """The exact edge of each holding over two cards before the flop; 0 where they share a card."""
    suits = "".join(dict.fromkeys(f"{opposing[0][1]}{opposing[1][1]}{SUITS}"))
    first, second = (card[0] + SUITS[suits.index(card[1])] for card in opposing)
    known = _class_edges(first, second)
    return tuple([known[index] for index in _renamed(suits)])


@lru_cache(maxsize=2 * CLASSES)
def _class_edges(first: str, second: str) -> tuple[int, ...]:
    edges = []
    for hole in HOLDINGS:
        wins, ties = (0, BOARDS) if first in hole or second in hole else matchup(hole, (first, second))
        edges.append((2 * wins + ties - BOARDS) * (UNITS // BOARDS))
    return tuple(edges)


@lru_cache(maxsize=24)
def _renamed(suits: str) -> tuple[int, ...]:
    """The place of each of HOLDINGS after a renaming of `suits` to those of SUITS, in order."""
    names = {card: card[0] + SUITS[suits.index(card[1])] for card in DECK}
    return tuple(number_of((names[a], names[b])) for a, b in HOLDINGS)
