"""Tests and intervals of a proportion: the exact binomial test, its mid-p form, Wilson's interval.

The exact test never errs more often than alpha and, with 30 games, much less often; the mid-p value
(Lancaster 1961, JASA 56:223) halves what it counts at the observed number, and comes near alpha.
Oracle in the tests: scipy, statsmodels.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from .distributions import normal_quantile
from .exact import fixed, square_root
from .samples import Interval
from .significance import Alternative, Significance, outcome, untested

HALF: Final = Fraction(1, 2)


def binomial_test(successes: int, n: int, alternative: Alternative, null: Fraction = HALF) -> Significance:
    """H0: P(success) = `null`. Two-sided: the probability of all counts that are not more probable than this one."""
    if not n:
        return untested("binomial", alternative, (0,), "no trials")
    p = binomial_p(successes, n, alternative, null)
    return outcome("binomial", alternative, (n,), p, Fraction(successes))


def binomial_p(successes: int, n: int, alternative: Alternative, null: Fraction = HALF) -> Fraction:
    """The exact p of `successes` in n > 0 trials."""
    if not 0 <= successes <= n or not 0 < null < 1:
        raise ValueError(f"{successes} successes of {n} at a rate of {null} cannot be tested")
    ways = list(binomial_ways(n, null))
    match alternative:
        case Alternative.GREATER:
            total = sum(ways[successes:])
        case Alternative.LESS:
            total = sum(ways[: successes + 1])
        case Alternative.TWO_SIDED:
            total = sum(count for count in ways if count <= ways[successes])
    return Fraction(total, null.denominator**n)


def binomial_ways(n: int, rate: Fraction) -> Iterator[int]:
    """The probabilities of 0 to n successes, times the rate's denominator to the n: whole numbers."""
    yes, no = rate.numerator, rate.denominator - rate.numerator
    if not no:
        yield from (0 if k < n else yes**n for k in range(n + 1))
        return
    ways = no**n
    for k in range(n + 1):
        yield ways
        ways = ways * (n - k) * yes // ((k + 1) * no)


def wilson(share: Fraction, n: int, alpha: Fraction) -> tuple[Fraction, Fraction]:
    """Wilson's score bounds (Wilson 1927, JASA 22:209) for a share of n units at level 1 - alpha; (0, 1) without units.

    For a mean of n values between 0 and 1 that need not be 0 or 1 the bounds are wide enough too: no variance of
    such a value is greater than that of one that is either.
    """
    if not n:
        return Fraction(0), Fraction(1)
    return score_bounds(share, Fraction(n), normal_quantile(1 - alpha / 2))


def score_bounds(share: Fraction, n: Fraction, z: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds of the shares from which `share` of n > 0 trials, not always whole, is `z` standard errors away."""
    centre = share + z**2 / (2 * n)
    half = z * square_root(share * (1 - share) / n + z**2 / (4 * n * n))
    scale = 1 + z**2 / n
    low, high = (centre - half) / scale, (centre + half) / scale
    return (low if share else share), (high if share < 1 else share)


def wilson_interval(successes: int, n: int, alpha: Fraction) -> Interval:
    """Wilson's interval as published."""
    low, high = wilson(Fraction(successes, n) if n else Fraction(0), n, alpha)
    return Interval(fixed(low), fixed(high), "wilson")
