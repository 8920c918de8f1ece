"""Ranks that the data leave open, of figures that depend on each other: all m sets together hold at 95 %.

Mogstad, Romano, Shaikh and Wilhelm 2024 (Review of Economic Studies 91:476) by stepdown, as inference.rank_sets has it
for independent figures, here with the full covariance V of the figures:

    t_ij = (x_i - x_j) / se_ij,   se_ij^2 = V_ii + V_jj - 2 V_ij

"i is not better than j" is rejected where t_ij exceeds the 95 % point of the greatest (e_i - e_j) / se_ij over what is
not yet rejected, e from N(0, V); again until nothing more is rejected. The set of i is [1 + number better, m - number
worse]. Two figures whose difference has no variance are not told apart.

The draws follow from the figures, rounded to six digits: one table has one set of ranks, whatever the order of players.
"""

import hashlib
from fractions import Fraction
from math import ceil
from typing import Final

import numpy as np

from ..inference.estimate import ALPHA
from .rating_scale import GameRating
from .results_table import Floats, Ints, Mask

DRAWS: Final = 10_000
DRAWS_AT_ONCE: Final = 1_000
DIGITS: Final = 6
NO_VARIANCE: Final = 1e-12
"""Of a difference, as a share of the greatest variance: below it there is only rounding."""


def rank_sets(values: Floats, covariance: Floats, alpha: Fraction = ALPHA, draws: int = DRAWS) -> Ints:
    """Best and worst rank of each figure (m by 2), 1 for the greatest."""
    better = found_better(values, covariance, alpha, draws)
    return np.stack((1 + better.sum(axis=0), len(values) - better.sum(axis=1)), axis=1).astype(np.int64)


def found_better(values: Floats, covariance: Floats, alpha: Fraction = ALPHA, draws: int = DRAWS) -> Mask:
    """True at row i, column j where i was found better than j (m by m); all findings hold together."""
    order = _own_order(values, covariance)
    found = np.empty((len(values), len(values)), dtype=np.bool_)
    own = _stepped_down(values[order], covariance[np.ix_(order, order)], float(alpha), draws)
    found[np.ix_(order, order)] = own
    return found


def better_in_parts(rating: GameRating, alpha: Fraction = ALPHA, draws: int = DRAWS) -> Mask:
    """Who was found better than whom inside its part, row than column (m by m)."""
    found = np.zeros((len(rating.strengths), len(rating.strengths)), dtype=np.bool_)
    for own in rating.connection.parts:
        inside = np.ix_(own, own)
        found[inside] = found_better(rating.strengths[own], rating.covariance[inside], alpha, draws)
    return found


def ranks_in_parts(rating: GameRating, alpha: Fraction = ALPHA, draws: int = DRAWS) -> Ints:
    """Best and worst rank of each player inside its part (m by 2); 0, 0 for players without a rating."""
    return ranks_of(better_in_parts(rating, alpha, draws), rating)


def ranks_of(better: Mask, rating: GameRating) -> Ints:
    """The ranks that leave open who was found better than whom (m by 2); 0, 0 for players without a rating."""
    found = np.zeros((len(rating.strengths), 2), dtype=np.int64)
    for own in rating.connection.parts:
        inside = better[np.ix_(own, own)]
        found[own] = np.stack((1 + inside.sum(axis=0), len(own) - inside.sum(axis=1)), axis=1)
    return found


def drawn_errors(covariance: Floats, seed: bytes, draws: int) -> Floats:
    """m by `draws` errors whose differences have the covariance of those of N(0, V)."""
    m, scale = len(covariance), max(float(np.diag(covariance).max(initial=0.0)), NO_VARIANCE)
    # Centred figures have a singular V. What all share cancels in differences, so V + c 11' serves as well, and has
    # one Cholesky factor, where the eigenvectors of V are only known up to rotation.
    lifted = covariance + scale * (1 + 1e-9 * np.eye(m))
    source = np.random.Generator(np.random.PCG64(int.from_bytes(seed, "big")))
    return np.ascontiguousarray(_factor(lifted, scale) @ source.standard_normal((draws, m)).T)


def critical_value(errors: Floats, precision: Floats, alpha: float) -> float:
    """The 1 - alpha point of the greatest (e_i - e_j) precision_ij; a precision of 0 leaves a pair out."""
    draws = errors.shape[1]
    greatest = np.zeros(draws)
    for start in range(0, draws, DRAWS_AT_ONCE):
        some = errors[:, start : start + DRAWS_AT_ONCE]
        most = greatest[start : start + DRAWS_AT_ONCE]
        for row, weights in zip(some, precision, strict=True):
            used = np.flatnonzero(weights)
            if len(used):
                np.maximum(most, ((row - some[used]) * weights[used, None]).max(axis=0), out=most)
    place = min(draws, ceil((1 - alpha) * (draws + 1))) - 1
    return float(np.partition(greatest, place)[place])


def _factor(lifted: Floats, scale: float) -> Floats:
    jitter = 0.0
    for power in range(-12, 0):
        try:
            return np.asarray(np.linalg.cholesky(lifted + jitter * np.eye(len(lifted))), dtype=np.float64)
        except np.linalg.LinAlgError:
            jitter = scale * 10.0**power
    raise ArithmeticError("ranks: expected a covariance without negative variances")


def _stepped_down(values: Floats, covariance: Floats, alpha: float, draws: int) -> Mask:
    """True at row i, column j where i was found better than j."""
    m = len(values)
    variance = np.diag(covariance)
    squared = variance[:, None] + variance[None, :] - 2 * covariance
    is_open = squared > NO_VARIANCE * max(float(variance.max(initial=0.0)), NO_VARIANCE)
    is_open &= ~np.eye(m, dtype=np.bool_)
    precision = np.where(is_open, 1 / np.sqrt(np.where(is_open, squared, 1.0)), 0.0)
    scores = (values[:, None] - values[None, :]) * precision
    better = np.zeros((m, m), dtype=np.bool_)
    if not is_open.any():
        return better
    errors = drawn_errors(covariance, _seed(values, covariance), draws)
    while is_open.any():
        rejected = is_open & (scores > critical_value(errors, np.where(is_open, precision, 0.0), alpha))
        if not rejected.any():
            break
        better |= rejected
        is_open &= ~rejected
    return better


def _rounded(numbers: Floats, scale: float) -> Ints:
    """Whole multiples of a millionth of the scale."""
    return np.rint(numbers / scale * 10**DIGITS).astype(np.int64)


def _figures(values: Floats, covariance: Floats) -> tuple[Ints, Ints]:
    scale = max(float(np.diag(covariance).max(initial=0.0)), NO_VARIANCE)
    return _rounded(values, scale**0.5), _rounded(covariance, scale)


def _own_order(values: Floats, covariance: Floats) -> Ints:
    """An order of the figures that does not depend on the one they came in."""
    value, spread = _figures(values, covariance)
    rows = np.sort(spread, axis=1)
    return np.lexsort((*rows.T[::-1], np.diag(spread), value)).astype(np.int64)


def _seed(values: Floats, covariance: Floats) -> bytes:
    """SHA-256 of the rounded figures."""
    value, spread = _figures(values, covariance)
    return hashlib.sha256(value.astype("<i8").tobytes() + spread.astype("<i8").tobytes()).digest()
