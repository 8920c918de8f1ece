"""What is counted at a table of hold'em: a seat's chips in duplicate sets, which are the unit of every statistic.

In a set every seat plays every place of one deck (of `unit_decks` decks), so the luck of the cards is the same for all.
100 chips are one big blind, so chips a hand and big blinds per 100 hands are the same number. The figures of a match
are of raw chips; what the board gave (`luck`) is taken off where many players are rated, in an arena.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Self

import msgspec

from ...plan.manifest import Plan
from ...poker.actions import BIG_BLIND
from ...protocols.norms import Protocol
from ...scoring.game_scoring import GameScoring, Played
from ...scoring.hypotheses.evidence import Evidence
from ...scoring.inference.estimate import Scale
from ...scoring.inference.exact import figure
from ...scoring.inference.unit_values import Measure, Units
from ...scoring.match_figures import Kept, MatchAnalysis, Setting, error_rates, kept_figures, p_above_half, symmetry
from ...scoring.units.cells import Cell, CellKey, measured_first
from ...scoring.units.counts import Counts, distinct, identity_of
from ...table.seating import by_seat
from .control_variates import hand_luck
from .game import GAME, RingMatch
from .hand_script import RingEnd, RingRecord, RingRules
from .sit_and_go_scoring import SitAndGoScoring


def by_set(values: Sequence[int], size: int) -> list[int]:
    """Sums over whole sets of so many hands."""
    return [sum(values[at : at + size]) for at in range(0, len(values) - size + 1, size)]


def hand_identity(record: RingRecord) -> str:
    """Cards by place, actions and result, whoever sat where."""
    deal = record.story.deal
    cards = (*(card for hole in deal.holes for card in hole), *deal.board)
    actions = (f"{acted.action.kind.value} {acted.action.to_chips}" for acted in record.story.history)
    return identity_of(*cards, *actions, record.end.value, *map(str, record.outcomes))


class RingCounts(Counts, frozen=True, tag="holdem_ring"):
    """A seat's hands: its chips, sets won with more than zero chips, chips by place (the button first), and ends.

    `own`: hands in which every action was a seat's own.
    """

    hands: int
    distinct_hands: int
    sets: int
    net_chips: int
    sets_won: int
    chips_by_place: tuple[int, ...]
    ended: dict[str, int]
    own: int

    @property
    def count(self) -> int:
        return self.hands

    @property
    def distinct(self) -> int:
        return self.distinct_hands

    @property
    def wins(self) -> tuple[int, int]:
        return self.sets_won, self.sets

    @property
    def units(self) -> int:
        return self.sets

    @property
    def value(self) -> Fraction:
        """Big blinds per 100 hands."""
        return Fraction(self.net_chips, self.hands)

    @property
    def ends(self) -> Mapping[str, int]:
        return self.ended

    @property
    def by_play(self) -> int:
        return self.own

    def headline(self) -> dict[str, str]:
        return {
            "hands": str(self.hands),
            "bb_per_100": figure(self.value).decimal,
            "decided_by_play": figure(Fraction(self.own, self.hands)).decimal,
        }


class RingResult(msgspec.Struct, frozen=True):
    """One hand from the measured seat's side."""

    chips: int
    errors: tuple[int, ...]
    decisions: tuple[int, ...]
    forfeited: bool

    @property
    def decided_by_play(self) -> bool:
        return not any(self.errors)

    @property
    def adjudicated(self) -> bool:
        return False


class RingCell(Cell, frozen=True):
    """The hands of a cell, in sets of `unit_hands`."""

    key: CellKey
    hands: tuple[RingResult, ...]
    unit_hands: int
    stack_chips: int

    @property
    def results(self) -> tuple[RingResult, ...]:
        return self.hands

    @property
    def course(self) -> list[int]:
        return [hand.chips for hand in self.hands]

    @property
    def scale(self) -> Scale:
        """Chips of a set as big blinds per 100 hands: a seat loses its stack at most, and wins every other one."""
        stack = Fraction(self.stack_chips)
        return Scale("bb/100", Fraction(1, self.unit_hands), -stack, stack * (self.key.seats - 1))

    def units(self, value: Callable[[RingResult], int]) -> list[int]:
        return by_set(list(map(value, self.hands)), self.unit_hands)

    def measured(self, measure: Measure = Measure.PERFORMANCE) -> Units:  # noqa: ARG002 - it has one
        return self.as_units(self.units(lambda hand: hand.chips), self.scale)

    def kept(self, keep: Callable[[RingResult], bool], measure: Measure) -> Units:  # noqa: ARG002 - it has one
        whole = self.units(lambda hand: int(keep(hand)))
        values = self.units(lambda hand: hand.chips)
        kept = (chips for chips, count in zip(values, whole, strict=True) if count == self.unit_hands)
        return self.some_units(kept, self.scale)

    def with_results_of(self, other: Self) -> Self:
        return msgspec.structs.replace(self, hands=self.hands + other.hands)


class RingAnalysis(MatchAnalysis, frozen=True, tag="holdem_ring"):
    """A match of hold'em for many from the side of one seat, in duplicate sets of `unit_hands` hands."""

    bb_per_100: Kept
    unit_hands: int
    p_sets_won: str | None

    @property
    def main(self) -> Kept:
        return self.bb_per_100

    @property
    def p_won(self) -> str | None:
        return self.p_sets_won


class RingNorm(msgspec.Struct, frozen=True):
    """What the protocol asks of a match: its size in duplicate sets, and its blinds and stacks."""

    sets_min: int
    small_blind_chips: int
    stack_bb: int


class RingScoring(GameScoring):
    """Duplicate sets, in which each seat has every place once with each deck."""

    game = GAME
    counts = RingCounts
    analysis = RingAnalysis

    def count(self, played: Played) -> RingCounts:
        records, seats = played.records, len(played.match.table)
        sets = self.observations(records, played.rules, played.seat_index)
        by_place = [0] * seats
        for record in records:
            place = record.order.index(played.seat_index)
            by_place[place] += record.outcomes[place]
        ends = Counter(record.end for record in records)
        return RingCounts(
            len(records),
            distinct(map(hand_identity, records)),
            len(sets),
            sum(played.outcomes),
            sum(chips > 0 for chips in sets),
            tuple(by_place),
            {end.value: ends[end] for end in RingEnd if ends[end]},
            sum(record.decided_by_play for record in records),
        )

    def cell(self, key: CellKey, played: Played) -> RingCell:
        hands = []
        for record, chips in zip(played.records, played.outcomes, strict=True):
            errors, decisions = (
                measured_first(by_seat(values, record.order), played.seat_index)
                for values in (record.faults, record.decisions)
            )
            hands.append(RingResult(chips, errors, decisions, record.end is RingEnd.FORFEIT))
        rules: RingRules = played.rules
        return RingCell(
            key,
            tuple(hands),
            GAME.unit_results(rules, len(played.match.table)),
            rules.stack_chips,
            starts=f"{played.run}/{played.match.draws}",
            tallies=measured_first(played.tallies, played.seat_index),
        )

    def analyse(self, cell: RingCell, setting: Setting, evidence: Evidence, played: Played) -> RingAnalysis:  # noqa: ARG002
        units = cell.measured()
        return RingAnalysis(
            setting.id,
            setting.phase,
            symmetry(units, 0, setting, evidence),
            tuple(error_rates(cell, setting, evidence, "duplicate sets")),
            kept_figures(cell, Measure.PERFORMANCE, evidence),
            cell.unit_hands,
            p_above_half(sum(chips > 0 for chips in units.values), len(units.values), setting, cell),
        )

    def observations(self, records: Sequence[RingRecord], rules: RingRules, seat_index: int) -> list[int]:
        if not records:
            return []
        chips = [by_seat(record.outcomes, record.order)[seat_index] for record in records]
        return by_set(chips, GAME.unit_results(rules, len(records[0].order)))

    def luck(self, record: RingRecord, rules: RingRules) -> tuple[Fraction, ...]:
        return hand_luck(record.story, rules.stack_chips, rules.small_blind_chips, BIG_BLIND)

    def play_departures(self, plan: Plan, protocol: Protocol) -> Iterator[str]:
        if GAME.name not in protocol.games:
            return
        norm, rules = protocol.norms(GAME.name, RingNorm), plan.rules_of(GAME.name)
        required = {"small_blind_chips": norm.small_blind_chips, "stack_chips": norm.stack_bb * BIG_BLIND}
        for key, value in required.items():
            if getattr(rules, key) != value:
                yield f"{GAME.name}.{key} {getattr(rules, key)} planned, {value} required"

    def size_departures(self, match: RingMatch, plan: Plan, protocol: Protocol) -> Iterator[str]:
        if GAME.name not in protocol.games:
            yield from super().size_departures(match, plan, protocol)
            return
        norm, size = protocol.norms(GAME.name, RingNorm), GAME.unit_results(plan.rules_of(GAME.name), len(match.table))
        if match.hands < norm.sets_min * size:
            yield f"{match.id}: {match.hands} hands planned, at least {norm.sets_min * size} required"


VARIANTS: dict[str, GameScoring] = {one.game.name: one for one in (RingScoring(), SitAndGoScoring())}
