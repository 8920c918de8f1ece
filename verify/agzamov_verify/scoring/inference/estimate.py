"""An estimate: a value with its interval, n, SD and minimum detectable effect.

Values of a sample are whole numbers in their own unit (half-points of a pair, chips of a session); `Scale` turns
them into the published one. Which interval and why: docs/decisions/0013.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar, Final, TypeAlias

import msgspec

from .exact import Figure, figure, fixed, rounded, square_root
from .intervals import Resamples, bootstrap_bounds, t_bounds
from .power import POWER, detectable_noncentrality, mde_t
from .proportions import wilson, wilson_interval
from .samples import Contrast, Interval, Moments, contrast, moments

ALPHA: Final = Fraction(1, 20)


class Scale(msgspec.Struct, frozen=True):
    """Conversion to the published unit: `factor` is the value of 1; `least` and `greatest` bound the figure, if set."""

    unit: str
    factor: Fraction
    least: Fraction | None = None
    greatest: Fraction | None = None


PAIR_SCORE: Final = Scale("score", Fraction(1, 4), Fraction(0), Fraction(1))
"""Half-points of a start pair, as points per game."""


class Estimate(msgspec.Struct, frozen=True):
    """A figure with its uncertainty, in `unit`.

    `n` and `sd` are of each sample (a difference has two). `mde` is the minimum detectable effect: what a two-sided
    test at 5 % would find with 80 % power, given these variances and sizes (noncentral t). A field is
    None if it cannot be computed: all of them without values; without variation `mde`, and the interval too unless
    values are bounded (then Wilson's). `over`: what was repeated independently, so what `n` counts, where that is not
    the game's unit: "careers"; or "one career", which has no interval. `ci_note`: why there is no interval where there
    could be one with more units. `by_career`: the value of each career in order of play, of each sample of careers:
    Student's interval over few of them holds what it says where stores are alike or normal, which five numbers show.
    """

    value: Figure | None
    ci: Interval | None
    n: tuple[int, ...]
    sd: tuple[Figure, ...] | None
    mde: Figure | None
    unit: str
    over: str = ""
    ci_note: str = ""
    by_career: tuple[tuple[str, ...], ...] = ()


class MendedEstimate(Estimate, frozen=True, dict=True):
    """An estimate whose interval release 0.3.0 made wrong. `released`: as documents of its protocols keep it.

    That is no field, so that no other document has it.
    """

    released: ClassVar[Estimate]

    def __reduce__(self) -> tuple[Any, ...]:
        return mended, (Estimate(**msgspec.structs.asdict(self)), self.released)


def mended(right: Estimate, released: Estimate) -> Estimate:
    """The right estimate, which remembers the released one where that is another."""
    if right == released:
        return right
    made = MendedEstimate(**msgspec.structs.asdict(right))
    made.__dict__["released"] = released
    return made


def difference_estimate(a: Sequence[int], b: Sequence[int], scale: Scale, resamples: Resamples) -> Estimate:
    """The mean of a less the mean of b, two independent samples."""
    return contrast_estimate([a, b], [Fraction(1), Fraction(-1)], scale, resamples)


Ends: TypeAlias = tuple[Fraction, Fraction]
"""The least and the greatest value of a figure, in the published unit."""


def contrast_estimate(
    samples: Sequence[Sequence[int]],
    weights: Sequence[Fraction],
    scale: Scale,
    resamples: Resamples | None,
    ends: Ends | None = None,
) -> Estimate:
    """A weighted sum of the means of independent samples.

    `resamples` None: Student's interval instead of a bootstrap. `scale` bounds each mean; `ends`: the sum, to which its
    interval is cut. Without them it is cut to the bounds of a mean, which is right of one sample of weight 1 alone.
    """
    sizes = tuple(map(len, samples))
    if not all(sizes):
        return Estimate(None, None, sizes, None, None, scale.unit)
    groups = [moments(sample) for sample in samples]
    total = contrast(groups, weights)
    sd = tuple(rounded(group.sd * scale.factor) for group in groups) if min(sizes) > 1 else None
    value = figure(total.value * scale.factor)
    note = _too_little(samples, scale, resamples) if resamples else ""
    interval = None if note else _interval(samples, weights, scale, resamples, ends)
    return Estimate(value, interval, sizes, sd, _mde(total, scale), scale.unit, ci_note=note)


def needs(found: str, least: int) -> str:
    """The reason for no interval of less than is enough: "9 games, an interval needs 30"."""
    return f"{found}, an interval needs {least}"


def _too_little(samples: Sequence[Sequence[int]], scale: Scale, resamples: Resamples) -> str:
    """The reason why these samples have no interval; empty where they may have one."""
    fewest = min(samples, key=len)
    if len(fewest) < resamples.units_min:
        return needs(f"n = {len(fewest)}", resamples.units_min)
    if scale.least is None or scale.greatest is None:
        return ""
    middle = (scale.least + scale.greatest) / 2 / scale.factor
    decided, n = min((sum(value != middle for value in sample), len(sample)) for sample in samples)
    return needs(f"{decided} of n = {n} decided", resamples.decided_min) if decided < resamples.decided_min else ""


def share_estimate(successes: int, n: int, unit: str = "share") -> Estimate:
    """A proportion with Wilson's interval."""
    interval = wilson_interval(successes, n, ALPHA)
    if not n:
        return Estimate(None, interval, (0,), None, None, unit)
    share = Fraction(successes, n)
    sd = square_root(share * (1 - share) * Fraction(n, n - 1)) if n > 1 else None
    return Estimate(
        figure(share),
        interval,
        (n,),
        None if sd is None else (rounded(sd),),
        rounded(mde) if sd and (mde := mde_t(sd, n, ALPHA)) else None,
        unit,
    )


def _interval(
    samples: Sequence[Sequence[int]],
    weights: Sequence[Fraction],
    scale: Scale,
    resamples: Resamples | None,
    ends: Ends | None,
) -> Interval | None:
    groups = [moments(sample) for sample in samples]
    bounded = scale.least is not None and scale.greatest is not None
    if bounded and not all(group.variance for group in groups):
        return _score_interval(groups, weights, scale)
    bounds = bootstrap_bounds(samples, weights, ALPHA, resamples) if resamples else t_bounds(samples, weights, ALPHA)
    least, greatest = ends or (scale.least, scale.greatest)
    return None if bounds is None else bounds.within(least, greatest, scale.factor).interval(scale.factor)


def _score_interval(groups: Sequence[Moments], weights: Sequence[Fraction], scale: Scale) -> Interval:
    """Interval of a contrast of bounded values if a sample has no variation, since its bootstrap has zero width.

    Wilson's bounds for each mean, combined by the square root of the sum of squares of their distances (Newcombe 1998,
    Statistics in Medicine 17:873).
    """
    assert scale.least is not None
    assert scale.greatest is not None
    reach, value, down, up = scale.greatest - scale.least, Fraction(0), Fraction(0), Fraction(0)
    for group, weight in zip(groups, weights, strict=True):
        share = (group.mean * scale.factor - scale.least) / reach
        low, high = wilson(share, group.n, ALPHA)
        below, above = (share - low, high - share) if weight > 0 else (high - share, share - low)
        value += weight * group.mean * scale.factor
        down += (weight * reach * below) ** 2
        up += (weight * reach * above) ** 2
    return Interval(fixed(value - square_root(down)), fixed(value + square_root(up)), "wilson")


def _mde(total: Contrast, scale: Scale) -> Figure | None:
    if not total.df:
        return None
    errors = detectable_noncentrality(int(total.df), ALPHA, POWER)
    return rounded(errors * square_root(total.squared_error) * abs(scale.factor))
