"""All preflop matchups of two hands, enumerated once and shipped as a table.

Cards are numbered as in `cards.DECK`: 4 * rank + suit. A matchup's canonical form is the smallest
(a, b, c, d), a < b and c < d, over the 24 renamings of suits and both orders of the two hands. The table
has a row for each of the 47,008 canonical forms, in ascending order: on how many of the 1,712,304 boards
{a, b} beats {c, d}, and on how many they tie; two 32-bit words, least byte first. scripts/equity_table
makes it again in half a minute.
"""

import struct
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations_with_replacement, product
from typing import Final, TypeAlias

from ..cards import DECK
from .shipped_tables import table

BOARDS: Final = 1_712_304
TABLE_SHA256: Final = "19d9306669894fd587261848907a9676165a948e9024281be2c4ba124b22808a"

NUMBER: Final = {card: number for number, card in enumerate(DECK)}
Hole: TypeAlias = tuple[str, str]
Cards: TypeAlias = tuple[int, int]


def matchup(first: Hole, second: Hole) -> tuple[int, int]:
    """The boards that the first hand wins and those that tie, of 1,712,304. Raises KeyError for a card held twice."""
    return _kept(numbers(first), numbers(second))


def numbers(hole: Hole) -> Cards:
    """Two cards by number, the lower one first."""
    a, b = NUMBER[hole[0]], NUMBER[hole[1]]
    return (a, b) if a < b else (b, a)


def boards_won(first: Cards, second: Cards) -> tuple[int, int]:
    """`matchup` of hands by number."""
    straight, swapped = _form(first, second), _form(second, first)
    wins, ties = _table()[min(straight, swapped)]
    return (wins if straight <= swapped else BOARDS - ties - wins), ties


_kept = lru_cache(maxsize=2**17)(boards_won)


def _form(first: Cards, second: Cards) -> int:
    """The smallest renaming of suits with the hands in this order; a pair's two suits are tried both ways."""
    (a, b), (c, d) = first, second
    named = _renamed(a, b, c, d)
    if a >> 2 == b >> 2:
        named = min(named, _renamed(b, a, c, d))
        if c >> 2 == d >> 2:
            named = min(named, _renamed(b, a, d, c))
    return min(named, _renamed(a, b, d, c)) if c >> 2 == d >> 2 else named


def _renamed(a: int, b: int, c: int, d: int) -> int:
    """Four cards side by side, six bits for each, with suits numbered as they appear."""
    cards = a << 18 | b << 12 | c << 6 | d
    return cards & ~_SUIT_BITS | _RENAMED_SUITS[cards & _SUIT_BITS]


def _renamed_suits() -> Iterator[tuple[int, int]]:
    """The suits of any four cards, side by side, and their numbers in order of appearance."""
    for suits in product(range(4), repeat=4):
        order = list(dict.fromkeys(suits))
        yield _side_by_side(suits), _side_by_side(order.index(suit) for suit in suits)


def _side_by_side(four: Iterable[int]) -> int:
    return sum(number << shift for number, shift in zip(four, (18, 12, 6, 0), strict=True))


_SUIT_BITS: Final = _side_by_side((3, 3, 3, 3))
_RENAMED_SUITS: Final = dict(_renamed_suits())


@lru_cache(maxsize=1)
def _table() -> dict[int, tuple[int, int]]:
    """The rows by canonical form."""
    rows = table("matchups.bin", TABLE_SHA256)
    return dict(zip(_canonical_forms(), struct.iter_unpack("<II", rows), strict=True))


def _canonical_forms() -> list[int]:
    """Every canonical form, in ascending order."""
    hands = [(low, high) for low, high in combinations_with_replacement(range(13), 2)]
    forms = set()
    for index, (a, b) in enumerate(hands):
        for c, d in hands[index:]:
            for suits in _SUITS:
                first, second = (4 * a + suits[0], 4 * b + suits[1]), (4 * c + suits[2], 4 * d + suits[3])
                if len({*first, *second}) == 4:
                    forms.add(min(_form(first, second), _form(second, first)))
    return sorted(forms)


_SUITS = [(0, b, c, d) for b in range(2) for c in range(b + 2) for d in range(max(b, c) + 2)]
