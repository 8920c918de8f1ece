"""Power that `agzamov plan` prints, against the power of the tests themselves in simulated runs of known truth.

The effect that the plan says is found with 80 % power is planted, and the analysis's own test is made of many runs:
H1 in both games together (one-sided at 1 %, each game found with the root of 80 %), careers with a store that shifts
all their games, and the win rate in 30 and 500 games. Also here: a stopping rule at its nearest bounds in the most
skewed play that a stack allows, which has no effect and must find none.

Everything is drawn with numpy's PCG64 from the seed, whose stream numpy keeps between versions.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from agzamov_verify.games.chess.planning import chess_scorings
from agzamov_verify.games.holdem.game import clip_chips_min
from agzamov_verify.games.holdem.hand_script import PokerRules
from agzamov_verify.games.holdem.planning import CUTS, poker_scorings
from agzamov_verify.scoring.inference.exact import square_root
from agzamov_verify.scoring.inference.means import one_sample_t
from agzamov_verify.scoring.inference.sequential_test import Reason, SequentialPlan, Stop, decide
from agzamov_verify.scoring.inference.significance import Alternative
from agzamov_verify.scoring.sample_sizes import (
    CAREER_ICC,
    POWER,
    Assumed,
    Design,
    Scoring,
    detectable,
    one_match,
    power_of,
    two_arms,
)

from .error_rates import rate_of
from .finding import FIVE, ONE, Band, Finding, of_power, of_rate
from .simulated_matches import PokerWorld, hand_table, table_mean

SLACK = Fraction(1, 100)
"""The formula is exact for normal values, and computed of the values themselves where there are few pairs."""

GAMES, HANDS, CAREERS = 500, 10_000, 5
SESSION_HANDS = 100
SCORE, WINS = chess_scorings()
SD_CHIPS = 900
RAW = poker_scorings(CUTS, sd=Assumed(Fraction(SD_CHIPS, 10), "the world's own"))[0]
Draw = Callable[[np.random.Generator, float], np.ndarray]
"""Whole numbers of the units of one run, given an effect."""


@dataclass(frozen=True)
class Size:
    """Number of runs made up for each check, and of matches for the stopping rule."""

    runs: int
    watched: int


FULL, SMALL = Size(3_000, 2_000), Size(600, 300)


def findings(case: str, size: Size, seed: str) -> list[Finding]:
    """What one of the checks found."""
    draw = np.random.Generator(np.random.PCG64(_number(f"{seed}/{case}")))
    return list(CHECKS[case](case, size, draw))


# --- units ---------------------------------------------------------------------------------------


def pairs(draw: np.random.Generator, scoring: Scoring, effect: float, shape: tuple[int, ...]) -> np.ndarray:
    """Half-points or wins of start pairs, as the plan takes them to be distributed."""
    assert scoring.pairs is not None
    chances = scoring.pairs.chances(effect)
    drawn = draw.choice(list(chances), size=shape, p=list(chances.values()))
    return np.asarray(drawn, dtype=np.int64)


def sessions(draw: np.random.Generator, effect: float, count: int) -> np.ndarray:
    """Chips of sessions of 100 hands with an SD of 90 bb/100 and pots as heavy as stacks allow."""
    table = hand_table(PokerWorld(SD_CHIPS))
    drawn = table[draw.integers(0, len(table), size=(count, SESSION_HANDS))].sum(axis=1)
    return np.asarray(drawn + round(SESSION_HANDS * (effect - float(table_mean(PokerWorld(SD_CHIPS))))))


def rejected(values: np.ndarray, null: Fraction, design: Design) -> bool:
    """The verdict of the analysis's own test."""
    return one_sample_t([int(value) for value in values], null, design.alternative).rejects(design.alpha)


def by_careers(values: np.ndarray) -> np.ndarray:
    """Sums of equal consecutive careers."""
    return np.asarray(values.reshape(CAREERS, -1).sum(axis=1))


# --- checks --------------------------------------------------------------------------------------


def win_rate(games: int) -> Callable[[str, Size, np.random.Generator], Iterator[Finding]]:
    """One match, two-sided at 5 %: the paper's win rate against that of an equal player."""

    def check(name: str, size: Size, draw: np.random.Generator) -> Iterator[Finding]:
        design = one_match(WINS, games, FIVE)
        effect = _known(detectable(design))
        assert WINS.pairs is not None
        null = WINS.pairs.null
        hits = sum(rejected(pairs(draw, WINS, effect, (games // 2,)), null, design) for _ in range(size.runs))
        yield of_power(f"{name}, {effect:.3f}", rate_of(hits, size.runs), _planned(design, effect), SLACK)

    return check


def delta(scoring: Scoring, games: int) -> Callable[[str, Size, np.random.Generator], Iterator[Finding]]:
    """A real arm less its control, one-sided at 1 %."""

    def check(name: str, size: Size, draw: np.random.Generator) -> Iterator[Finding]:
        design = two_arms(scoring, games, ONE)
        effect, n = _known(detectable(design)), games // 2
        hits = 0
        for _ in range(size.runs):
            values = pairs(draw, scoring, effect, (n,)) - pairs(draw, scoring, 0.0, (n,))
            hits += rejected(values, Fraction(0), design)
        yield of_power(f"{name}, {effect:.3f}", rate_of(hits, size.runs), _planned(design, effect), SLACK)

    return check


def jointly(name: str, size: Size, draw: np.random.Generator) -> Iterator[Finding]:
    """H1 in both games: the effects that the plan says are found together in 80 % of runs."""
    designs = two_arms(WINS, GAMES, ONE), two_arms(RAW, HANDS, ONE)
    wins, chips = (_known(detectable(design, square_root(POWER))) for design in designs)
    hits = 0
    for _ in range(size.runs):
        chess = pairs(draw, WINS, wins, (GAMES // 2,)) - pairs(draw, WINS, 0.0, (GAMES // 2,))
        if rejected(chess, Fraction(0), designs[0]):
            poker = sessions(draw, chips, HANDS // SESSION_HANDS) - sessions(draw, 0.0, HANDS // SESSION_HANDS)
            hits += rejected(poker, Fraction(0), designs[1])
    title = f"{name}, {wins:.3f} and {chips:.1f} bb/100"
    yield of_power(title, rate_of(hits, size.runs), POWER, SLACK)


def careers(name: str, size: Size, draw: np.random.Generator) -> Iterator[Finding]:
    """Five careers, one-sided at 1 %: each shifts the score of all its games by a normal offset of the plan's ICC."""
    icc = CAREER_ICC.value
    design = two_arms(SCORE, GAMES, ONE, CAREERS, icc)
    effect, n = _known(detectable(design)), GAMES // 2
    offset_sd = float(SCORE.sd) * float(square_root(icc / (1 - icc)))
    hits = 0
    for _ in range(size.runs):
        real = [pairs(draw, SCORE, effect + draw.normal(0, offset_sd), (n // CAREERS,)) for _ in range(CAREERS)]
        values = by_careers(np.concatenate(real) - pairs(draw, SCORE, 0.0, (n,)))
        hits += rejected(values, Fraction(0), design)
    title = f"{name}, {effect:.3f} points"
    yield of_power(title, rate_of(hits, size.runs), _planned(design, effect), SLACK)


def skewed(name: str, size: Size, draw: np.random.Generator) -> Iterator[Finding]:
    """Many small wins, few lost stacks, mean 0: watched at 5 % within the nearest bounds that a plan may set."""
    rules, count = PokerRules(), HANDS // SESSION_HANDS
    clip = clip_chips_min(rules, count)
    for sd_chips in (900, 2_000, 4_100):
        small = round(Fraction(sd_chips**2, rules.stack_chips))
        chance = small / (rules.stack_chips + small)
        plan = SequentialPlan(Decimal("0.05"), -clip, clip, 0, Alternative.TWO_SIDED, None, count)
        hits = 0
        for _ in range(size.watched):
            lost = draw.binomial(SESSION_HANDS, chance, size=count)
            values = (SESSION_HANDS - lost) * small - lost * rules.stack_chips
            decision = decide([int(value) for value in values], plan)
            hits += isinstance(decision, Stop) and decision.reason in {Reason.ABOVE, Reason.BELOW}
        title = f"{name}, SD {sd_chips // 100} bb a hand"
        yield of_rate(title, rate_of(hits, size.watched), Band(Fraction(0), FIVE, None))


CHECKS: dict[str, Callable[[str, Size, np.random.Generator], Iterator[Finding]]] = {
    "power, win rate of one match, 30 games": win_rate(30),
    "power, win rate of one match, 500 games": win_rate(500),
    "power, win rate of two arms, 30 games": delta(WINS, 30),
    "power, score of two arms, 30 games": delta(SCORE, 30),
    "power, H1 in both games": jointly,
    "power, 5 careers of 100 games": careers,
    "type I at 5%, stopping rule, skewed sessions": skewed,
}


def _planned(design: Design, effect: float) -> Fraction:
    return Fraction(power_of(design, effect))


def _known(effect: float | None) -> float:
    assert effect is not None
    return effect


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")
