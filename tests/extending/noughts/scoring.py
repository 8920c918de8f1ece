"""What is counted: half-points of pairs of games."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Self

import msgspec

from ...scoring.game_scoring import GameScoring, Played
from ...scoring.hypotheses.evidence import Evidence
from ...scoring.inference.estimate import PAIR_SCORE
from ...scoring.inference.exact import figure
from ...scoring.inference.unit_values import Measure, Ratio, Units
from ...scoring.match_figures import Kept, MatchAnalysis, Setting, error_rates, kept_figures, p_above_half, symmetry
from ...scoring.units.cells import Cell, CellKey, measured_first
from ...scoring.units.counts import Counts
from ...table.seating import alternating, by_seat, place_of
from .game import GAME, NoughtsRecord, NoughtsRules


class NoughtsCounts(Counts, frozen=True, tag="noughts"):
    """Wins and draws of one seat; `own`: games in which every move was a seat's own."""

    games: int
    won: int
    drawn: int
    own: int
    endings: dict[str, int]

    @property
    def count(self) -> int:
        return self.games

    @property
    def wins(self) -> tuple[int, int]:
        return self.won, self.games

    @property
    def units(self) -> int:
        return self.games // 2

    @property
    def value(self) -> Fraction:
        return Fraction(2 * self.won + self.drawn, 2 * self.games)

    @property
    def ends(self) -> Mapping[str, int]:
        return self.endings

    @property
    def by_play(self) -> int:
        return self.own

    def headline(self) -> dict[str, str]:
        return {"games": str(self.games), "score": figure(self.value).decimal}


class NoughtsGame(msgspec.Struct, frozen=True):
    """One game from the measured seat's side."""

    halfpoints: int
    errors: tuple[int, int]
    decisions: tuple[int, int]
    decided_by_play: bool
    forfeited: bool

    @property
    def adjudicated(self) -> bool:
        """Never: no engine ends a game."""
        return False


class NoughtsCell(Cell, frozen=True):
    """The games of a cell; two by two each seat begins one."""

    key: CellKey
    games: tuple[NoughtsGame, ...]

    @property
    def results(self) -> tuple[NoughtsGame, ...]:
        return self.games

    @property
    def course(self) -> list[int]:
        return [game.halfpoints for game in self.games]

    def units(self, value: Callable[[NoughtsGame], int]) -> list[int]:
        values = list(map(value, self.games))
        return [one + other for one, other in zip(values[::2], values[1::2], strict=False)]

    def measured(self, measure: Measure = Measure.PERFORMANCE) -> Units:
        return self.as_units(self.units(lambda game: game.halfpoints), PAIR_SCORE)

    def clusters(self, value: Callable[[NoughtsGame], int]) -> list[int]:
        return list(map(value, self.games))

    def kept(self, keep: Callable[[NoughtsGame], bool], measure: Measure) -> Units | Ratio:
        both = [int(kept == 2) for kept in self.units(lambda game: int(keep(game)))]
        values = [value * kept for value, kept in zip(self.measured().values, both, strict=True)]
        if self.careers < 2:
            return self.some_units((value for value, kept in zip(values, both, strict=True) if kept), PAIR_SCORE)
        return self.as_ratio(values, both, PAIR_SCORE)

    def with_results_of(self, other: Self) -> Self:
        return msgspec.structs.replace(self, games=self.games + other.games)


class NoughtsAnalysis(MatchAnalysis, frozen=True, tag="noughts"):
    """A match of noughts and crosses from seat A's side."""

    score: Kept
    p_wins: str | None

    @property
    def main(self) -> Kept:
        return self.score

    @property
    def p_won(self) -> str | None:
        return self.p_wins


def _by_play(record: NoughtsRecord) -> bool:
    """True if the rules ended the game and every move was a seat's own."""
    return not (record.forfeited or any(tally.substituted for tally in record.tallies))


class NoughtsScoring(GameScoring):
    """Pairs of games."""

    game = GAME
    counts = NoughtsCounts
    analysis = NoughtsAnalysis

    def count(self, played: Played) -> NoughtsCounts:
        points = Counter(played.outcomes)
        ends = Counter(ending(record) for record in played.records)
        own = sum(map(_by_play, played.records))
        return NoughtsCounts(len(played.records), points[2], points[1], own, dict(sorted(ends.items())))

    def cell(self, key: CellKey, played: Played) -> NoughtsCell:
        games = []
        for index, (record, halfpoints) in enumerate(zip(played.records, played.outcomes, strict=True)):
            tallies = measured_first(by_seat(record.tallies, alternating(index)), played.seat_index)
            errors, decisions = (tuple(one.faults for one in tallies), tuple(one.decisions for one in tallies))
            games.append(NoughtsGame(halfpoints, errors, decisions, _by_play(record), record.forfeited))
        tallies = measured_first(played.tallies, played.seat_index)
        return NoughtsCell(key, tuple(games), starts=played.run, tallies=tallies)

    def analyse(self, cell: NoughtsCell, setting: Setting, evidence: Evidence, played: Played) -> NoughtsAnalysis:
        return NoughtsAnalysis(
            setting.id,
            setting.phase,
            symmetry(cell.measured(), 2, setting, evidence),
            tuple(error_rates(cell, setting, evidence)),
            kept_figures(cell, Measure.SCORE, evidence),
            p_above_half(cell.course.count(2), len(cell.games), setting, cell),
        )

    def observations(self, records: Sequence[NoughtsRecord], rules: NoughtsRules, seat_index: int) -> list[int]:
        points = [record.outcomes[place_of(seat_index, at)] for at, record in enumerate(records)]
        return [one + other for one, other in zip(points[::2], points[1::2], strict=False)]


def ending(record: NoughtsRecord) -> str:
    """How a game ended."""
    if record.forfeited:
        return "forfeit"
    return "draw" if record.winner < 0 else "three_in_a_row"


SCORING = NoughtsScoring()
