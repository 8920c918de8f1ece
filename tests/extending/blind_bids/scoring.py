"""What is counted: a seat's chips a round."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Final, Self

import msgspec

from ...scoring.game_scoring import GameScoring, Played
from ...scoring.hypotheses.evidence import Evidence
from ...scoring.inference.estimate import Scale
from ...scoring.inference.exact import figure
from ...scoring.inference.unit_values import Measure, Units
from ...scoring.match_figures import Kept, MatchAnalysis, Setting, error_rates, kept_figures
from ...scoring.units.cells import Cell, CellKey, measured_first
from ...scoring.units.counts import Counts
from ...table.seating import by_seat
from .game import GAME, VALUE_MAX, BlindBidsRecord, BlindBidsRules

CHIPS_PER_ROUND: Final = Scale("chips a round", Fraction(1), Fraction(0), Fraction(VALUE_MAX))


class BlindBidsCounts(Counts, frozen=True, tag="blind_bids"):
    """A seat's chips, the rounds that it won chips in, and how rounds ended; `own`: every bid was its seat's own."""

    rounds: int
    net_chips: int
    won: int
    own: int
    endings: dict[str, int]

    @property
    def count(self) -> int:
        return self.rounds

    @property
    def wins(self) -> tuple[int, int]:
        return self.won, self.rounds

    @property
    def units(self) -> int:
        return self.rounds

    @property
    def value(self) -> Fraction:
        return Fraction(self.net_chips, self.rounds)

    @property
    def ends(self) -> Mapping[str, int]:
        return self.endings

    @property
    def by_play(self) -> int:
        return self.own

    def headline(self) -> dict[str, str]:
        return {"rounds": str(self.rounds), "chips_a_round": figure(self.value).decimal}


class BlindBidsRound(msgspec.Struct, frozen=True):
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


class BlindBidsCell(Cell, frozen=True):
    """The rounds of a cell."""

    key: CellKey
    rounds: tuple[BlindBidsRound, ...]

    @property
    def results(self) -> tuple[BlindBidsRound, ...]:
        return self.rounds

    @property
    def course(self) -> list[int]:
        return [one.chips for one in self.rounds]

    def units(self, value: Callable[[BlindBidsRound], int]) -> list[int]:
        return list(map(value, self.rounds))

    def measured(self, measure: Measure = Measure.PERFORMANCE) -> Units:
        return self.as_units(self.course, CHIPS_PER_ROUND)

    def kept(self, keep: Callable[[BlindBidsRound], bool], measure: Measure) -> Units:
        return self.some_units((one.chips for one in self.rounds if keep(one)), CHIPS_PER_ROUND)

    def with_results_of(self, other: Self) -> Self:
        return msgspec.structs.replace(self, rounds=self.rounds + other.rounds)


class BlindBidsAnalysis(MatchAnalysis, frozen=True, tag="blind_bids"):
    """A match of blind bids from the side of one seat. What one wins nobody loses, so equal seats win no known sum."""

    chips: Kept

    @property
    def main(self) -> Kept:
        return self.chips

    @property
    def p_won(self) -> str | None:
        return None


class BlindBidsScoring(GameScoring):
    """Rounds, each with values of its own."""

    game = GAME
    counts = BlindBidsCounts
    analysis = BlindBidsAnalysis

    def count(self, played: Played) -> BlindBidsCounts:
        chips = played.outcomes
        endings = Counter("won" if any(record.outcomes) else "nothing_won" for record in played.records)
        own = sum(not any(record.faults) for record in played.records)
        won = sum(one > 0 for one in chips)
        return BlindBidsCounts(len(chips), sum(chips), won, own, dict(sorted(endings.items())))

    def cell(self, key: CellKey, played: Played) -> BlindBidsCell:
        rounds = []
        for record, chips in zip(played.records, played.outcomes, strict=True):
            errors = measured_first(by_seat(record.faults, record.order), played.seat_index)
            rounds.append(BlindBidsRound(chips, errors, (1,) * len(errors)))
        tallies = measured_first(played.tallies, played.seat_index)
        return BlindBidsCell(key, tuple(rounds), starts=f"{played.run}/{played.match.draws}", tallies=tallies)

    def analyse(self, cell: BlindBidsCell, setting: Setting, evidence: Evidence, played: Played) -> BlindBidsAnalysis:
        errors = tuple(error_rates(cell, setting, evidence))
        kept = kept_figures(cell, Measure.PERFORMANCE, evidence)
        return BlindBidsAnalysis(setting.id, setting.phase, None, errors, kept)

    def observations(self, records: Sequence[BlindBidsRecord], rules: BlindBidsRules, seat_index: int) -> list[int]:
        return [by_seat(record.outcomes, record.order)[seat_index] for record in records]


SCORING = BlindBidsScoring()
