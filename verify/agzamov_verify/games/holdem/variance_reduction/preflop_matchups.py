"""All preflop matchups of two hands, enumerated once and shipped as a table.

Cards are numbered as in `cards.DECK`: 4 * rank + suit. A matchup's canonical form is the smallest
(a, b, c, d), a < b and c < d, over the 24 renamings of suits and both orders of the two hands. The table
has a row for each of the 47,008 canonical forms, in ascending order: on how many of the 1,712,304 boards
{a, b} beats {c, d}, and on how many they tie; two 32-bit words, least byte first. scripts/equity_table
makes it again in half a minute.
"""

import struct
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Final, TypeAlias

from ..cards import DECK
from .shipped_tables import table

BOARDS: Final = 1_712_304
TABLE_SHA256: Final = "19d9306669894fd587261848907a9676165a948e9024281be2c4ba124b22808a"

NUMBER: Final = {card: number for number, card in enumerate(DECK)}
Hole: TypeAlias = tuple[str, str]
Cards: TypeAlias = tuple[int, int]
_Form: TypeAlias = tuple[int, int, int, int]


def matchup(first: Hole, second: Hole) -> tuple[int, int]:
    """The boards that the first hand wins and those that tie, of 1,712,304. Raises KeyError for a card held twice."""
    a, b, c, d = NUMBER[first[0]], NUMBER[first[1]], NUMBER[second[0]], NUMBER[second[1]]
    return _counted((a, b) if a < b else (b, a), (c, d) if c < d else (d, c))


@lru_cache(maxsize=2**17)
def _counted(first: Cards, second: Cards) -> tuple[int, int]:
    straight, swapped = _form(first, second), _form(second, first)
    wins, ties = _table()[min(straight, swapped)]
    return (wins if straight <= swapped else BOARDS - ties - wins), ties


def _form(first: Cards, second: Cards) -> _Form:
    """The smallest renaming of suits with the hands in this order; a pair's two suits are tried both ways."""
    a, b = first
    named = _renamed((a, b), second)
    return min(named, _renamed((b, a), second)) if a >> 2 == b >> 2 else named


def _renamed(first: Cards, second: Cards) -> _Form:
    """Suits numbered as they appear."""
    names: dict[int, int] = {}
    a, b, c, d = (card & ~3 | names.setdefault(card & 3, len(names)) for card in (*first, *second))
    return (a, b, c, d) if c < d else (a, b, d, c)


@lru_cache(maxsize=1)
def _table() -> dict[_Form, tuple[int, int]]:
    """The rows by canonical form."""
    rows = table("matchups.bin", TABLE_SHA256)
    return dict(zip(_canonical_forms(), struct.iter_unpack("<II", rows), strict=True))


def _canonical_forms() -> list[_Form]:
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
