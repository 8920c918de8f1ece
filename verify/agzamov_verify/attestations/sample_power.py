"""What a random sample of whole games can miss: exact, by the hypergeometric distribution.

Of `total` games `forged` are forged, and `asked` are drawn without replacement. The sample shows at most `allowed` of
the forged ones with probability

    sum over k <= allowed of C(forged, k) C(total - forged, asked - k) / C(total, asked)

A forged game counts as found if it was drawn: so this is about forgeries that asking again shows.
"""

from fractions import Fraction
from math import comb
from typing import Final

CONFIDENCE_MISSED: Final = Fraction(1, 20)


def missed(total: int, forged: int, asked: int, allowed: int = 0) -> Fraction:
    """The chance that a sample of `asked` games holds at most `allowed` of the forged ones."""
    ways = sum(
        comb(forged, found) * comb(total - forged, asked - found) for found in range(min(allowed, asked, forged) + 1)
    )
    return Fraction(ways, comb(total, asked))


def forged_at_most(total: int, asked: int, allowed: int = 0) -> int:
    """The most forged games that such a sample would have passed with a chance of 5 % or more."""
    low, high = 0, total
    while low < high:
        middle = (low + high + 1) // 2
        if missed(total, middle, asked, allowed) >= CONFIDENCE_MISSED:
            low = middle
        else:
            high = middle - 1
    return low


def percent(share: Fraction) -> str:
    """A share in percent for a person, with three digits, or the bound below which it is."""
    number = float(100 * share)
    return "less than 0.001 %" if 0 < number < 0.001 else f"{number:.3g} %"
