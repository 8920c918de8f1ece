"""Verdict of the positive control over the career means of each arm.

In each game, at 5 %:

    memory    its delta is above 0 (one-sided)
    placebo   its delta is not away from 0 (two-sided)
    noisy     its delta is not more than the memory's
    oracle    its delta is above 0, at least the memory's, and no other arm's is significantly above it

The memory is the first one of the plan that is not noisy. Tests and intervals are Student's over the differences of
careers, which were played on the same starts. The interval of a ratio of two means over the same careers is Fieller's
(1954, JRSS B 16:175): with pairs (x, y) of n careers the values r for which mean(x) - r mean(y) is not significantly
away from 0,

    (mx - r my)^2 <= t^2 (vx - 2 r vxy + r^2 vy),   v: variances and covariance of the means, t: Student's, n - 1

Where my itself is not significantly away from 0 they have no bounds, and there is no interval.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from math import sqrt
from statistics import covariance, mean, stdev, variance
from typing import Final, NamedTuple

import msgspec
from scipy.stats import t as t_distribution

from agzamov_verify.scoring.inference.unit_values import Units, by_career

LEVEL = 0.95


class MeanRatio(NamedTuple):
    """A ratio of means and its interval; None where the denominator may be 0."""

    value: float
    low: float | None
    high: float | None


def ratio_of_means(x: Sequence[float], y: Sequence[float]) -> MeanRatio | None:
    """mean(x) / mean(y), of careers in the same order. None where it is not defined."""
    n = len(x)
    if n != len(y) or not n or not mean(y):
        return None
    mx, my = mean(x), mean(y)
    if n < 2:
        return MeanRatio(mx / my, None, None)
    vx, vy, vxy = variance(x) / n, variance(y) / n, covariance(x, y) / n
    t2 = float(t_distribution.isf((1 - LEVEL) / 2, n - 1)) ** 2
    a, b, c = my * my - t2 * vy, mx * my - t2 * vxy, mx * mx - t2 * vx
    if a <= 0:
        return MeanRatio(mx / my, None, None)
    half = sqrt(max(0.0, b * b - a * c))
    return MeanRatio(mx / my, (b - half) / a, (b + half) / a)


ALPHA: Final = 1 - LEVEL


class Role(StrEnum):
    """Role of an arm in the positive control."""

    MEMORY = "memory"
    NOISY = "noisy"
    ORACLE = "oracle"
    PLACEBO = "placebo"


class PlayedArm(NamedTuple):
    """An arm of one game as it was played."""

    name: str
    role: Role
    units: Units


class CareerDelta(msgspec.Struct, frozen=True):
    """The mean difference of two arms by career, its interval, and p: that it is above 0, and that it is away from 0.

    Without two careers that are long enough and pairwise alike in their starts there is a value alone.
    """

    value: float
    low: float | None = None
    high: float | None = None
    p_above: float | None = None
    p_away: float | None = None


class ArmFigure(msgspec.Struct, frozen=True):
    """The delta of an arm against the naked one, and its share of the oracle's delta."""

    name: str
    role: Role
    delta: CareerDelta
    share: MeanRatio | None = None

    @property
    def p(self) -> float | None:
        """The p that is asked for: of a placebo two-sided."""
        return self.delta.p_away if self.role is Role.PLACEBO else self.delta.p_above


class ControlCheck(msgspec.Struct, frozen=True):
    """A condition that must hold, and what was found."""

    expected: str
    found: str
    holds: bool


class GameVerdict(msgspec.Struct, frozen=True):
    """The arms of one game and their conditions; figures in `unit`."""

    game: str
    unit: str
    careers: int
    arms: tuple[ArmFigure, ...]
    checks: tuple[ControlCheck, ...]

    @property
    def holds(self) -> bool:
        """True if everything does."""
        return all(check.holds for check in self.checks)

    @property
    def memory(self) -> ArmFigure | None:
        """The memory that is judged."""
        return first_of(self.arms, Role.MEMORY)


def first_of(arms: Sequence[ArmFigure], role: Role) -> ArmFigure | None:
    """The first arm of a role."""
    return next((arm for arm in arms if arm.role is role), None)


def judged(game: str, naked: Units, played: Sequence[PlayedArm]) -> GameVerdict:
    """The verdict on one game; the arms are in the order of the plan.

    Games of the naked arm depend on nothing that came before, so it has no careers of its own: those of the other arms
    part it.
    """
    naked = msgspec.structs.replace(naked, careers=max((arm.units.careers for arm in played), default=0))
    oracle = next((arm for arm in played if arm.role is Role.ORACLE), None)
    most = career_differences(oracle.units, naked) if oracle else []
    figures = []
    for arm in played:
        shared = arm.role in (Role.MEMORY, Role.NOISY) and not naked.untested
        share = ratio_of_means(career_differences(arm.units, naked), most) if shared else None
        figures.append(ArmFigure(arm.name, arm.role, delta_of(arm.units, naked), share))
    others = [arm for arm in played if oracle and arm is not oracle]
    above = [arm.name for arm in others if oracle and _is_small(delta_of(arm.units, oracle.units).p_above)]
    return GameVerdict(game, naked.scale.unit, naked.careers, tuple(figures), tuple(_checks(figures, above)))


def career_differences(first: Units, second: Units) -> list[float]:
    """First less second in each career, in the published unit; their means alone where they are not paired."""
    rows = (by_career(first), by_career(second))
    values = [[float(value * units.scale.factor) for value in units.values] for units in rows]
    if not first.pairs_with(second):
        return [mean(values[0]) - mean(values[1])]
    return [a - b for a, b in zip(*values, strict=True)]


def delta_of(first: Units, second: Units) -> CareerDelta:
    """First less second, tested where both were played in careers on the same starts."""
    away = career_differences(first, second)
    middle = mean(away)
    if first.untested or second.untested or len(away) < 2:
        return CareerDelta(middle)
    error = stdev(away) / sqrt(len(away))
    if not error:  # alike in every career, or apart by the same
        return CareerDelta(middle, middle, middle, float(middle <= 0), float(middle == 0))
    statistic, df = middle / error, len(away) - 1
    half = error * float(t_distribution.isf(ALPHA / 2, df))
    above, beyond = (float(t_distribution.sf(value, df)) for value in (statistic, abs(statistic)))
    return CareerDelta(middle, middle - half, middle + half, above, 2 * beyond)


def _checks(arms: Sequence[ArmFigure], above_oracle: Sequence[str]) -> Iterator[ControlCheck]:
    by_role = {role: first_of(arms, role) for role in Role}
    if missing := [role.value for role, arm in by_role.items() if arm is None]:
        yield ControlCheck("an arm of each role", f"none of {', '.join(missing)}", holds=False)
    memory, placebo, noisy, oracle = (by_role[role] for role in (Role.MEMORY, Role.PLACEBO, Role.NOISY, Role.ORACLE))
    for arm in (memory, oracle):
        if arm:
            yield ControlCheck(f"{arm.name} above 0 (p < 0.05)", p_words(arm.p), _is_small(arm.p))
    if placebo:
        holds = placebo.p is not None and not _is_small(placebo.p)
        yield ControlCheck("the placebo not away from 0 (p >= 0.05)", p_words(placebo.p), holds)
    if memory and noisy:
        yield _not_above(noisy, memory)
    if memory and oracle:
        yield _not_above(memory, oracle)
    if oracle:
        yield ControlCheck("no arm above the oracle (p < 0.05)", ", ".join(above_oracle) or "none", not above_oracle)


def _not_above(lower: ArmFigure, upper: ArmFigure) -> ControlCheck:
    found = f"{lower.name} {lower.delta.value:+.3f}, {upper.name} {upper.delta.value:+.3f}"
    return ControlCheck(f"{lower.name} not above {upper.name}", found, lower.delta.value <= upper.delta.value)


def _is_small(p: float | None) -> bool:
    return p is not None and p < ALPHA


def p_words(p: float | None) -> str:
    """A p in words."""
    return "not tested" if p is None else f"p {p:.2g}"
