"""The hands of a hold'em match from the measured seat's side, as a cell."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Final, Self

import msgspec

from ...scoring.inference.estimate import Scale
from ...scoring.inference.unit_values import Measure, Ratio, Units
from ...scoring.units.cells import Cell, CellKey, measured_first
from ...table.decision import Tally
from ...table.seating import alternating, by_seat, place_of
from .control_variates import PER_CHIP, Method, net_units
from .hand_script import BUTTON, HandRecord, PokerRules
from .match_counts import unit_sums, with_mirrors
from .range_methods import RangeMethod, range_units
from .rules import HandEnd

ADJUSTED_METHODS: Final = (Method.ALL_IN, Method.STREET_EQUITY, Method.BASELINE)
"""Methods whose results a hand carries, least correction first; their coefficients are fixed before the data."""

MILLICHIPS: Final = 1000


def session_bb_per_100(session_hands: int) -> Scale:
    """Chips of a session of so many hands, as big blinds per 100 hands (100 chips are a big blind)."""
    return Scale("bb/100", Fraction(1, session_hands))


class PokerHand(msgspec.Struct, frozen=True, gc=False):
    """One hand from the measured seat's side, in chips (100 are one big blind). `errors`: its own, the opponent's.

    `adjusted`: chips by `ADJUSTED_METHODS`, in units of 1 / `PER_CHIP`; empty where the cards are not known.
    `ranged`: the same by `RangeMethod`; empty where the benchmark player does not sit on one side alone.
    """

    chips: int
    end: HandEnd
    errors: tuple[int, ...]
    decisions: tuple[int, ...] = (0, 0)
    adjusted: tuple[int, ...] = ()
    ranged: tuple[int, ...] = ()

    @property
    def decided_by_play(self) -> bool:
        """True if the hand was not forfeited and every first attempt was legal."""
        return self.end is not HandEnd.FORFEIT and not any(self.errors)

    @property
    def forfeited(self) -> bool:
        """True if a side lost the hand for want of a legal action."""
        return self.end is HandEnd.FORFEIT

    @property
    def adjudicated(self) -> bool:
        """False: a hand ends by the rules or by forfeit."""
        return False


class PokerCell(Cell, frozen=True):
    """The hands of a cell, in order. `mirrored`: the second half played the decks of the first, seats exchanged.

    A unit is a session, or with mirrored decks a session and its mirror, which are not independent.
    """

    key: CellKey
    hands: tuple[PokerHand, ...]
    session_hands: int
    mirrored: bool = False

    @property
    def results(self) -> tuple[PokerHand, ...]:
        """The hands, by the name that all cells share."""
        return self.hands

    @property
    def chips(self) -> list[int]:
        """The measured seat's chips of each hand."""
        return [hand.chips for hand in self.hands]

    @property
    def unit_hands(self) -> int:
        """Number of hands in a unit."""
        return self.session_hands * (2 if self.mirrored else 1)

    @property
    def course(self) -> list[int]:
        """The measured seat's chips in the order of play; mirrored halves are played side by side, so hand by hand."""
        return with_mirrors(self.chips) if self.mirrored else self.chips

    def units(self, value: Callable[[PokerHand], int]) -> list[int]:
        """Sums of a value of each hand over whole units."""
        return unit_sums(list(map(value, self.hands)), self.session_hands, mirrored=self.mirrored)

    @property
    def results_per_step(self) -> int:
        return 2 if self.mirrored else 1

    def measured(self, measure: Measure = Measure.PERFORMANCE) -> Units:  # noqa: ARG002 - both are chips
        """Chips won in each unit."""
        return self.as_units(self.units(lambda hand: hand.chips), session_bb_per_100(self.unit_hands))

    def kept(self, keep: Callable[[PokerHand], bool], measure: Measure) -> Ratio:  # noqa: ARG002 - both are chips
        """Chips won in the hands that are kept, by how many these are: a session only gets shorter."""
        chips = self.units(lambda hand: hand.chips if keep(hand) else 0)
        return self.as_ratio(chips, self.units(lambda hand: int(keep(hand))), session_bb_per_100(1))

    @property
    def adjusted_methods(self) -> tuple[str, ...]:
        return tuple(method.value for method in ADJUSTED_METHODS)

    def adjusted(self, method: str) -> Units | None:
        """Variance-reduced units by one of `ADJUSTED_METHODS` or RangeMethod, to a thousandth of a chip.

        None where it needs the cards, or the benchmark player on one side alone. A unit's sum is exact, and rounded
        once, half to even.
        """
        ranges = method in set(RangeMethod)
        methods: tuple[str, ...] = tuple(RangeMethod) if ranges else ADJUSTED_METHODS
        if any(len(hand.ranged if ranges else hand.adjusted) != len(methods) for hand in self.hands):
            return None
        index = methods.index(method)
        sums = self.units(lambda hand: (hand.ranged if ranges else hand.adjusted)[index])
        values = [round(Fraction(total * MILLICHIPS, PER_CHIP)) for total in sums]
        return self.as_units(values, Scale("bb/100", Fraction(1, MILLICHIPS * self.unit_hands)))

    def with_results_of(self, other: Self) -> Self:
        # The second halves stay behind the first ones: where decks are mirrored, that is where their mirrors are.
        first, second = (len(cell.hands) // 2 if cell.mirrored else 0 for cell in (self, other))
        hands = self.hands[:first] + other.hands[:second] + self.hands[first:] + other.hands[second:]
        return msgspec.structs.replace(self, hands=hands)


def with_ranges(
    cell: PokerCell, records: Sequence[HandRecord], seat_index: int, benchmark_index: int, stack_chips: int
) -> PokerCell:
    """The cell of one seat, with every hand averaged over the range of the benchmark player, wherever that sits."""
    hands = []
    for index, (hand, record) in enumerate(zip(cell.hands, records, strict=True)):
        units = range_units(record, place_of(benchmark_index, index), stack_chips)
        ranged = tuple(value * _sign(seat_index, index) for value in units)
        hands.append(msgspec.structs.replace(hand, ranged=ranged))
    return msgspec.structs.replace(cell, hands=tuple(hands))


def poker_cell(
    key: CellKey,
    records: Sequence[HandRecord],
    seat_index: int,
    tallies: tuple[Tally, ...],
    starts: str,
    rules: PokerRules,
) -> PokerCell:
    """The cell of some replayed hands, in order from the first of a match."""
    return PokerCell(
        key,
        tuple(poker_hands(records, seat_index)),
        rules.session_hands,
        rules.mirrored,
        starts=starts,
        tallies=tallies,
    )


def poker_hands(records: Iterable[HandRecord], seat_index: int) -> Iterable[PokerHand]:
    """Replayed hands, in order from the first of a match, from the side of one seat."""
    for index, record in enumerate(records):
        sign, order = _sign(seat_index, index), alternating(index)
        faults, decisions = (
            measured_first(by_seat(values, order), seat_index) for values in (record.faults, decisions_of(record))
        )
        adjusted = tuple(sign * net_units(record, method) for method in ADJUSTED_METHODS) if record.story else ()
        yield PokerHand(
            sign * record.net_chips,
            record.end,
            faults,
            decisions,
            adjusted,
        )


def _sign(seat_index: int, index: int) -> int:
    """1 where a seat has the button in a hand, of which chips are counted; else -1."""
    return 1 if place_of(seat_index, index) == BUTTON else -1


def decisions_of(record: HandRecord) -> tuple[int, int]:
    """Numbers of decisions of the button and big blind. A hand is forfeited in a decision of its loser."""
    if record.story is None:
        return 0, 0
    button = sum(played.player == 0 for played in record.story.history)
    blind = len(record.story.history) - button
    forfeited = record.end is HandEnd.FORFEIT
    return button + (forfeited and record.net_chips < 0), blind + (forfeited and record.net_chips > 0)
