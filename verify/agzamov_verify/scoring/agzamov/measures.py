"""What a cell's results are worth, unit by unit: a start pair in chess, a session of hands in hold'em.

With mirrored decks the unit is a session and its mirror together. Luck is taken out by the methods of luck/adjusted.py.
`PERFORMANCE` is the paper's P (Eq. 2): wins in chess, big blinds per 100 hands in hold'em. `SCORE` counts a drawn game
as half a point; in hold'em it is P again. They stand side by side and never stand in for each other.
"""

from collections.abc import Callable
from enum import StrEnum
from fractions import Fraction
from typing import Final

import msgspec

from ..inference.estimate import PAIR_SCORE, Scale, session_bb_per_100
from ..luck.adjusted import PER_CHIP, Method
from ..luck.ranges import RangeMethod
from .cells import LUCK_METHODS, Cell, ChessCell, ChessGame, PokerCell, PokerHand

PAIR_WINS: Final = Scale("win rate", Fraction(1, 2), Fraction(0), Fraction(1))
"""Games won of a start pair, as wins per game."""

MILLICHIPS: Final = 1000


class Measure(StrEnum):
    """What is counted."""

    PERFORMANCE = "performance"
    SCORE = "score"


class Units(msgspec.Struct, frozen=True):
    """Whole numbers by unit, in order; the scale that makes them figures; and what they are paired by ("": nothing)."""

    values: tuple[int, ...]
    scale: Scale
    starts: str

    def pairs_with(self, other: "Units") -> bool:
        """Whether unit k of both was played on the same start, or the same decks."""
        return bool(self.starts) and self.starts == other.starts and len(self.values) == len(other.values)


def units_of(cell: Cell, measure: Measure = Measure.PERFORMANCE) -> Units:
    """All results of a cell."""
    match cell:
        case ChessCell() if measure is Measure.PERFORMANCE:
            return Units(tuple(cell.pairs(_won)), PAIR_WINS, cell.starts)
        case ChessCell():
            return Units(tuple(cell.pairs(_halfpoints)), PAIR_SCORE, cell.starts)
        case PokerCell():
            return Units(tuple(cell.units(_chips)), session_bb_per_100(cell.unit_hands), cell.starts)


def kept_units(cell: Cell, keep: Callable[[ChessGame | PokerHand], bool], measure: Measure) -> Units:
    """The units of the results that are kept: whole start pairs, and sessions of the hands that are left.

    A pair of which one game is left out would favour a colour, so both go; a session only gets shorter, and its
    value is what it would be with as many hands as the others, rounded to a whole chip.
    """
    if isinstance(cell, ChessCell):
        whole = units_of(cell, measure)
        kept = cell.pairs(lambda game: int(keep(game)))
        return Units(tuple(v for v, both in zip(whole.values, kept, strict=True) if both == 2), whole.scale, "")
    counts = cell.units(lambda hand: int(keep(hand)))
    chips = cell.units(lambda hand: hand.chips if keep(hand) else 0)
    size = cell.unit_hands
    values = tuple(round(Fraction(won * size, hands)) for won, hands in zip(chips, counts, strict=True) if hands)
    return Units(values, session_bb_per_100(size), "")


def adjusted_units(cell: PokerCell, method: Method | RangeMethod) -> Units | None:
    """Units without luck by one of `LUCK_METHODS` or RangeMethod, to a thousandth of a chip; None where it needs more.

    That is the cards, or the house on one side. A unit's sum is exact, and rounded once, half to even.
    """
    ranges = isinstance(method, RangeMethod)
    methods: tuple[Method | RangeMethod, ...] = tuple(RangeMethod) if ranges else LUCK_METHODS
    if any(len(hand.ranged if ranges else hand.adjusted) != len(methods) for hand in cell.hands):
        return None
    at = methods.index(method)
    sums = cell.units(lambda hand: (hand.ranged if ranges else hand.adjusted)[at])
    values = tuple(round(Fraction(total * MILLICHIPS, PER_CHIP)) for total in sums)
    return Units(values, Scale("bb/100", Fraction(1, MILLICHIPS * cell.unit_hands)), cell.starts)


def error_units(cell: Cell) -> Units | None:
    """First attempts of the measured seat without a legal action, per million decisions of a unit.

    None where decisions were not counted.
    """
    if isinstance(cell, ChessCell):
        counted = [cell.pairs(lambda game: game.errors[0]), cell.pairs(lambda game: game.decisions[0])]
    else:
        counted = [cell.units(lambda hand: hand.errors[0]), cell.units(lambda hand: hand.decisions[0])]
    rates = [
        round(Fraction(10**6 * errors, decisions)) for errors, decisions in zip(*counted, strict=True) if decisions
    ]
    return Units(tuple(rates), Scale("error rate", Fraction(1, 10**6)), "") if rates else None


def _won(game: ChessGame) -> int:
    return int(game.halfpoints == 2)


def _halfpoints(game: ChessGame) -> int:
    return game.halfpoints


def _chips(hand: PokerHand) -> int:
    return hand.chips
