"""What is counted: the games that a seat's team won."""

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
from .game import GAME, HALFPOINTS_OF_A_GAME, VillageRecord, VillageRules
from .rules import TEAMS

WON_PER_GAME: Final = Scale("games won", Fraction(1, HALFPOINTS_OF_A_GAME), Fraction(0), Fraction(1))
"""Half-points of a game, as games won."""


class VillageCounts(Counts, frozen=True, tag="village"):
    """Games, those that a seat's team won, and how many each team won; `own`: all votes and words were seats' own."""

    games: int
    won: int
    own: int
    teams: dict[str, int]

    @property
    def count(self) -> int:
        return self.games

    @property
    def wins(self) -> tuple[int, int]:
        return self.won, self.games

    @property
    def units(self) -> int:
        return self.games

    @property
    def value(self) -> Fraction:
        return Fraction(self.won, self.games)

    @property
    def ends(self) -> Mapping[str, int]:
        return self.teams

    @property
    def by_play(self) -> int:
        return self.own

    def headline(self) -> dict[str, str]:
        return {"games": str(self.games), "won": figure(self.value).decimal}


class VillageGame(msgspec.Struct, frozen=True):
    """One game from the measured seat's side, with its half-points."""

    halfpoints: int
    errors: tuple[int, ...]
    decisions: tuple[int, ...]
    decided_by_play: bool

    @property
    def forfeited(self) -> bool:
        """Never: a seat without a legal action gets another one, and the game goes on."""
        return False

    @property
    def adjudicated(self) -> bool:
        """Never: no engine ends a game."""
        return False


class VillageCell(Cell, frozen=True):
    """The games of a cell."""

    key: CellKey
    games: tuple[VillageGame, ...]

    @property
    def results(self) -> tuple[VillageGame, ...]:
        return self.games

    @property
    def course(self) -> list[int]:
        return [game.halfpoints for game in self.games]

    def units(self, value: Callable[[VillageGame], int]) -> list[int]:
        return list(map(value, self.games))

    def measured(self, measure: Measure = Measure.PERFORMANCE) -> Units:
        return self.as_units(self.course, WON_PER_GAME)

    def kept(self, keep: Callable[[VillageGame], bool], measure: Measure) -> Units:
        return self.some_units((game.halfpoints for game in self.games if keep(game)), WON_PER_GAME)

    def with_results_of(self, other: Self) -> Self:
        return msgspec.structs.replace(self, games=self.games + other.games)


class VillageAnalysis(MatchAnalysis, frozen=True, tag="village"):
    """A match of the village from the side of one seat. Teams are not equal, so no test compares seats in self-play."""

    won: Kept

    @property
    def main(self) -> Kept:
        return self.won

    @property
    def p_won(self) -> str | None:
        return None


class VillageScoring(GameScoring):
    """Games, each with roles of its own."""

    game = GAME
    counts = VillageCounts
    analysis = VillageAnalysis

    def count(self, played: Played) -> VillageCounts:
        teams = Counter(f"won_by_{TEAMS[record.won]}" for record in played.records)
        own = sum(not any(tally.substituted for tally in record.tallies) for record in played.records)
        won = sum(played.outcomes) // HALFPOINTS_OF_A_GAME
        return VillageCounts(len(played.records), won, own, dict(sorted(teams.items())))

    def cell(self, key: CellKey, played: Played) -> VillageCell:
        games = []
        for record, halfpoints in zip(played.records, played.outcomes, strict=True):
            tallies = measured_first(by_seat(record.tallies, record.order), played.seat_index)
            own = not any(tally.substituted for tally in tallies)
            counts = [(tally.faults, tally.decisions) for tally in tallies]
            errors, decisions = tuple(fault for fault, _ in counts), tuple(decision for _, decision in counts)
            games.append(VillageGame(halfpoints, errors, decisions, own))
        tallies = measured_first(played.tallies, played.seat_index)
        return VillageCell(key, tuple(games), starts=f"{played.run}/{played.match.draws}", tallies=tallies)

    def analyse(self, cell: VillageCell, setting: Setting, evidence: Evidence, played: Played) -> VillageAnalysis:
        errors = tuple(error_rates(cell, setting, evidence))
        kept = kept_figures(cell, Measure.PERFORMANCE, evidence)
        return VillageAnalysis(setting.id, setting.phase, None, errors, kept)

    def observations(self, records: Sequence[VillageRecord], rules: VillageRules, seat_index: int) -> list[int]:
        return [by_seat(record.outcomes, record.order)[seat_index] for record in records]


SCORING = VillageScoring()
