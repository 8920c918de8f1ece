"""The value of the best five of five to seven cards, in Python, equal to pkrbot's, for machines that lack it.

A value is a whole number; the greater one wins, equal ones tie. From the highest hexadecimal digit: the kind of hand (1
High Card … 9 Straight Flush), then the ranks (0 the deuce … 12 the ace) in the order in which they decide. A straight
has one digit, 1 (up to the five) … 10 (up to the ace); high cards and flushes a bit for each of the five ranks instead.

A card is one integer in which 13 counters of ranks, 4 counters of suits and 52 bits stand side by side, so that the sum
of a hand counts all of it at once.
"""

from collections.abc import Iterable
from typing import Final

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
KINDS: Final = (
    "High Card",
    "Pair",
    "Two Pair",
    "Trips",
    "Straight",
    "Flush",
    "Full House",
    "Quads",
    "Straight Flush",
)
HIGH_CARD, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH = (
    kind << 20 for kind in range(1, len(KINDS) + 1)
)
KIND: Final = 0xF << 20
"""The bits of a value that tell its kind."""

_SUIT_COUNTS: Final = 4 * len(RANKS)
_CARDS: Final = _SUIT_COUNTS + 4 * len(SUITS)
_RANK_COUNTS: Final = 2**_SUIT_COUNTS - 1
_OF_ONE_SUIT: Final = 2 ** len(RANKS) - 1
_THREE_MORE: Final = 0x3333 << _SUIT_COUNTS
_EIGHT: Final = 0x8888 << _SUIT_COUNTS


def Card(name: str) -> int:  # noqa: N802 - pkrbot's name
    """A card by its name, such as "Ah"."""
    rank, suit = RANKS.index(name[0]), SUITS.index(name[1])
    return 1 << 4 * rank | 1 << _SUIT_COUNTS + 4 * suit | 1 << _CARDS + len(RANKS) * suit + rank


def evaluate(cards: Iterable[int]) -> int:
    """The value of the best five of five to seven different cards."""
    total = sum(cards)
    five = (total + _THREE_MORE) & _EIGHT
    if five:
        suit = (five.bit_length() - 1 - _SUIT_COUNTS) // 4
        return _of_flush(total >> _CARDS + len(RANKS) * suit & _OF_ONE_SUIT)
    return _OF_RANKS[total & _RANK_COUNTS]


def handtype(value: int) -> str:
    """The name of a value's kind."""
    return KINDS[(value >> 20) - 1]


def _of_flush(ranks: int) -> int:
    """The value of five to seven ranks of one suit, each a bit."""
    straight = _straight(ranks)
    return STRAIGHT_FLUSH | straight << 16 if straight else FLUSH | _highest_five(ranks)


def _straight(ranks: int) -> int:
    """The digit of the highest straight of some ranks, each a bit; 0 if there is none. The ace stands below too."""
    along = ranks << 1 | ranks >> 12
    return (along & along >> 1 & along >> 2 & along >> 3 & along >> 4).bit_length()


def _highest_five(ranks: int) -> int:
    while ranks.bit_count() > 5:
        ranks &= ranks - 1
    return ranks


class _OfRanks(dict[int, int]):
    """Values of hands without a flush, by their counters of ranks: fewer than 100,000 of five to seven cards."""

    def __missing__(self, counts: int) -> int:
        self[counts] = value = _of_ranks(counts)
        return value


_OF_RANKS: Final = _OfRanks()


def _of_ranks(counts: int) -> int:
    ranks = [rank for rank in range(len(RANKS) - 1, -1, -1) if counts >> 4 * rank & 15]
    four, three, two = ([rank for rank in ranks if counts >> 4 * rank & 15 == count] for count in (4, 3, 2))
    if four:
        return QUADS | _digits(four, ranks, 2)
    if three and (two or three[1:]):
        return FULL_HOUSE | _digits(three[:1], sorted(three[1:] + two, reverse=True), 2)
    present = sum(1 << rank for rank in ranks)
    if straight := _straight(present):
        return STRAIGHT | straight << 16
    return TRIPS | _digits(three, ranks, 3) if three else _of_pairs(two, ranks, present)


def _of_pairs(pairs: list[int], ranks: list[int], present: int) -> int:
    if not pairs:
        return HIGH_CARD | _highest_five(present)
    return PAIR | _digits(pairs, ranks, 4) if len(pairs) == 1 else TWO_PAIR | _digits(pairs[:2], ranks, 3)


def _digits(first: list[int], ranks: list[int], count: int) -> int:
    """The ranks of pairs and the like, then the highest other ones, `count` digits in all."""
    deciding = (first + [rank for rank in ranks if rank not in first])[:count]
    return sum(rank << 16 - 4 * place for place, rank in enumerate(deciding))
