"""The deltas of a run (paper Eq. 2): a real arm less its naked control, with and without what the harness decided."""

from collections.abc import Callable, Iterator

import msgspec

from .agzamov.cells import LUCK_METHODS, Cell, ChessGame, PokerCell, PokerHand
from .agzamov.measures import Measure, Units, adjusted_units, kept_units, units_of
from .agzamov.score import GAMES
from .hypotheses.contrasts import Weighted, combined
from .hypotheses.deltas import ONE
from .hypotheses.evidence import ASYMMETRIC, Delta, Evidence
from .inference.estimate import Estimate, difference_estimate, mean_estimate
from .matches import Kept, by_play, without_errors


class DeltaAnalysis(msgspec.Struct, frozen=True):
    """One delta: `performance` in the paper's P, `score` with draws counted as halves. Paired where the starts are.

    `adjusted`: in hold'em, P without luck by method, which is unbiased for the same delta with less variance.
    """

    game: str
    model: str
    augmentation: str
    system: str
    performance: Kept
    score: Kept
    adjusted: dict[str, Estimate]


def delta_analysis(evidence: Evidence) -> Iterator[DeltaAnalysis]:
    """Every Phase 2 real arm that has a control."""
    for game in GAMES:
        for delta in evidence.deltas(game, phase=ASYMMETRIC):
            key = delta.real.key
            kept = [_kept(delta, measure, evidence) for measure in Measure]
            adjusted = dict(_adjusted(delta, evidence))
            yield DeltaAnalysis(game, key.model, key.augmentation.value, key.system, kept[0], kept[1], adjusted)


def _adjusted(delta: Delta, evidence: Evidence) -> Iterator[tuple[str, Estimate]]:
    if isinstance(delta.real, PokerCell) and isinstance(delta.other, PokerCell):
        for at, method in enumerate(LUCK_METHODS):
            real, other = adjusted_units(delta.real, at), adjusted_units(delta.other, at)
            if real and other:
                name = f"delta/{delta.real.key}/{method.value}"
                yield method.value, _difference(real, other, name, evidence)


def _kept(delta: Delta, measure: Measure, evidence: Evidence) -> Kept:
    def whole(cell: Cell) -> Units:
        return units_of(cell, measure)

    def only(keep: Callable[[ChessGame | PokerHand], bool]) -> Callable[[Cell], Units]:
        return lambda cell: kept_units(cell, keep, measure)

    name = f"delta/{delta.real.key}/{measure.value}"
    kinds = (("", whole), ("/by_play", only(by_play)), ("/without_errors", only(without_errors)))
    return Kept(*(_difference(units(delta.real), units(delta.other), name + kind, evidence) for kind, units in kinds))


def _difference(real: Units, naked: Units, name: str, evidence: Evidence) -> Estimate:
    how = evidence.how(name, real.scale.unit)
    if real.pairs_with(naked):
        paired = combined([Weighted(real, ONE), Weighted(naked, -ONE)])
        return mean_estimate(paired.values, paired.scale, how)
    return difference_estimate(real.values, naked.values, real.scale, how)
