"""Effect sizes: Cohen's d for one sample, for pairs and for two samples, Hedges' g, and an exact interval.

d is a mean (difference) over a standard deviation. Its interval holds the d's under which the t that was found is
not in either tail of the noncentral t distribution (Steiger and Fouladi 1997); g is d without its small-sample bias
(Hedges 1981, Journal of Educational Statistics 6:107). Sources for d: Cohen 1988; the d of pairs is his d_z.
Oracle in the tests: scipy's noncentral t, statsmodels, published examples.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import msgspec

from .distributions import noncentral_cdf, normal_quantile
from .exact import Figure, Real, fixed, mp, rational, real, root, rounded, square_root
from .means import pooled
from .samples import Interval, Moments, moments

T_MAX: Final = 40  # a t beyond which the exact interval costs more than it tells


class EffectSize(msgspec.Struct, frozen=True):
    """Cohen's d with its interval, Hedges' g, and the units of the standard deviation."""

    d: Figure
    ci: Interval
    g: Figure
    kind: str


def cohen_one_sample(values: Sequence[int], null: Fraction, alpha: Fraction) -> EffectSize | None:
    """(mean - null) / SD; None for fewer than two values or without variation."""
    return _effect(moments(values), null, alpha, "one-sample") if values else None


def cohen_two_sample(a: Sequence[int], b: Sequence[int], alpha: Fraction) -> EffectSize | None:
    """Difference of two means over the pooled SD; None for an empty sample, three values in all, or no variation."""
    if not a or not b:
        return None
    groups = [moments(a), moments(b)]
    variance, df = pooled(groups)
    if df < 2 or not variance:
        return None
    d = (groups[0].mean - groups[1].mean) / square_root(variance)
    return _sized(d, df, square_root(Fraction(len(a) * len(b), len(a) + len(b))), alpha, "two-sample")


def hedges_factor(df: int) -> Fraction:
    """Hedges' correction factor g / d: gamma(df / 2) / (sqrt(df / 2) gamma((df - 1) / 2)), for df > 1."""
    half = mp.mpf(df) / 2
    return rational(mp.exp(mp.loggamma(half) - mp.loggamma(half - mp.mpf(1) / 2)) / mp.sqrt(half))


def noncentrality_bounds(t: Fraction, df: int, alpha: Fraction) -> tuple[Fraction, Fraction]:
    """The noncentralities under which a t as great, or as small, as this has probability alpha / 2.

    Beyond `T_MAX` by the normal approximation of Abramowitz and Stegun 26.7.10.
    """
    tail, t_real, nu = real(alpha / 2), real(t), real(df)
    bounds = [_noncentrality(t_real, nu, p) for p in (1 - tail, tail)]
    return bounds[0], bounds[1]


def _effect(group: Moments, null: Fraction, alpha: Fraction, kind: str) -> EffectSize | None:
    if group.n < 3 or not group.variance:
        return None
    return _sized((group.mean - null) / group.sd, group.n - 1, square_root(Fraction(group.n)), alpha, kind)


def _sized(d: Fraction, df: int, scale: Fraction, alpha: Fraction, kind: str) -> EffectSize:
    """`scale` makes t of d."""
    low, high = (bound / scale for bound in noncentrality_bounds(d * scale, df, alpha))
    return EffectSize(
        rounded(d), Interval(fixed(low), fixed(high), "noncentral-t"), rounded(d * hedges_factor(df)), kind
    )


def _noncentrality(t: Real, nu: Real, p: Real) -> Fraction:
    """The noncentrality at which P(T <= t) = p: the distribution falls as it grows."""
    # P(T <= t) is about Phi((t (1 - 1 / (4 nu)) - delta) / root(1 + t^2 / (2 nu))) (Abramowitz and Stegun 26.7.10).
    spread = mp.sqrt(1 + t * t / (2 * nu))
    about = t * (1 - 1 / (4 * nu)) - real(normal_quantile(rational(p))) * spread
    if abs(t) > T_MAX:
        return rational(about)

    def excess(delta: Real) -> Real:
        return noncentral_cdf(t, nu, delta) - p

    reach = spread / 16
    while excess(about - reach) < 0 or excess(about + reach) > 0:
        reach *= 4
    return rational(root(excess, about - reach, about + reach))
