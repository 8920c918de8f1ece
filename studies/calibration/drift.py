"""Drift of a hosted model while a run is played: do tests of arms keep their size, and is a change no learning?

A world has a model whose strength steps once, at a random moment of the run, by a normal amount of `sd`: an update of
the endpoint. Nothing else differs between the arms. Played side by side, both meet the step at nearly the same place:
the real arm lags by as many units as the protocol lets an arm run ahead (`interleaving.lead_units`), the whole time,
which is the worst that it allows. Played one after the other, the step lies between them or in one of them.

The sizes of steps are those with which arms one after the other were found to err in 2.0, 6.1 and 11.8 % at 1 %.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.hypotheses.contrasts import Weighted, repeated
from agzamov_verify.scoring.inference.estimate import PAIR_SCORE, Scale
from agzamov_verify.scoring.inference.means import one_sample_t
from agzamov_verify.scoring.inference.significance import Alternative
from agzamov_verify.scoring.inference.unit_values import Units
from agzamov_verify.scoring.learning.course import course_of
from agzamov_verify.scoring.learning.outcome import trend_test
from agzamov_verify.scoring.units.score_constants import CHESS, load_score_constants

from .careers import FINE
from .error_rates import rate_of
from .finding import FIVE, ONE, Finding, at_most, of_rate

CAREERS: Final = 5
PAIRS: Final = 250
PAIR_SD: Final = 0.29
"""Points of score of a start pair with 35 % of games drawn."""
PROTOCOL: Final = "agz-0.1"
LEAD: Final = load_protocol(PROTOCOL).interleaving.lead_units


@dataclass(frozen=True)
class Drift:
    """A world of two arms of `PAIRS` start pairs; `sd`: of the step, in points of score. `careers`: 0 for none."""

    sd: float
    careers: int = 0
    side_by_side: bool = True

    @property
    def name(self) -> str:
        """The world in words."""
        arms = f"{self.careers} careers an arm" if self.careers else "starts in common"
        return f"{arms}, the model's score steps by SD {self.sd:g}"


@dataclass(frozen=True)
class Learner:
    """A world in which a step of `sd` is common to all careers of both arms: is it taken for learning?"""

    sd: float
    less_control: bool = True

    @property
    def name(self) -> str:
        """The world in words."""
        return f"'learned' or 'declined', the model's score steps by SD {self.sd:g}"


WORLDS: Final = tuple(Drift(sd, careers) for careers in (0, CAREERS) for sd in (0.01, 0.02, 0.03))
LEARNERS: Final = (Learner(0.05), Learner(0.10))


def findings(case: Drift | Learner, size: int, seed: str) -> Iterator[Finding]:
    """Errors of one world in `size` runs; of learning, which is slower to test, in a quarter."""
    rng = np.random.default_rng(list(hashlib.sha256(f"{seed}/drift/{case}".encode()).digest()))
    if isinstance(case, Learner):
        found = sum(taken_for_learning(case, rng) for _ in range(size // 4))
        yield of_rate(f"{case.name}, at 5%", rate_of(found, size // 4), at_most(FIVE))
        return
    ps = [p_of(case, rng) for _ in range(size)]
    for alpha in (FIVE, ONE):
        hits = sum(p < alpha for p in ps)
        yield of_rate(f"type I at {float(alpha):.0%}, {case.name}", rate_of(hits, size), at_most(alpha))


def levels(sd: float, lag: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The model's level at each pair of the two arms, by a step at a random moment; the second arm `lag` pairs later.

    `lag` of PAIRS: the second arm begins once the first one is over.
    """
    step, total = sd * rng.normal(), PAIRS + lag
    at = rng.integers(total)
    units = np.arange(PAIRS)
    return step * (units >= at), step * (units + lag >= at)


def p_of(world: Drift, rng: np.random.Generator) -> Fraction:
    """The one-sided p of the real arm less the naked one, which the world makes equal."""
    naked, real = (
        (level + PAIR_SD * rng.normal(size=PAIRS)) / float(PAIR_SCORE.factor) * FINE
        for level in levels(world.sd, LEAD if world.side_by_side else PAIRS, rng)
    )
    per_value = PAIRS // world.careers if world.careers else 1
    scale = Scale(PAIR_SCORE.unit, PAIR_SCORE.factor / FINE / per_value)
    sums = [np.rint(arm).astype(np.int64).reshape(-1, per_value).sum(axis=1).tolist() for arm in (real, naked)]
    arms = Units(tuple(sums[0]), scale, "starts", world.careers), Units(tuple(sums[1]), scale, "starts")
    (group,) = repeated([Weighted(arms[0], Fraction(1)), Weighted(arms[1], Fraction(-1))])
    p = one_sample_t(group.units.values, Fraction(0), Alternative.GREATER).p_value
    assert p is not None
    return p


def taken_for_learning(world: Learner, rng: np.random.Generator) -> bool:
    """Whether the step of a model without a memory is called learning or decline."""
    games, half = 2 * PAIRS // CAREERS, PAIRS // CAREERS // 2
    rule = load_score_constants(PROTOCOL).learning.rules[CHESS]
    step = world.sd * rng.normal()
    arms = []
    for lag in (0, min(LEAD, half)):
        # Chances of 0, 1 and 2 half-points with 35 % drawn: 1/2 + level is the expected score.
        level = 0.5 + step * (np.arange(games) // 2 >= half - lag)
        won, drawn = level - 0.175, 0.35
        draw = rng.random((CAREERS, games))
        arms.append(np.where(draw < won, 2, np.where(draw < won + drawn, 1, 0)))
    tested = arms[0] - arms[1] if world.less_control else arms[0]
    test = trend_test(course_of([career.tolist() for career in tested]), rule, b"drift")
    return test.p is not None and test.p < FIVE


CASES: Final = (*WORLDS, *LEARNERS)
FULL: Final = 8_000
SMALL: Final = 1_500
