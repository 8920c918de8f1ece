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

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import erfc, lgamma, sqrt
from typing import Final

import numpy as np

from .distributions import noncentral_cdf, normal_quantile, t_quantile
from .exact import Real, mp, rational, real, root, square_root
from .proportions import binomial_ways
from .significance import Alternative

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
    critical, nu = real(t_quantile(1 - alpha / 2, df)), mp.mpf(df)

    def excess(delta: Real) -> Real:
        return 1 - noncentral_cdf(critical, nu, delta) + noncentral_cdf(-critical, nu, delta) - real(power)

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


_NODES = 1_201
_REACH = 9  # standard deviations of the sample's standard deviation on either side
_STEPS = 60
_UNVARIED = 1e-9


def normal_power_t(df: int, delta: float, alpha: Fraction, alternative: Alternative) -> float:
    """Probability that the t test of normal values finds an effect of `delta` >= 0 standard errors.

    The integral of P(Z > t s - delta) over the density of s = sqrt(chi-square / df), by Simpson's rule.
    """
    # Density of s: 2 (df / 2)^(df / 2) / Gamma(df / 2) s^(df - 1) e^(-df s^2 / 2). Its mean is about 1 and its SD about
    # 1 / root(2 df), so the integral ends nine of these away. Simpson's weights are 1, 4, 2, ..., 4, 1 thirds of a
    # step.
    spread = _REACH / sqrt(2 * df)
    s = np.linspace(max(0.0, 1 - spread), 1 + spread, _NODES)
    with np.errstate(divide="ignore"):
        logs = (df - 1) * np.log(s) if df > 1 else np.zeros(_NODES)
    constant = np.log(2) + df / 2 * np.log(df / 2) - lgamma(df / 2)
    density = np.exp(constant + logs - df * s * s / 2)
    critical = _critical(df, alpha, alternative)
    reached = _upper(critical * s - delta)
    if alternative is Alternative.TWO_SIDED:
        reached = reached + _upper(critical * s + delta)
    weights = np.ones(_NODES)
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    return float((weights * density * reached).sum() * (s[1] - s[0]) / 3)


@lru_cache(maxsize=4096)
def detectable_delta(df: int, alpha: Fraction, alternative: Alternative, power: Fraction) -> float:
    """Effect in standard errors that the t test of normal values finds with probability `power`.

    With many values z(1 - alpha/2) + z(power) = 2.80 for a two-sided test at 5 % and 80 %, and 3.17 for a one-sided one
    at 1 %.
    """

    def enough(delta: float) -> bool:
        return normal_power_t(df, delta, alpha, alternative) >= power

    high = 4 * _critical(df, alpha, alternative) + 10
    return least(enough, high) if enough(high) else high


def coarse_power_t(
    chances: Mapping[int, float], null: float, n: int, alpha: Fraction, alternative: Alternative
) -> float:
    """Probability that the one-sample t test of n values, each with these chances, rejects a mean of `null`; n > 1.

    A sample without variation is never rejected, as no t test is made of it.
    """
    # Axis 0 counts S - n lowest, axis 1 (Q - S) / 2. Both add up over units, so n units have the n-fold convolution.
    lowest = min(chances)
    halves = {value: (value * value - value) // 2 for value in chances}
    rows, columns = n * (max(chances) - lowest) + 1, n * max(halves.values()) + 1
    shape = _smooth(rows), _smooth(columns)
    of_one_value = np.zeros(shape)
    for value, chance in chances.items():
        of_one_value[value - lowest, halves[value]] += chance
    joint = np.fft.irfft2(np.fft.rfft2(of_one_value) ** n, s=shape)[:rows, :columns].clip(0)
    sums = np.arange(rows)[:, None] + n * lowest
    squares = 2 * np.arange(columns)[None, :] + sums
    variance = (squares - sums * sums / n) / (n - 1)
    varied = variance > _UNVARIED
    t = (sums / n - null) / np.sqrt(np.where(varied, variance, 1) / n)
    away = abs(t) if alternative is Alternative.TWO_SIDED else t
    return float(joint[varied & (away > _critical(n - 1, alpha, alternative))].sum())


def coarse_cells(chances: Mapping[int, float], n: int) -> int:
    """Size of the table that `coarse_power_t` transforms."""
    squares = max((value * value - value) // 2 for value in chances)
    return (n * (max(chances) - min(chances)) + 1) * (n * squares + 1)


def least(enough: Callable[[float], bool], high: float, low: float = 0.0, relative: float = 1e-9) -> float:
    """The least value between `low` and `high` that is enough, where `high` is and more is never less."""
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if high - low <= relative * high:
            break
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _smooth(size: int) -> int:
    """The least even number of at least `size` without a prime factor above 5, which is transformed fast."""
    while True:
        rest = size
        for factor in (2, 3, 5):
            while rest % factor == 0:
                rest //= factor
        if rest == 1 and size % 2 == 0:
            return size
        size += 1


def _critical(df: int, alpha: Fraction, alternative: Alternative) -> float:
    assert alternative is not Alternative.LESS, "an effect is planned upward"
    tail = alpha / 2 if alternative is Alternative.TWO_SIDED else alpha
    return float(t_quantile(1 - tail, df))


def _upper(z: np.ndarray) -> np.ndarray:
    """P(Z > z) of the standard normal distribution."""
    return np.array([erfc(value / sqrt(2)) / 2 for value in z])
