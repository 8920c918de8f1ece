"""Do intervals over clusters hold what they say? Errors that come together, games played twice, short sessions.

Worlds: errors of a game are beta-binomial (rate, intraclass correlation) over 5 to about 90 decisions; self-play
without randomness plays every start twice alike; moves lose centipawns with blunders that come together in games; of a
session 1 to 100 hands are kept. The degrees of freedom are the code's, the quantile of Student's t scipy's, which is
faster.
"""

import hashlib
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Final, NamedTuple

import numpy as np
from scipy import stats

from agzamov_verify.games.holdem.cell import session_bb_per_100
from agzamov_verify.scoring.inference.clusters import Term, contrast_test, few_events_test, linearised
from agzamov_verify.scoring.inference.estimate import PAIR_SCORE, Scale
from agzamov_verify.scoring.inference.intervals import Bootstrap, Resamples
from agzamov_verify.scoring.inference.proportions import score_bounds
from agzamov_verify.scoring.inference.significance import Alternative
from agzamov_verify.scoring.units.score_constants import load_score_constants

from .error_rates import Rate, rate_of
from .finding import BANDS, FIVE, HELD, Band, Finding, at_most, of_rate
from .plain_samples import mean_estimate
from .simulated_matches import PokerWorld, hand_table, session_chips, table_mean

CONSTANTS = load_score_constants("agz-0.1").clusters
ENOUGH: Final = 1_000
"""Fewer simulated matches do not tell 95 % from 93 %: there intervals must hold the truth in 90 %."""

MARGIN, CORRELATION = Fraction(1, 200), Fraction(CONSTANTS.correlation_max)
SPREAD_HANDS: Final = 100
WINS = Scale("win rate", Fraction(1, 2), Fraction(0), Fraction(1))


class ErrorWorld(NamedTuple):
    """Games of a match, the share of decisions with an error, and its intraclass correlation within a game."""

    games: int
    rate: float
    correlation: float

    def __str__(self) -> str:
        return f"{self.games} games, rate {self.rate:.1%}, ICC {self.correlation:g}"


COVERED = (
    ErrorWorld(30, 0.1, 0.0),
    ErrorWorld(30, 0.1, 0.1),
    ErrorWorld(30, 0.2, 0.2),
    ErrorWorld(100, 0.02, 0.1),
    ErrorWorld(500, 0.01, 0.0),
    ErrorWorld(500, 0.01, 0.2),
    ErrorWorld(500, 0.04, 0.1),
)
Match = Callable[[np.random.Generator], tuple[list[int], list[int]]]


class Check(NamedTuple):
    """A share of simulated matches from (number, seed), and where it must lie.

    `count_max`: of a slow check. `few`: the band where there are fewer than `ENOUGH` matches.
    """

    rate: Callable[[int, str], Rate]
    band: Band = BANDS[HELD]
    few: Band = Band(Fraction(90, 100), Fraction(1), None)
    count_max: int = 10**6


def findings(case: str, size: int, seed: str) -> list[Finding]:
    """What one check of `size` simulated matches found."""
    check = CHECKS[case]
    rate = check.rate(min(size, check.count_max), f"{seed}/{case}")
    return [of_rate(case, rate, check.band if size >= ENOUGH else check.few)]


def _few_pairs_held(scale: Scale, draws: float, n: int, count: int, seed: str) -> Rate:
    """Of the matches between equals whose interval is printed, how many hold the truth."""
    draw, of, hits = _generator(seed), 0, 0
    is_score = scale is PAIR_SCORE
    truth = 0.5 if is_score else (1 - draws) / 2
    for at in range(count):
        games = draw.choice(3, p=((1 - draws) / 2, draws, (1 - draws) / 2), size=(n, 2))
        values = games.sum(axis=1) if is_score else (games == 2).sum(axis=1)
        decided = CONSTANTS.score_decided_min if is_score else 0
        how = Resamples(f"{seed}/{at}".encode(), 1_000, Bootstrap.EXPANDED, n, decided)
        ci = mean_estimate(values.tolist(), scale, how).ci
        if ci is not None:
            of, hits = of + 1, hits + (float(ci.low) <= truth <= float(ci.high))
    return rate_of(hits, of)


def _few_sessions_held(count: int, seed: str) -> Rate:
    """Sessions of the heaviest pots that a stack allows."""
    world, n, scale = PokerWorld(sd_chips=4_100), CONSTANTS.least("bb/100"), session_bb_per_100(SPREAD_HANDS)
    truth = float(table_mean(world))
    chips = session_chips(world, n, SPREAD_HANDS, count, seed.encode())
    hits = 0
    for at, values in enumerate(chips.tolist()):
        how = Resamples(f"{seed}/{at}".encode(), 1_000, Bootstrap.STUDENTISED, n)
        ci = mean_estimate(values, scale, how).ci
        hits += ci is not None and float(ci.low) <= truth <= float(ci.high)
    return rate_of(hits, count)


def errors(world: ErrorWorld, draw: np.random.Generator) -> tuple[list[int], list[int]]:
    """Errors and decisions by game."""
    decisions = np.clip(np.round(draw.gamma(7, 40 / 7, world.games)), 5, None).astype(int)
    together = 1 / world.correlation - 1 if world.correlation else 0
    rates = draw.beta(world.rate * together, (1 - world.rate) * together, world.games) if together else world.rate
    return draw.binomial(decisions, rates).tolist(), decisions.tolist()


def merged(world: ErrorWorld, draw: np.random.Generator) -> tuple[list[int], list[int]]:
    """The same of games that were each played twice alike: one cluster of twice the decisions."""
    above, below = errors(world, draw)
    return [2 * one for one in above], [2 * one for one in below]


def kept_hands(draw: np.random.Generator) -> tuple[list[int], list[int]]:
    """Chips of the hands of 20 sessions that are kept, and how many these are."""
    kept = draw.integers(1, 101, 20)
    hands = hand_table(PokerWorld())[draw.integers(0, 2**16, (20, 100))]
    return np.where(np.arange(100) < kept[:, None], hands, 0).sum(axis=1).tolist(), kept.tolist()


BLUNDERS, BLUNDER, OTHER = 0.08, 300, 30
TRUE_LOSS = BLUNDERS * BLUNDER + (1 - BLUNDERS) * OTHER
"""Centipawns a move: blunders, and all other moves."""


def lost_centipawns(draw: np.random.Generator) -> tuple[list[int], list[int]]:
    """Centipawns and moves of 50 games; the level of a game is lognormal with the mean 1."""
    moves = np.clip(np.round(draw.gamma(7, 40 / 7, 50)), 5, None).astype(int)
    level = np.exp(0.5 * draw.standard_normal(50) - 0.125)
    blunders = draw.binomial(moves, BLUNDERS)
    lost = level * (draw.gamma(blunders + 1e-9, BLUNDER) + draw.gamma(moves - blunders + 1e-9, OTHER))
    return np.round(lost).astype(int).tolist(), moves.tolist()


def share_bounds(above: list[int], below: list[int]) -> tuple[float, float] | None:
    """The published interval of a share; None where none is published."""
    with_one, with_another = sum(x > 0 for x in above), sum(x < m for x, m in zip(above, below, strict=True))
    found = linearised(above, below)
    few = len(above) < CONSTANTS.share_units_min or min(with_one, with_another) < CONSTANTS.share_units_with_min
    if few or found is None or not found.df:
        return None
    effective = found.value * (1 - found.value) / found.squared_error
    low, high = score_bounds(found.value, effective, Fraction(_quantile(found.df)))
    return float(low), float(high)


def _share_held(match: Match, truth: float, count: int, seed: str) -> Rate:
    draw, of, hits = _generator(seed), 0, 0
    for _ in range(count):
        bounds = share_bounds(*match(draw))
        if bounds:
            of, hits = of + 1, hits + (bounds[0] <= truth <= bounds[1])
    return rate_of(hits, of)


def _printed(match: Match, count: int, seed: str) -> list[tuple[float, float]]:
    """The intervals of the matches that have one."""
    draw = _generator(seed)
    return [bounds for _ in range(count) if (bounds := share_bounds(*match(draw)))]


def _flagged(world: ErrorWorld, count: int, seed: str) -> Rate:
    draw = _generator(seed)
    found = [share_bounds(*errors(world, draw)) for _ in range(count)]
    return rate_of(sum(bounds is not None and bounds[0] > 0.05 for bounds in found), count)


def _ratio_held(match: Match, truth: float, count: int, seed: str) -> Rate:
    draw, hits = _generator(seed), 0
    for _ in range(count):
        found = linearised(*match(draw))
        assert found is not None
        half = _quantile(found.df) * float(found.squared_error) ** 0.5
        hits += abs(float(found.value) - truth) <= half
    return rate_of(hits, count)


def _twice_alike_held(count: int, seed: str) -> Rate:
    """Of each start one game is won and the other, which is the same, is lost; or both are drawn (35 %)."""
    draw, hits = _generator(seed), 0
    for at in range(count):
        values = draw.binomial(1, 0.65, 50).tolist()
        how = Resamples(f"{seed}/{at}".encode(), 1_000, Bootstrap.EXPANDED, CONSTANTS.least(WINS.unit))
        ci = mean_estimate(values, WINS, how).ci
        hits += ci is not None and float(ci.low) <= 0.325 <= float(ci.high)
    return rate_of(hits, count)


def _wrong(world: ErrorWorld, count: int, seed: str) -> Rate:
    """Matches whose interval is printed and does not hold the truth."""
    printed = _printed(partial(errors, world), count, seed)
    return rate_of(sum(not low <= world.rate <= high for low, high in printed), count)


def _errors_compared(world: ErrorWorld, count: int, seed: str) -> Rate:
    """E10 where the rate rises by just the margin."""
    draw, hits = _generator(seed), 0
    for _ in range(count):
        arms = [errors(world._replace(rate=rate), draw) for rate in (world.rate + float(MARGIN), world.rate)]
        rates = [found for arm in arms if (found := linearised(*arm))]
        terms = [Term(found, Fraction(sign)) for found, sign in zip(rates, (1, -1), strict=True)]
        hits += contrast_test(terms, Alternative.LESS, MARGIN).rejects(FIVE)
    return rate_of(hits, count)


def _rare_errors(world: ErrorWorld, count: int, seed: str) -> Rate:
    """E10, exact, where the arm without memory has no error."""
    draw = _generator(seed)
    tests = (few_events_test(*errors(world, draw), MARGIN, CORRELATION) for _ in range(count))
    return rate_of(sum(test.rejects(FIVE) for test in tests), count)


def _quantile(df: Fraction) -> float:
    return float(stats.t.ppf(0.975, float(df)))


def _generator(seed: str) -> np.random.Generator:
    return np.random.default_rng(list(hashlib.sha256(seed.encode()).digest()))


def _checks() -> Iterator[tuple[str, Check]]:
    rare, few_errors = Band(Fraction(0), FIVE, None), Band(Fraction(0), 3 * FIVE, None)
    for correlation in (0.05, 0.2):
        world = ErrorWorld(250, float(MARGIN), correlation)
        name = f"type I at 5%, E10 exact, none without memory, {world}"
        yield name, Check(partial(_rare_errors, world), at_most(FIVE), few_errors, 300)
    for correlation, most in ((0.4, 0.15), (0.6, 0.2), (0.95, 0.35)):
        world = ErrorWorld(250, float(MARGIN), correlation)
        name = f"type I at 5%, E10 exact, errors that go together more, {world}"
        yield name, Check(partial(_rare_errors, world), Band(Fraction(0), Fraction(most), None), few_errors, 300)
    for world in COVERED:
        yield (
            f"95% interval, error rate by game, {world}",
            Check(partial(_share_held, partial(errors, world), world.rate)),
        )
    world = ErrorWorld(60, 0.1, 0.1)
    name = "95% interval, error rate, every game played twice alike"
    yield name, Check(partial(_share_held, partial(merged, world), world.rate))
    name = "said to be above 5 % though 4 %, 30 games, ICC 0.2"
    yield name, Check(partial(_flagged, ErrorWorld(30, 0.04, 0.2)), rare, rare)
    name = "95% interval, hands kept, 1 to 100 of a session, 20 sessions"
    yield name, Check(partial(_ratio_held, kept_hands, float(table_mean(PokerWorld()))))
    yield "95% interval, centipawns lost a move, 50 games", Check(partial(_ratio_held, lost_centipawns, TRUE_LOSS))
    yield "95% interval, win rate, every start played twice alike, 50 starts", Check(_twice_alike_held)
    for scale, draws in ((PAIR_SCORE, 0.35), (PAIR_SCORE, 0.75), (PAIR_SCORE, 0.9), (WINS, 0.35), (WINS, 0.9)):
        n = CONSTANTS.least(scale.unit)
        name = f"95% interval, {scale.unit}, {n} start pairs, {draws:.0%} drawn"
        yield name, Check(partial(_few_pairs_held, scale, draws, n))
    name = f"95% interval, bb/100, {CONSTANTS.least('bb/100')} sessions of SD 41 bb a hand"
    yield name, Check(_few_sessions_held)
    name = "printed and wrong, error rate, 30 games, rate 1.5 %, ICC 0.05"
    yield name, Check(partial(_wrong, ErrorWorld(30, 0.015, 0.05)), rare, rare)
    for world in (ErrorWorld(250, 0.02, 0.1), ErrorWorld(250, 0.1, 0.2)):
        name = f"type I at 5%, E10 over games, {world}"
        yield name, Check(partial(_errors_compared, world), BANDS[FIVE], few_errors)


CHECKS: Final = dict(_checks())
FULL: Final = 1_500
SMALL: Final = 60
