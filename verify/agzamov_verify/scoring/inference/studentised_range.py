"""The studentised range: the greatest less the least of k normal means over an independent standard deviation.

    P(Q > q) = integral over v of f(v) R(q e^v),   f the density of the logarithm of chi / sqrt(df),
    R(w) = 1 - k integral over z of phi(z) (Phi(z) - Phi(z - w))^(k - 1)   (Copenhaver and Holland 1988)

Both integrands are analytic and fall off at both ends, so the trapezoid rule is right to some twenty digits
(Trefethen and Weideman 2014, SIAM Review 56:385). R is computed on a lattice and read between its nodes by a
polynomial of degree 23. Oracle in the tests: scipy.stats.studentized_range.
"""

from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Final

from .precise import Real, mp, rational, real, root

GROUPS_MAX: Final = 200
P_MIN: Final = Fraction(1, 10**12)
_NEGLIGIBLE: Final = 60  # exp(-60) is below what is kept
_NODES_A_UNIT: Final = 8
_STENCIL: Final = 24
_INNER: Final = 11  # phi(11) is below 10^-26
_REACH: Final = 40  # R(40) is below 10^-100


def range_upper(q: Fraction, groups: int, df: Fraction | int) -> Fraction:
    """P(Q > q) for `groups` means and `df` degrees of freedom; no p below `P_MIN` is told apart from it."""
    if not 2 <= groups <= GROUPS_MAX or df < 1:
        raise ValueError(f"2 to {GROUPS_MAX} groups and at least 1 degree of freedom were expected, not {groups}, {df}")
    return max(P_MIN, rational(_upper(real(q), groups, real(df)))) if q > 0 else Fraction(1)


@lru_cache(maxsize=256)
def range_quantile(p: Fraction, groups: int, df: Fraction | int) -> Fraction:
    """The q with P(Q <= q) = p."""
    nu, tail, high = real(df), real(1 - p), mp.mpf(4)
    while _upper(high, groups, nu) > tail:
        high *= 2
    low = high / 2
    while _upper(low, groups, nu) < tail:
        low /= 2
    return rational(root(lambda q: _upper(q, groups, nu) - tail, low, high))


def _upper(q: Real, groups: int, nu: Real) -> Real:
    """The outer integral: from v = 0 both ways until the density is negligible."""
    step = min(mp.mpf("0.07"), mp.mpf("0.45") / mp.sqrt(2 * nu))
    norm = mp.log(2) + nu / 2 * mp.log(nu / 2) - mp.loggamma(nu / 2)
    total = mp.mpf(0)
    for first, way in ((0, 1), (-1, -1)):
        at = first
        while (weight := norm + nu * (at * step - mp.exp(2 * at * step) / 2)) > -_NEGLIGIBLE:
            total += mp.exp(weight) * _tail(q * mp.exp(at * step), groups)
            at += way
    return total * step


def _tail(w: Real, groups: int) -> Real:
    """R(w) between the nodes of the lattice, by barycentric interpolation."""
    if w > _REACH:
        return mp.mpf(0)
    place = w * _NODES_A_UNIT
    first = int(mp.floor(place)) - _STENCIL // 2 + 1
    above = below = mp.mpf(0)
    for at in range(_STENCIL):
        away = place - first - at
        if not away:
            return _node(first + at, groups)
        share = (-1) ** at * comb(_STENCIL - 1, at) / away
        above += share * _node(first + at, groups)
        below += share
    return above / below


@lru_cache(maxsize=2**14)
def _node(at: int, groups: int) -> Real:
    """R at w = at / 8, also left of 0, where it goes on as an analytic function.

    The inner integral's nodes lie on the same lattice, or on one 2, 4 times as fine: each Phi narrows it.
    """
    fine = 1
    while (_NODES_A_UNIT * fine) ** 2 < 3 * groups:
        fine *= 2
    steps = _NODES_A_UNIT * fine
    inside = mp.mpf(0)
    for z in range(-_INNER * steps, _INNER * steps + 1):
        density, below = _normal(z, steps)
        inside += density * (below - _normal(z - at * fine, steps)[1]) ** (groups - 1)
    return 1 - groups * inside / steps


@lru_cache(maxsize=2**15)
def _normal(at: int, steps: int) -> tuple[Real, Real]:
    """phi and Phi at z = at / steps."""
    z = mp.mpf(at) / steps
    return mp.exp(-z * z / 2) / mp.sqrt(2 * mp.pi), mp.erfc(-z / mp.sqrt(2)) / 2
