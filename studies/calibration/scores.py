"""The A-Score under known truth: does its interval cover, and does convergence fall as learning takes longer?

A world is a gain of the real arm over its control, with the time in which it comes: points of score in chess (drawn
games stay as frequent, so wins rise by as much), bb/100 in hold'em. Scores are computed by the verifier's own code,
from cells that hold sums of units instead of games. The true score has the worlds' own means in Table 4, and the speed
of the world's own τ where there is a gain.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise
from math import exp, log
from typing import Any, Final

import numpy as np

from agzamov_verify.games.holdem.cell import session_bb_per_100
from agzamov_verify.scoring.agzamov.convergence import Gain, speed_of
from agzamov_verify.scoring.agzamov.score import Inputs, components, score_without, total
from agzamov_verify.scoring.agzamov.score_bootstrap import spread_of
from agzamov_verify.scoring.inference.estimate import PAIR_SCORE, Scale
from agzamov_verify.scoring.inference.intervals import Bootstrap, Resamples
from agzamov_verify.scoring.inference.unit_values import Measure, Units
from agzamov_verify.scoring.units.cells import Cell, CellKey
from agzamov_verify.scoring.units.score_constants import CHESS, POKER, load_score_constants

from .error_rates import rate_of
from .finding import BANDS, HELD, Band, Finding, of_rate

CONSTANTS: Final = load_score_constants("agz-0.1")
SESSION_HANDS: Final = 100
DRAWS: Final = 0.35
PAIR_WINS: Final = Scale("win rate", Fraction(1, 2), Fraction(0), Fraction(1))
NO_LESS: Final = Band(Fraction(93, 100), Fraction(1), None)
"""For a world in which parts stand at the upper end of their scales, where the interval is cautious at both ends."""

CAUTIOUS: Final = Band(Fraction(93, 100), Fraction(98, 100), None)
"""For a world in which parts stand at the lower end of their scales: docs/calibration.md."""

COARSE: Final = Band(Fraction(92, 100), Fraction(97, 100), None)
"""For a world that is covered in 93.4 % of 1,300 simulated scores: 500 cannot tell that from less than 93."""

GAIN: Final = Band(Fraction(92, 100), Fraction(99, 100), None)
"""For the score less its control's: cautious without an effect, 93.7 % of 700 with one at once; 500 tell no more."""

COARSE_GAIN: Final = Band(Fraction(905, 1000), Fraction(97, 100), None)
"""The same for a gain over five careers that is 92.3 % of 700 simulated ones."""

UNLIKE: Final = Band(Fraction(90, 100), Fraction(97, 100), None)
"""For careers whose stores are unlike each other: docs/calibration.md."""


@dataclass(frozen=True)
class World:
    """`chess`, `poker`: the whole gain, and τ in games or hands. `sd_bb`: of a session; `tails`: of Student's t, or 0.

    `habits`: what control and real arm win by those of their opponent. `careers` of the real arm, or 0; what a store is
    worth has the standard deviations `store_chess`, `store_poker`. `clicks`: the share of careers that have the gain.
    """

    name: str
    chess: tuple[float, float] = (0.0, 0.0)
    poker: tuple[float, float] = (0.0, 0.0)
    sd_bb: float = 90.0
    tails: int = 0
    pairs: int = 250
    sessions: int = 100
    careers: int = 0
    store_chess: float = 0.0
    store_poker: float = 0.0
    clicks: float = 1.0
    habits: tuple[float, float] = (0.0, 0.0)
    band: Band = BANDS[HELD]
    gain_band: Band = GAIN


def of_careers(world: World, name: str, careers: int) -> World:
    """The same with careers, each with a store that is worth something of its own."""
    return replace(world, name=name, careers=careers, store_chess=0.03, store_poker=15.0)


NULL: Final = World("no effect, SD 90")
TYPICAL: Final = World("0.10 by τ 50, 20 bb/100 by τ 1,000, SD 90", (0.10, 50), (20, 1_000))
HEAVY: Final = replace(
    TYPICAL,
    name="0.10 by τ 50, 40 bb/100 by τ 1,000, SD 410, t(3)",
    poker=(40, 1_000),
    sd_bb=410,
    tails=3,
)
AT_ONCE: Final = World("0.15 and 40 bb/100 from the start, SD 90", (0.15, 0), (40, 0))
WORLDS: Final = (
    NULL,
    replace(NULL, name="no effect, SD 410", sd_bb=410),
    TYPICAL,
    HEAVY,
    AT_ONCE,
    World("harm: -0.10 and -30 bb/100, SD 90", (-0.10, 0), (-30, 0), band=CAUTIOUS),
    World("0.30 by τ 10, 80 bb/100 by τ 200, SD 90", (0.30, 10), (80, 200), band=NO_LESS, gain_band=NO_LESS),
    replace(NULL, name="no effect, opponent with habits worth 0.15 and 150", habits=(0.15, 150)),
    replace(TYPICAL, name="0.10 by τ 50, 20 by τ 1,000, the same habits", habits=(0.15, 150)),
    replace(NULL, name="no effect, 60 games and 20 sessions", pairs=30, sessions=20),
    World("0.15 by τ 10, 40 by τ 200, 60 games and 20 sessions", (0.15, 10), (40, 200), pairs=30, sessions=20),
    of_careers(NULL, "no effect, 5 careers", 5),
    of_careers(TYPICAL, "0.10 by τ 50, 20 bb/100 by τ 1,000, 5 careers", 5),
    replace(of_careers(AT_ONCE, "0.15 and 40 bb/100 from the start, 5 careers", 5), band=COARSE, gain_band=COARSE_GAIN),
    World(
        "0.30 and 100 bb/100 in 2 careers of 5",
        (0.30, 0),
        (100, 0),
        careers=5,
        clicks=0.4,
        band=UNLIKE,
        gain_band=UNLIKE,
    ),
    of_careers(NULL, "no effect, 10 careers", 10),
    of_careers(AT_ONCE, "0.15 and 40 bb/100 from the start, 10 careers", 10),
)
COURSES: Final = {CHESS: (0, 10, 50, 150), POKER: (0, 200, 1_000, 3_000)}
"""Time constants over which the sub-score has to fall: in games, in hands."""


class UnitCell(Cell, frozen=True):
    """A cell that is known by its units: P and score of each, with so many results to a unit."""

    values: tuple[tuple[int, ...], tuple[int, ...]]
    scales: tuple[Scale, Scale]
    unit_results: int

    @property
    def results(self) -> Sequence[Any]:
        return self.values[0]

    def units(self, value: object) -> list[int]:  # noqa: ARG002 - results are all alike
        return [self.unit_results]

    def measured(self, measure: Measure = Measure.PERFORMANCE) -> Units:
        at = int(measure is Measure.SCORE)
        return self.as_units(self.values[at], self.scales[at])


@dataclass(frozen=True)
class Size:
    """Simulated runs of a world, resamples of each, and simulated courses of a time constant."""

    runs: int
    resamples: int
    courses: int


FULL: Final = Size(500, 500, 1_000)
SMALL: Final = Size(10, 100, 60)
CASES: Final = (*WORLDS, *COURSES)
FEW: Final = 200
"""With fewer simulated runs a band would be left by chance: no less than half has to be covered."""

SPEED_SD: Final = 0.35
"""About that of the sub-score of one run where a gain is shown."""

NONE_SD: Final = 0.13
"""About that of one run without a gain."""


def findings(case: World | str, size: Size, seed: str) -> list[Finding]:
    """Coverage of both intervals of a score in a world, or the mean sub-scores over the time constants of a game."""
    return list(coverage(case, size, seed) if isinstance(case, World) else courses(case, size.courses, seed))


def coverage(world: World, size: Size, seed: str) -> Iterator[Finding]:
    """How often the intervals hold the true score and the true gain over the control; beside it the mean published."""
    count, resamples = size.runs, size.resamples * (4 if world.careers else 1)
    rng = generator(f"{seed}/scores/{world.name}")
    truths = true_score(world), true_score(world) - true_without(world)
    held, published = [0, 0], []
    for at in range(count):
        inputs = made(world, rng)
        drawn = Resamples(at.to_bytes(32, "big"), resamples, Bootstrap.PERCENTILE)
        spread = spread_of(inputs.arms, CONSTANTS, drawn)
        for which, (interval, truth) in enumerate(zip((spread.ci, spread.gain_ci), truths, strict=True)):
            held[which] += int(float(interval.low) <= truth <= float(interval.high))
        score = total(components(inputs, CONSTANTS)[1], CONSTANTS)
        published.append((float(score), float(score - score_without(inputs, CONSTANTS))))
    means = np.mean(published, axis=0)
    few = replace(NO_LESS, low=Fraction(1, 2))
    for which, (name, band) in enumerate((("A-Score", world.band), ("A less its control's", world.gain_band))):
        told = f"{name}, {world.name}: true {truths[which]:.1f}, mean {means[which]:.1f}"
        yield of_rate(told, rate_of(held[which], count), band if count >= FEW else few)


def courses(game: str, count: int, seed: str) -> Iterator[Finding]:
    """The mean sub-score falls as τ rises; it is near 1 where the gain is there at once, and near 0 without one."""
    gain = (0.15, 50.0)[game == POKER]
    means = [mean_speed(game, gain, tau, count, seed) for tau in COURSES[game]]
    none = mean_speed(game, 0.0, 0, count, seed)
    taus = ", ".join(map(str, COURSES[game]))
    summary = " ".join(f"{mean:.2f}" for mean in means)
    error, most = SPEED_SD / count**0.5, 0.02 + 4 * NONE_SD / count**0.5
    slack = 0.0 if count >= FULL.courses else 3 * error
    falls = all(one > other - slack for one, other in pairwise(means))
    yield Finding(f"speed in {game} at τ {taus}", summary, f"± {error:.3f}", "falls", falls, 0.0)
    at_once = f"speed in {game}, the gain there at once"
    yield Finding(at_once, f"{means[0]:.3f}", f"± {error:.3f}", "0.7 or more", means[0] > 0.7, 0.0)
    wanted, error_none = f"{most:.3f} or less", f"± {NONE_SD / count**0.5:.3f}"
    yield Finding(f"speed in {game} without a gain", f"{none:.3f}", error_none, wanted, none < most, 0.0)


def mean_speed(game: str, gain: float, tau: float, count: int, seed: str) -> float:
    """The mean sub-score of one game at the protocol's size."""
    world = World("", (gain, tau), (gain, tau))
    rng = generator(f"{seed}/speed/{game}/{gain}/{tau}")
    arm = chess_arm if game == CHESS else poker_arm
    found = (Gain(arm(world, rng, Role.REAL), arm(world, rng, Role.CONTROL)) for _ in range(count))
    return float(np.mean([float(speed_of(one, CONSTANTS.tau_max(game))) for one in found]))


class Role(StrEnum):
    """What a cell is in a score."""

    BASELINE = "baseline"
    CONTROL = "control"
    REAL = "real"


def made(world: World, rng: np.random.Generator) -> Inputs:
    """The six cells of one made-up run."""
    arms = {CHESS: chess_arm, POKER: poker_arm}
    base, control, real = ({game: arm(world, rng, role) for game, arm in arms.items()} for role in Role)
    return Inputs(base, control, real, {game: Gain(real[game], control[game]) for game in arms})


def chess_arm(world: World, rng: np.random.Generator, role: Role) -> UnitCell:
    """Wins and half-points of start pairs."""
    careers = max(1, world.careers)
    games = 2 * world.pairs // careers
    level = np.full((careers, games), 0.5 + (world.habits[0] if role is not Role.BASELINE else 0.0))
    if role is Role.REAL:
        store = np.clip(rng.normal(0, world.store_chess, (careers, 1)), -0.15, 0.15)
        level = level + store + clicked(world, rng) * curve(*world.chess, games)
    drawn, won = rng.random(level.shape), level - DRAWS / 2
    points = np.where(drawn < won, 2, np.where(drawn < won + DRAWS, 1, 0)).reshape(-1, 2)
    values = tuple(map(int, (points == 2).sum(axis=1))), tuple(map(int, points.sum(axis=1)))
    return UnitCell(
        key=CellKey("m", CHESS, 2),
        values=values,
        scales=(PAIR_WINS, PAIR_SCORE),
        unit_results=2,
        starts="starts",
        careers=world.careers if role is Role.REAL else 0,
    )


def poker_arm(world: World, rng: np.random.Generator, role: Role) -> UnitCell:
    """Chips of sessions."""
    careers = max(1, world.careers)
    sessions = world.sessions // careers
    shape = (careers, sessions)
    noise = (
        rng.standard_t(world.tails, shape) / (world.tails / (world.tails - 2)) ** 0.5
        if world.tails
        else rng.standard_normal(shape)
    )
    level = world.sd_bb * noise + (world.habits[1] if role is not Role.BASELINE else 0.0)
    if role is Role.REAL:
        store = rng.normal(0, world.store_poker, (careers, 1))
        course = curve(*world.poker, sessions * SESSION_HANDS).reshape(sessions, -1).mean(axis=1)
        level = level + store + clicked(world, rng) * course
    chips = tuple(map(int, np.rint(SESSION_HANDS * level).ravel()))
    scale = session_bb_per_100(SESSION_HANDS)
    return UnitCell(
        key=CellKey("m", POKER, 2),
        values=(chips, chips),
        scales=(scale, scale),
        unit_results=SESSION_HANDS,
        starts="decks",
        careers=world.careers if role is Role.REAL else 0,
    )


def clicked(world: World, rng: np.random.Generator) -> np.ndarray:
    """Whether each career has the gain; no draw where all have."""
    careers = max(1, world.careers)
    if world.clicks == 1:
        return np.ones((careers, 1))
    has_gain: np.ndarray = (rng.random((careers, 1)) < world.clicks).astype(float)
    return has_gain


def curve(gain: float, tau: float, results: int) -> np.ndarray:
    """The gain after each number of results of a course."""
    rising: np.ndarray = 1 - np.exp(-np.arange(results) / tau) if tau else np.ones(results)
    return gain * rising


def true_score(world: World) -> float:
    """Table 4 with the world's own means and speeds."""
    careers = max(1, world.careers)
    chess = world.clicks * curve(*world.chess, 2 * world.pairs // careers).mean()
    poker = world.clicks * curve(*world.poker, world.sessions // careers * SESSION_HANDS).mean()
    c, chess_max, poker_max, games, hands = (
        float(one.exact)
        for one in (
            CONSTANTS.c_bb_per_100,
            CONSTANTS.delta_max_win_rate,
            CONSTANTS.delta_max_bb_per_100,
            CONSTANTS.tau_max_games,
            CONSTANTS.tau_max_hands,
        )
    )
    speeds = [speed(*world.chess, games), speed(*world.poker, hands)]
    wins, (chess_habits, poker_habits) = (1 - DRAWS) / 2, world.habits
    places: list[float] = [
        wins,
        wins + chess_habits + chess,
        0.5,
        1 / (1 + exp(-(poker_habits + poker) / c)),
        min(max(chess / chess_max, 0), 1),
        min(max(poker / poker_max, 0), 1),
        sum(speeds) / 2,
    ]
    weights = [float(weight) for weight in CONSTANTS.exact_weights]
    return 100 * sum(weight * place for weight, place in zip(weights, places, strict=True))


def true_without(world: World) -> float:
    """The true score of the same world without a gain."""
    return true_score(replace(world, chess=(0.0, 0.0), poker=(0.0, 0.0)))


def speed(gain: float, tau: float, longest: float) -> float:
    """1 less the results to 95 % of the gain over the most that count; 0 without a gain."""
    return max(0.0, 1 - tau * log(20) / longest) if gain > 0 else 0.0


def generator(name: str) -> np.random.Generator:
    """A generator of its own for every name."""
    return np.random.default_rng(list(hashlib.sha256(name.encode()).digest()))
