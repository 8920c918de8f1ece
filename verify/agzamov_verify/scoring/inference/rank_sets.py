"""Ranks with their uncertainty: for each of m figures the ranks that the data leave open, all m sets together at 95 %.

Mogstad, Romano, Shaikh and Wilhelm 2024 (Review of Economic Studies 91:476), simultaneous sets by the stepdown of
Romano and Wolf 2005 (JASA 100:94) over the m (m - 1) hypotheses "i is not better than j":

    t_ij = (x_i - x_j) / sqrt(v_i + v_j),   rejected where t_ij > c

where c is the 95 % point of the greatest (e_i - e_j) / sqrt(v_i + v_j) of the hypotheses not yet rejected, e_i from
N(0, v_i). After a rejection c is computed anew, until nothing more is rejected. The set of i is

    [1 + number found better than i,  m - number found worse than i]

With few careers v_i is itself an estimate. So t_ij is put in the place of the normal deviate of equal tail: its p is
Student's with Welch and Satterthwaite's degrees of freedom. Figures are taken as independent. Those of one run share a
control, which makes them more alike than that, and the sets wider than they need be.

The draws follow from the figures alone (SHA-256 of them seeds PCG64), so one table has one set of ranks.
"""

import hashlib
from collections.abc import Sequence
from fractions import Fraction
from math import ceil, sqrt
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from .distributions import normal_quantile, t_upper
from .estimate import ALPHA
from .samples import Contrast

Floats: TypeAlias = npt.NDArray[np.float64]
Mask: TypeAlias = npt.NDArray[np.bool_]

DRAWS: Final = 10_000
NUMBERS_AT_ONCE: Final = 4_000_000
NORMAL_FROM: Final = 1_000
"""From so many degrees of freedom on Student's t is taken for normal: at p = 0.0001 they differ by 0.01."""
P_LEAST: Final = Fraction(1, 10**30)
"""A smaller p is taken for this one, whose normal deviate, 11.5, lies beyond every c."""


def rank_sets(figures: Sequence[Contrast], alpha: Fraction = ALPHA, draws: int = DRAWS) -> list[tuple[int, int]]:
    """Best and worst rank of each figure, 1 for the greatest; all sets hold together with probability 1 - `alpha`.

    The order of the figures changes nothing. Raises ValueError for a figure without a variance.
    """
    if any(figure.squared_error <= 0 or figure.df <= 0 for figure in figures):
        raise ValueError("expected figures with a variance and degrees of freedom")
    order = sorted(range(len(figures)), key=lambda index: _exact(figures[index]))
    is_better = _found_better([figures[index] for index in order], float(alpha), draws)
    places = {index: place for place, index in enumerate(order)}
    better, worse = is_better.sum(axis=0), is_better.sum(axis=1)
    return [(1 + int(better[places[index]]), len(order) - int(worse[places[index]])) for index in range(len(order))]


def critical_value(squared_errors: Floats, is_open: Mask, seed: bytes, alpha: float, draws: int) -> float:
    """The 1 - `alpha` point of the greatest standardised difference over the open pairs, each with true difference 0.

    `squared_errors`: of m figures. `is_open`: m by m, true where "row is not better than column" is not yet rejected.
    """
    source = np.random.Generator(np.random.PCG64(int.from_bytes(seed, "big")))
    errors = source.standard_normal((draws, len(squared_errors))) * np.sqrt(squared_errors)
    first, second = np.nonzero(is_open)
    scale = np.sqrt(squared_errors[first] + squared_errors[second])
    step = max(1, NUMBERS_AT_ONCE // len(first))
    parts = (errors[start : start + step] for start in range(0, draws, step))
    greatest = np.concatenate([((part[:, first] - part[:, second]) / scale).max(axis=1) for part in parts])
    place = min(draws, ceil((1 - alpha) * (draws + 1))) - 1
    return float(np.partition(greatest, place)[place])


def _found_better(figures: Sequence[Contrast], alpha: float, draws: int) -> Mask:
    """True at row i, column j where i was found better than j."""
    scores = _scores(figures)
    squared_errors = np.array([float(figure.squared_error) for figure in figures])
    lines = (" ".join(map(str, _exact(figure))) for figure in figures)
    seed = hashlib.sha256("\n".join(lines).encode()).digest()
    is_open = ~np.eye(len(figures), dtype=np.bool_)
    while is_open.any():
        rejected = is_open & (scores > critical_value(squared_errors, is_open, seed, alpha, draws))
        if not rejected.any():
            break
        is_open &= ~rejected
    return ~is_open & ~np.eye(len(figures), dtype=np.bool_)


def _exact(figure: Contrast) -> tuple[Fraction, Fraction, Fraction]:
    return figure.value, figure.squared_error, figure.df


def _scores(figures: Sequence[Contrast]) -> Floats:
    """The normal deviate of each difference, row less column."""
    scores = np.zeros((len(figures), len(figures)))
    for i, first in enumerate(figures):
        for j, second in enumerate(figures[:i]):
            scores[i, j] = _normal_deviate(first, second)
            scores[j, i] = -scores[i, j]
    return scores


def _normal_deviate(first: Contrast, second: Contrast) -> float:
    """The normal deviate with the same tail as Welch's t of a difference."""
    squared_error = first.squared_error + second.squared_error
    t = float(first.value - second.value) / sqrt(squared_error)
    # Welch and Satterthwaite: df = (v + w)^2 / (v^2 / df_v + w^2 / df_w).
    df = squared_error**2 / (first.squared_error**2 / first.df + second.squared_error**2 / second.df)
    if df >= NORMAL_FROM:
        return t
    z = -float(normal_quantile(max(P_LEAST, t_upper(Fraction(abs(t)), df))))
    return z if t >= 0 else -z
