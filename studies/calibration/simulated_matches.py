"""Simulated matches with known parameters, for the calibration of tests: chess pairs and poker sessions.

Everything is drawn from SHAKE-128 of a seed, in whole numbers, so a calibration is the same everywhere. A chess
world is a table of five probabilities, a poker world a table of 65,536 equally likely hands.
"""

import hashlib
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import Final

import msgspec
import numpy as np

STACK_CHIPS: Final = 10_000
HANDS: Final = 2**16
_MAGNITUDES: Final = 2**13
_COPIES: Final = 8
_BIG_CHIPS: Final = 1_000
_BLOCK_BYTES: Final = 2**16
_CHUNK: Final = 2**20


class ChessWorld(msgspec.Struct, frozen=True):
    """Two players over start pairs. Score 1/2 + `edge` a game, a share of `draws`.

    `white` is what the first move adds to a game's score. `correlation` of the two games of a pair beyond that: in
    that share of pairs one random draw decides both games, for A (above 0) or for a side of the start (below 0).
    """

    edge: Fraction = Fraction(0)
    draws: Fraction = Fraction(7, 20)
    white: Fraction = Fraction(0)
    correlation: Fraction = Fraction(0)


class PokerWorld(msgspec.Struct, frozen=True):
    """One player's chips a hand: pots with P(pot > x) = s / x up to the stack, as heavy as a tail can be.

    `sd_chips` and `mean_chips` are per hand (the mean is also the bb/100); of eight pots above ten big blinds
    `big_pots_lost` are lost: 4 is symmetric, more is skewed.
    """

    sd_chips: int = 900
    mean_chips: Fraction = Fraction(0)
    big_pots_lost: int = 4


def pair_probabilities(world: ChessWorld) -> tuple[Fraction, ...]:
    """The probabilities of A's 0 to 4 half-points of a pair; mean 2 + 4 edge."""
    first, second = (_game(world, sign) for sign in (1, -1))
    apart = Fraction(1) - abs(world.correlation)
    together = _together(first, second if world.correlation >= 0 else second[::-1])
    pairs = [Fraction(0)] * 5
    for a in range(3):
        for b in range(3):
            pairs[a + b] += apart * first[a] * second[b]
            pairs[a + (b if world.correlation >= 0 else 2 - b)] += abs(world.correlation) * together[a][b]
    return tuple(pairs)


def pair_points(world: ChessWorld, pairs: int, matches: int, seed: bytes) -> np.ndarray:
    """Half-points (int64, matches x pairs), each by one 32-bit word against the cumulated probabilities."""
    bounds = [int(bound * 2**32) for bound in list(accumulate(pair_probabilities(world)))[:-1]]
    drawn = words(seed, pairs * matches, "<u4")
    return np.searchsorted(np.asarray(bounds, dtype=np.uint64), drawn, side="right").reshape(matches, pairs)


@lru_cache(maxsize=32)
def hand_table(world: PokerWorld) -> np.ndarray:
    """Net chips of each of the 65,536 equally likely hands; their mean is the world's to 1 / 65,536."""
    low, high = 1, 64 * STACK_CHIPS
    while high - low > 1:
        middle = (low + high) // 2
        pots = _pots(middle)
        low, high = (middle, high) if int((pots * pots).sum()) < world.sd_chips**2 * _MAGNITUDES else (low, middle)
    pots = _pots(low)
    lost = np.where(pots > _BIG_CHIPS, world.big_pots_lost, _COPIES // 2)
    table = np.concatenate([np.where(copy < lost, -pots, pots) for copy in range(_COPIES)])
    missing = int(world.mean_chips * HANDS) - int(table.sum())
    table += missing // HANDS
    table[: missing % HANDS] += 1
    table.flags.writeable = False
    return table


def session_chips(world: PokerWorld, sessions: int, hands: int, matches: int, seed: bytes) -> np.ndarray:
    """Chips of each session (int64, matches x sessions), one 16-bit word a hand."""
    table, total = hand_table(world), sessions * matches
    sums = np.empty(total, dtype=np.int64)
    rows = max(1, _CHUNK // hands)
    for at, first in enumerate(range(0, total, rows)):
        count = min(rows, total - first)
        drawn = words(seed + at.to_bytes(4, "big"), count * hands, "<u2")
        sums[first : first + count] = table.take(drawn, mode="clip").reshape(count, hands).sum(axis=1)
    return sums.reshape(matches, sessions)


def table_mean(world: PokerWorld) -> Fraction:
    """The true mean of a hand, in chips."""
    return Fraction(int(hand_table(world).sum()), HANDS)


def table_variance(world: PokerWorld) -> Fraction:
    """The true variance of a hand."""
    table = hand_table(world)
    return Fraction(int((table * table).sum()), HANDS) - table_mean(world) ** 2


def words(seed: bytes, count: int, kind: str) -> np.ndarray:
    """`count` words of a numpy type from SHAKE-128(seed, c as 4 bytes big-endian), c = 0, 1, ..., 65,536 bytes each."""
    size = count * np.dtype(kind).itemsize
    blocks = range(-(-size // _BLOCK_BYTES))
    drawn = b"".join(hashlib.shake_128(seed + at.to_bytes(4, "big")).digest(_BLOCK_BYTES) for at in blocks)
    return np.frombuffer(drawn, dtype=kind, count=count)


def _game(world: ChessWorld, sign: int) -> list[Fraction]:
    """P(0), P(1), P(2) half-points of A's game as White (+1) or Black (-1)."""
    win = (1 - world.draws) / 2 + world.edge + sign * world.white
    chances = [1 - world.draws - win, world.draws, win]
    if min(chances) < 0:
        raise ValueError(f"no such world: losses, draws, wins {', '.join(map(str, chances))}")
    return chances


def _together(first: list[Fraction], second: list[Fraction]) -> list[list[Fraction]]:
    """The joint probabilities when one number between 0 and 1 decides both."""
    ends = [[Fraction(0), *accumulate(one)] for one in (first, second)]

    def overlap(a: int, b: int) -> Fraction:
        low, high = max(ends[0][a], ends[1][b]), min(ends[0][a + 1], ends[1][b + 1])
        return max(Fraction(0), high - low)

    return [[overlap(a, b) for b in range(3)] for a in range(3)]


def _pots(scale: int) -> np.ndarray:
    """Quantiles of the pot, scale / 64 chips over the rank, at most the stack."""
    ranks = 2 * np.arange(_MAGNITUDES, dtype=np.int64) + 1
    return np.minimum(STACK_CHIPS, 2 * _MAGNITUDES * scale // (64 * ranks))
