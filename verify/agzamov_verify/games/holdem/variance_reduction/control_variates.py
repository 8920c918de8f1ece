"""A hand's chance-adjusted result, by control variates at the cards, in integers, unbiased for any players.

    raw            what the button won
    all_in         where nobody could act any more before the river: the average over the cards to come
    street_equity  all_in, less what each of flop, turn and river was worth: the chips that both had put in, times the
                   change of the exact edge
    baseline       all_in, less what the deal, flop, turn and river were worth by a fixed public baseline:
                   baseline_values.py

What a card was worth is a value after it less the exact average of that value over all cards that could have come. So
the mean of each correction is zero whatever the players do, and no number in it depends on the data. Folds and
forfeits stay as they were played: only cards are adjusted for. Sources: control variates at chance nodes, M. White and
M. Bowling, "Learning a value analysis tool for agent evaluation", IJCAI 2009; M. Zinkevich and others, "Optimal
unbiased estimators for evaluating agent performance", AAAI 2006.
"""

from enum import StrEnum
from fractions import Fraction
from typing import Final

from ..rules import HandEnd
from ..script import HandRecord, HandStory
from .baseline_values import SIXTEENTHS, deal_correction, street_correction, weights
from .equity import FLOP, PREFLOP, RIVER, UNITS, edge

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
