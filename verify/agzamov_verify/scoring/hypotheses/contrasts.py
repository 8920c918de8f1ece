"""The tests that hypotheses are made of. Each gives a part: an estimate, an effect size and a p.

Parts join by `every` (all of them must hold: p is the greatest, an intersection-union test, Berger 1982) or by
`some` (one is enough: p is the least times their number, Bonferroni).
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

import msgspec
import numpy as np

from ..agzamov.measures import Units
from ..exact import fixed, square_root
from ..inference.effects import EffectSize, cohen_one_sample, cohen_two_sample, noncentrality_bounds
from ..inference.estimate import ALPHA, Estimate, Scale, contrast_estimate, mean_estimate
from ..inference.intervals import Resamples
from ..inference.means import ALIKE, FEW, anova, contrast_t, one_sample_t, pooled
from ..inference.precise import rounded
from ..inference.samples import Moments, contrast, moments
from ..inference.significance import Alternative, Significance, outcome, untested
from ..learning.basis import risings, tau_grid
from ..learning.null import trend_p
from ..statistics import Interval


class Part(msgspec.Struct, frozen=True):
    """One test of a hypothesis, in words, with its numbers. `estimate` is None where a rank or an order is tested."""

    name: str
    estimate: Estimate | None
    effect: EffectSize | None
    test: Significance


class Joint(NamedTuple):
    """What the parts say together; `p` is None where one that is needed could not be tested."""

    p: Fraction | None
    parts: tuple[Part, ...]


class Weighted(NamedTuple):
    """A group of a contrast, and its weight."""

    units: Units
    weight: Fraction


def every(*tests: Joint) -> Joint:
    """All must hold."""
    ps = [test.p for test in tests if test.p is not None]
    return Joint(max(ps) if len(ps) == len(tests) else None, _parts(tests))


def some(*tests: Joint) -> Joint:
    """One is enough; a test that could not be made counts as one that did not succeed."""
    ps = [test.p for test in tests if test.p is not None]
    return Joint(min(Fraction(1), len(tests) * min(ps)) if ps else None, _parts(tests))


def beside(decisive: Joint, other: Joint) -> Joint:
    """A second look at the same null hypothesis: its parts are shown, and the first one's p decides."""
    return Joint(decisive.p, decisive.parts + other.parts)


def decided(name: str, test: Significance, estimate: Estimate | None = None) -> Joint:
    """A test that was made elsewhere."""
    return _tested(Part(name, estimate, None, test))


def weighed(
    name: str, groups: Sequence[Weighted], alternative: Alternative, how: Resamples, null: Fraction = Fraction(0)
) -> Joint:
    """H0: the weighted sum of the groups' means is `null`, in the published unit, which all groups share.

    Unit by unit where all were played on the same starts (Student's t), else of independent samples (Welch's).
    """
    groups = merged(groups)
    first = groups[0].units
    sizes = tuple(len(group.units.values) for group in groups)
    if not all(sizes):
        empty = Estimate(None, None, sizes, None, None, first.scale.unit)
        return _tested(Part(name, empty, None, untested("t-contrast", alternative, sizes, FEW)))
    whole = all(group.weight.denominator == 1 and group.units.scale.factor == first.scale.factor for group in groups)
    if whole and all(first.pairs_with(group.units) for group in groups[1:]):
        return _unit_by_unit(name, combined(groups), alternative, how, null)
    return _independent(name, groups, alternative, how, null)


def merged(groups: Sequence[Weighted]) -> list[Weighted]:
    """A sample that stands on one side more than once, such as a control of several arms, counts once."""
    weights: dict[tuple[Units, bool], Fraction] = {}
    for group in groups:
        key = (group.units, group.weight > 0)
        weights[key] = weights.get(key, Fraction(0)) + group.weight
    return [Weighted(units, weight) for (units, _), weight in weights.items()]


def combined(groups: Sequence[Weighted]) -> Units:
    """The weighted sum unit by unit, of groups on the same starts in the same unit with whole weights."""
    weights = [int(group.weight) for group in groups]
    rows = zip(*(group.units.values for group in groups), strict=True)
    values = tuple(sum(weight * value for weight, value in zip(weights, row, strict=True)) for row in rows)
    scale = groups[0].units.scale
    ends = [_ends(group) for group in groups]
    least = [end[0] for end in ends if end is not None]
    greatest = [end[1] for end in ends if end is not None]
    bounded = len(least) == len(groups)
    bounds = (sum(least, Fraction(0)), sum(greatest, Fraction(0))) if bounded else (None, None)
    return Units(values, Scale(scale.unit, scale.factor, *bounds), groups[0].units.starts)


def shrunk(units: Units, by: Fraction, unit: str = "") -> Units:
    """The same values in a unit `by` times as large."""
    scale = units.scale
    least, greatest = (None if end is None else end / by for end in (scale.least, scale.greatest))
    return Units(units.values, Scale(unit or scale.unit, scale.factor / by, least, greatest), units.starts)


def equivalent(name: str, groups: Sequence[Weighted], margin: Fraction, how: Resamples) -> Joint:
    """H0: the weighted sum lies `margin` or more from 0 (two one-sided tests, Schuirmann 1987)."""
    return every(
        weighed(f"{name}, above -{fixed(margin)}", groups, Alternative.GREATER, how, -margin),
        weighed(f"{name}, below {fixed(margin)}", groups, Alternative.LESS, how, margin),
    )


def one_way(name: str, groups: Sequence[Units]) -> Joint:
    """H0: all groups have one mean, whatever is common to all."""
    factor = groups[0].scale.factor
    return decided(name, anova([_moments(group, factor) for group in groups]))


def courses_differ(
    name: str, one: Sequence[int], other: Sequence[int], unit_results: int, seed: bytes, permutations: int
) -> Joint:
    """H0: the difference between two courses is as likely in any order; it has no trend of a learning curve's form.

    Both in unit sums, in order, cut to the shorter. Shapes rise and fall, so either may be the faster.
    """
    differences = [a - b for a, b in zip(one, other, strict=False)]
    n = (len(differences), len(differences))
    if len(set(differences)) < 2:
        return decided(name, untested("trend-permutation", Alternative.TWO_SIDED, n, ALIKE))
    shapes = risings(len(differences), unit_results, tau_grid(len(differences) * unit_results, unit_results))
    p = trend_p(differences, np.concatenate([shapes, -shapes]), seed, permutations)
    return decided(name, outcome("trend-permutation", Alternative.TWO_SIDED, n, p))


def _unit_by_unit(name: str, units: Units, alternative: Alternative, how: Resamples, null: Fraction) -> Joint:
    at = null / units.scale.factor
    estimate = mean_estimate(units.values, units.scale, how)
    effect = cohen_one_sample(units.values, Fraction(0), ALPHA)
    return _tested(Part(name, estimate, effect, one_sample_t(units.values, at, alternative)))


def _independent(
    name: str, groups: Sequence[Weighted], alternative: Alternative, how: Resamples, null: Fraction
) -> Joint:
    scale = groups[0].units.scale
    if any(group.units.scale != scale for group in groups):
        scale = Scale(scale.unit, scale.factor)
    samples = [group.units.values for group in groups]
    exact = [group.weight * group.units.scale.factor / scale.factor for group in groups]
    estimate = contrast_estimate(samples, exact, scale, how)
    test = contrast_t([moments(sample) for sample in samples], exact, alternative, null / scale.factor)
    return _tested(Part(name, estimate, _effect(groups, scale.factor), test))


def _effect(groups: Sequence[Weighted], factor: Fraction) -> EffectSize | None:
    """Cohen's d of two samples, else the contrast over the pooled standard deviation in the published unit."""
    weights = [group.weight for group in groups]
    if weights == [1, -1] and groups[0].units.scale.factor == groups[1].units.scale.factor:
        return cohen_two_sample(groups[0].units.values, groups[1].units.values, ALPHA)
    samples = [_moments(group.units, factor) for group in groups]
    found, (variance, df) = contrast(samples, weights), pooled(samples)
    if not variance or df < 2 or not found.df:
        return None
    d = found.value / square_root(variance)
    per_d = square_root(variance / found.squared_error)
    low, high = (bound / per_d for bound in noncentrality_bounds(d * per_d, int(found.df), ALPHA))
    return EffectSize(rounded(d), Interval(fixed(low), fixed(high), "noncentral-t"), rounded(d), "contrast")


def _moments(units: Units, factor: Fraction) -> Moments:
    """The moments of a group in whole numbers worth `factor` each."""
    group, by = moments(units.values), units.scale.factor / factor
    return Moments(group.n, group.mean * by, group.variance * by**2)


def _ends(group: Weighted) -> tuple[Fraction, Fraction] | None:
    scale = group.units.scale
    if scale.least is None or scale.greatest is None:
        return None
    low, high = sorted((group.weight * scale.least, group.weight * scale.greatest))
    return low, high


def _tested(part: Part) -> Joint:
    return Joint(part.test.p_value, (part,))


def _parts(tests: Iterable[Joint]) -> tuple[Part, ...]:
    return tuple(part for test in tests for part in test.parts)
