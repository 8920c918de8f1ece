"""Deltas as contrasts: the real arm less its control, one by one or averaged over models and systems."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from ..agzamov.cells import LUCK_METHODS, Cell, PokerCell
from ..agzamov.measures import Measure, Units, adjusted_units, units_of
from ..agzamov.score import CHESS
from ..inference.intervals import BB_PER_100
from ..inference.significance import Alternative
from .contrasts import Joint, Weighted, beside, combined, every, shrunk, weighed
from .evidence import GAME_NAMES, Delta, Evidence, Lacking

ONE = Fraction(1)
SHARE = "share of delta_max"
LEAST_LUCK: Final = LUCK_METHODS[-1]


def difference(real: Cell, other: Cell, measure: Measure = Measure.PERFORMANCE) -> list[Weighted]:
    """Real less other: unit by unit in one group where they were played on the same starts, else in two."""
    return apart(units_of(real, measure), units_of(other, measure))


def apart(one: Units, other: Units) -> list[Weighted]:
    """One less the other."""
    groups = [Weighted(one, ONE), Weighted(other, -ONE)]
    return [Weighted(combined(groups), ONE)] if one.pairs_with(other) else groups


def weighted(groups: Sequence[Weighted], weight: Fraction) -> list[Weighted]:
    """All groups with `weight` times their weight."""
    return [Weighted(group.units, weight * group.weight) for group in groups]


def average(parts: Sequence[Sequence[Weighted]]) -> list[Weighted]:
    """The mean of several contrasts: in a unit as many times larger, so that weights stay whole."""
    by = Fraction(len(parts))
    return [Weighted(shrunk(group.units, by), group.weight) for groups in parts for group in groups]


def mean_delta(deltas: Sequence[Delta], measure: Measure = Measure.PERFORMANCE) -> list[Weighted]:
    """The mean of the deltas of one game."""
    return average([difference(delta.real, delta.other, measure) for delta in deltas])


def share_of_max(evidence: Evidence, game: str, groups: Sequence[Weighted]) -> list[Weighted]:
    """A delta in shares of delta_max, the scale on which Table 4 lays both games side by side."""
    norm = evidence.norm
    most = norm.delta_max_win_rate if game == CHESS else norm.delta_max_bb_per_100
    return [Weighted(shrunk(group.units, most.exact, SHARE), group.weight) for group in groups]


def both_games(evidence: Evidence, deltas: dict[str, list[Delta]], alternative: Alternative, what: str) -> Joint:
    """The mean delta of each game lies on one side of 0: in both."""
    return every(*(_delta(evidence, game, some, alternative, what) for game, some in deltas.items()))


def _delta(evidence: Evidence, game: str, deltas: Sequence[Delta], alternative: Alternative, what: str) -> Joint:
    name = f"{what}, {GAME_NAMES[game]}"
    tested = weighed(name, mean_delta(deltas), alternative, evidence.how(f"{what}/{game}"))
    groups = without_luck(deltas)
    if not groups:
        return tested
    how = evidence.how(f"{what}/{game}/{LEAST_LUCK.value}", BB_PER_100)
    return beside(tested, weighed(f"beside it, without luck ({LEAST_LUCK.value}): {name}", groups, alternative, how))


def without_luck(deltas: Sequence[Delta]) -> list[Weighted]:
    """The mean of the deltas of hold'em with as much luck taken out as can be; nothing where cards are not known."""
    found = []
    for delta in deltas:
        cells = [cell for cell in (delta.real, delta.other) if isinstance(cell, PokerCell)]
        units = [one for cell in cells if (one := adjusted_units(cell, LEAST_LUCK))]
        if len(units) < 2:
            return []
        found.append(apart(*units))
    return average(found)


def lacking(evidence: Evidence, needs: str) -> Lacking:
    """What is needed, and what there is."""
    return Lacking(f"needs {needs}; here: {evidence.there()}")
