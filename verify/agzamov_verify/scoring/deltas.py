"""The deltas of a run (paper Eq. 2): a real arm less its naked control, with and without what the harness decided."""

from collections.abc import Callable, Iterator

import msgspec

from .agzamov.cells import LUCK_METHODS, Cell, ChessGame, PokerCell, PokerHand
from .agzamov.measures import Measure, Units, adjusted_units, kept_units, units_of
from .agzamov.score import CHESS, GAMES, POKER
from .hypotheses.contrasts import Weighted, combined
from .hypotheses.deltas import ONE
from .hypotheses.evidence import ASYMMETRIC, Delta, Evidence
from .inference.estimate import Estimate, difference_estimate, mean_estimate
from .learning.outcome import TauRatio, tau_ratio
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


class TauRatioRow(msgspec.Struct, frozen=True):
    """How many hands take the place of a game where one system learned both."""

    model: str
    augmentation: str
    system: str
    ratio: TauRatio


def delta_analysis(evidence: Evidence) -> Iterator[DeltaAnalysis]:
    """Every Phase 2 real arm that has a control."""
    for game in GAMES:
        for delta in evidence.deltas(game, phase=ASYMMETRIC):
            key = delta.real.key
            kept = [_kept(delta, measure, evidence) for measure in Measure]
            adjusted = dict(_adjusted(delta, evidence))
            yield DeltaAnalysis(game, key.model, key.augmentation.value, key.system, kept[0], kept[1], adjusted)


def tau_ratios(evidence: Evidence) -> Iterator[TauRatioRow]:
    """τ_poker / τ_chess of every system with a Phase 2 real arm in both games (S27)."""
    by_game = [{delta.setting: delta.real for delta in evidence.deltas(game)} for game in (CHESS, POKER)]
    for setting in sorted(by_game[0].keys() & by_game[1].keys()):
        chess, poker = (evidence.learned(cells[setting]) for cells in by_game)
        yield TauRatioRow(*setting, tau_ratio(poker, chess))


def _adjusted(delta: Delta, evidence: Evidence) -> Iterator[tuple[str, Estimate]]:
    if isinstance(delta.real, PokerCell) and isinstance(delta.other, PokerCell):
        for method in LUCK_METHODS:
            real, other = adjusted_units(delta.real, method), adjusted_units(delta.other, method)
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
