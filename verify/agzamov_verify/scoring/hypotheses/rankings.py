"""Tests of rankings: Spearman's rank correlation, and whether one ranking falls with another more than a third does."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from typing import Final

from ..inference.distributions import t_two_sided
from ..inference.exact import square_root
from ..inference.pentanomial import exact_counts
from ..inference.significance import Alternative, Significance, outcome, untested

EXACT_MAX: Final = 8
EXCHANGE: Final = "rank-exchange"
BITS_MAX: Final = 2**28
"""32 MiB for the counts of all exchanges, of more than 150 systems."""


def ranks(values: Sequence[Fraction | int]) -> list[int]:
    """Twice the ranks from 1, ties shared."""
    ordered = sorted(values)
    return [2 * ordered.index(value) + ordered.count(value) + 1 for value in values]


def rho(first: Sequence[Fraction | int], second: Sequence[Fraction | int]) -> Fraction:
    """Spearman's rank correlation; 0 where one of the rankings is all ties."""
    a, b = _centred(first), _centred(second)
    spread = _product(a, a) * _product(b, b)
    return _product(a, b) / square_root(Fraction(spread)) if spread else Fraction(0)


def rank_correlation(
    first: Sequence[Fraction | int], second: Sequence[Fraction | int], alternative: Alternative
) -> Significance:
    """H0: the two rankings are independent. Exact for up to eight, else by Student's t (Kendall and Gibbons 1990)."""
    rho_value, n = rho(first, second), len(first)
    p = _exact(_centred(first), _centred(second), alternative) if n <= EXACT_MAX else _by_t(rho_value, n, alternative)
    return outcome("spearman", alternative, (n, n), p, rho_value)


def falls_more(
    quality: Sequence[Fraction | int], first: Sequence[Fraction | int], second: Sequence[Fraction | int]
) -> Significance:
    """H0: as `quality` rises, `first` falls no more closely than `second` does.

    Exact: the two ranks of each system are exchanged in all 2^k ways. The statistic is rho of `second` less that of
    `first`.
    """
    base, a, b = _centred(quality), _centred(first), _centred(second)
    # The exchanged statistic is sum q (y - x): an exchange of a system's two ranks changes the sign of its step, so the
    # 2^k signed sums are the whole null distribution. The difference of rho, divided by spreads, is for the reader.
    steps = [q * (y - x) for q, x, y in zip(base, a, b, strict=True)]
    sizes, n = [abs(step) for step in steps if step], (len(steps), len(steps))
    counts = exact_counts(sizes, sum(steps), Alternative.GREATER, BITS_MAX) if sizes else (1, 1)
    if counts is None:
        return untested(EXCHANGE, Alternative.GREATER, n, "too many systems to exchange the ranks of")
    away = rho(quality, second) - rho(quality, first)
    return outcome(EXCHANGE, Alternative.GREATER, n, Fraction(*counts), away)


def _centred(values: Sequence[Fraction | int]) -> list[int]:
    return [rank - len(values) - 1 for rank in ranks(values)]


def _product(a: Sequence[int], b: Sequence[int]) -> int:
    return sum(x * y for x, y in zip(a, b, strict=True))


def _exact(a: Sequence[int], b: Sequence[int], alternative: Alternative) -> Fraction:
    observed, hits, count = _product(a, b), 0, 0
    for order in permutations(b):
        count += 1
        value = _product(a, order)
        match alternative:
            case Alternative.GREATER:
                hits += value >= observed
            case Alternative.LESS:
                hits += value <= observed
            case Alternative.TWO_SIDED:
                hits += abs(value) >= abs(observed)
    return Fraction(hits, count)


def _by_t(rho_value: Fraction, n: int, alternative: Alternative) -> Fraction:
    # t^2 = rho^2 (n - 2) / (1 - rho^2), with n - 2 degrees of freedom.
    both = Fraction(0) if abs(rho_value) >= 1 else t_two_sided(rho_value**2 * (n - 2) / (1 - rho_value**2), n - 2)
    if alternative is Alternative.TWO_SIDED:
        return both
    return both / 2 if (rho_value > 0) is (alternative is Alternative.GREATER) else 1 - both / 2
