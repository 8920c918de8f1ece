"""What a design can detect: power, minimum detectable effect and sample size of t tests and binomial tests.

An effect is detectable that a two-sided test at `alpha` finds with probability `power`. Two forms: the normal
formula (z(1 - alpha/2) + z(power)) SD sqrt(arms / n), for arithmetic by hand, and the noncentral t distribution,
exact for normal values. Source: Cohen 1988, chapters 2 and 12. Oracle in the tests: statsmodels.stats.power.
"""

from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import Final

from ..exact import square_root
from .distributions import noncentral_cdf, noncentral_t_cdf, normal_quantile, t_quantile
from .precise import Real, mp, rational, real, root
from .proportions import HALF, binomial_ways

POWER: Final = Fraction(4, 5)
SAMPLE_MAX: Final = 10**8
TRIALS_EXACT_MAX: Final = 2_000
RATE_STEPS: Final = 10**6


def mde_normal(sd: Fraction, n: int, alpha: Fraction, arms: int = 1, power: Fraction = POWER) -> Fraction:
    """Minimum detectable effect by the normal formula: one sample or pairs (1 arm), two arms of n each (2)."""
    return _z_sum(alpha, power) * sd * square_root(Fraction(arms, n))


def sample_size_normal(effect: Fraction, sd: Fraction, alpha: Fraction, arms: int = 1, power: Fraction = POWER) -> int:
    """The n (per arm) whose `mde_normal` is `effect` or less."""
    return ceil(arms * (_z_sum(alpha, power) * sd / effect) ** 2)


def mde_t(sd: Fraction, n: int, alpha: Fraction, arms: int = 1, power: Fraction = POWER) -> Fraction | None:
    """The same by the noncentral t distribution; None for fewer than two values."""
    if n < 2:
        return None
    return detectable_noncentrality(arms * (n - 1), alpha, power) * sd * square_root(Fraction(arms, n))


def power_t(effect: Fraction, sd: Fraction, n: int, alpha: Fraction, arms: int = 1) -> Fraction:
    """Probability that the two-sided t test finds `effect` with n values (per arm), n > 1, sd > 0."""
    return _power(arms * (n - 1), abs(effect) / (sd * square_root(Fraction(arms, n))), alpha)


def sample_size_t(effect: Fraction, sd: Fraction, alpha: Fraction, arms: int = 1, power: Fraction = POWER) -> int:
    """The least n (per arm) with which `effect` is found with probability `power`."""
    low, high = 2, max(3, sample_size_normal(effect, sd, alpha, arms, power))
    while high <= SAMPLE_MAX and power_t(effect, sd, high, alpha, arms) < power:
        low, high = high, high + max(1, high // 50)
    if high > SAMPLE_MAX:
        raise ValueError(f"an effect of {effect} at an SD of {sd} needs more than {SAMPLE_MAX} values")
    if power_t(effect, sd, low, alpha, arms) >= power:
        return low
    while high - low > 1:
        middle = (low + high) // 2
        enough = power_t(effect, sd, middle, alpha, arms) >= power
        low, high = (low, middle) if enough else (middle, high)
    return high


@lru_cache(maxsize=1024)
def detectable_noncentrality(df: int, alpha: Fraction, power: Fraction = POWER) -> Fraction:
    """How many standard errors an effect must measure to be found with probability `power`."""
    critical, nu = real(t_quantile(1 - alpha / 2, df)), mp.mpf(df)

    def excess(delta: Real) -> Real:
        return 1 - noncentral_cdf(critical, nu, delta) + noncentral_cdf(-critical, nu, delta) - real(power)

    return rational(root(excess, mp.mpf(0), 4 * critical + 10))


def critical_count(n: int, alpha: Fraction, null: Fraction) -> int:
    """The least number of successes that the one-sided exact binomial test rejects; n + 1 if none does."""
    counts = list(binomial_ways(n, null))
    bound, tail, k = alpha * null.denominator**n, 0, n
    while k >= 0 and (tail := tail + counts[k]) < bound:
        k -= 1
    return k + 1


def power_binomial(rate: Fraction, n: int, alpha: Fraction, null: Fraction = HALF) -> Fraction:
    """Probability that the one-sided exact binomial test rejects `null` for the greater true `rate`; exact."""
    critical = critical_count(n, alpha, null)
    return Fraction(sum(list(binomial_ways(n, rate))[critical:]), rate.denominator**n)


def mde_binomial(n: int, alpha: Fraction, null: Fraction = HALF, power: Fraction = POWER) -> Fraction | None:
    """The least rate (to six places, upward) that n trials tell from `null`; None if not even 1 does."""
    if power_binomial(Fraction(1), n, alpha, null) < power:
        return None
    low, high = int(null * RATE_STEPS), RATE_STEPS
    while high - low > 1:
        middle = (low + high) // 2
        enough = power_binomial(Fraction(middle, RATE_STEPS), n, alpha, null) >= power
        low, high = (low, middle) if enough else (middle, high)
    return Fraction(high, RATE_STEPS)


def sample_size_binomial(rate: Fraction, alpha: Fraction, null: Fraction = HALF, power: Fraction = POWER) -> int:
    """The least n with which the one-sided exact test tells `rate` from a lower `null`.

    Exact to `TRIALS_EXACT_MAX`, by the normal formula beyond (Fleiss 1981). The exact power is
    jagged: a somewhat greater n can have a little less.
    """
    spread = [square_root(one * (1 - one)) for one in (null, rate)]
    away = normal_quantile(1 - alpha) * spread[0] + normal_quantile(power) * spread[1]
    about = ceil((away / (rate - null)) ** 2)
    if about > TRIALS_EXACT_MAX:
        return about
    n = max(1, about * 3 // 4 - 10)
    while power_binomial(rate, n, alpha, null) < power:
        n += 1
    return n


def _power(df: int, delta: Fraction, alpha: Fraction) -> Fraction:
    critical = t_quantile(1 - alpha / 2, df)
    return 1 - noncentral_t_cdf(critical, df, delta) + noncentral_t_cdf(-critical, df, delta)


def _z_sum(alpha: Fraction, power: Fraction) -> Fraction:
    return normal_quantile(1 - alpha / 2) + normal_quantile(power)
