"""A hand's chance-adjusted result, by control variates at the cards, in integers, unbiased for any players.

Strength of a hand on a board, in three steps: nothing, a good pair, strong.

NOTHING    no better kind of hand than the board alone, or a pair below the board's top card
PAIR       a pair with the board's top card, or a higher pocket pair
STRONG     two pair and better that is not the board's own

A fixed public estimate of the value of a card: how far the pot grows, by street, pot and strength of hands.

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

    raw            what the button won
    all_in         where nobody could act any more before the river: the average over the cards to come
    street_equity  all_in, less what each of flop, turn and river was worth: the chips that both had put in, times the
                   change of the exact edge
    baseline       all_in, less what the deal, flop, turn and river were worth by a fixed public baseline above

What a card was worth is a value after it less the exact average of that value over all cards that could have come. So
the mean of each correction is zero whatever the players do, and no number in it depends on the data. Folds and
forfeits stay as they were played: only cards are adjusted for. Sources: control variates at chance nodes, M. White and
M. Bowling, "Learning a value analysis tool for agent evaluation", IJCAI 2009; M. Zinkevich and others, "Optimal
unbiased estimators for evaluating agent performance", AAAI 2006.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum, StrEnum
from fractions import Fraction
from functools import lru_cache
from operator import mul
from typing import Final

import msgspec

from ...poker.hand_values import HIGH_CARD, KIND, PAIR, QUADS, TRIPS, TWO_PAIR
from .cards import CARDS_BY_NUMBER, evaluate
from .equity import CACHED, FLOP, NUMBER, PREFLOP, RIVER, RIVER_CARDS, TURN, TURN_CARDS, UNITS, edge, next_cards, table
from .hand_script import HandRecord, HandStory
from .rules import BOARD_CARDS, Deal, HandEnd


class Strength(IntEnum):
    """The three steps, the weakest first."""

    NOTHING = 0
    PAIR = 1
    STRONG = 2


def strengths(holes: Sequence[Sequence[int]], board: Sequence[int]) -> list[Strength]:
    """The strength of each of several holdings on a board of three to five cards, all by number."""
    (found,) = strengths_after(holes, board[:-1], board[-1:])
    return found


def strengths_after(
    holes: Sequence[Sequence[int]], shown: Sequence[int], coming: Iterable[int]
) -> Iterator[list[Strength]]:
    """`strengths` on the board `shown` with each card of `coming` after it."""
    board, ranks = [CARDS_BY_NUMBER[number] for number in shown], tuple([number >> 2 for number in shown])
    hands = [([CARDS_BY_NUMBER[a], CARDS_BY_NUMBER[b], *board], a >> 2, b >> 2) for a, b in holes]
    ends, top = len(shown) + 1 == BOARD_CARDS[RIVER], max(ranks)
    for number in coming:
        card, rank = CARDS_BY_NUMBER[number], number >> 2
        alone = evaluate([*board, card]) & KIND if ends else _kind_of_ranks((*ranks, rank))
        highest = max(top, rank)
        yield [_strength(evaluate([*cards, card]) & KIND, alone, highest, a, b) for cards, a, b in hands]


@lru_cache(maxsize=CACHED)
def _kind_of_ranks(ranks: tuple[int, ...]) -> int:
    """The kind of hand that three or four cards make, which are too few for a straight or a flush."""
    counts = sorted((ranks.count(rank) for rank in set(ranks)), reverse=True)
    return TWO_PAIR if counts == [2, 2] else (HIGH_CARD, PAIR, TRIPS, QUADS)[counts[0] - 1]


def _strength(kind: int, alone: int, top: int, a: int, b: int) -> Strength:
    """The strength of two cards of ranks a and b that make the kind of hand `kind` with a board that makes `alone`.

    `top` is the board's highest rank.
    """
    if kind <= alone:
        return _NOTHING
    if kind == PAIR or (kind == TWO_PAIR and alone == PAIR):
        is_high = a >= top if a == b else top in (a, b)
        return _GOOD_PAIR if is_high else _NOTHING
    return _STRONG


_NOTHING, _GOOD_PAIR, _STRONG = Strength  # to look a member up in its class takes longer than the rest


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
    kinds = [kind for kind in next_cards(deal, street) if kind.balance]
    after = strengths_after(holes, shown, [kind.cards[0] for kind in kinds])
    for kind, (button, big_blind) in zip(kinds, after, strict=True):
        behind, ahead = (big_blind, button) if kind.balance > 0 else (button, big_blind)
        # n g(card that came) - sum of g over all n cards: n times the value less its average; `scale` divides by n.
        times = cards * (came in kind.cards) - len(kind.cards)
        totals[STRENGTHS * behind + ahead] += times * kind.balance
    scale = UNITS // (cards * (RIVER_CARDS if street == TURN else 1))
    return tuple(scale * value for value in totals)


PER_CHIP: Final = SIXTEENTHS * UNITS


class Method(StrEnum):
    """Variance-reduction method, in order of increasing correction."""

    RAW = "raw"
    ALL_IN = "all_in"
    STREET_EQUITY = "street_equity"
    BASELINE = "baseline"


def net_chips(record: HandRecord, method: Method) -> Fraction:
    """The button's result by `method`, in chips, exactly. Raises ValueError for a hand without its story."""
    return Fraction(net_units(record, method), PER_CHIP)


def net_units(record: HandRecord, method: Method) -> int:
    """`net_chips` in units of 1 / PER_CHIP chip, as an integer."""
    if method is Method.RAW:
        return record.net_chips * PER_CHIP
    story = record.story
    if story is None:
        raise ValueError(f"{record.game}: expected a hand with its cards and actions, found its result alone")
    last = last_street(record.end, story)
    net = record.net_chips * PER_CHIP
    if record.end is HandEnd.SHOWDOWN and last < RIVER:
        # Nobody could act any more: the button's mean over the cards to come is the chips matched by both times the
        # edge.
        net = story.matched_chips[-1] * edge(story.deal, last) * SIXTEENTHS
    return net - _correction(story, last, method)


def last_street(end: HandEnd, story: HandStory) -> int:
    """The last street on which somebody had something to decide.

    A player may forfeit before anything was done on a street, and then has seen its cards all the same.
    """
    if end is HandEnd.SHOWDOWN:
        return story.history[-1].street if story.history else PREFLOP
    return len(story.matched_chips)


def _correction(story: HandStory, last: int, method: Method) -> int:
    """Value of the cards to the button up to the last decision, in units of 1 / PER_CHIP chip."""
    streets = zip(range(FLOP, last + 1), story.matched_chips, strict=False)
    deal = story.deal
    match method:
        case Method.STREET_EQUITY:
            return SIXTEENTHS * sum(chips * (edge(deal, street) - edge(deal, street - 1)) for street, chips in streets)
        case Method.BASELINE:
            fixed = weights()
            return deal_correction(deal, fixed) + sum(
                street_correction(deal, street, chips, fixed) for street, chips in streets
            )
        case _:
            return 0
