"""Deltas as contrasts: the real arm less its control, one by one or averaged over models and systems."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final

from ...games.holdem.cell import ADJUSTED_METHODS
from ..inference.intervals import BB_PER_100
from ..inference.significance import Alternative
from ..inference.unit_values import Measure, Units
from ..units.cells import Cell
from .contrasts import Joint, Weighted, all_of, beside, combined, shrunk, weighed
from .evidence import GAME_NAMES, Delta, Evidence, Insufficient, Stack

ONE = Fraction(1)
SHARE = "share of delta_max"
LEAST_VARIANCE: Final = ADJUSTED_METHODS[-1]


def difference(real: Cell, other: Cell, measure: Measure = Measure.PERFORMANCE) -> list[Weighted]:
    """Real less other: unit by unit in one group where they were played on the same starts, else in two."""
    return difference_of(real.measured(measure), other.measured(measure))


def difference_of(first: Units, second: Units) -> list[Weighted]:
    """The first sample less the second: unit by unit where they are paired, else as two groups."""
    groups = [Weighted(first, ONE), Weighted(second, -ONE)]
    return [Weighted(combined(groups), ONE)] if first.pairs_with(second) else groups


def weighted(groups: Sequence[Weighted], weight: Fraction) -> list[Weighted]:
    """All groups with `weight` times their weight."""
    return [Weighted(group.units, weight * group.weight) for group in groups]


def average(parts: Sequence[Sequence[Weighted]]) -> list[Weighted]:
    """The mean of several contrasts: in a unit as many times larger, so that weights stay whole."""
    by = Fraction(len(parts))
    return [Weighted(shrunk(group.units, by), group.weight) for groups in parts for group in groups]


def mean_delta(deltas: Sequence[Delta], measure: Measure = Measure.PERFORMANCE) -> list[Weighted]:
    """The mean of the deltas of one game."""
    return mean_difference([(delta.real.measured(measure), delta.other.measured(measure)) for delta in deltas])


def mean_difference(pairs: Sequence[tuple[Units, Units]]) -> list[Weighted]:
    """The mean of several differences: one group, unit by unit, where all samples were played on the same starts.

    One group, since differences that share a control are not independent: as several, they would be taken for
    independent wherever the mean stands beside groups of other starts, such as those of the other game. Else no two are
    paired, so that a sample which stands in several of them is one group with all its weight. Shared variance is then
    not taken out.
    """
    samples = [units for pair in pairs for units in pair]
    if all(first.pairs_with(second) for first, second in combinations(samples, 2)):
        return [Weighted(combined(average([difference_of(*pair) for pair in pairs])), ONE)]
    return average([[Weighted(first, ONE), Weighted(second, -ONE)] for first, second in pairs])


def interaction(stacks: Sequence[Stack]) -> list[Weighted]:
    """The mean over full stacks of a delta less the sum of those of its parts alone."""
    fulls = weighted(mean_delta([stack.full for stack in stacks]), ONE)
    parts = zip(*(stack.parts for stack in stacks), strict=True)
    return fulls + [group for deltas in parts for group in weighted(mean_delta(deltas), -ONE)]


def measured_in(deltas: Sequence[Delta]) -> str:
    """The unit of P in the game of some deltas."""
    return deltas[0].real.measured().scale.unit


def share_of_max(evidence: Evidence, game: str, groups: Sequence[Weighted]) -> list[Weighted]:
    """A delta in shares of delta_max, the scale on which Table 4 lays both games side by side."""
    most = evidence.constants.delta_max(game)
    return [Weighted(shrunk(group.units, most, SHARE), group.weight) for group in groups]


def both_games(evidence: Evidence, deltas: dict[str, list[Delta]], alternative: Alternative, what: str) -> Joint:
    """The mean delta of each game lies on one side of 0: in both."""
    return all_of(*(_delta(evidence, game, some, alternative, what) for game, some in deltas.items()))


def _delta(evidence: Evidence, game: str, deltas: Sequence[Delta], alternative: Alternative, what: str) -> Joint:
    name = f"{what}, {GAME_NAMES[game]}"
    tested = weighed(name, mean_delta(deltas), alternative, evidence.resampling(measured_in(deltas)))
    groups = variance_reduced(deltas)
    if groups:
        resamples = evidence.resampling(BB_PER_100)
        adjusted = weighed(
            f"beside it, variance-reduced ({LEAST_VARIANCE.value}): {name}", groups, alternative, resamples
        )
        tested = beside(tested, adjusted)
    for delta in deltas if len(deltas) > 1 else ():
        tested = beside(tested, _arm(evidence, delta, alternative, what))
    return tested


def _arm(evidence: Evidence, delta: Delta, alternative: Alternative, what: str) -> Joint:
    """One of several arms by itself, since a mean over arms can hide one that does harm."""
    name, groups = f"beside it, one arm: {what}, {delta.name}", difference(delta.real, delta.other)
    return weighed(name, groups, alternative, evidence.resampling(groups[0].units.scale.unit))


def variance_reduced(deltas: Sequence[Delta]) -> list[Weighted]:
    """The mean of hold'em's deltas by the method that leaves least variance; nothing where cards are not known."""
    pairs = []
    for delta in deltas:
        real, other = delta.real.adjusted(LEAST_VARIANCE), delta.other.adjusted(LEAST_VARIANCE)
        if real is None or other is None:
            return []
        pairs.append((real, other))
    return mean_difference(pairs)


def insufficient(evidence: Evidence, needs: str) -> Insufficient:
    """The reason that a hypothesis is untested: the data needed, and the data available."""
    return Insufficient(f"needs {needs}; here: {evidence.available()}")
