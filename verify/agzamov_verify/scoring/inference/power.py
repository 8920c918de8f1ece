"""Power: minimum detectable effects and sample sizes of a design, exact for figures, in floating point for planning.

Power analysis of a design: power, minimum detectable effect and sample size of t tests and binomial tests.

An effect is detectable if a two-sided test at `alpha` finds it with probability `power`. Two forms: the normal
formula (z(1 - alpha/2) + z(power)) SD sqrt(arms / n), for arithmetic by hand, and the noncentral t distribution,
exact for normal values. Source: Cohen 1988, chapters 2 and 12. Oracle in the tests: statsmodels.stats.power.

Power of Student's t test for planning, in floating point: no bundle holds these figures, so six digits will do.

Two cases. Normal values: the noncentral t distribution, integrated over the sample's standard deviation. Whole numbers
with few values, such as the half-points of start pairs: the test as it is made, with all its ties. There the
statistic depends on a sample by its sum S and its sum of squares Q alone, and Q - S is even; the joint distribution of
both over n independent values is the n-th convolution power of that of one, by a Fourier transform in two dimensions.
Oracles in the tests: scipy, statsmodels, enumeration of all samples.
"""

from fractions import Fraction
from functools import lru_cache
from typing import Final

from .distributions import TwoSidedPower, normal_quantile, t_quantile
from .exact import Real, mp, rational, real, root, square_root
from .proportions import binomial_ways

POWER: Final = Fraction(4, 5)
RATE_STEPS: Final = 10**6
_NEAR: Final = mp.mpf(1) / 4


def mde_normal(sd: Fraction, n: int, alpha: Fraction, arms: int = 1, power: Fraction = POWER) -> Fraction:
    """Minimum detectable effect by the normal formula: one sample or pairs (1 arm), two arms of n each (2)."""
    return _z_sum(alpha, power) * sd * square_root(Fraction(arms, n))


def mde_t(sd: Fraction, n: int, alpha: Fraction, arms: int = 1, power: Fraction = POWER) -> Fraction | None:
    """The same by the noncentral t distribution; None for fewer than two values."""
    if n < 2:
        return None
    return detectable_noncentrality(arms * (n - 1), alpha, power) * sd * square_root(Fraction(arms, n))


@lru_cache(maxsize=1024)
def detectable_noncentrality(df: int, alpha: Fraction, power: Fraction = POWER) -> Fraction:
    """Noncentrality (effect in standard errors) at which an effect is found with probability `power`."""
    # Power of the two-sided test: P(T > c) + P(T < -c) of the noncentral t, with c the central quantile.
    critical, wanted = real(t_quantile(1 - alpha / 2, df)), real(power)
    power_at = TwoSidedPower(critical, df)

    def excess(delta: Real) -> Real:
        return power_at(delta) - wanted

    near = critical + real(normal_quantile(power))  # the normal formula: right for many degrees of freedom
    low, high = max(mp.mpf(0), near - _NEAR), near + _NEAR
    if excess(low) * excess(high) > 0:
        low, high = mp.mpf(0), 4 * critical + 10
    return rational(root(excess, low, high))


def critical_count(n: int, alpha: Fraction, null: Fraction) -> int:
    """The least number of successes that the one-sided exact binomial test rejects; n + 1 if none does."""
    counts = list(binomial_ways(n, null))
    bound, tail, k = alpha * null.denominator**n, 0, n
    while k >= 0 and (tail := tail + counts[k]) < bound:
        k -= 1
    return k + 1


def rate_reaching(count: int, n: int, power: Fraction = POWER) -> Fraction | None:
    """The least rate (to six places, upward) with which n trials have at least `count` successes; None for > n."""
    if count > n:
        return None
    low, high = 0, RATE_STEPS
    while high - low > 1:
        middle = (low + high) // 2
        enough = _at_least(count, n, Fraction(middle, RATE_STEPS)) >= power
        low, high = (low, middle) if enough else (middle, high)
    return Fraction(high, RATE_STEPS)


def _at_least(count: int, n: int, rate: Fraction) -> Fraction:
    return Fraction(sum(list(binomial_ways(n, rate))[count:]), rate.denominator**n)


def _z_sum(alpha: Fraction, power: Fraction) -> Fraction:
    return normal_quantile(1 - alpha / 2) + normal_quantile(power)
