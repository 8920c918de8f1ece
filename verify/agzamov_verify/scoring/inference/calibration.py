"""Does a test err as often as it says, does an interval hold the truth as often as it says, does power come true?

A case is a made-up match of known truth (`worlds`), a test or an interval, and a size. Everything is drawn from
one seed. Which test is confirmatory at which size, with the rates measured: docs/decisions/0013.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import msgspec

from ..exact import Figure, figure
from ..statistics import Interval
from .proportions import wilson_interval
from .significance import Significance
from .worlds import ChessWorld, PokerWorld, pair_points, session_chips, table_mean

Sample = tuple[list[int], ...]
World = ChessWorld | PokerWorld
Test = Callable[[Sample, bytes], Significance]
Bounds = Callable[[Sample, bytes], Interval | None]

_LEVEL = Fraction(1, 20)
SESSION_HANDS = 100


class Rate(msgspec.Struct, frozen=True):
    """How many of the made-up matches, with a 95 % interval of the share."""

    hits: int
    of: int
    share: Figure
    ci: Interval


def matches(arms: Sequence[World], n: int, count: int, seed: bytes) -> Iterator[Sample]:
    """`count` made-up matches of n games or hands an arm: pair half-points, or session chips, of each arm."""
    drawn = [_arm(world, n, count, seed + bytes([at])) for at, world in enumerate(arms)]
    return zip(*drawn, strict=True)


def type_i_error(test: Test, null: Sequence[World], n: int, alpha: Fraction, count: int, seed: bytes) -> Rate:
    """How often the test rejects a null hypothesis that is true in the worlds given."""
    return rejections(test, null, n, (alpha,), count, seed)[0]


def power(test: Test, worlds: Sequence[World], n: int, alpha: Fraction, count: int, seed: bytes) -> Rate:
    """How often the test rejects a null hypothesis that is false in the worlds given."""
    return rejections(test, worlds, n, (alpha,), count, seed)[0]


def rejections(
    test: Test, worlds: Sequence[World], n: int, alphas: Sequence[Fraction], count: int, seed: bytes
) -> list[Rate]:
    """The share of rejections at each alpha, on the same matches."""
    hits = [0] * len(alphas)
    for at, sample in enumerate(matches(worlds, n, count, seed)):
        outcome = test(sample, _own(seed, at))
        for which, alpha in enumerate(alphas):
            hits[which] += outcome.rejects(alpha)
    return [_rate(one, count) for one in hits]


def coverage(bounds: Bounds, truth: Fraction, worlds: Sequence[World], n: int, count: int, seed: bytes) -> Rate:
    """How often the interval holds the truth, in the interval's unit. No interval holds nothing."""
    held = 0
    for at, sample in enumerate(matches(worlds, n, count, seed)):
        found = bounds(sample, _own(seed, at))
        held += found is not None and Fraction(found.low) <= truth <= Fraction(found.high)
    return _rate(held, count)


def true_mean(world: World) -> Fraction:
    """Score per game, or bb/100."""
    match world:
        case ChessWorld():
            return Fraction(1, 2) + world.edge
        case PokerWorld():
            return table_mean(world)


def _arm(world: World, n: int, count: int, seed: bytes) -> list[list[int]]:
    match world:
        case ChessWorld():
            units = pair_points(world, n // 2, count, seed)
        case PokerWorld():
            units = session_chips(world, n // SESSION_HANDS, SESSION_HANDS, count, seed)
    return [[int(one) for one in row] for row in units]


def _own(seed: bytes, at: int) -> bytes:
    """A seed for the resampling of one made-up match."""
    return seed + b"resample" + at.to_bytes(4, "big")


def _rate(hits: int, count: int) -> Rate:
    return Rate(hits, count, figure(Fraction(hits, count)), wilson_interval(hits, count, _LEVEL))
