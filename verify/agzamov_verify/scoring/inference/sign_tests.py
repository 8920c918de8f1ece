"""Tests of pairs that assume no distribution: the sign test, and the sign-flip permutation test.

Under the null hypothesis a pair's difference is as likely to have the other sign (exchangeable labels), so the
2^n choices of signs are equally likely (Fisher 1935, The Design of Experiments, section 21). The sums over all
of them are counted exactly where that fits in memory, else sampled by a seeded draw.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import gcd
from typing import Final

from ..draws import flipped_sums
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


def exact_counts(sizes: Sequence[int], total: int, alternative: Alternative) -> tuple[int, int] | None:
    """Number of the 2^n signed sums of `sizes` that are at least as extreme as `total`, and 2^n; None if too many.

    The counts of all sums stand side by side in one large integer, n + 1 bits each; a size s multiplies
    their polynomial by 1 + x^(2s), which is a shift and an addition.
    """
    n, step = len(sizes), gcd(*sizes)
    places = sum(sizes) // step
    if (places + 1) * (n + 1) > EXACT_BITS_MAX:
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
