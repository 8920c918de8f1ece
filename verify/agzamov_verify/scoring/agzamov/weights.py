"""Weights by leave-one-model-out cross-validation (paper section 3.1), by a criterion that is declared here.

A component is worth as much as it distinguishes models beyond its own noise: its reliability, the share of its variance
over models that is not sampling variance, max(0, V - W) / V (the intraclass correlation of classical test theory).
Weights go with reliability; they are fitted without each model in turn, and the mean over these folds is the proposal,
rounded to thousandths that sum to 1. The left-out model is scored with weights that never saw it; how far that keeps
the order of the uniform score is reported as a rank correlation.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

import msgspec

from ..exact import Figure, figure
from ..hypotheses.ranking import rho
from ..inference.high_precision import rounded
from ..score_constants import SUBSCORES
from ..statistics import sample_variance

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
