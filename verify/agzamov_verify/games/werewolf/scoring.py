"""What is counted: games won by a seat, with each role; votes of the village that hit a wolf; errors.

The unit is a set of as many games as there are seats: in it each seat has each role as often as every other seat.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Self

import msgspec

from ...plan.manifest import Plan
from ...protocols.norms import Protocol
from ...scoring.game_scoring import GameScoring, Played
from ...scoring.hypotheses.evidence import Evidence
from ...scoring.inference.estimate import Scale
from ...scoring.inference.exact import figure
from ...scoring.inference.unit_values import Measure, Units
from ...scoring.match_figures import Kept, MatchAnalysis, Setting, error_rates, kept_figures
from ...scoring.units.cells import Cell, CellKey, measured_first
from ...scoring.units.counts import Counts
from ...table.seating import by_seat
from .game import GAME, WerewolfMatch
from .record import HALFPOINTS_OF_A_GAME, WerewolfRecord
from .rules import NOBODY, Role, WerewolfRules


def points_per_game(seats: int) -> Scale:
    """Half-points of a set of games, as points a game: 1 for a win, a half for a draw."""
    return Scale("points a game", Fraction(1, HALFPOINTS_OF_A_GAME * seats), Fraction(0), Fraction(1))


def by_set(values: Sequence[int], seats: int) -> list[int]:
    """Sums over whole sets of games."""
    return [sum(values[at : at + seats]) for at in range(0, len(values) - seats + 1, seats)]


class RoleCounts(msgspec.Struct, frozen=True):
    """A seat's games in one role: played, won, drawn, and those at whose end it lived."""

    games: int = 0
    won: int = 0
    drawn: int = 0
    survived: int = 0


class WerewolfCounts(Counts, frozen=True, tag="werewolf"):
    """A seat's games, by role too; its votes by day as one of the village, and those of them for a wolf.

    `own`: games of which every choice and message was a seat's own. `exiled`: wolves and others exiled by day, in all.
    """

    games: int
    sets: int
    halfpoints: int
    won: int
    roles: dict[str, RoleCounts]
    village_votes: int
    votes_for_wolves: int
    wolves_exiled: int
    others_exiled: int
    own: int
    ended: dict[str, int]

    @property
    def count(self) -> int:
        return self.games

    @property
    def wins(self) -> tuple[int, int]:
        return self.won, self.games

    @property
    def units(self) -> int:
        return self.sets

    @property
    def value(self) -> Fraction:
        return Fraction(self.halfpoints, HALFPOINTS_OF_A_GAME * self.games)

    @property
    def ends(self) -> Mapping[str, int]:
        return self.ended

    @property
    def by_play(self) -> int:
        return self.own

    def headline(self) -> dict[str, str]:
        by_play = figure(Fraction(self.own, self.games)).decimal
        return {"games": str(self.games), "points_a_game": figure(self.value).decimal, "decided_by_play": by_play}


class WerewolfGameResult(msgspec.Struct, frozen=True):
    """One game from the measured seat's side, with its half-points."""

    halfpoints: int
    errors: tuple[int, ...]
    decisions: tuple[int, ...]
    decided_by_play: bool

    @property
    def forfeited(self) -> bool:
        """Never: a decision without a legal answer is void, and the game goes on."""
        return False

    @property
    def adjudicated(self) -> bool:
        """Never."""
        return False


class WerewolfCell(Cell, frozen=True):
    """The games of a cell."""

    key: CellKey
    games: tuple[WerewolfGameResult, ...]
    seats: int

    @property
    def results(self) -> tuple[WerewolfGameResult, ...]:
        return self.games

    @property
    def course(self) -> list[int]:
        return [game.halfpoints for game in self.games]

    def units(self, value: Callable[[WerewolfGameResult], int]) -> list[int]:
        return by_set(list(map(value, self.games)), self.seats)

    def measured(self, measure: Measure = Measure.PERFORMANCE) -> Units:
        return self.as_units(self.units(lambda game: game.halfpoints), points_per_game(self.seats))

    def kept(self, keep: Callable[[WerewolfGameResult], bool], measure: Measure) -> Units:
        whole = self.units(lambda game: int(keep(game)))
        values = self.units(lambda game: game.halfpoints)
        kept = (points for points, count in zip(values, whole, strict=True) if count == self.seats)
        return self.some_units(kept, points_per_game(self.seats))

    def with_results_of(self, other: Self) -> Self:
        return msgspec.structs.replace(self, games=self.games + other.games)


class WerewolfNorm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The size of a table, and the fewest games of a match."""

    games_min: int
    seats: int


class WerewolfAnalysis(MatchAnalysis, frozen=True, tag="werewolf"):
    """A match from the side of one seat. Teams are not equal, so no test compares seats in self-play."""

    points: Kept

    @property
    def main(self) -> Kept:
        return self.points

    @property
    def p_won(self) -> str | None:
        return None


class WerewolfScoring(GameScoring):
    """Sets of games, in which each seat has every place and so every role."""

    game = GAME
    counts = WerewolfCounts
    analysis = WerewolfAnalysis

    def count(self, played: Played) -> WerewolfCounts:
        records: list[WerewolfRecord] = played.records
        outcomes = played.outcomes
        votes, hits = _village_votes(records, played.seat_index)
        exiled = [record.roles[day.died] for record in records for day in record.days if day.died != NOBODY]
        return WerewolfCounts(
            games=len(records),
            sets=len(self.observations(records, played.rules, played.seat_index)),
            halfpoints=sum(outcomes),
            won=outcomes.count(HALFPOINTS_OF_A_GAME),
            roles=_by_role(records, played.seat_index),
            village_votes=votes,
            votes_for_wolves=hits,
            wolves_exiled=exiled.count(Role.WOLF),
            others_exiled=len(exiled) - exiled.count(Role.WOLF),
            own=sum(record.by_play for record in records),
            ended=dict(sorted(Counter(record.end.value for record in records).items())),
        )

    def cell(self, key: CellKey, played: Played) -> WerewolfCell:
        games = []
        for record, halfpoints in zip(played.records, played.outcomes, strict=True):
            tallies = measured_first(by_seat(record.tallies, record.order), played.seat_index)
            errors = tuple(tally.faults for tally in tallies)
            decisions = tuple(tally.decisions for tally in tallies)
            games.append(WerewolfGameResult(halfpoints, errors, decisions, record.by_play))
        tallies = measured_first(played.tallies, played.seat_index)
        starts = f"{played.run}/{played.match.draws}"
        return WerewolfCell(key, tuple(games), len(played.match.table), starts=starts, tallies=tallies)

    def analyse(self, cell: WerewolfCell, setting: Setting, evidence: Evidence, played: Played) -> WerewolfAnalysis:
        errors = tuple(error_rates(cell, setting, evidence))
        kept = kept_figures(cell, Measure.PERFORMANCE, evidence)
        return WerewolfAnalysis(setting.id, setting.phase, None, errors, kept)

    def observations(self, records: Sequence[WerewolfRecord], rules: WerewolfRules, seat_index: int) -> list[int]:
        seats = max((len(record.order) for record in records), default=1)
        return by_set([by_seat(record.outcomes, record.order)[seat_index] for record in records], seats)

    def rule_departures(self, plan: Plan, protocol: Protocol) -> Iterator[str]:
        """A protocol that has the game has it by the default rules; the policy for answers is the protocol's own."""
        rules, default = plan.rules_of(self.game.name), WerewolfRules()
        for key in default.__struct_fields__ if self.game.name in protocol.games else ():
            planned, required = getattr(rules, key), getattr(default, key)
            if key != "illegal" and planned != required:
                yield f"werewolf {key} {planned}, {required} required"

    def size_departures(self, match: WerewolfMatch, plan: Plan, protocol: Protocol) -> Iterator[str]:
        if self.game.name not in protocol.games:
            yield from super().size_departures(match, plan, protocol)
            return
        norm = protocol.norms(self.game.name, WerewolfNorm)
        if len(match.table) != norm.seats:
            yield f"{match.id}: {len(match.table)} seats planned, {norm.seats} required"
        if match.games < norm.games_min:
            yield f"{match.id}: {match.games} games planned, at least {norm.games_min} required"


def _by_role(records: Iterable[WerewolfRecord], seat_index: int) -> dict[str, RoleCounts]:
    """The seat's games in each role that it had, by the role's name."""
    counts = dict[str, RoleCounts]()
    for record in records:
        place = record.order.index(seat_index)
        role, points = record.roles[place].value, record.outcomes[place]
        died = place in [night.died for night in record.nights] + [day.died for day in record.days]
        before = counts.get(role, RoleCounts())
        won, drawn = points == HALFPOINTS_OF_A_GAME, points == HALFPOINTS_OF_A_GAME // 2
        values = (before.games + 1, before.won + won, before.drawn + drawn, before.survived + (not died))
        counts[role] = RoleCounts(*values)
    return dict(sorted(counts.items()))


def _village_votes(records: Iterable[WerewolfRecord], seat_index: int) -> tuple[int, int]:
    """The seat's votes by day while it was one of the village, and how many of them were for a wolf."""
    votes = list[Role]()
    for record in records:
        place = record.order.index(seat_index)
        given = [day.votes[place] for day in record.days if record.roles[place] is not Role.WOLF]
        votes.extend(record.roles[vote] for vote in given if vote != NOBODY)
    return len(votes), votes.count(Role.WOLF)


SCORING = WerewolfScoring()
