"""What is counted of sit-and-gos: a seat's points by the order of finish, in duplicate sets.

A point is the share of the other players who finished lower, ties half: 1 for the first, 0 for the last. In a set every
seat has every place with one series of decks, as long as hands go alike; the set is the unit of every statistic.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Self

import msgspec

from ...plan.manifest import Plan
from ...protocols import PROTOCOLS
from ...protocols.norms import Protocol
from ...scoring.game_scoring import GameScoring, Played
from ...scoring.hypotheses.evidence import Evidence
from ...scoring.inference.estimate import Scale
from ...scoring.inference.exact import figure
from ...scoring.inference.unit_values import Measure, Units
from ...scoring.match_figures import Kept, MatchAnalysis, Setting, error_rates, kept_figures, symmetry
from ...scoring.units.cells import Cell, CellKey, measured_first
from ...scoring.units.counts import Counts, distinct, identity_of
from ...table.seating import by_seat
from .game import SIT_AND_GO, SitAndGoMatch
from .sit_and_go import SitAndGoRecord, SitAndGoRules

FIRST = 1


def by_set(values: Sequence[int], size: int) -> list[int]:
    """Sums over whole sets of so many sit-and-gos."""
    return [sum(values[at : at + size]) for at in range(0, len(values) - size + 1, size)]


def points_scale(seats: int, size: int) -> Scale:
    """Half-points of a set as points a sit-and-go: 1 for finishing before all others."""
    return Scale("points a sit-and-go", Fraction(1, 2 * (seats - 1) * size), Fraction(0), Fraction(1))


def sit_and_go_identity(record: SitAndGoRecord) -> str:
    """Cards, actions and ranks, whoever sat where."""
    told = list[str]()
    for hand in record.hands:
        told += [*(card for hole in hand.story.deal.holes for card in hole), *hand.story.deal.board]
        told += [f"{acted.action.kind.value} {acted.action.to_chips}" for acted in hand.story.history]
    return identity_of(*told, *map(str, record.ranks))


class SitAndGoCounts(Counts, frozen=True, tag="holdem_sit_and_go"):
    """A seat's sit-and-gos: half-points, how often it finished at each rank (the first one first), hands dealt to it.

    `rivals`: the other seats. `first`: finished first alone. `own`: those in which every action was a seat's own.
    """

    sit_and_gos: int
    distinct_sit_and_gos: int
    sets: int
    rivals: int
    halfpoints: int
    first: int
    by_rank: tuple[int, ...]
    hands: int
    ended: dict[str, int]
    own: int

    @property
    def count(self) -> int:
        return self.sit_and_gos

    @property
    def distinct(self) -> int:
        return self.distinct_sit_and_gos

    @property
    def wins(self) -> tuple[int, int]:
        return self.first, self.sit_and_gos

    @property
    def units(self) -> int:
        return self.sets

    @property
    def value(self) -> Fraction:
        """Points a sit-and-go."""
        return Fraction(self.halfpoints, 2 * self.rivals * self.sit_and_gos)

    @property
    def ends(self) -> Mapping[str, int]:
        return self.ended

    @property
    def by_play(self) -> int:
        return self.own

    def headline(self) -> dict[str, str]:
        return {
            "sit_and_gos": str(self.sit_and_gos),
            "points": figure(self.value).decimal,
            "decided_by_play": figure(Fraction(self.own, self.sit_and_gos)).decimal,
        }


class SitAndGoResult(msgspec.Struct, frozen=True):
    """One sit-and-go from the measured seat's side."""

    halfpoints: int
    errors: tuple[int, ...]
    decisions: tuple[int, ...]

    @property
    def decided_by_play(self) -> bool:
        return not any(self.errors)

    @property
    def forfeited(self) -> bool:
        """Never: a hand is given up, and the sit-and-go goes on."""
        return False

    @property
    def adjudicated(self) -> bool:
        return False


class SitAndGoCell(Cell, frozen=True):
    """The sit-and-gos of a cell, in sets of `size`."""

    key: CellKey
    sit_and_gos: tuple[SitAndGoResult, ...]
    size: int

    @property
    def results(self) -> tuple[SitAndGoResult, ...]:
        return self.sit_and_gos

    @property
    def course(self) -> list[int]:
        return [one.halfpoints for one in self.sit_and_gos]

    @property
    def scale(self) -> Scale:
        return points_scale(self.key.seats, self.size)

    def units(self, value: Callable[[SitAndGoResult], int]) -> list[int]:
        return by_set(list(map(value, self.sit_and_gos)), self.size)

    def measured(self, measure: Measure = Measure.PERFORMANCE) -> Units:  # noqa: ARG002 - it has one
        return self.as_units(self.units(lambda one: one.halfpoints), self.scale)

    def kept(self, keep: Callable[[SitAndGoResult], bool], measure: Measure) -> Units:  # noqa: ARG002 - it has one
        whole = self.units(lambda one: int(keep(one)))
        values = self.units(lambda one: one.halfpoints)
        kept = (points for points, count in zip(values, whole, strict=True) if count == self.size)
        return self.some_units(kept, self.scale)

    def with_results_of(self, other: Self) -> Self:
        return msgspec.structs.replace(self, sit_and_gos=self.sit_and_gos + other.sit_and_gos)


class SitAndGoAnalysis(MatchAnalysis, frozen=True, tag="holdem_sit_and_go"):
    """A match of sit-and-gos from the side of one seat, in duplicate sets."""

    points: Kept

    @property
    def main(self) -> Kept:
        return self.points

    @property
    def p_won(self) -> str | None:
        return None


class SitAndGoScoring(GameScoring):
    """Duplicate sets, in which each seat has every place once with each series of decks."""

    game = SIT_AND_GO
    counts = SitAndGoCounts
    analysis = SitAndGoAnalysis

    def count(self, played: Played) -> SitAndGoCounts:
        records: list[SitAndGoRecord] = played.records
        seats = len(played.match.table)
        ranks = [by_seat(record.ranks, record.order)[played.seat_index] for record in records]
        reached = Counter(ranks)
        alone = (record.ranks.count(FIRST) == 1 and rank == FIRST for record, rank in zip(records, ranks, strict=True))
        places = (record.order.index(played.seat_index) for record in records)
        dealt = (sum(at in hand.places for hand in one.hands) for one, at in zip(records, places, strict=True))
        return SitAndGoCounts(
            sit_and_gos=len(records),
            distinct_sit_and_gos=distinct(map(sit_and_go_identity, records)),
            sets=len(self.observations(records, played.rules, played.seat_index)),
            rivals=seats - 1,
            halfpoints=sum(played.outcomes),
            first=sum(alone),
            by_rank=tuple(reached[rank] for rank in range(FIRST, seats + 1)),
            hands=sum(dealt),
            ended=dict(sorted(Counter(record.end.value for record in records).items())),
            own=sum(record.decided_by_play for record in records),
        )

    def cell(self, key: CellKey, played: Played) -> SitAndGoCell:
        results = []
        for record, halfpoints in zip(played.records, played.outcomes, strict=True):
            errors, decisions = (
                measured_first(by_seat(values, record.order), played.seat_index)
                for values in (record.faults, record.decisions)
            )
            results.append(SitAndGoResult(halfpoints, errors, decisions))
        return SitAndGoCell(
            key,
            tuple(results),
            SIT_AND_GO.unit_results(played.rules, len(played.match.table)),
            starts=f"{played.run}/{played.match.draws}",
            tallies=measured_first(played.tallies, played.seat_index),
        )

    def analyse(self, cell: SitAndGoCell, setting: Setting, evidence: Evidence, played: Played) -> SitAndGoAnalysis:
        expected = cell.size * (len(played.match.table) - 1)
        return SitAndGoAnalysis(
            setting.id,
            setting.phase,
            symmetry(cell.measured(), expected, setting, evidence),
            tuple(error_rates(cell, setting, evidence, "duplicate sets")),
            kept_figures(cell, Measure.PERFORMANCE, evidence),
        )

    def observations(self, records: Sequence[SitAndGoRecord], rules: SitAndGoRules, seat_index: int) -> list[int]:
        if not records:
            return []
        points = [by_seat(record.outcomes, record.order)[seat_index] for record in records]
        return by_set(points, SIT_AND_GO.unit_results(rules, len(records[0].order)))

    def rule_departures(self, plan: Plan, protocol: Protocol) -> Iterator[str]:
        """A protocol that has the game has it by the default stacks and blinds."""
        rules, default = plan.rules_of(self.game.name), SitAndGoRules()
        of_protocol = self.game.name in PROTOCOLS[protocol.id].games
        for key in ("stack_chips", "big_blinds_chips", "level_hands", "hands_max") if of_protocol else ():
            planned, required = (_spelled(getattr(one, key)) for one in (rules, default))
            if planned != required:
                yield f"{self.game.name}.{key} {planned} planned, {required} required"

    def size_departures(self, match: SitAndGoMatch, plan: Plan, protocol: Protocol) -> Iterator[str]:
        if self.game.name not in PROTOCOLS[protocol.id].games:
            yield from super().size_departures(match, plan, protocol)


def _spelled(value: int | tuple[int, ...]) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
