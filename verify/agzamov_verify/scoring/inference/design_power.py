"""Power of Student's t test for planning, in floating point: no bundle holds these figures, so six digits will do.

It needs numpy; checking a bundle imports `power` alone, which must load in a browser, where numpy is not."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import erfc, lgamma, sqrt

import numpy as np

from .distributions import t_quantile
from .significance import Alternative

_NODES = 1_201


_REACH = 9  # standard deviations of the sample's standard deviation on either side


_STEPS = 60


_UNVARIED = 1e-9


def normal_power_t(df: int, delta: float, alpha: Fraction, alternative: Alternative) -> float:
    """Probability that the t test of normal values finds an effect of `delta` >= 0 standard errors.

    The integral of P(Z > t s - delta) over the density of s = sqrt(chi-square / df), by Simpson's rule.
    """
    s, weights = _spread_of_sd(df)
    critical = _critical(df, alpha, alternative)
    reached = _upper(critical * s - delta)
    if alternative is Alternative.TWO_SIDED:
        reached = reached + _upper(critical * s + delta)
    return float((weights * reached).sum())


def equivalence_power_t(df: int, margin: float, alpha: Fraction) -> float:
    """Probability that two one-sided t tests find a difference of 0 to be within `margin` standard errors.

    The integral of 2 P(Z < margin - t s) - 1, where that is above 0.
    """
    s, weights = _spread_of_sd(df)
    inside = 1 - 2 * _upper(margin - _critical(df, alpha, Alternative.GREATER) * s)
    return float((weights * np.maximum(inside, 0.0)).sum())


def _spread_of_sd(df: int) -> tuple[np.ndarray, np.ndarray]:
    """Values of s = sqrt(chi-square / df) and the share of the integral that each stands for, by Simpson's rule."""
    # Density of s: 2 (df / 2)^(df / 2) / Gamma(df / 2) s^(df - 1) e^(-df s^2 / 2). Its mean is about 1 and its SD about
    # 1 / root(2 df), so the integral ends nine of these away. Simpson's weights are 1, 4, 2, ..., 4, 1 thirds of a
    # step.
    spread = _REACH / sqrt(2 * df)
    s = np.linspace(max(0.0, 1 - spread), 1 + spread, _NODES)
    with np.errstate(divide="ignore"):
        logs = (df - 1) * np.log(s) if df > 1 else np.zeros(_NODES)
    constant = np.log(2) + df / 2 * np.log(df / 2) - lgamma(df / 2)
    density = np.exp(constant + logs - df * s * s / 2)
    weights = np.ones(_NODES)
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    return s, weights * density * (s[1] - s[0]) / 3


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
