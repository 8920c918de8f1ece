"""Cells: what one model did under one condition of one phase in one game, in the units that scoring counts in.

A cell is labelled by what was varied (paper sections 3.4 and 4.3): phase, augmentation, arm, system. Scoring never
looks at a manifest again. The cell of a game is a subclass of `Cell` in the game's folder.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, Protocol, Self, TypeVar

import msgspec

from ...experiment.matches import Arm, Augmentation
from ...table.decision import Tally, added
from ..inference.clusters import SHARE
from ..inference.estimate import Scale
from ..inference.exact import Figure, figure
from ..inference.unit_values import CAREERS, NO_FINDING, Measure, Ratio, Units, Value, equal_parts, ratio_of

OfCell = TypeVar("OfCell")
T = TypeVar("T")
AGAINST_BENCHMARK: Final = "benchmark"
"""Part of a phase that is play against the benchmark player instead of self-play. It is excluded from baselines."""


class CellKey(msgspec.Struct, frozen=True, order=True):
    """Coordinates of a cell. `model` is the player; `system` is the augmentation system, empty if there is none.

    `part` divides a phase further: the class of positions in Phase 5, or AGAINST_BENCHMARK. `temperature`: that of the
    robustness check, where it is one; else empty. `seats`: at the table; what is won at larger ones is another figure.
    """

    model: str
    game: str
    phase: int
    augmentation: Augmentation = Augmentation.NAKED
    arm: Arm = Arm.NAKED
    system: str = ""
    part: str = ""
    temperature: str = ""
    seats: int = 2

    def __str__(self) -> str:
        system = f" ({self.system})" if self.system else ""
        part = f" {self.part}" if self.part else ""
        again = f" at temperature {self.temperature}" if self.temperature else ""
        table = f" at a table of {self.seats}" if self.seats > 2 else ""
        condition = f"{self.augmentation.value}/{self.arm.value}{system}"
        return f"{self.model} {self.game} phase {self.phase}{part} {condition}{again}{table}"


class Outcome(Protocol):
    """One result from the measured seat's side. Counts have the measured seat first, then its opponents in order."""

    @property
    def errors(self) -> tuple[int, ...]:
        """Number of each seat's first attempts without a legal action: `Tally.faults`."""
        ...

    @property
    def decisions(self) -> tuple[int, ...]:
        """Number of each seat's decisions: `Tally.decisions`."""
        ...

    @property
    def decided_by_play(self) -> bool:
        """True if the rules of the game ended it and every action was a seat's own."""
        ...

    @property
    def forfeited(self) -> bool:
        """True if a seat lost it for want of a legal action."""
        ...

    @property
    def adjudicated(self) -> bool:
        """True if it was ended for a seat that was winning by far, and every action was a seat's own."""
        ...


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """The results of a cell, in order. The subclass of a game adds its outcomes.

    `GameScoring.cell` sets `key`, `starts` and `tallies`; the rest is set for every game. `starts` names the starts or
    decks: cells with the same name and size are paired, unit by unit ("": with none). Arms of one run share theirs, so
    `Played.run` will do. `tallies`: of the whole match, the measured seat first (`Played.tallies`). `careers`: the
    results are as many equal consecutive careers (`Match.careers`); 1 also where some careers were not played whole.
    `too_short`: why those careers have neither an interval nor a test, where each has too few units for one.
    `no_finding`: why nothing has, since the harness drew too many actions of a seat (`scoring.own_actions`).
    `shifts`: after how many games or hands of a career, or of the match, a strategy was forced to change. `is_priced`:
    True if a price of the measured seat was sealed. `opponent`: the other seats of the table by all of their settings,
    so that cells with the same name met the same players; empty where a seat played itself. `stale_from`: of a stale
    arm, the first unit of a career that a memory which goes on storing plays with more entries; else 0. `patterns`:
    the habits of the game that the other seats keep at first.
    """

    key: CellKey
    starts: str = ""
    careers: int = 0
    too_short: str = ""
    no_finding: str = ""
    shifts: tuple[int, ...] = ()
    tallies: tuple[Tally, ...] = msgspec.field(default_factory=lambda: (Tally(), Tally()))
    cost_usd: Fraction = Fraction(0)
    is_priced: bool = True
    opponent: str = ""
    stale_from: int = 0
    patterns: tuple[str, ...] = ()

    @property
    def results(self) -> Sequence[Outcome]:
        """The outcomes, in the order of play."""
        raise NotImplementedError

    @property
    def course(self) -> list[int]:
        """The measured seat's value in the order of play, as learning takes them: half-points, chips.

        One value for each result, or for each `results_per_step` of them.
        """
        raise NotImplementedError

    @property
    def untested(self) -> str:
        """The reason why results have neither an interval nor a test, however many there are; else empty."""
        return f"{NO_FINDING}{self.no_finding}" if self.no_finding else self.too_short

    @property
    def results_per_step(self) -> int:
        """Number of results in one value of `course`."""
        return 1

    def as_units(self, values: Iterable[int], scale: Scale) -> Units:
        """Values of all units, in order, with their pairing key and the cell's careers."""
        return Units(tuple(values), scale, self.starts, self.careers, too_short=self.untested)

    def some_units(self, values: Iterable[int], scale: Scale) -> Units:
        """Values of some of the units: they are paired with nothing, and their careers are not of one size."""
        why = self.untested if self.no_finding else ""
        return Units(tuple(values), scale, careers=min(1, self.careers), too_short=why)

    def of_careers(self, values: Iterable[int], scale: Scale) -> Units:
        """One value of each career, which are paired with nothing."""
        return Units(tuple(values), scale, over=CAREERS, too_short=self.untested)

    def as_ratio(self, above: Sequence[int], below: Sequence[int], scale: Scale) -> Ratio:
        """Sums of two values by unit, or of each career of a cell that has some."""
        return ratio_of(above, below, scale, self.careers, self.untested)

    def by_career(self, values: Sequence[Value]) -> list[Sequence[Value]]:
        """Equal consecutive parts of something of the whole cell: of its careers, or all of it."""
        return equal_parts(values, max(1, self.careers))

    def clusters(self, value: Callable[[Outcome], int]) -> list[int]:
        """Sums of `value` over results whose decisions depend on each other: of each unit, or of each result.

        `value` is called once for each result, in order.
        """
        return self.units(value)

    def tallied(self, above: Callable[[Outcome], int], below: Callable[[Outcome], int]) -> Ratio:
        """Two values summed over clusters, or over the careers of a cell that has some: a rate of what happened.

        It has an interval where the harness drew a seat's actions too: such a rate is of errors, or of ends.
        """
        values = self.units if self.careers > 1 else self.clusters
        return ratio_of(values(above), values(below), SHARE, self.careers, self.too_short)

    def units(self, value: Callable[[Outcome], int]) -> list[int]:
        """Sums of `value` over the results of each unit, in order; results of an unfinished last unit are left out.

        `value` is called once for each result, in order.
        """
        raise NotImplementedError

    def measured(self, measure: Measure = Measure.PERFORMANCE) -> Units:
        """The measured quantity of each unit, in order, with its scale and `starts`.

        The mean of the values times the scale's factor is the figure. A game with one figure ignores `measure`.
        """
        raise NotImplementedError

    def kept(self, keep: Callable[[Outcome], bool], measure: Measure) -> Units | Ratio:
        """As `measured`, of the results that satisfy `keep`.

        Units whose results all do; their `starts` are "": with units left out, unit k is no longer paired with unit k
        of another cell. Or where single results may be left out, the ratio of what is kept to how many are.
        """
        raise NotImplementedError

    @property
    def adjusted_methods(self) -> tuple[str, ...]:
        """Methods of `adjusted` that can be compared with another cell's, least correction first."""
        return ()

    def adjusted(self, method: str) -> Units | None:  # noqa: ARG002 - see hold'em
        """Variance-reduced units by one of the game's methods; None where it has none, or lacks the cards."""
        return None

    def with_results_of(self, other: Self) -> Self:
        """This cell with the results of `other` behind its own; all other fields are this cell's."""
        raise NotImplementedError


def measured_first(values: Sequence[T], seat_index: int) -> tuple[T, ...]:
    """What is given by seat, that of the seat that is looked at first, then the others in their order."""
    return (values[seat_index], *values[:seat_index], *values[seat_index + 1 :])


def performance(cell: Cell) -> Fraction:
    """P of the paper's Eq. 2: the win rate in chess, bb/100 in hold'em (100 chips are one big blind)."""
    units = cell.measured()
    return sum(units.values) * units.scale.factor / len(units.values)


def error_ratio(cell: Cell) -> Ratio | None:
    """First attempts of the measured seat without a legal action, by its decisions; None where none were counted."""
    ratio = cell.tallied(lambda result: result.errors[0], lambda result: result.decisions[0])
    return ratio if any(ratio.below) else None


def arm_of(cells: Mapping[CellKey, OfCell], real: CellKey, arm: Arm) -> OfCell | None:
    """Another arm of a real arm's sub-phase: of the same system if that has its own, else the common one."""
    own, common = (msgspec.structs.replace(real, arm=arm, system=system) for system in (real.system, ""))
    return cells.get(own) or cells.get(common)


def pooled(first: Cell, second: Cell) -> Cell:
    """The results of two cells of one key together; they are paired with no other cell's any more."""
    tallies = added((cell.tallies for cell in (first, second)), len(first.tallies))
    cost, is_priced = first.cost_usd + second.cost_usd, first.is_priced and second.is_priced
    both, no_finding = first.with_results_of(second), first.no_finding or second.no_finding
    sums = {"tallies": tallies, "cost_usd": cost, "is_priced": is_priced}
    return msgspec.structs.replace(both, starts="", no_finding=no_finding, **sums)


class CellDecisions(msgspec.Struct, frozen=True):
    """Results of one cell that play did not decide, and the errors of the seat that errs most.

    `forfeits`: results that a side lost for want of a legal action.
    `adjudicated`: ended by the engine. `by_harness`: share of results that play alone did not decide; these two, the
    ply limit, and hands with an illegal first attempt. `error_rate`: of first attempts without a legal action;
    `is_flagged` if above the protocol's bound. `no_finding`: as `Cell.no_finding`.
    """

    name: str
    cell: str
    results: int
    forfeits: int
    adjudicated: int
    by_harness: Figure
    error_rate: Figure | None
    is_flagged: bool
    no_finding: str = ""


def cell_decisions(name: str, cell: Cell, flag_percent: int) -> CellDecisions:
    """The counts of one cell; `name` is its part in the score."""
    results = len(cell.results)
    errors, decisions = max(_errors(cell), key=lambda pair: Fraction(pair[0], max(1, pair[1])))
    undecided = sum(not result.decided_by_play for result in cell.results)
    adjudicated = sum(result.adjudicated for result in cell.results)
    return CellDecisions(
        name,
        str(cell.key),
        results,
        sum(result.forfeited for result in cell.results),
        adjudicated,
        figure(Fraction(undecided, results)),
        figure(Fraction(errors, decisions)) if decisions else None,
        100 * errors > flag_percent * decisions,
        cell.no_finding,
    )


def _errors(cell: Cell) -> list[tuple[int, int]]:
    """First attempts without a legal action, and decisions, of each seat: an opponent that fails is no opponent."""
    seats = range(len(cell.results[0].decisions))
    return [
        (sum(result.errors[seat] for result in cell.results), sum(result.decisions[seat] for result in cell.results))
        for seat in seats
    ]


def why_withheld(cells: Sequence[CellDecisions], flag_percent: int) -> Iterator[str]:
    """A line for each cell that no score and no verdict may rest on."""
    for cell in cells:
        if 100 * cell.forfeits > flag_percent * cell.results:
            share = (
                f"{cell.forfeits} of {cell.results} results of {cell.cell} were forfeits, more than {flag_percent} %"
            )
            yield f"{cell.name}: {share}"
        elif cell.no_finding:
            yield f"{cell.name}: {cell.no_finding}"
