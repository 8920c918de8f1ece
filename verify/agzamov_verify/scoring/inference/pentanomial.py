"""Chess in start pairs: Elo differences and tests from the pentanomial counts, and the sign tests of pairs.

Tests of pairs that assume no distribution: the sign test, and the sign-flip permutation test.

Under the null hypothesis a pair's difference is as likely to have the other sign (exchangeable labels), so the
2^n choices of signs are equally likely (Fisher 1935, The Design of Experiments, section 21). The sums over all
of them are counted exactly where that fits in memory, else sampled by a seeded draw.

Chess in start pairs: Elo differences and tests from the pentanomial counts.

The two games of a start are not independent (a start favours a colour), so the unit is the pair and its
variance is that of pairs. Draws count: a test on wins alone would throw them away. Formulas: Van den Bergh's
notes on normalised Elo and Fishtest's pentanomial model; oracle in the tests: worked figures of fastchess.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import gcd
from typing import Final

import msgspec

from .exact import Figure, figure, fixed, mp, rational, real, rounded, square_root
from .resampling import flipped_sums
from .samples import Interval
from .significance import Alternative, Significance, outcome, untested

EXACT_BITS_MAX: Final = 2**24  # of the number that holds all counts
FLIPS: Final = 9_999  # so that p is a whole number of ten-thousandths

METHOD = "sign-flip"


def sign_flip_test(differences: Sequence[int], alternative: Alternative, seed: bytes) -> Significance:
    """H0: each difference is as likely to have the other sign. Exact, or seeded with p = (1 + hits) / (1 + flips)."""
    n = (len(differences),)
    sizes = [abs(difference) for difference in differences if difference]
    if not sizes:
        return untested(METHOD, alternative, n, "no pair differs")
    total = sum(differences)
    counts = exact_counts(sizes, total, alternative) or flipped_counts(sizes, total, alternative, seed)
    return outcome(METHOD, alternative, n, Fraction(*counts), Fraction(total))


def exact_counts(
    sizes: Sequence[int], total: int, alternative: Alternative, bits_max: int = 0
) -> tuple[int, int] | None:
    """Number of the 2^n signed sums of `sizes` that are at least as extreme as `total`, and 2^n; None if too many.

    `sizes`: above 0, and at least one. The counts of all sums stand side by side in one large integer, n + 1 bits each;
    a size s multiplies their polynomial by 1 + x^(2s), which is a shift and an addition. `bits_max`: of that integer;
    0 for the usual limit.
    """
    n, step = len(sizes), gcd(*sizes)
    places = sum(sizes) // step
    if (places + 1) * (n + 1) > (bits_max or EXACT_BITS_MAX):
        return None
    # Place k stands for the signed sum 2 k - places, in steps: a plus instead of a minus before a size moves the sum up
    # by size / step places. No count exceeds 2^n, so a slot of n + 1 bits never overflows.
    slot, counts = n + 1, 1
    for size in sizes:
        counts += counts << (slot * (size // step))
    return _tail(counts, slot, places, Fraction(total, step), alternative), 2**n


def flipped_counts(sizes: Sequence[int], total: int, alternative: Alternative, seed: bytes) -> tuple[int, int]:
    """The same from FLIPS random choices of signs, the observed one counted too (Phipson and Smyth 2010)."""
    return 1 + _extreme(flipped_sums(sizes, seed, FLIPS), total, alternative), 1 + FLIPS


def _extreme(sums: Sequence[int], total: int, alternative: Alternative) -> int:
    """Number of sums that are at least as extreme as the total."""
    match alternative:
        case Alternative.GREATER:
            return sum(one >= total for one in sums)
        case Alternative.LESS:
            return sum(one <= total for one in sums)
        case Alternative.TWO_SIDED:
            return sum(abs(one) >= abs(total) for one in sums)


def _tail(counts: int, slot: int, places: int, total: Fraction, alternative: Alternative) -> int:
    """Place k holds the count of the sum 2k - places; the two tails mirror each other."""
    match alternative:
        case Alternative.GREATER:
            return _from(counts, slot, -(-(places + total) // 2), places)
        case Alternative.LESS:
            return _from(counts, slot, -(-(places - total) // 2), places)
        case Alternative.TWO_SIDED if total:
            return 2 * _from(counts, slot, -(-(places + abs(total)) // 2), places)
        case Alternative.TWO_SIDED:
            return _from(counts, slot, 0, places)


def _from(counts: int, slot: int, first: int, places: int) -> int:
    """The sum of the counts from place `first` up: digits to the base 2^slot add up modulo 2^slot - 1."""
    if first > places:
        return 0
    # The sum of the digits is at most 2^n, less than 2^(n + 1) - 1, so the remainder is the sum itself.
    return (counts >> (slot * max(0, first))) % ((1 << slot) - 1)


HALF: Final = Fraction(1, 2)
Counts = tuple[int, int, int, int, int]


class Pentanomial(msgspec.Struct, frozen=True):
    """A match in pairs, from A's side. `counts` are pairs by A's half-points 0 to 4, `draw_pairs` those of 2.

    `elo` is the normal-logistic difference -400 log10(1 / score - 1); a bound at a score of 0 or 1 is "-inf" or "inf".
    `normalised_elo` measures the score's distance from 1/2 in standard deviations of a game, which does not depend on
    the share of draws. Both intervals are the score's own, carried over: None where it has none. What needs a standard
    deviation is None without variation in the pairs.
    """

    counts: Counts
    elo: str | None
    elo_ci: Interval | None
    normalised_elo: Figure | None
    normalised_elo_ci: Interval | None
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
    """Pentanomial counts: numbers of pairs in which A scored 0, 1, 2, 3 and 4 half-points."""
    a, b, c, d, e = (sum(halfpoints == points for halfpoints in pair_halfpoints) for points in range(5))
    return a, b, c, d, e


def pentanomial(counts: Counts, score_ci: Interval | None) -> Pentanomial:
    """Elo differences by the counts. `score_ci`: the published interval of the score, in points a game."""
    mean, variance = pair_moments(counts)
    bounds = [Fraction(score_ci.low), Fraction(score_ci.high)] if score_ci else []
    method = score_ci.method if score_ci else ""
    spread = square_root(variance)
    nelo = [normalised_elo(score, spread) for score in (mean, *bounds)] if variance else []
    return Pentanomial(
        counts,
        elo(mean) if sum(counts) else None,
        Interval(elo(bounds[0]), elo(bounds[1]), method) if bounds else None,
        rounded(nelo[0]) if nelo else None,
        Interval(fixed(nelo[1]), fixed(nelo[2]), method) if nelo[1:] else None,
        counts[2],
    )


def pair_moments(counts: Counts) -> tuple[Fraction, Fraction]:
    """Mean and variance (divided by the number of pairs) of a pair's score per game, 0 to 1."""
    pairs = sum(counts)
    if not pairs:
        return HALF, Fraction(0)
    # A pair with k of 4 half-points has k / 4 points a game. The variance is divided by N, not N - 1, as Fishtest's is.
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
    # The SD of a pair's mean is that of one game over root 2. The factor 800 / ln 10 makes this the Elo difference near
    # 0 where no game is drawn: a game's SD is 1/2 then, and d Elo / d score = 1600 / ln 10 at a score of 1/2.
    return rational(real(score - HALF) / (mp.sqrt(2) * real(pair_sd)) * 800 / mp.log(10))


def self_play_symmetry(values: Sequence[int], expected: int, scale: Fraction, alpha: Fraction, seed: bytes) -> Symmetry:
    """Phase 1: are labels exchangeable? Pair half-points against 2, or chips of a session against 0."""
    test = sign_flip_test([value - expected for value in values], Alternative.TWO_SIDED, seed)
    mean = figure(Fraction(sum(values), len(values)) * scale) if values else None
    return Symmetry(mean, figure(expected * scale), test, test.rejects(alpha))
