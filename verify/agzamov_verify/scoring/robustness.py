"""The robustness check (paper section 9.3): each delta again at a higher temperature, and whether it moved."""

from collections.abc import Iterator
from fractions import Fraction

import msgspec

from ..experiment import Phase
from .exact import Figure, square_root
from .hypotheses.contrasts import Weighted, estimated, repeated
from .hypotheses.deltas import difference, weighted
from .hypotheses.evidence import Delta, Evidence
from .inference.estimate import Estimate
from .inference.high_precision import rounded
from .inference.samples import contrast, moments
from .measures import why_untested


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
