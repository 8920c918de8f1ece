"""The constants of the A-Score from data (paper section 3.1): of Phases 1 and 2, and the weights, by cross-validation.

The constants of the A-Score from Phase 1 and 2 data (paper section 3.1), by rules that are declared here.

    c            the median distance from 0 of the real arms' bb/100, and no less than the median standard error of
                 the baselines: the middle system stands at sigmoid(1) = 0.73, and noise alone saturates nothing
    delta_max    the greatest delta that a one-sided t test at the protocol's level finds above 0
    tau_max      the greatest τ of a real arm that learned

Each is rounded up to two significant digits, so that the cell it comes from is not clamped. A rule that finds nothing
to go by gives no value, and says so; nothing is guessed.

Weights by leave-one-model-out cross-validation (paper section 3.1), by a criterion that is declared here.

A component is worth as much as it distinguishes models beyond its own noise: its reliability, the share of its variance
over models that is not sampling variance, max(0, V - W) / V (the intraclass correlation of classical test theory).
Weights go with reliability; they are fitted without each model in turn, and the mean over these folds is the proposal,
rounded to thousandths that sum to 1. The left-out model is scored with weights that never saw it; how far that keeps
the order of the uniform score is reported as a rank correlation.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Final, NamedTuple

import msgspec

from ...experiment.matches import Arm, Phase
from ..hypotheses.contrasts import weighed
from ..hypotheses.delta_contrasts import difference, measured_in
from ..hypotheses.evidence import Evidence
from ..hypotheses.rankings import rho
from ..inference.exact import Figure, figure, rounded, square_root
from ..inference.samples import moments, sample_variance
from ..inference.significance import Alternative
from ..units.cells import Cell, performance
from ..units.score_constants import CHESS, POKER, SUBSCORES

_UP: Final = Context(prec=2, rounding=ROUND_CEILING)


class Calibrated(msgspec.Struct, frozen=True):
    """One constant: its value in decimals or None, from how many cells, and by which rule or why not."""

    name: str
    value: str | None
    cells: int
    source: str


def calibrated(evidence: Evidence, alpha: Fraction) -> Iterator[Calibrated]:
    """The constants in the order of the score file."""
    yield _c(evidence)
    yield _delta_max(evidence, POKER, "delta_max_bb_per_100", alpha)
    yield _delta_max(evidence, CHESS, "delta_max_win_rate", alpha)
    yield _tau_max(evidence, CHESS, "tau_max_games")
    yield _tau_max(evidence, POKER, "tau_max_hands")


def _c(evidence: Evidence) -> Calibrated:
    real = _cells(evidence, POKER, lambda cell: cell.key.phase == Phase.ASYMMETRIC and cell.key.arm is Arm.REAL)
    baselines = _cells(evidence, POKER, lambda cell: cell.key.phase == Phase.BASELINE and cell.key.arm is Arm.NAKED)
    if not real or not baselines:
        return Calibrated("c_bb_per_100", None, 0, "needs Phase 1 and real arms of Phase 2 in hold'em")
    value = max(median([abs(performance(cell)) for cell in real]), median(list(map(_error, baselines))))
    source = "median distance from 0 of real arms, no less than the median standard error of baselines"
    return Calibrated("c_bb_per_100", rounded_up(value), len(real) + len(baselines), source)


def _delta_max(evidence: Evidence, game: str, name: str, alpha: Fraction) -> Calibrated:
    shown = []
    deltas = evidence.deltas(game)
    for delta in deltas:
        tested = weighed(
            delta.name,
            difference(delta.real, delta.other),
            Alternative.GREATER,
            evidence.resampling(measured_in([delta])),
        )
        if tested.p is not None and tested.p < alpha:
            shown.append(performance(delta.real) - performance(delta.other))
    if not shown:
        return Calibrated(name, None, len(deltas), "no delta was found above 0")
    return Calibrated(name, rounded_up(max(shown)), len(deltas), "greatest delta that was found above 0")


def _tau_max(evidence: Evidence, game: str, name: str) -> Calibrated:
    real = [delta.real for delta in evidence.deltas(game)]
    taus = [tau for cell in real if (tau := evidence.learned(cell).tau)]
    if not taus:
        return Calibrated(name, None, len(real), "no real arm was found to learn")
    return Calibrated(name, rounded_up(Fraction(max(taus))), len(real), "greatest τ of a real arm that learned")


def median(values: Sequence[Fraction]) -> Fraction:
    """The middle value, or the mean of the two in the middle."""
    ordered, n = sorted(values), len(values)
    return (ordered[(n - 1) // 2] + ordered[n // 2]) / 2


def rounded_up(value: Fraction) -> str:
    """Two significant digits, upward, as plain decimals."""
    exact = _UP.divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{exact:f}"


def _error(cell: Cell) -> Fraction:
    units = cell.measured()
    sample = moments(units.values)
    return square_root(sample.variance / sample.n) * units.scale.factor


def _cells(evidence: Evidence, game: str, keep: Callable[[Cell], bool]) -> list[Cell]:
    return [cell for key, cell in sorted(evidence.cells.items()) if key.game == game and keep(cell)]


MODELS_MIN: Final = 3
THOUSANDTHS: Final = 1000
_ONE: Final = 10**12


class Profile(NamedTuple):
    """One model: its components' places in [0, 1] and their sampling variances, in the order of Table 4."""

    places: tuple[Fraction, ...]
    variances: tuple[Fraction, ...]


class ComponentWeight(msgspec.Struct, frozen=True):
    """One component: its proposed weight, the least and greatest over the folds, its reliability with all models."""

    name: str
    weight: str
    least: Figure
    greatest: Figure
    reliability: Figure


class HeldOut(msgspec.Struct, frozen=True):
    """A model under the weights that were fitted without it, and under uniform weights."""

    model: str
    score: Figure
    uniform: Figure


class WeightProposal(msgspec.Struct, frozen=True):
    """The proposal. `rank_agreement` is Spearman's rho of both columns of `held_out`."""

    components: tuple[ComponentWeight, ...]
    held_out: tuple[HeldOut, ...]
    rank_agreement: Figure


def proposed_weights(profiles: Mapping[str, Profile]) -> WeightProposal | None:
    """The weights from at least three models; None from fewer."""
    if len(profiles) < MODELS_MIN:
        return None
    names = sorted(profiles)
    folds = {left: fitted([profiles[name] for name in names if name != left]) for left in names}
    mean = [sum((fold[index] for fold in folds.values()), Fraction(0)) / len(folds) for index in range(len(SUBSCORES))]
    whole = reliabilities([profiles[name] for name in names])
    components = tuple(
        ComponentWeight(
            name,
            str(weight),
            figure(min(fold[index] for fold in folds.values())),
            figure(max(fold[index] for fold in folds.values())),
            figure(whole[index]),
        )
        for index, (name, weight) in enumerate(zip(SUBSCORES, thousandths(mean), strict=True))
    )
    uniform = [Fraction(1, len(SUBSCORES))] * len(SUBSCORES)
    pairs = [(_score(profiles[name], folds[name]), _score(profiles[name], uniform)) for name in names]
    held_out = tuple(HeldOut(name, figure(own), figure(same)) for name, (own, same) in zip(names, pairs, strict=True))
    own, same = zip(*pairs, strict=True)
    return WeightProposal(components, held_out, rounded(rho(own, same)))


def fitted(profiles: Sequence[Profile]) -> list[Fraction]:
    """Weights in proportion to reliability; uniform where no component distinguishes the models."""
    shares = reliabilities(profiles)
    total = sum(shares, Fraction(0))
    return [share / total if total else Fraction(1, len(shares)) for share in shares]


def reliabilities(profiles: Sequence[Profile]) -> list[Fraction]:
    """The share of each component's variance over models that is not sampling variance."""
    shares = []
    for index in range(len(SUBSCORES)):
        observed = sample_variance([int(profile.places[index] * _ONE) for profile in profiles]) / _ONE**2
        noise = sum((profile.variances[index] for profile in profiles), Fraction(0)) / len(profiles)
        shares.append(max(Fraction(0), observed - noise) / observed if observed else Fraction(0))
    return shares


def thousandths(weights: Sequence[Fraction]) -> list[Fraction]:
    """The weights as thousandths that sum to 1: the largest remainders are rounded up (Hamilton)."""
    shares = [weight * THOUSANDTHS for weight in weights]
    whole = [int(share) for share in shares]
    order = sorted(range(len(shares)), key=lambda index: (whole[index] - shares[index], index))
    for index in order[: THOUSANDTHS - sum(whole)]:
        whole[index] += 1
    return [Fraction(share, THOUSANDTHS) for share in whole]


def _score(profile: Profile, weights: Sequence[Fraction]) -> Fraction:
    return 100 * sum((weight * place for weight, place in zip(weights, profile.places, strict=True)), Fraction(0))
