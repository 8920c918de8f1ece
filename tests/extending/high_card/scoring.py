"""What is counted: seat A's chips in sets of three rounds."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Self

import msgspec

from ...scoring.cells import Cell, CellKey
from ...scoring.counts import Counts
from ...scoring.exact import figure
from ...scoring.game_scoring import GameScoring, Played
from ...scoring.hypotheses.evidence import Evidence
from ...scoring.inference.estimate import Scale
from ...scoring.match_figures import (
    Kept,
    MatchAnalysis,
    Setting,
    error_rates,
    kept_figures,
    p_above_half,
    symmetry,
)
from ...scoring.measures import Measure, Units
from .game import GAME, SEATS, HighCardRecord, HighCardRules

CHIPS_PER_ROUND = Scale("chips a round", Fraction(1, SEATS))


def place_of_a(index: int) -> int:
    """Seat A's place in round `index`."""
    return -index % SEATS


def by_three(values: Sequence[int]) -> list[int]:
    """Sums over sets of three rounds."""
    return [sum(values[at : at + SEATS]) for at in range(0, len(values) - SEATS + 1, SEATS)]


class HighCardCounts(Counts, frozen=True, tag="high_card"):
    """Seat A's chips, the sets of three rounds that it won chips in, and how many stayed in each round."""

    rounds: int
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
        return self.rounds // SEATS

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


class HighCardCell(Cell, frozen=True):
    """The rounds of a cell."""

    key: CellKey
    rounds: tuple[HighCardRound, ...]

    @property
    def results(self) -> tuple[HighCardRound, ...]:
        return self.rounds

    @property
    def course(self) -> list[int]:
        return [one.chips for one in self.rounds]

    def units(self, value: Callable[[HighCardRound], int]) -> list[int]:
        return by_three(list(map(value, self.rounds)))

    def measured(self, measure: Measure = Measure.PERFORMANCE) -> Units:
        return self.as_units(self.units(lambda one: one.chips), CHIPS_PER_ROUND)

    def kept(self, keep: Callable[[HighCardRound], bool], measure: Measure) -> Units:
        whole = self.units(lambda one: int(keep(one)))
        values = self.units(lambda one: one.chips)
        return self.some_units((v for v, kept in zip(values, whole, strict=True) if kept == SEATS), CHIPS_PER_ROUND)

    def with_results_of(self, other: Self) -> Self:
        return msgspec.structs.replace(self, rounds=self.rounds + other.rounds)


class HighCardAnalysis(MatchAnalysis, frozen=True, tag="high_card"):
    """A match of high card from seat A's side."""

    chips: Kept
    p_sets_won: str | None

    @property
    def main(self) -> Kept:
        return self.chips

    @property
    def p_won(self) -> str | None:
        return self.p_sets_won


class HighCardScoring(GameScoring):
    """Sets of three rounds, in which each seat has every place once."""

    game = GAME
    counts = HighCardCounts
    analysis = HighCardAnalysis

    def count(self, played: Played) -> HighCardCounts:
        sets = self.observations(played.records, played.rules)
        stayed = Counter(f"{record.actions.count('stay')}_stayed" for record in played.records)
        own = sum(not any(record.faults) for record in played.records)
        won = sum(chips > 0 for chips in sets)
        return HighCardCounts(len(played.records), sum(sets), won, own, dict(sorted(stayed.items())))

    def cell(self, key: CellKey, played: Played) -> HighCardCell:
        rounds = []
        for index, record in enumerate(played.records):
            places = [(place_of_a(index) + at) % SEATS for at in range(SEATS)]
            errors = tuple(record.faults[place] for place in places)
            rounds.append(HighCardRound(record.net_chips[places[0]], errors, (1,) * SEATS))
        return HighCardCell(key, tuple(rounds), starts=f"{played.run}/{played.match.draws}", tallies=played.tallies)

    def analyse(self, cell: HighCardCell, setting: Setting, evidence: Evidence, played: Played) -> HighCardAnalysis:
        units = cell.measured()
        return HighCardAnalysis(
            setting.id,
            setting.phase,
            symmetry(units, 0, setting, evidence),
            tuple(error_rates(cell, setting, evidence)),
            kept_figures(cell, Measure.PERFORMANCE, evidence),
            p_above_half(sum(chips > 0 for chips in units.values), len(units.values), setting),
        )

    def observations(self, records: Sequence[HighCardRecord], rules: HighCardRules) -> list[int]:
        return by_three([record.net_chips[place_of_a(index)] for index, record in enumerate(records)])


SCORING = HighCardScoring()
