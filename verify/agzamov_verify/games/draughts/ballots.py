"""The three-move ballots that games begin from: the 156 openings of the American Checker Federation's deck (2005).

Of 302 sequences of three moves from the start, 216 end in different positions, and in 174 of these neither side loses a
man by force at once: the ballots that are numbered. The federation bars 18 of the 174 as too one-sided and plays the
other 156. From the one start of draughts two players without
chance would play one game for ever. Each ballot is played with both colours, so what it favours favours nobody.

The order is drawn from the sealed seed, none twice, so a ballot depends on nothing but the pair's number.
"""

from functools import lru_cache
from typing import Final

from ...core.dice import Dice

PAIR: Final = 2
"""Games of one ballot, one with each colour."""
BALLOT_PLIES: Final = 3

_THIRD_MOVES: Final = {
    "9-13 21-17": "5-9 6-9",
    "9-13 22-17": "13x22",
    "9-13 22-18": "6-9 10-14 10-15 11-15 11-16 12-16",
    "9-13 23-18": "5-9 6-9 10-15 11-15 11-16 12-16",
    "9-13 23-19": "5-9 6-9 10-14 10-15 11-16",
    "9-13 24-19": "5-9 6-9 10-14 11-15 11-16",
    "9-13 24-20": "5-9 6-9 10-14 10-15 11-15 11-16",
    "9-14 22-17": "5-9 6-9 11-15 11-16",
    "9-14 22-18": "5-9 10-15 11-15 11-16",
    "9-14 23-18": "14x23",
    "9-14 23-19": "5-9 11-16 14-18",
    "9-14 24-19": "5-9 11-15 11-16",
    "9-14 24-20": "5-9 10-15 11-15 11-16",
    "10-14 22-17": "7-10 9-13 11-15 11-16 14-18",
    "10-14 22-18": "6-10 7-10 11-15 11-16 12-16",
    "10-14 23-18": "14x23",
    "10-14 23-19": "6-10 7-10 11-15 11-16 14-18",
    "10-14 24-19": "6-10 7-10 11-16 14-18",
    "10-14 24-20": "6-10 7-10 11-15 11-16 14-18",
    "10-15 21-17": "6-10 7-10 9-13 11-16 15-18",
    "10-15 22-17": "6-10 7-10 9-13 11-16 15-19",
    "10-15 22-18": "15x22",
    "10-15 23-18": "6-10 7-10 9-14 11-16 12-16",
    "10-15 23-19": "6-10 7-10 11-16",
    "10-15 24-19": "15x24",
    "10-15 24-20": "6-10 7-10 15-19",
    "11-15 21-17": "8-11 9-13 9-14 15-19",
    "11-15 22-17": "8-11 9-13 15-18 15-19",
    "11-15 22-18": "15x22",
    "11-15 23-18": "8-11 9-14 10-14 12-16 15-19",
    "11-15 23-19": "8-11 9-13 9-14",
    "11-15 24-19": "15x24",
    "11-15 24-20": "8-11 12-16 15-18",
    "11-16 21-17": "7-11 8-11 9-13 9-14 16-20",
    "11-16 22-17": "7-11 8-11 9-13 16-20",
    "11-16 22-18": "7-11 8-11 16-19 16-20",
    "11-16 23-18": "7-11 8-11 9-14 10-14 16-20",
    "11-16 23-19": "16x23",
    "11-16 24-19": "7-11 8-11 16-20",
    "11-16 24-20": "7-11 16-19",
    "12-16 21-17": "9-13 9-14 16-19 16-20",
    "12-16 22-17": "16-19 16-20",
    "12-16 22-18": "16-19 16-20",
    "12-16 23-18": "16-19 16-20",
    "12-16 24-19": "16-20",
    "12-16 24-20": "8-12 10-15",
}
"""By the first two moves."""
BALLOTS: Final = tuple(f"{begun} {third}" for begun, thirds in _THIRD_MOVES.items() for third in thirds.split())
"""Each as its three moves."""


def ballot_of(dice: Dice, pair: int) -> str:
    """The ballot of a pair of games."""
    return BALLOTS[_order(dice)[pair]]


@lru_cache(maxsize=8)
def _order(dice: Dice) -> list[int]:
    return dice.stream("draughts/starts/0").deal(range(len(BALLOTS)), len(BALLOTS))
