"""Tukey's honestly significant differences: all pairs of several means at one family-wise error rate.

Unequal sizes as Kramer (1956, Biometrics 12:307) has them. The groups are taken to have one variance: in the
matrix this is descriptive (paper 9.5), and only declared contrasts are tested. Oracle in the tests: scipy.
"""

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations

import msgspec

from ..exact import Figure, figure, fixed, significant, square_root
from ..statistics import Interval
from .means import pooled
from .samples import Moments
from .studentised_range import range_quantile, range_upper


class TukeyPair(msgspec.Struct, frozen=True):
    """One comparison: mean of `a` less mean of `b`, its family-wise interval and adjusted p; None without variation."""

    a: str
    b: str
    difference: Figure
    ci: Interval | None
    p: str | None


def tukey_hsd(groups: Mapping[str, Moments], scale: Fraction, alpha: Fraction) -> tuple[TukeyPair, ...]:
    """All pairs of the named groups in order; `scale` turns the samples' unit into the published one."""
    variance, df = pooled(tuple(groups.values()))
    return tuple(_pair((a, b), groups, (variance, df), scale, alpha) for a, b in combinations(groups, 2))


def _pair(
    names: tuple[str, str],
    groups: Mapping[str, Moments],
    within: tuple[Fraction, int],
    scale: Fraction,
    alpha: Fraction,
) -> TukeyPair:
    (variance, df), (a, b) = within, (groups[name] for name in names)
    away = a.mean - b.mean
    if not variance:
        return TukeyPair(*names, figure(away * scale), None, None)
    error = square_root(variance / 2 * (Fraction(1, a.n) + Fraction(1, b.n)))
    half = range_quantile(1 - alpha, len(groups), df) * error
    p = range_upper(abs(away) / error, len(groups), df)
    interval = Interval(fixed((away - half) * scale), fixed((away + half) * scale), "tukey-kramer")
    return TukeyPair(*names, figure(away * scale), interval, significant(p))
