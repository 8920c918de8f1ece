"""The deltas of a run (paper Eq. 2): a real arm less its naked control; and each again at a higher temperature."""

from collections.abc import Callable, Iterator
from fractions import Fraction

import msgspec

from ..experiment.matches import CONTROLS, Arm, Phase
from ..protocols.norms import load_protocol
from .hypotheses.contrasts import Weighted, estimated, repeated
from .hypotheses.delta_contrasts import ONE, difference, weighted
from .hypotheses.evidence import Delta, Evidence
from .inference.estimate import Estimate
from .inference.exact import Figure, rounded, square_root
from .inference.pooled_runs import RunFigure
from .inference.samples import Contrast, contrast, moments
from .inference.unit_values import Measure, Ratio, Units, why_untested
from .learning.outcome import TauRatio, tau_ratio
from .match_figures import Kept, by_play, without_errors
from .units.cells import Cell, Outcome, arm_of
from .units.ratios import as_ratio, ratio_figure
from .units.score_constants import CHESS, POKER


class DeltaAnalysis(msgspec.Struct, frozen=True):
    """One delta: `performance` in the paper's P, `score` with draws counted as halves. Paired where the starts are.

    `less_placebo`: P of the real arm less its placebo's, where one was played: what the content added, which is the
    headline there, since a model that plays otherwise where a prompt is longer has the same in both arms.
    `less_filler`: less the arm with as much text of nothing in the game, what a prompt of that length does by itself
    being in both. `less_stale`: less the arm whose memory stores nothing after a declared contest; `less_stale_late`:
    the same over the units from which the two have different entries, what going on learning is worth. Each is None
    where that arm was not played. `seats`: at the table. `adjusted`: in hold'em, P by each variance-reduction method,
    unbiased for the same delta.
    """

    game: str
    model: str
    augmentation: str
    system: str
    seats: int
    less_placebo: Estimate | None
    less_filler: Estimate | None
    less_stale: Estimate | None
    less_stale_late: Estimate | None
    performance: Kept
    score: Kept
    adjusted: dict[str, Estimate]

    @property
    def headline(self) -> Estimate:
        """The difference from the placebo where one was played, else from the naked control."""
        return self.less_placebo or self.performance.everything


class TauRatioRow(msgspec.Struct, frozen=True):
    """Ratio τ_poker / τ_chess (hands per game) of one system with real arms in both games."""

    model: str
    augmentation: str
    system: str
    ratio: TauRatio


def delta_analysis(evidence: Evidence) -> Iterator[DeltaAnalysis]:
    """Every Phase 2 real arm that has a control."""
    for game in evidence.games:
        for delta in evidence.deltas(game, phase=Phase.ASYMMETRIC):
            key = delta.real.key
            kept = [_kept(delta, measure, evidence) for measure in Measure]
            less = {arm: _less(delta.real, arm, evidence) for arm in CONTROLS}
            beside = less[Arm.PLACEBO], less[Arm.FILLER], less[Arm.STALE], _less_stale_late(delta.real, evidence)
            named = game, key.model, key.augmentation.value, key.system, key.seats
            yield DeltaAnalysis(*named, *beside, kept[0], kept[1], dict(_adjusted(delta, evidence)))


def _less(real: Cell, arm: Arm, evidence: Evidence) -> Estimate | None:
    """P of a real arm less another arm of its system; None where that was not played."""
    other = arm_of(evidence.cells, real.key, arm)
    return difference_figure(real.measured(), other.measured(), evidence) if other else None


def _less_stale_late(real: Cell, evidence: Evidence) -> Estimate | None:
    """P of a real arm less its stale arm where their entries differ; None where no unit of a career is of that kind."""
    stale = arm_of(evidence.cells, real.key, Arm.STALE)
    if stale is None:
        return None
    own, other = (_late(cell, stale.stale_from, evidence) for cell in (real, stale))
    return difference_figure(own, other, evidence) if own.values and other.values else None


def _late(cell: Cell, first: int, evidence: Evidence) -> Units:
    """The units of each career from one on."""
    units, least = cell.measured(), load_protocol(evidence.constants.id).verdict.career_units_min
    careers = [career[first:] for career in cell.by_career(units.values)]
    size = len(careers[0])
    short = f"{size} units of a career after the memory was stale, fewer than {least}" if size < least else ""
    values, starts = tuple(value for career in careers for value in career), units.starts and f"{units.starts}/{first}"
    return msgspec.structs.replace(units, values=values, starts=starts, too_short=cell.untested or short)


def tau_ratios(evidence: Evidence) -> Iterator[TauRatioRow]:
    """τ_poker / τ_chess of every system with a Phase 2 real arm in both games (S27)."""
    by_game = [{delta.setting: delta.real for delta in evidence.deltas(game)} for game in (CHESS, POKER)]
    for setting in sorted(by_game[0].keys() & by_game[1].keys()):
        chess, poker = (evidence.learned(cells[setting]) for cells in by_game)
        yield TauRatioRow(*setting, tau_ratio(poker, chess))


def _adjusted(delta: Delta, evidence: Evidence) -> Iterator[tuple[str, Estimate]]:
    for method in delta.real.adjusted_methods:
        real, other = delta.real.adjusted(method), delta.other.adjusted(method)
        if real and other:
            yield method, difference_figure(real, other, evidence)


def _kept(delta: Delta, measure: Measure, evidence: Evidence) -> Kept:
    cells = delta.real, delta.other

    def figure_of(keep: Callable[[Outcome], bool]) -> Estimate:
        """Estimate of the kept results; where nothing is left out, the interval is that of all results."""
        nothing_left_out = all(keep(result) for cell in cells for result in cell.results)
        real, other = (cell.measured(measure) if nothing_left_out else cell.kept(keep, measure) for cell in cells)
        return difference_figure(real, other, evidence)

    return Kept(figure_of(lambda _: True), figure_of(by_play), figure_of(without_errors))


def difference_figure(real: Units | Ratio, naked: Units | Ratio, evidence: Evidence) -> Estimate:
    """One figure less another; ratios need no resampling."""
    if isinstance(real, Units) and isinstance(naked, Units):
        groups = repeated([Weighted(real, ONE), Weighted(naked, -ONE)])
        return estimated(groups, evidence.resampling(real.scale.unit))
    ratios = [figure if isinstance(figure, Ratio) else as_ratio(figure) for figure in (real, naked)]
    return ratio_figure([(ratios[0], ONE), (ratios[1], -ONE)], evidence.constants.clusters)


def measured_difference(delta: Delta, evidence: Evidence) -> RunFigure:
    """A delta in points a game or bb/100, against whichever arm it is compared with, and its variance.

    In chess not the paper's P, a rate of games won: the answers of a run are in points a game too. Where a sample does
    not vary, its variance is that of the interval: the square of half its width over 1.96.
    """
    real, other = (cell.measured(Measure.SCORE) for cell in delta)
    estimate = difference_figure(real, other, evidence)
    if estimate.value is None or estimate.ci is None:
        return RunFigure(estimate, None)
    groups = repeated(difference(*delta, Measure.SCORE))
    samples = [moments(group.units.values) for group in groups]
    total = contrast(samples, [group.weight * group.units.scale.factor for group in groups])
    if estimate.ci.method == "wilson" or not total.df:
        total = Contrast(total.value, estimate.ci.variance, Fraction(max(1, min(estimate.n) - 1)))
    return RunFigure(estimate, total)


class RobustnessRow(msgspec.Struct, frozen=True):
    """One delta at temperature 0 (`delta`) and at `temperature` (`repeated`): both are always reported.

    `change`: the second less the first. `standard_error`: of the change, so that the noise of both runs is in it; None
    where a delta rests on one career or on too short ones. `moved`: the change is greater than one standard error.
    """

    game: str
    model: str
    augmentation: str
    system: str
    temperature: str
    delta: Estimate
    repeated: Estimate
    change: Estimate
    standard_error: Figure | None
    moved: bool | None


def robustness(evidence: Evidence) -> Iterator[RobustnessRow]:
    """Every Phase 2 delta that was measured at temperature 0 and at another one."""
    for game in evidence.games:
        for base in evidence.deltas(game, phase=Phase.ASYMMETRIC):
            yield from (_row(base, again, evidence) for again in evidence.repeated(base))


def _row(base: Delta, again: Delta, evidence: Evidence) -> RobustnessRow:
    first, second = difference(*base), difference(*again)
    change = [*second, *weighted(first, Fraction(-1))]
    error, key = _standard_error(change), again.real.key
    return RobustnessRow(
        key.game,
        key.model,
        key.augmentation.value,
        key.system,
        key.temperature,
        _estimate(first, evidence),
        _estimate(second, evidence),
        _estimate(change, evidence),
        None if error is None else rounded(error),
        None if error is None else abs(_value(change)) > error,
    )


def _estimate(groups: list[Weighted], evidence: Evidence) -> Estimate:
    groups = repeated(groups)
    return estimated(groups, evidence.resampling(groups[0].units.scale.unit))


def _value(groups: list[Weighted]) -> Fraction:
    """The contrast in the published unit."""
    means = (group.weight * moments(group.units.values).mean * group.units.scale.factor for group in repeated(groups))
    return sum(means, Fraction(0))


def _standard_error(groups: list[Weighted]) -> Fraction | None:
    """The standard error of a contrast of independent samples, in the published unit."""
    groups = repeated(groups)
    if why_untested(group.units for group in groups) or any(len(group.units.values) < 2 for group in groups):
        return None
    samples = [moments(group.units.values) for group in groups]
    return square_root(contrast(samples, [group.weight * group.units.scale.factor for group in groups]).squared_error)
