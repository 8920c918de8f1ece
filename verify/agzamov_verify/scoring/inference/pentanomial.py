"""Chess in start pairs: score, Elo difference, likelihood of superiority and tests from the pentanomial counts.

The two games of a start are not independent (a start favours a colour), so the unit is the pair and its
variance is that of pairs. Draws count: a test on wins alone would throw them away. Formulas: Van den Bergh's
notes on normalised Elo and Fishtest's pentanomial model; oracle in the tests: worked figures of fastchess.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import msgspec

from ..exact import Figure, figure, fixed, significant, square_root
from ..statistics import Interval
from .distributions import normal_quantile, normal_upper, t_quantile
from .precise import mp, rational, real, rounded
from .proportions import wilson
from .significance import Alternative, Significance
from .signs import sign_flip_test

HALF: Final = Fraction(1, 2)
NORMAL_PAIRS_MIN: Final = 100
Counts = tuple[int, int, int, int, int]


class Pentanomial(msgspec.Struct, frozen=True):
    """A match in pairs, from A's side. `counts` are pairs by A's half-points 0 to 4.

    `elo` is the normal-logistic difference -400 log10(1 / score - 1) and its interval that of the score, carried
    over; a bound at a score of 0 or 1 is "-inf" or "inf". `normalised_elo` measures the score's distance from
    1/2 in standard deviations of a game, which does not depend on the share of draws. `los` is the likelihood
    that A is the stronger. Intervals are normal from 100 pairs on, Student's below; without variation in the pairs
    the score's is Wilson's, on pairs, and what needs a standard deviation is None.
    """

    pairs: int
    counts: Counts
    score: Figure | None
    score_ci: Interval
    pair_sd: Figure | None
    elo: str | None
    elo_ci: Interval
    normalised_elo: Figure | None
    normalised_elo_ci: Interval | None
    los: str | None
    draw_pairs: int


class Symmetry(msgspec.Struct, frozen=True):
    """Self-play against its symmetry: seats are labels, so the mean must be the null value.

    Two equal seats whose labels decide the result are a fault of the harness (an order effect, a leak between
    seats), and any difference measured with it is in doubt.
    """

    mean: Figure | None
    expected: Figure
    test: Significance
    violated: bool


def counts_of(pair_halfpoints: Sequence[int]) -> Counts:
    """How many pairs brought A 0, 1, 2, 3 and 4 half-points."""
    a, b, c, d, e = (sum(one == points for one in pair_halfpoints) for points in range(5))
    return a, b, c, d, e


def pentanomial(counts: Counts, alpha: Fraction) -> Pentanomial:
    """Everything that the counts say, at level 1 - alpha."""
    pairs = sum(counts)
    mean, variance = pair_moments(counts)
    bounds = _score_bounds(mean, variance, pairs, alpha)
    method = _method(variance, pairs)
    elo_ci = Interval(elo(bounds[0]), elo(bounds[1]), method)
    score_ci = Interval(fixed(bounds[0]), fixed(bounds[1]), method)
    spread = square_root(variance)
    nelo = [normalised_elo(one, spread) for one in (mean, *bounds)] if variance else []
    return Pentanomial(
        pairs,
        counts,
        figure(mean) if pairs else None,
        score_ci,
        rounded(spread) if variance else None,
        elo(mean) if pairs else None,
        elo_ci,
        rounded(nelo[0]) if nelo else None,
        Interval(fixed(nelo[1]), fixed(nelo[2]), method) if nelo else None,
        significant(superiority(mean, variance, pairs)) if variance else None,
        counts[2],
    )


def pair_moments(counts: Counts) -> tuple[Fraction, Fraction]:
    """Mean and variance (divided by the number of pairs) of a pair's score per game, 0 to 1."""
    pairs = sum(counts)
    if not pairs:
        return HALF, Fraction(0)
    mean = Fraction(sum(points * count for points, count in enumerate(counts)), 4 * pairs)
    squares = sum((count * (Fraction(points, 4) - mean) ** 2 for points, count in enumerate(counts)), Fraction(0))
    return mean, squares / pairs


def elo(score: Fraction) -> str:
    """The Elo difference of an expected score, to six places; "inf" at 1, "-inf" at 0."""
    if not 0 < score < 1:
        return "inf" if score >= 1 else "-inf"
    return fixed(rational(-400 * mp.log10(1 / real(score) - 1)))


def normalised_elo(score: Fraction, pair_sd: Fraction) -> Fraction:
    """(score - 1/2) over the SD of one game (pair SD times the root of 2), times 800 / ln 10."""
    return rational(real(score - HALF) / (mp.sqrt(2) * real(pair_sd)) * 800 / mp.log(10))


def superiority(mean: Fraction, variance: Fraction, pairs: int) -> Fraction:
    """The likelihood of superiority: P(Z <= (mean - 1/2) / SE)."""
    return normal_upper((HALF - mean) / square_root(variance / pairs))


def score_test(pair_halfpoints: Sequence[int], alternative: Alternative, seed: bytes) -> Significance:
    """H0: score 1/2, by the sign-flip test of pairs: exact at every size, draws and ties of a pair included."""
    return sign_flip_test([points - 2 for points in pair_halfpoints], alternative, seed)


def self_play_symmetry(values: Sequence[int], expected: int, scale: Fraction, alpha: Fraction, seed: bytes) -> Symmetry:
    """Phase 1: are labels exchangeable? Pair half-points against 2, or chips of a session against 0."""
    test = sign_flip_test([value - expected for value in values], Alternative.TWO_SIDED, seed)
    mean = figure(Fraction(sum(values), len(values)) * scale) if values else None
    return Symmetry(mean, figure(expected * scale), test, test.rejects(alpha))


def _score_bounds(mean: Fraction, variance: Fraction, pairs: int, alpha: Fraction) -> tuple[Fraction, Fraction]:
    match _method(variance, pairs):
        case "wilson":
            return wilson(mean, pairs, alpha)
        case "student-t":
            half = t_quantile(1 - alpha / 2, pairs - 1) * square_root(variance / (pairs - 1))
        case _:
            half = normal_quantile(1 - alpha / 2) * square_root(variance / pairs)
    return max(Fraction(0), mean - half), min(Fraction(1), mean + half)


def _method(variance: Fraction, pairs: int) -> str:
    if not variance:
        return "wilson"
    return "normal" if pairs >= NORMAL_PAIRS_MIN else "student-t"
