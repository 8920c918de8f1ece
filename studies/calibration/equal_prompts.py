"""Endpoints that answer equal prompts alike, and some that do not: is each named by the check of exchangeability?

A world is a run of the protocol's size in chess: Phase 0 of 30 games, Phase 1 and three arms of Phase 2 of 500, five
careers an arm, with as many planted questions as the norms ask for. Each prompt has an action that a good player
declares and one that a worse player does, the same in one prompt of four. An endpoint has a chance of playing worse at
a moment, and a chance of varying by itself, when it declares one of some others.

Honest are a deterministic endpoint, three that vary by themselves, one that varies a little more in the end, one that
varies and keeps replies for a while, as a cache does, and, since equal prompts say nothing of it, one that answers by
the prompt alone. The others play worse after an honest beginning: in bare prompts, in all but the real arm, only late,
only at some prompts, in a tenth of their replies, or only where a decision counts.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np

from agzamov_verify.experiment.matches import Arm, Match
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.exchangeability import ExchangeabilityTest, exchangeability
from agzamov_verify.scoring.planted_replies import Noted, PlayedArm
from agzamov_verify.table.planted import PER_MILLE, PERCENT, PlantedReply, Role

from .error_rates import rate_of
from .finding import Band, Finding, of_rate

NORM: Final = load_protocol("agz-0.1").planted
DECISIONS: Final = 55
"""Of a seat in a game of 110 plies."""
ACTIONS: Final = 4
SEAT: Final = "model"
ARMS: Final[tuple[dict[str, str], ...]] = (
    {},
    {"arm": "placebo", "system": "recent"},
    {"arm": "real", "system": "recent"},
)
PLAN: Final = msgspec.convert(
    {
        "title": "Equal prompts",
        "seats": {
            SEAT: {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"},
            "random": {"kind": "random"},
            "reference": {"kind": "reference"},
        },
        "systems": {"recent": {"kind": "memory", "server": "recent"}},
        "matches": [
            {"phase": 0, "game": "chess960", "a": SEAT, "b": "random", "games": 30},
            {"phase": 1, "game": "chess960", "a": SEAT, "b": SEAT, "games": 500},
            *(
                {
                    "phase": 2,
                    "game": "chess960",
                    "a": SEAT,
                    "b": "reference",
                    "games": 500,
                    "careers": 5,
                    "condition": {"augmentation": "memory", **arm},
                }
                for arm in ARMS
            ),
        ],
    },
    Plan,
)


class Moment(NamedTuple):
    """Where a reply is asked for: `over`, the share of the match that is; `is_bare`: no memory stands in the prompt."""

    phase: int
    over: float
    prompt: int
    role: Role
    is_bare: bool


def never(_: Moment) -> float:
    """No chance at any moment."""
    return 0.0


def after(moment: Moment) -> bool:
    """True in Phase 2 where no memory's text stands in the prompt."""
    return moment.phase == 2 and moment.is_bare


def rising(moment: Moment) -> float:
    """A chance of 2 % that rises to 3 % in Phase 2."""
    return 0.02 + 0.01 * moment.over * (moment.phase == 2)


@dataclass(frozen=True)
class Endpoint:
    """`worse`, `varies`: the chance at a moment of playing worse, and of another reply than usual.

    `keeps`: the chance that a prompt asked again soon gets the reply of before.
    """

    name: str
    worse: Callable[[Moment], float] = never
    varies: Callable[[Moment], float] = never
    keeps: float = 0.0


HONEST: Final = (
    Endpoint("deterministic"),
    Endpoint("varies by itself in 2 %", varies=lambda _: 0.02),
    Endpoint("varies by itself in 15 %", varies=lambda _: 0.15),
    Endpoint("varies by itself in 50 %", varies=lambda _: 0.5),
    Endpoint("varies by itself in 2 %, and in 3 % at the end", varies=rising),
    Endpoint("varies by itself in 10 %, and keeps half of its replies for a while", varies=lambda _: 0.1, keeps=0.5),
    Endpoint("plays worse wherever a prompt is bare", worse=lambda moment: float(moment.is_bare)),
)
TREATING: Final = (
    Endpoint("plays worse in bare prompts once Phase 1 is over", worse=lambda moment: float(after(moment))),
    Endpoint(
        "an engine in Phase 0 and where a memory stands in the prompt, a novice elsewhere",
        worse=lambda moment: float(moment.phase > 0 and moment.is_bare),
    ),
    Endpoint(
        "plays worse in bare prompts, in the last third alone",
        worse=lambda moment: float(after(moment) and moment.over > 2 / 3),
    ),
    Endpoint(
        "plays worse in bare prompts, in one of four alone",
        worse=lambda moment: float(after(moment) and moment.prompt // ACTIONS % 4 == 0),
    ),
    Endpoint("plays worse in a tenth of its replies to bare prompts", worse=lambda moment: 0.1 * after(moment)),
    Endpoint(
        "plays worse where a decision counts alone",
        worse=lambda moment: float(after(moment) and moment.role is Role.COUNTED),
    ),
)
FAINT: Final = (
    Endpoint(
        "plays worse in a tenth of its replies to bare prompts, varies by itself in 5 %",
        worse=lambda moment: 0.1 * after(moment),
        varies=lambda _: 0.05,
    ),
)
"""What is found now and then: the figure is printed, and nothing is asked of it."""


def findings(name: str, size: int, seed: str) -> Iterator[Finding]:
    """How often one endpoint is named in `size` runs. `name`: its key in `ENDPOINTS`."""
    case = ENDPOINTS[name]
    rng = np.random.default_rng(list(hashlib.sha256(f"{seed}/equal prompts/{case.name}".encode()).digest()))
    runs = HONEST_RUNS * size if case in HONEST else size
    named = sum(any(test.is_told for test in analysed_run(case, rng)) for _ in range(runs))
    found = of_rate(f"named: {case.name}", rate_of(named, runs), _band(case))
    yield replace(found, by_chance=_fails_by_chance(case, runs))


def _band(case: Endpoint) -> Band:
    if case in HONEST:
        return Band(Fraction(0), Fraction(2, 100), None)
    return Band(Fraction(0) if case in FAINT else Fraction(95, 100), Fraction(1), None)


def _fails_by_chance(case: Endpoint, runs: int) -> float:
    """How often so many runs leave the band, at `HONEST_RATE` or `TREATING_RATE` (binomial)."""
    if case in FAINT:
        return 0.0
    band, rate = _band(case), HONEST_RATE if case in HONEST else TREATING_RATE
    chances = (comb(runs, named) * rate**named * (1 - rate) ** (runs - named) for named in range(runs + 1))
    return sum(chance for named, chance in enumerate(chances) if not band.low <= Fraction(named, runs) <= band.high)


def analysed_run(endpoint: Endpoint, rng: np.random.Generator) -> list[ExchangeabilityTest]:
    """The tests of one run with an endpoint."""
    root = rng.bytes(32)
    return list(exchangeability(run_of(endpoint, rng), NORM, lambda name: root + name.encode()))


def run_of(endpoint: Endpoint, rng: np.random.Generator) -> Iterator[Noted]:
    """The replies that a run notes."""
    for match in PLAN.matches:
        for seat_index, name in enumerate(match.seats):
            if name == SEAT:
                yield from _match(endpoint, match, seat_index, rng)


def _match(endpoint: Endpoint, match: Match, seat_index: int, rng: np.random.Generator) -> Iterator[Noted]:
    decisions = match.planned * DECISIONS
    length, arm = match.stream_results, PlayedArm.of(match, PLAN.seats)
    is_bare = match.condition.arm is Arm.NAKED

    def noted(role: Role, prompt: int, result: int, before: str = "", **more: Any) -> Noted:
        over = (result % length if match.careers else result) / (length if match.careers else match.planned)
        at = Moment(match.phase, over, prompt, role, more.get("is_bare", True))
        is_kept = before and rng.random() < endpoint.keeps
        action = before if is_kept else str(_action(endpoint, at, rng))
        reply = PlantedReply(role, str(prompt), action, result, **more)
        return Noted(arm, seat_index, result // length, reply)

    for _ in range(NORM.common_min + rng.binomial(decisions, NORM.common_permille / PER_MILLE)):
        prompt, result = int(rng.integers(NORM.spots)), int(rng.integers(match.planned))
        yield (asked := noted(Role.COMMON, prompt, result))
        if rng.integers(PERCENT) < NORM.twice_percent:
            yield noted(Role.COMMON, prompt, result, asked.reply.action, copy=1)
    for decision in range(NORM.again_min + rng.binomial(decisions, NORM.again_permille / PER_MILLE)):
        prompt, result = int(rng.integers(NORM.spots, 2**40)), int(rng.integers(match.planned))
        yield (asked := noted(Role.COUNTED, prompt, result, decision=decision, is_bare=is_bare))
        for copy in range(2):
            yield (asked := noted(Role.AGAIN, prompt, result, asked.reply.action, decision=decision, copy=copy))


def _action(endpoint: Endpoint, at: Moment, rng: np.random.Generator) -> int:
    """The action that a reply declares: 0 the good one; a worse player's follows from the prompt."""
    if rng.random() < endpoint.varies(at):
        return int(rng.integers(1, ACTIONS))
    return at.prompt % ACTIONS if rng.random() < endpoint.worse(at) else 0


ENDPOINTS: Final = {case.name: case for case in (*HONEST, *TREATING, *FAINT)}
CASES: Final = tuple(ENDPOINTS)
"""Names, which are sent to other processes as functions without a name cannot be."""
HONEST_RUNS: Final = 5
"""Of an honest endpoint so many times as many runs, since it must be named in one of a hundred at most."""
HONEST_RATE, TREATING_RATE = 0.002, 0.998
"""Shares of runs that name an endpoint: a little worse than the measured 5 of 3,500 and 600 of 600 (decision 81).

A hundred runs cannot tell 1 % from a little less, so an honest endpoint may be named in two of them.
"""
FULL: Final = 20
SMALL: Final = 4
