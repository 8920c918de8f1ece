"""The tests that hypotheses are made of. Each gives a part: an estimate, an effect size and a p.

Parts join by `all_of` (all of them must hold: p is the greatest, an intersection-union test, Berger 1982) or by
`any_of` (one is enough: p is the least times their number, Bonferroni).
"""

import hashlib
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from math import gcd
from typing import Final, NamedTuple

import msgspec

from ..inference.effects import EffectSize, cohen_one_sample, cohen_two_sample, hedges_factor, noncentrality_bounds
from ..inference.estimate import ALPHA, Ends, Estimate, Scale, contrast_estimate, mended
from ..inference.exact import Figure, fixed, rounded, square_root
from ..inference.intervals import Resamples
from ..inference.means import ALIKE, FEW, anova, contrast_t, one_sample_t, paired_t, pooled, welch_t
from ..inference.samples import Interval, Moments, contrast, moments
from ..inference.significance import Alternative, Significance, outcome, untested
from ..inference.unit_values import (
    CAREERS,
    CAREERS_AND_UNITS,
    Units,
    by_career,
    careers_of,
    first_reason,
    value_alone,
    why_untested,
    with_careers,
)
from ..learning.course import trend_contrasts, trend_either_way
from ..learning.curve import risings, tau_grid
from ..learning.outcome import LearningRule

OTHER_CAREERS: Final = "two arms of different numbers of careers have no trends to compare"


class ContrastPart(msgspec.Struct, frozen=True):
    """One test of a hypothesis, in words, with its numbers. `estimate` is None where a rank or an order is tested.

    `over`: what each of `test.n` counts, as `Units.over`; where it is shorter, the rest count units.
    """

    name: str
    estimate: Estimate | None
    effect: EffectSize | None
    test: Significance
    over: tuple[str, ...] = ()


class Joint(NamedTuple):
    """Joint outcome of the parts; `p` is None where one that is needed could not be tested."""

    p: Fraction | None
    parts: tuple[ContrastPart, ...]


class Weighted(NamedTuple):
    """A group of a contrast, and its weight."""

    units: Units
    weight: Fraction


def all_of(*tests: Joint) -> Joint:
    """All must hold."""
    ps = [test.p for test in tests if test.p is not None]
    return Joint(max(ps) if len(ps) == len(tests) else None, _parts(tests))


def any_of(*tests: Joint) -> Joint:
    """One is enough; a test that could not be made counts as one that did not succeed."""
    ps = [test.p for test in tests if test.p is not None]
    return Joint(min(Fraction(1), len(tests) * min(ps)) if ps else None, _parts(tests))


def beside(decisive: Joint, other: Joint) -> Joint:
    """Another test of the same null hypothesis: its parts are shown too, and the first test's p decides."""
    return Joint(decisive.p, decisive.parts + other.parts)


def decided(name: str, test: Significance, estimate: Estimate | None = None, over: tuple[str, ...] = ()) -> Joint:
    """A test that was made elsewhere."""
    return _tested(ContrastPart(name, estimate, None, test, over))


def weighed(
    name: str, groups: Sequence[Weighted], alternative: Alternative, resamples: Resamples, null: Fraction = Fraction(0)
) -> Joint:
    """H0: the weighted sum of the groups' means is `null`, in the published unit, which all groups share.

    Unit by unit where all were played on the same starts (Student's t), else of independent samples (Welch's).
    """
    groups = repeated(groups)
    first = groups[0].units
    sizes = tuple(len(group.units.values) for group in groups)
    if not all(sizes):
        empty = Estimate(None, None, sizes, None, None, first.scale.unit)
        return _tested(ContrastPart(name, empty, None, untested("t-contrast", alternative, sizes, FEW)))
    if why := why_untested(group.units for group in groups):
        estimate = estimated(groups, resamples)
        return _tested(ContrastPart(name, estimate, None, untested("t-contrast", alternative, sizes, why)))
    if len(groups) == 1 and groups[0].weight == 1:
        return _unit_by_unit(name, first, alternative, resamples, null)
    return _independent(name, groups, alternative, resamples, null)


def repeated(groups: Sequence[Weighted]) -> list[Weighted]:
    """The groups of a contrast by independent repetitions: units, or careers where an arm has them.

    One group, unit by unit, where all were played on the same starts with whole weights.
    """
    groups = merged(groups)
    first = groups[0].units
    whole = all(group.weight.denominator == 1 and group.units.scale.factor == first.scale.factor for group in groups)
    if whole and all(group.units.pairs_with(other.units) for group, other in combinations(groups, 2)):
        groups = [Weighted(combined(groups), Fraction(1))]
    return [Weighted(by_career(group.units), group.weight) for group in groups]


def estimated(groups: Sequence[Weighted], resamples: Resamples) -> Estimate:
    """The weighted sum of the groups' means with its interval, from groups that are `repeated`.

    Student's interval over careers, which are few; no interval where there is one career, or too short ones. The draw
    is that of the values, not of the name of `resamples`: one contrast has one interval, wherever it stands and in
    whatever unit.
    """
    scale = groups[0].units.scale
    if any(group.units.scale != scale for group in groups):
        scale = Scale(scale.unit, scale.factor)
    released = _estimated(groups, scale, resamples, None)
    ends = _ends_of(groups)
    if ends in {None, (scale.least, scale.greatest)} or not released.ci:
        return released
    if not {released.ci.low, released.ci.high} & _cut_at(scale):
        return released
    return mended(_estimated(groups, scale, resamples, ends), released)


def _cut_at(scale: Scale) -> set[str]:
    """The bounds of a mean as an interval has them: one of several samples that ends there was cut there (0.3.0)."""
    return {fixed(end) for end in (scale.least, scale.greatest) if end is not None}


def _estimated(groups: Sequence[Weighted], scale: Scale, resamples: Resamples, ends: Ends | None) -> Estimate:
    samples = [group.units.values for group in groups]
    exact = [group.weight * group.units.scale.factor / scale.factor for group in groups]
    of = {group.units.over for group in groups}
    over = next(iter(of)) if len(of) == 1 else CAREERS_AND_UNITS
    why = why_untested(group.units for group in groups)
    drawn = msgspec.structs.replace(resamples, seed=drawn_by(samples, exact))
    estimate = contrast_estimate(samples, exact, scale, None if over or why else drawn, ends)
    estimate = msgspec.structs.replace(estimate, over=over, sd=_own_sd(groups) if estimate.sd else None)
    estimate = with_careers(estimate, (group.units for group in groups))
    return value_alone(estimate, why) if why else estimate


def _own_sd(groups: Sequence[Weighted]) -> tuple[Figure, ...]:
    """The SD of each group in the published unit: careers and units of one contrast have scales of their own."""
    return tuple(rounded(moments(group.units.values).sd * group.units.scale.factor) for group in groups)


def drawn_by(samples: Sequence[Sequence[int]], weights: Sequence[Fraction]) -> bytes:
    """The seed of a contrast's resamples: SHA-256 of all weights and values, each over its greatest common measure."""
    unit = gcd(*(value for sample in samples for value in sample)) or 1
    lines = [
        f"{weight / weights[0]}:{','.join(str(value // unit) for value in sample)}"
        for sample, weight in zip(samples, weights, strict=True)
    ]
    return hashlib.sha256("\n".join(lines).encode()).digest()


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
    bounds = _ends_of(groups) or (None, None)
    careers = max(group.units.careers for group in groups)
    too_short = first_reason(group.units.too_short for group in groups)
    scale = Scale(scale.unit, scale.factor, *bounds)
    return Units(values, scale, groups[0].units.starts, careers, groups[0].units.over, too_short)


def shrunk(units: Units, by: Fraction, unit: str = "") -> Units:
    """The same values in a unit `by` times as large."""
    scale = units.scale
    least, greatest = (None if end is None else end / by for end in (scale.least, scale.greatest))
    smaller = Scale(unit or scale.unit, scale.factor / by, least, greatest)
    return msgspec.structs.replace(units, scale=smaller)


def equivalent(name: str, groups: Sequence[Weighted], margin: Fraction, resamples: Resamples) -> Joint:
    """H0: the weighted sum lies `margin` or more from 0 (two one-sided tests, Schuirmann 1987)."""
    return all_of(
        weighed(f"{name}, above -{fixed(margin)}", groups, Alternative.GREATER, resamples, -margin),
        weighed(f"{name}, below {fixed(margin)}", groups, Alternative.LESS, resamples, margin),
    )


def one_way(name: str, groups: Sequence[Units]) -> Joint:
    """H0: all groups have one mean, whatever is common to all."""
    factor = groups[0].scale.factor
    if why := why_untested(groups):
        sizes = tuple(len(group.values) for group in groups)
        return decided(name, untested("anova", Alternative.TWO_SIDED, sizes, why))
    samples = [by_career(group) for group in groups]
    over = tuple(group.over for group in samples)
    return decided(name, anova([_moments(group, factor) for group in samples]), over=over)


def courses_differ(name: str, first: Units, second: Units, rule: LearningRule, seed: bytes, permutations: int) -> Joint:
    """H0: the difference between two courses has no trend of a learning curve's form.

    Both in unit sums, in order, cut to the shorter. Shapes rise and fall, so either may be the faster. Where units are
    independent, the difference is as likely in any order; of careers each has one trend, and those are compared.
    """
    if first.careers or second.careers:
        return decided(name, _trends_differ(first, second, rule), over=(CAREERS, CAREERS))
    differences = [a - b for a, b in zip(first.values, second.values, strict=False)]
    n = (len(differences), len(differences))
    if len(set(differences)) < 2:
        return decided(name, untested("trend-permutation", Alternative.TWO_SIDED, n, ALIKE))
    grid = tau_grid(len(differences) * rule.unit_results, rule.unit_results)
    shapes = risings(len(differences), rule.unit_results, grid)
    trend = trend_either_way(differences, shapes, seed, permutations)
    return decided(name, outcome("trend-permutation", Alternative.TWO_SIDED, n, trend.p))


def _trends_differ(first: Units, second: Units, rule: LearningRule) -> Significance:
    """H0: the careers of two arms have one mean trend: Student's t where their starts are the same, else Welch's."""
    why = why_untested((first, second))
    if not why and first.careers != second.careers:
        why = OTHER_CAREERS
    if not why and min(len(units.values) for units in (first, second)) < rule.units_min * first.careers:
        why = f"fewer than {rule.units_min} units in a career: too few for a trend"
    if why:
        return untested("t-trends", Alternative.TWO_SIDED, (first.careers, second.careers), why)
    first_trends, second_trends = (trend_contrasts(careers_of(units), rule.unit_results) for units in (first, second))
    test = paired_t if first.pairs_with(second) else welch_t
    return test(first_trends, second_trends, Alternative.TWO_SIDED)


def _unit_by_unit(name: str, units: Units, alternative: Alternative, resamples: Resamples, null: Fraction) -> Joint:
    raw_null = null / units.scale.factor
    estimate = estimated([Weighted(units, Fraction(1))], resamples)
    effect = cohen_one_sample(units.values, Fraction(0), ALPHA)
    return _tested(
        ContrastPart(name, estimate, effect, one_sample_t(units.values, raw_null, alternative), (units.over,))
    )


def _independent(
    name: str, groups: Sequence[Weighted], alternative: Alternative, resamples: Resamples, null: Fraction
) -> Joint:
    factor = groups[0].units.scale.factor
    samples = [moments(group.units.values) for group in groups]
    exact = [group.weight * group.units.scale.factor / factor for group in groups]
    test = contrast_t(samples, exact, alternative, null / factor)
    over = tuple(group.units.over for group in groups)
    return _tested(ContrastPart(name, estimated(groups, resamples), _effect(groups, factor), test, over))


def _effect(groups: Sequence[Weighted], factor: Fraction) -> EffectSize | None:
    """Cohen's d of two samples, else the contrast over the pooled standard deviation in the published unit."""
    weights = [group.weight for group in groups]
    if weights == [1, -1] and groups[0].units.scale.factor == groups[1].units.scale.factor:
        return cohen_two_sample(groups[0].units.values, groups[1].units.values, ALPHA)
    samples = [_moments(group.units, factor) for group in groups]
    total, (variance, df) = contrast(samples, weights), pooled(samples)
    if not variance or df < 2 or not total.df:
        return None
    d = total.value / square_root(variance)
    per_d = square_root(variance / total.squared_error)
    low, high = (bound / per_d for bound in noncentrality_bounds(d * per_d, int(total.df), ALPHA))
    interval = Interval(fixed(low), fixed(high), "noncentral-t")
    return EffectSize(rounded(d), interval, rounded(d * hedges_factor(df)), "contrast")


def _moments(units: Units, factor: Fraction) -> Moments:
    """The moments of a group in whole numbers worth `factor` each."""
    group, by = moments(units.values), units.scale.factor / factor
    return Moments(group.n, group.mean * by, group.variance * by**2)


def _ends_of(groups: Sequence[Weighted]) -> Ends | None:
    """The ends of a weighted sum of means; None where a mean has none."""
    ends = [end for end in map(_ends, groups) if end is not None]
    if len(ends) < len(groups):
        return None
    return sum((low for low, _ in ends), Fraction(0)), sum((high for _, high in ends), Fraction(0))


def _ends(group: Weighted) -> tuple[Fraction, Fraction] | None:
    scale = group.units.scale
    if scale.least is None or scale.greatest is None:
        return None
    low, high = sorted((group.weight * scale.least, group.weight * scale.greatest))
    return low, high


def _tested(part: ContrastPart) -> Joint:
    return Joint(part.test.p_value, (part,))


def _parts(tests: Iterable[Joint]) -> tuple[ContrastPart, ...]:
    return tuple(part for test in tests for part in test.parts)
