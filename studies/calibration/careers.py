"""Careers under dependence: does a test over careers err as often as it says, where games of a career are not alike?

What a store holds makes the games of a career depend on each other. Two simple models of that, without an effect on the
whole: a store is worth something of its own in every game of its career (an offset), and neighbouring units go
together (an autoregression of order one). A test of all units as if they were independent would err far more often:
with an offset of SD 0.05 points of score, 22 % instead of 1 %.

Stores that are not normal: in some careers one is poisoned, or clicks, from the start or a random unit on. Tests and
intervals over few careers do not hold what they say there, and no other test of five numbers would; their figures stand
in docs/calibration.md.

And at the least length of a career that has an interval: careers of so many sessions as skewed as a stack of 100 big
blinds allows, of start pairs that nearly all are won or drawn, and of autoregressive ones.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

import numpy as np
from scipy import stats

from agzamov_verify.games.holdem.cell import session_bb_per_100
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.hypotheses.contrasts import Weighted, estimated, repeated
from agzamov_verify.scoring.inference.estimate import PAIR_SCORE, Scale
from agzamov_verify.scoring.inference.intervals import Bootstrap, Resamples
from agzamov_verify.scoring.inference.means import one_sample_t
from agzamov_verify.scoring.inference.significance import Alternative
from agzamov_verify.scoring.inference.unit_values import Units

from .error_rates import rate_of
from .finding import BANDS, FIVE, HELD, ONE, Band, Finding, at_most, fails_by_chance, of_rate

CAREERS: Final = 5
SESSION_HANDS: Final = 100


@dataclass(frozen=True)
class Store:
    """A world of `units` start pairs or sessions in an arm; numbers in points of score or bb/100.

    `sd`: of a unit's figure. `offset_sd`: of what one career's store is worth. `carried`: correlation of one unit with
    the unit before it. `jump`: what a store is worth from a random unit on, in `share` of the careers, as one that is
    poisoned (below 0) or that clicks; less its mean, so that there is no effect on the whole. `at_once`: from the first
    unit on. `careers` of the arm. `held`, `errs`: bands where they are not the usual ones (docs/calibration.md).
    """

    name: str
    units: int
    scale: Scale
    sd: float
    offset_sd: float = 0.0
    carried: float = 0.0
    jump: float = 0.0
    share: float = 0.0
    at_once: bool = False
    careers: int = CAREERS
    held: Band = BANDS[HELD]
    errs: tuple[Band, Band] = (BANDS[FIVE], BANDS[ONE])


BB = session_bb_per_100(SESSION_HANDS)
WORLDS: Final = (
    Store("chess, store offset SD 0.03", 250, PAIR_SCORE, 0.29, offset_sd=0.03),
    Store("chess, store offset SD 0.05", 250, PAIR_SCORE, 0.29, offset_sd=0.05),
    Store("chess, AR(1) 0.5", 250, PAIR_SCORE, 0.29, carried=0.5),
    Store("poker SD 90, store offset SD 20", 100, BB, 90.0, offset_sd=20.0),
    Store("poker SD 410, store offset SD 20", 100, BB, 410.0, offset_sd=20.0),
    Store("poker SD 90, AR(1) 0.5", 100, BB, 90.0, carried=0.5),
)


def _about(percents: tuple[float, float, float], slack: float = 1.0) -> dict[str, Any]:
    """Bands of a world whose errors and coverage are others than those that are asked for, in per cent, ± `slack`.

    The figures stand in docs/calibration.md, in the table of exceptions; they may not grow unseen.
    """
    low, high = ([Fraction(max(0.0, one + by) / 100) for one in percents] for by in (-slack, slack))
    five, one, held = (Band(*ends, None) for ends in zip(low, high, strict=True))
    return {"held": held, "errs": (five, one)}


UNLIKE: Final = Store("", 250, PAIR_SCORE, 0.29)
"""Stores that are unlike each other: five numbers beside the interval show it, where it happened."""

POISONED: Final = replace(UNLIKE, jump=-0.30, share=0.2)
CLICKS: Final = replace(UNLIKE, jump=0.30, share=0.4)
UNEVEN: Final = (
    replace(POISONED, name="1 in 5 loses 0.30 from a random unit on", **_about((10.9, 2.6, 93.3))),
    replace(POISONED, name="1 in 5 loses 0.30 from the start", at_once=True, **_about((19.9, 7.8, 85.9), 1.5)),
    replace(POISONED, name="1 in 5 loses 0.30, start", at_once=True, careers=10, **_about((9.5, 4.2, 92.1), 1.5)),
    replace(CLICKS, name="2 in 5 gain 0.30 from a random unit on", **_about((2.0, 0.3, 92.2))),
    replace(CLICKS, name="1 in 5 gains 0.30 from the start", share=0.2, at_once=True, **_about((1.1, 0.1, 85.8), 1.5)),
)
"""What five careers cannot know: where none happens to be poisoned, five good ones look like a gain."""


LEAST: Final = load_protocol("agz-0.1").verdict.career_units_min


@dataclass(frozen=True)
class Shortest:
    """A world of one arm in careers of `LEAST` units: the values of a unit and their probabilities, in some unit.

    `hands`: a unit is the sum of as many draws. `carried`: correlation of one unit's rank with that of the unit before.
    """

    name: str
    values: tuple[float, ...]
    chances: tuple[float, ...]
    hands: int = 1
    carried: float = 0.0


def _pairs(won: float, drawn: float) -> tuple[float, ...]:
    """Probabilities of 0 to 4 half-points of a start pair, both games alike in strength."""
    game = (1 - won - drawn, drawn, won)
    return tuple(float(one) for one in np.convolve(game, game))


POINTS: Final = (0.0, 1.0, 2.0, 3.0, 4.0)
SHORTEST: Final = (
    Shortest("a stack lost in 101 hands, else 1 bb won", (1.0, -100.0), (100 / 101, 1 / 101), SESSION_HANDS),
    Shortest("a stack lost in 201 hands, else 0.5 bb won", (0.5, -100.0), (200 / 201, 1 / 201), SESSION_HANDS),
    Shortest("a stack lost in 201 hands, AR(1) 0.5", (0.5, -100.0), (200 / 201, 1 / 201), SESSION_HANDS, 0.5),
    Shortest("a stack won or lost, SD 41 bb a hand", (100.0, -100.0, 0.0), (0.084, 0.084, 0.832), SESSION_HANDS),
    Shortest("chess, no draws, 90 % won", POINTS, _pairs(0.9, 0.0)),
    Shortest("chess, 90 % drawn", POINTS, _pairs(0.05, 0.9)),
    Shortest("chess, 35 % drawn, AR(1) 0.5", POINTS, _pairs(0.325, 0.35), carried=0.5),
)


def shortest(world: Shortest, count: int, seed: str) -> Finding:
    """Coverage of Student's interval over careers of the least length."""
    rng = np.random.default_rng(list(hashlib.sha256(f"{seed}/shortest/{world.name}".encode()).digest()))
    values, chances = _unit_table(world)
    ranks = stats.norm.cdf(carried(rng, (count, CAREERS, LEAST), world.carried))
    means = values[np.searchsorted(np.cumsum(chances)[:-1], ranks)].mean(axis=2)
    reach = stats.t.ppf(0.975, CAREERS - 1) * means.std(axis=1, ddof=1) / CAREERS**0.5
    held = np.abs(means.mean(axis=1) - values @ chances) <= reach
    name = f"95% interval, {CAREERS} careers of {LEAST}, {world.name}"
    return of_rate(name, rate_of(int(held.sum()), count), BANDS[HELD])


def _unit_table(world: Shortest) -> tuple[np.ndarray, np.ndarray]:
    """The values of a unit, rising, and their probabilities: the sum of `hands` independent draws."""
    step = min(abs(value) for value in world.values if value)
    whole = [round(value / step) for value in world.values]
    one = np.zeros(max(whole) - min(whole) + 1)
    one[np.array(whole) - min(whole)] = world.chances
    total = np.ones(1)
    for _ in range(world.hands):
        total = np.convolve(total, one)
    return step * (np.arange(len(total)) + world.hands * min(whole)), total


def findings(case: Store | Shortest, size: int, seed: str) -> list[Finding]:
    """What one world of `size` runs found; worlds of the least length, which are fast, have twice as many."""
    return [shortest(case, 2 * size, seed)] if isinstance(case, Shortest) else list(errors(case, size, seed))


def errors(world: Store, count: int, seed: str) -> Iterator[Finding]:
    """Type I errors at 5 % and 1 % of the one-sided test of a real arm less its control; coverage of its interval."""
    rng = np.random.default_rng(list(hashlib.sha256(f"{seed}/careers/{world.name}".encode()).digest()))
    naked = Store("", world.units, world.scale, world.sd, careers=world.careers)
    real, control = drawn(world, count, rng), drawn(naked, count, rng)
    hits, held = {FIVE: 0, ONE: 0}, 0
    for one, other in zip(real, control, strict=True):
        p, covers = tested(one.tolist(), other.tolist(), world)
        held += covers
        for alpha in hits:
            hits[alpha] += p < alpha
    for (alpha, many), band in zip(hits.items(), world.errs, strict=True):
        sure = band.nominal is None or fails_by_chance(band, count) < 0.001
        told = f"type I at {float(alpha):.0%}, {world.careers} careers, {world.name}"
        yield of_rate(told, rate_of(many, count), band if sure else at_most(alpha))
    yield of_rate(f"95% interval, {world.careers} careers, {world.name}", rate_of(held, count), world.held)


def drawn(world: Store, count: int, rng: np.random.Generator) -> np.ndarray:
    """`count` arms without an effect: whole numbers by career, the sums of its units, of shape (count, careers)."""
    length = world.units // world.careers
    noise = carried(rng, (count, world.careers, length), world.carried)
    figures = world.sd * noise + world.offset_sd * rng.normal(size=(count, world.careers, 1)) + jumps(world, count, rng)
    return np.asarray(np.rint(figures / float(world.scale.factor) * FINE).astype(np.int64).sum(axis=2))


def jumps(world: Store, count: int, rng: np.random.Generator) -> np.ndarray:
    """What poisoned stores, or those that click, are worth in each unit, less the mean of all."""
    length = world.units // world.careers
    begins = rng.integers(0, 1 if world.at_once else length, (count, world.careers, 1))
    happens = rng.random((count, world.careers, 1)) < world.share
    after = happens & (np.arange(length) >= begins)
    mean = world.share * (1 if world.at_once else (length + 1) / 2 / length)
    return np.asarray(world.jump * (after - mean))


def carried(rng: np.random.Generator, shape: tuple[int, int, int], correlation: float) -> np.ndarray:
    """Standard normal values, each correlated with the one before it in its career."""
    noise = rng.normal(size=shape)
    for at in range(1, shape[2]):
        noise[:, :, at] = correlation * noise[:, :, at - 1] + (1 - correlation**2) ** 0.5 * noise[:, :, at]
    return noise


FINE: Final = 1000
"""Parts of a half-point or chip: the normal values of these worlds are rounded to them."""


def tested(real: Sequence[int], naked: Sequence[int], world: Store) -> tuple[Fraction, bool]:
    """The p of the one-sided test over careers, and whether the interval holds the truth, which is 0."""
    fine = Scale(world.scale.unit, world.scale.factor / FINE / (world.units // world.careers))
    arms = Units(tuple(real), fine, "starts", world.careers), Units(tuple(naked), fine, "starts")
    groups = repeated([Weighted(arms[0], Fraction(1)), Weighted(arms[1], Fraction(-1))])
    interval = estimated(groups, Resamples(b"", 999, Bootstrap.EXPANDED)).ci
    assert interval
    p = one_sample_t(groups[0].units.values, Fraction(0), Alternative.GREATER).p_value
    assert p is not None
    return p, Fraction(interval.low) <= 0 <= Fraction(interval.high)


CASES: Final = (*WORLDS, *UNEVEN, *SHORTEST)
FULL: Final = 8_000
SMALL: Final = 1_500
