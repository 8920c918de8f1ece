"""Figures that the analyses of all games share: errors, and estimates with and without results the harness decided."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final, NamedTuple

import msgspec

from ..core.seat_letters import seat_letter
from ..table.decision import Tally
from ..table.declared import FaultKind
from .hypotheses.contrasts import Weighted, estimated, repeated
from .hypotheses.delta_contrasts import ONE
from .hypotheses.evidence import Evidence
from .inference.estimate import Estimate
from .inference.exact import Figure, figure, significant
from .inference.pentanomial import Symmetry, self_play_symmetry
from .inference.proportions import binomial_p
from .inference.ratings import GlickoPoint
from .inference.samples import Interval
from .inference.significance import Alternative
from .inference.unit_values import Measure, Ratio, Units
from .learning.outcome import LearningOutcome
from .units.cells import Cell, Outcome, measured_first
from .units.ratios import ratio_figure, share_figure

ALL: Final = "all"
"""All classes of faults together."""


class Setting(NamedTuple):
    """Identity of a match: its id and phase, the players in their seats, and the alpha of its intervals.

    `seat_index`: the seat that is looked at.

    `symmetric`: all seats are one player under one condition, so that none should win more than the others.
    """

    id: str
    phase: int
    seats: tuple[str, ...]
    seat_index: int
    alpha: Fraction
    symmetric: bool


class Kept(msgspec.Struct, frozen=True):
    """One figure of all results, of those decided by play alone, and of those without an error (paper 9.4; S26).

    `kept_figures` makes it. All three are in one unit; units of which a result is left out are left out.
    """

    everything: Estimate
    by_play: Estimate
    without_errors: Estimate


class ErrorRate(msgspec.Struct, frozen=True):
    """Number and rate of a seat's decisions without a legal action, at the first attempt or in the end.

    `kind` is one class of fault, or "all" for any. `side`: its letter. The interval is of all first attempts alone;
    errors are counted by cluster: `n` games, or sessions in hold'em, or `over` careers. `ci_note`: why there is none.
    `by_career`: as in `Estimate`.
    """

    side: str
    seat: str
    attempt: str
    kind: str
    count: int
    decisions: int
    rate: Figure | None
    ci: Interval | None = None
    mde: Figure | None = None
    n: int = 0
    over: str = ""
    ci_note: str = ""
    by_career: tuple[tuple[str, ...], ...] = ()


class MatchAnalysis(msgspec.Struct, frozen=True, tag_field="game"):
    """The analysis of one match. The subclass of a game adds its fields; its tag is the game's name.

    `symmetry` is the result of the function of that name: None unless a seat plays itself. `errors`: of `error_rates`.
    """

    id: str
    phase: int
    symmetry: Symmetry | None
    errors: tuple[ErrorRate, ...]

    @property
    def rating(self) -> GlickoPoint | None:
        """The rating of the seat that is looked at after the last result, where the game is rated."""
        return None

    @property
    def learned(self) -> LearningOutcome | None:
        """Learning over the match, where it is looked for."""
        return None

    @property
    def main(self) -> Kept:
        """The headline figure with its interval, in the unit of `Counts.value`."""
        raise NotImplementedError

    @property
    def p_won(self) -> str | None:
        """The p-value of the one-sided test of contests won (`Counts.wins`) against one half: `p_above_half`."""
        raise NotImplementedError

    def first_errors(self, side: str) -> ErrorRate | None:
        """All errors at the first attempt of one side."""
        rows = (row for row in self.errors if (row.side, row.attempt, row.kind) == (side, "first", ALL))
        return next(rows, None)


def by_play(result: Outcome) -> bool:
    """True if the result was decided by play alone."""
    return result.decided_by_play


def without_errors(result: Outcome) -> bool:
    """True if every first attempt of both players was legal."""
    return not any(result.errors)


def decided(
    cell: Cell, kinds: Mapping[str, Callable[[Any], bool]], evidence: Evidence, what: str = "games"
) -> dict[str, Estimate]:
    """The share of results that ended in each of some ways. `what`: the cell's clusters, in words."""
    constants = evidence.constants.clusters

    def belongs(kind: str) -> Callable[[Outcome], int]:
        return lambda result: int(kinds[kind](result))

    return {kind: share_figure(cell.tallied(belongs(kind), lambda _: 1), constants, what) for kind in kinds}


def error_rates(cell: Cell, setting: Setting, evidence: Evidence, what: str = "games") -> Iterator[ErrorRate]:
    """All seats, first attempts and the end, by class and in all. `what`: the cell's clusters, in words."""
    order = measured_first(range(len(setting.seats)), setting.seat_index)
    for seat_index, seat in enumerate(setting.seats):
        side, at = seat_letter(seat_index), order.index(seat_index)
        tally = cell.tallies[at]
        for attempt in ("first", "final"):
            counts = _by_kind(tally, attempt)
            for kind, count in {**counts, ALL: sum(counts.values())}.items():
                rate = figure(Fraction(count, tally.decisions)) if tally.decisions else None
                row = ErrorRate(side, seat, attempt, kind, count, tally.decisions, rate)
                if (attempt, kind) != ("first", ALL):
                    yield row
                    continue
                estimate = share_figure(_errors(cell, at), evidence.constants.clusters, what)
                of = (estimate.ci, estimate.mde, estimate.n[0], estimate.over, estimate.ci_note, estimate.by_career)
                yield ErrorRate(side, seat, attempt, kind, count, tally.decisions, rate, *of)


def _errors(cell: Cell, at: int) -> Ratio:
    """First attempts of one seat without a legal action, by its decisions, over games or sessions.

    `at`: its place in the outcomes of a cell, which have the seat that is looked at first.
    """
    return cell.tallied(lambda result: result.errors[at], lambda result: result.decisions[at])


def _by_kind(tally: Tally, attempt: str) -> dict[str, int]:
    return {kind.value: getattr(tally, f"{attempt}_{kind.value}") for kind in FaultKind}


def kept_figures(cell: Cell, measure: Measure, evidence: Evidence) -> Kept:
    """A measure of a match: of all results, of those decided by play, of those without errors."""
    return Kept(
        mean_figure(cell.measured(measure), evidence),
        mean_figure(_kept(cell, by_play, measure), evidence),
        mean_figure(_kept(cell, without_errors, measure), evidence),
    )


def _kept(cell: Cell, keep: Callable[[Outcome], bool], measure: Measure) -> Units | Ratio:
    """The kept results; where nothing is left out, all results, whose interval they have."""
    return cell.measured(measure) if all(map(keep, cell.results)) else cell.kept(keep, measure)


def mean_figure(units: Units | Ratio, evidence: Evidence) -> Estimate:
    """The mean of units; or a ratio, which needs no resampling."""
    if isinstance(units, Ratio):
        return ratio_figure([(units, ONE)], evidence.constants.clusters)
    return estimated(repeated([Weighted(units, ONE)]), evidence.resampling(units.scale.unit))


def p_above_half(wins: int, n: int, setting: Setting, cell: Cell) -> str | None:
    """The one-sided binomial test of wins against one half.

    None in self-play, where half of the games that are not drawn are won whatever happens, where contests are of
    careers, which depend on each other, and where nothing is found (`Cell.no_finding`).
    """
    is_tested = not (setting.symmetric or cell.careers or cell.no_finding)
    return significant(binomial_p(wins, n, Alternative.GREATER)) if is_tested else None


def symmetry(units: Units, expected: int, setting: Setting, evidence: Evidence) -> Symmetry | None:
    """The test of equal seats in self-play under one condition; None for any other match.

    `expected`: the mean of `units.values` between equal players, before the scale: 2 half-points of a pair.
    """
    if not setting.symmetric:
        return None
    seed = evidence.seed(f"{setting.id}/symmetry")
    return self_play_symmetry(units.values, expected, units.scale.factor, setting.alpha, seed)
