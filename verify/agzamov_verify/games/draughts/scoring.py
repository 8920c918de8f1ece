"""The scoring half of draughts: points a game by ballots, draws, errors."""

from collections.abc import Callable, Iterator, Sequence
from typing import Self

import msgspec

from ...plan.manifest import Plan
from ...protocols.norms import Protocol
from ...scoring.game_scoring import GameScoring, Played
from ...scoring.hypotheses.evidence import Evidence
from ...scoring.inference.estimate import PAIR_SCORE, Estimate
from ...scoring.inference.unit_values import Measure, Ratio, Units
from ...scoring.match_figures import (
    Kept,
    MatchAnalysis,
    Setting,
    decided,
    error_rates,
    kept_figures,
    p_above_half,
    symmetry,
)
from ...scoring.units.cells import Cell, CellKey, measured_first
from ...table.seating import alternating, by_seat, place_of
from .ballots import PAIR
from .counts import DraughtsCounts, by_pairs, decided_by_play, draughts_counts, game_identity
from .game import GAME, DraughtsMatch
from .game_script import DraughtsRecord
from .prompt import DraughtsRules
from .rules import End

DRAWN = "drawn"


class DraughtsNorm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Rows of draughts in a protocol: games of a match, and of one of Phase 0."""

    games_min: int
    phase0_games: int


class DraughtsGameOutcome(msgspec.Struct, frozen=True, gc=False):
    """One game from the measured seat's side. `errors`, `decisions`: its own and the opponent's, first attempts."""

    halfpoints: int
    end: End
    errors: tuple[int, int]
    decisions: tuple[int, int]
    decided_by_play: bool
    identity: str

    @property
    def forfeited(self) -> bool:
        """True if a side lost for want of a legal move."""
        return self.end is End.FORFEIT

    @property
    def adjudicated(self) -> bool:
        """Never: no game is stopped for a side that is ahead."""
        return False


class DraughtsCell(Cell, frozen=True):
    """The games of a cell, in order; two by two they share a ballot, with colours exchanged."""

    key: CellKey
    games: tuple[DraughtsGameOutcome, ...]

    @property
    def results(self) -> tuple[DraughtsGameOutcome, ...]:
        return self.games

    @property
    def course(self) -> list[int]:
        return [game.halfpoints for game in self.games]

    @property
    def distinct_wins(self) -> list[bool]:
        """Wins of the measured seat, by game; a game that repeats an earlier one move for move is left out."""
        return list({game.identity: game.halfpoints == 2 for game in reversed(self.games)}.values())

    def units(self, value: Callable[[DraughtsGameOutcome], int]) -> list[int]:
        return by_pairs(list(map(value, self.games)))

    def measured(self, measure: Measure = Measure.PERFORMANCE) -> Units:  # noqa: ARG002 - one figure is both
        """Half-points of each ballot: draws are too many for wins alone to tell players apart."""
        return self.as_units(self.units(lambda game: game.halfpoints), PAIR_SCORE)

    def clusters(self, value: Callable[[DraughtsGameOutcome], int]) -> list[int]:
        """Sums over games; those that were played alike, move for move, are one."""
        sums: dict[str, int] = {}
        for game in self.games:
            sums[game.identity] = sums.get(game.identity, 0) + value(game)
        return list(sums.values())

    def kept(self, keep: Callable[[DraughtsGameOutcome], bool], measure: Measure) -> Units | Ratio:
        """The ballots of which both games are kept: one of which one is left out would favour a colour."""
        whole = self.measured(measure)
        both = [int(count == PAIR) for count in self.units(lambda game: int(keep(game)))]
        values = [value * stays for value, stays in zip(whole.values, both, strict=True)]
        if self.careers < 2:
            return self.some_units((value for value, stays in zip(values, both, strict=True) if stays), whole.scale)
        return self.as_ratio(values, both, whole.scale)

    def with_results_of(self, other: Self) -> Self:
        return msgspec.structs.replace(self, games=self.games + other.games)


class DraughtsAnalysis(MatchAnalysis, frozen=True, tag="draughts"):
    """A match of draughts from one seat's side.

    `score`: points a game. `p_wins`: of the one-sided binomial test of games won against one half, over distinct games.
    `drawn`: the share of games drawn, by clusters of games that were played alike.
    """

    score: Kept
    p_wins: str | None
    drawn: Estimate

    @property
    def main(self) -> Kept:
        return self.score

    @property
    def p_won(self) -> str | None:
        return self.p_wins


class DraughtsScoring(GameScoring):
    """Ballots played with both colours."""

    game = GAME
    counts = DraughtsCounts
    analysis = DraughtsAnalysis
    sanity_ranks = True

    def count(self, played: Played) -> DraughtsCounts:
        return draughts_counts(played.records, played.outcomes)

    def cell(self, key: CellKey, played: Played) -> DraughtsCell:
        games = []
        for index, (record, halfpoints) in enumerate(zip(played.records, played.outcomes, strict=True)):
            tallies = measured_first(by_seat(record.tallies, alternating(index)), played.seat_index)
            own, other = tallies
            errors, decisions = (own.faults, other.faults), (own.decisions, other.decisions)
            by_play, identity = decided_by_play(record), game_identity(record)
            games.append(DraughtsGameOutcome(halfpoints, record.end, errors, decisions, by_play, identity))
        tallies = measured_first(played.tallies, played.seat_index)
        return DraughtsCell(key, tuple(games), starts=played.run, tallies=tallies)

    def analyse(
        self,
        cell: DraughtsCell,
        setting: Setting,
        evidence: Evidence,
        played: Played,  # noqa: ARG002 - the cell has all
    ) -> DraughtsAnalysis:
        wins = cell.distinct_wins
        return DraughtsAnalysis(
            setting.id,
            setting.phase,
            symmetry(cell.measured(), PAIR, setting, evidence),
            tuple(error_rates(cell, setting, evidence)),
            kept_figures(cell, Measure.SCORE, evidence),
            p_above_half(sum(wins), len(wins), setting, cell),
            decided(cell, {DRAWN: lambda game: game.halfpoints == 1}, evidence)[DRAWN],
        )

    def observations(
        self,
        records: Sequence[DraughtsRecord],
        rules: DraughtsRules,  # noqa: ARG002 - as declared
        seat_index: int,
    ) -> list[int]:
        """Half-points of each ballot."""
        return by_pairs([record.outcomes[place_of(seat_index, at)] for at, record in enumerate(records)])

    def size_departures(self, match: DraughtsMatch, plan: Plan, protocol: Protocol) -> Iterator[str]:
        if self.game.name not in protocol.games:
            yield from super().size_departures(match, plan, protocol)
            return
        norm = protocol.norms(self.game.name, DraughtsNorm)
        if not match.phase and match.games != norm.phase0_games:
            yield f"{match.id}: {match.games} games planned, {norm.phase0_games} required"
        elif match.phase and match.games < norm.games_min:
            yield f"{match.id}: {match.games} games planned, at least {norm.games_min} required"

    def play_departures(self, plan: Plan, protocol: Protocol) -> Iterator[str]:  # noqa: ARG002 - defaults are the norm
        """Rules that have no number in the protocol file: their defaults are the protocol's."""
        rules, norm = plan.rules_of(self.game.name), DraughtsRules()
        if rules.plies_max < norm.plies_max:
            yield f"games of draughts end at {rules.plies_max} plies, at least {norm.plies_max} required"
        if rules.quiet_moves_max != norm.quiet_moves_max:
            required = f"{norm.quiet_moves_max} required"
            yield f"draughts is drawn after {rules.quiet_moves_max} moves without progress, {required}"


SCORING = DraughtsScoring()
