"""What is counted: a seat's chips in sets of as many rounds as there are seats."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Self

import msgspec

from ...scoring.game_scoring import GameScoring, Played
from ...scoring.hypotheses.evidence import Evidence
from ...scoring.inference.estimate import Scale
from ...scoring.inference.exact import figure
from ...scoring.inference.unit_values import Measure, Units
from ...scoring.match_figures import Kept, MatchAnalysis, Setting, error_rates, kept_figures, p_above_half, symmetry
from ...scoring.units.cells import Cell, CellKey, measured_first
from ...scoring.units.counts import Counts
from ...table.seating import by_seat
from .game import GAME, HighCardRecord, HighCardRules


def chips_per_round(seats: int) -> Scale:
    """Chips of a set, as chips a round: a seat loses two at most, and wins two of each other one."""
    return Scale("chips a round", Fraction(1, seats), Fraction(-2), Fraction(2 * (seats - 1)))


def by_set(values: Sequence[int], seats: int) -> list[int]:
    """Sums over sets of rounds."""
    return [sum(values[at : at + seats]) for at in range(0, len(values) - seats + 1, seats)]


class HighCardCounts(Counts, frozen=True, tag="high_card"):
    """A seat's chips, the sets of rounds that it won chips in, and how many stayed in each round."""

    rounds: int
    sets: int
    net_chips: int
    sets_won: int
    own: int
    stayed: dict[str, int]

    @property
    def count(self) -> int:
        return self.rounds

    @property
    def wins(self) -> tuple[int, int]:
        return self.sets_won, self.units

    @property
    def units(self) -> int:
        return self.sets

    @property
    def value(self) -> Fraction:
        return Fraction(self.net_chips, self.rounds)

    @property
    def ends(self) -> Mapping[str, int]:
        return self.stayed

    @property
    def by_play(self) -> int:
        return self.own

    def headline(self) -> dict[str, str]:
        return {"rounds": str(self.rounds), "chips_a_round": figure(self.value).decimal}


class HighCardRound(msgspec.Struct, frozen=True):
    """One round from the measured seat's side."""

    chips: int
    errors: tuple[int, ...]
    decisions: tuple[int, ...]

    @property
    def decided_by_play(self) -> bool:
        return not any(self.errors)

    @property
    def forfeited(self) -> bool:
        """Never: a seat without a legal action gets another one, and the round goes on."""
        return False

    @property
    def adjudicated(self) -> bool:
        """Never: no engine ends a round."""
        return False


class HighCardCell(Cell, frozen=True):
    """The rounds of a cell."""

    key: CellKey
    rounds: tuple[HighCardRound, ...]
    seats: int

    @property
    def results(self) -> tuple[HighCardRound, ...]:
        return self.rounds

    @property
    def course(self) -> list[int]:
        return [one.chips for one in self.rounds]

    def units(self, value: Callable[[HighCardRound], int]) -> list[int]:
        return by_set(list(map(value, self.rounds)), self.seats)

    def measured(self, measure: Measure = Measure.PERFORMANCE) -> Units:
        return self.as_units(self.units(lambda one: one.chips), chips_per_round(self.seats))

    def kept(self, keep: Callable[[HighCardRound], bool], measure: Measure) -> Units:
        whole = self.units(lambda one: int(keep(one)))
        values = self.units(lambda one: one.chips)
        kept = (chips for chips, count in zip(values, whole, strict=True) if count == self.seats)
        return self.some_units(kept, chips_per_round(self.seats))

    def with_results_of(self, other: Self) -> Self:
        return msgspec.structs.replace(self, rounds=self.rounds + other.rounds)


class HighCardAnalysis(MatchAnalysis, frozen=True, tag="high_card"):
    """A match of high card from the side of one seat."""

    chips: Kept
    p_sets_won: str | None

    @property
    def main(self) -> Kept:
        return self.chips

    @property
    def p_won(self) -> str | None:
        return self.p_sets_won


class HighCardScoring(GameScoring):
    """Sets of rounds, in which each seat has every place once."""

    game = GAME
    counts = HighCardCounts
    analysis = HighCardAnalysis

    def count(self, played: Played) -> HighCardCounts:
        sets = self.observations(played.records, played.rules, played.seat_index)
        stayed = Counter(f"{record.actions.count('stay')}_stayed" for record in played.records)
        own = sum(not any(record.faults) for record in played.records)
        won = sum(chips > 0 for chips in sets)
        return HighCardCounts(len(played.records), len(sets), sum(sets), won, own, dict(sorted(stayed.items())))

    def cell(self, key: CellKey, played: Played) -> HighCardCell:
        seats, rounds = len(played.match.table), []
        for record, chips in zip(played.records, played.outcomes, strict=True):
            errors = measured_first(by_seat(record.faults, record.order), played.seat_index)
            rounds.append(HighCardRound(chips, errors, (1,) * seats))
        tallies = measured_first(played.tallies, played.seat_index)
        decks = f"{played.run}/{played.match.draws}"
        return HighCardCell(key, tuple(rounds), seats, starts=decks, tallies=tallies)

    def analyse(self, cell: HighCardCell, setting: Setting, evidence: Evidence, played: Played) -> HighCardAnalysis:
        units = cell.measured()
        return HighCardAnalysis(
            setting.id,
            setting.phase,
            symmetry(units, 0, setting, evidence),
            tuple(error_rates(cell, setting, evidence)),
            kept_figures(cell, Measure.PERFORMANCE, evidence),
            p_above_half(sum(chips > 0 for chips in units.values), len(units.values), setting, cell),
        )

    def observations(self, records: Sequence[HighCardRecord], rules: HighCardRules, seat_index: int) -> list[int]:
        seats = max((len(record.order) for record in records), default=1)
        return by_set([by_seat(record.outcomes, record.order)[seat_index] for record in records], seats)


SCORING = HighCardScoring()
