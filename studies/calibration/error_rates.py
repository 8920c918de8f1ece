"""Error rates by simulation: type I error rates of tests, coverage of intervals, and power against the planned power.

A case is a simulated match of known truth (`simulated_matches`), a test or an interval, and a size. Everything is drawn
from one seed. Which test is confirmatory at which size, with the rates measured: docs/decisions/0013.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import msgspec
from scipy import stats

from agzamov_verify.scoring.inference.exact import Figure, figure, square_root
from agzamov_verify.scoring.inference.means import one_sample_t, paired_t, welch_t
from agzamov_verify.scoring.inference.proportions import binomial_test, wilson_interval
from agzamov_verify.scoring.inference.samples import Interval, Moments
from agzamov_verify.scoring.inference.significance import Alternative, Significance

from .simulated_matches import (
    ChessWorld,
    PokerWorld,
    pair_points,
    pair_probabilities,
    session_chips,
    table_mean,
    table_variance,
)

Sample = tuple[list[int], ...]
World = ChessWorld | PokerWorld
Test = Callable[[Sample, bytes], Significance]
IntervalRule = Callable[[Sample, bytes], Interval | None]

_LEVEL = Fraction(1, 20)
SESSION_HANDS = 100


class Case(NamedTuple):
    """A confirmatory test in worlds where its null hypothesis is true, and the sizes (games or hands an arm)."""

    name: str
    null: tuple[World, ...]
    sizes: tuple[int, ...]
    test: Test


class Rate(msgspec.Struct, frozen=True):
    """Number and share of simulated matches that are hits, with a 95 % interval of the share."""

    hits: int
    of: int
    share: Figure
    ci: Interval


def rate_of(hits: int, count: int) -> Rate:
    """A share of simulated matches with its interval."""
    return Rate(hits, count, figure(Fraction(hits, count)), wilson_interval(hits, count, _LEVEL))


def matches(arms: Sequence[World], n: int, count: int, seed: bytes) -> Iterator[Sample]:
    """`count` made-up matches of n games or hands an arm: pair half-points, or session chips, of each arm."""
    drawn = [_arm(world, n, count, seed + bytes([at])) for at, world in enumerate(arms)]
    return zip(*drawn, strict=True)


def type_i_error(test: Test, null: Sequence[World], n: int, alpha: Fraction, count: int, seed: bytes) -> Rate:
    """Type I error rate: share of rejections in worlds where the null hypothesis is true."""
    return rejections(test, null, n, (alpha,), count, seed)[0]


def power(test: Test, worlds: Sequence[World], n: int, alpha: Fraction, count: int, seed: bytes) -> Rate:
    """Power: share of rejections in worlds where the null hypothesis is false."""
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
    return [rate_of(one, count) for one in hits]


def coverage(bounds: IntervalRule, truth: Fraction, worlds: Sequence[World], n: int, count: int, seed: bytes) -> Rate:
    """Coverage: share of intervals that contain `truth`, in the interval's unit. A missing interval is a miss."""
    held = 0
    for at, sample in enumerate(matches(worlds, n, count, seed)):
        found = bounds(sample, _own(seed, at))
        held += found is not None and Fraction(found.low) <= truth <= Fraction(found.high)
    return rate_of(held, count)


def true_mean(world: World) -> Fraction:
    """Score per game, or bb/100."""
    return unit_moments(world).mean * (Fraction(1, 4) if isinstance(world, ChessWorld) else Fraction(1, SESSION_HANDS))


def unit_moments(world: World) -> Moments:
    """The true mean and variance of a pair's half-points, or of a session's chips."""
    match world:
        case ChessWorld():
            chances = pair_probabilities(world)
            mean = sum((points * chance for points, chance in enumerate(chances)), Fraction(0))
            squares = sum((points**2 * chance for points, chance in enumerate(chances)), Fraction(0))
            return Moments(1, mean, squares - mean**2)
        case PokerWorld():
            return Moments(1, SESSION_HANDS * table_mean(world), SESSION_HANDS * table_variance(world))


def units(world: World, n: int) -> int:
    """Number of whole pairs or sessions in n games or hands."""
    return n // 2 if isinstance(world, ChessWorld) else n // SESSION_HANDS


def planned_power(worlds: Sequence[World], n: int, alpha: Fraction) -> Fraction:
    """The power that planning promises the two-sided t test of one arm against the null value, or of two arms."""
    groups, count = [unit_moments(world) for world in worlds], units(worlds[0], n)
    null = groups[1].mean if len(groups) > 1 else null_of(worlds[0])
    variance = sum((group.variance for group in groups), Fraction(0)) / len(groups)
    return power_t(groups[0].mean - null, square_root(variance), count, alpha, len(groups))


def power_t(effect: Fraction, sd: Fraction, n: int, alpha: Fraction, arms: int = 1) -> Fraction:
    """Probability that the two-sided t test finds `effect` with n values (per arm), n > 1, sd > 0, by scipy."""
    df, away = arms * (n - 1), abs(float(effect)) / (float(sd) * (arms / n) ** 0.5)
    critical = stats.t.isf(float(alpha) / 2, df)
    return Fraction(float(stats.nct.sf(critical, df, away) + stats.nct.cdf(-critical, df, away)))


def null_of(world: World) -> Fraction:
    """A unit's mean when nothing has an effect: two half-points, no chips."""
    return Fraction(2) if isinstance(world, ChessWorld) else Fraction(0)


def confirmatory(alternative: Alternative) -> tuple[Case, ...]:
    """Every confirmatory test at every size at which it is one, in worlds where its null hypothesis is true."""
    chess, games = ChessWorld(), (30, 500)
    poker, hands = PokerWorld(), (1_000, 10_000)

    def score(sample: Sample, _: bytes) -> Significance:
        return one_sample_t(sample[0], Fraction(2), alternative)

    def chips(sample: Sample, _: bytes) -> Significance:
        return one_sample_t(sample[0], Fraction(0), alternative)

    def paired(sample: Sample, _: bytes) -> Significance:
        return paired_t(sample[0], sample[1], alternative)

    def apart(sample: Sample, _: bytes) -> Significance:
        return welch_t(sample[0], sample[1], alternative)

    def wins(sample: Sample, _: bytes) -> Significance:
        return binomial_test(sum(sample[0]) // 2, 2 * len(sample[0]), alternative)

    return (
        Case("wins: exact binomial", (ChessWorld(draws=Fraction(0)),), games, wins),
        Case("chess score: t of pairs", (chess,), games, score),
        Case("chess difference, same starts: paired t", (chess, chess), games, paired),
        Case("chess difference, two arms: Welch", (chess, chess), games, apart),
        Case("poker: t of sessions", (poker,), hands, chips),
        Case("poker difference, same decks: paired t", (poker, poker), hands, paired),
        Case("poker difference, two arms: Welch", (poker, poker), hands, apart),
    )


def _arm(world: World, n: int, count: int, seed: bytes) -> list[list[int]]:
    match world:
        case ChessWorld():
            drawn = pair_points(world, units(world, n), count, seed)
        case PokerWorld():
            drawn = session_chips(world, units(world, n), SESSION_HANDS, count, seed)
    return [[int(one) for one in row] for row in drawn]


def _own(seed: bytes, at: int) -> bytes:
    """A seed for the resampling of one made-up match."""
    return seed + b"resample" + at.to_bytes(4, "big")
