"""The strength at which an engine scores one half against people, with an interval that is over people.

The engine's points of a game (0, 1/2, 1) against log strength x, by quasi-likelihood (Papke and Wooldridge 1996,
Journal of Applied Econometrics 11:619), and the half of it:

    score(x) = 1 / (1 + exp(-(a + b x)))        half = -a / b

Games with one person depend on each other, so the variance of (a, b) is the jackknife over people, in one Newton step
each (CV3: MacKinnon, Nielsen and Webb 2023, Journal of Applied Econometrics 38:671); where all people met the same
strengths it is that of a mean over people. The interval of the half is Fieller's (1954, Journal of the Royal
Statistical Society B 16:175), which needs no large sample for the slope as the delta method does: all x with

    (a + b x)^2 <= t^2 var(a + b x)             t: Student's, of people - 1

It has no end where the slope is not shown to differ from 0. Few people may agree by luck, then the jackknife sees no
variance; so the same is done with the variance of independent games (that of the curve, times Pearson's dispersion;
McCullagh and Nelder 1989, section 4.5), and the interval reaches as far as the wider of both.
"""

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from math import exp, log, sqrt
from typing import Final, NamedTuple

from agzamov_verify.scoring.inference.distributions import t_quantile

PEOPLE_MIN: Final = 3
"""Two people have one degree of freedom, with a t of 12.7."""
GAMES_MIN: Final = 12
"""Fewer games say nothing of a slope and of people's spread."""
UPPER: Final = Fraction(975, 1000)
STEPS_MAX: Final = 100
NEGLIGIBLE: Final = 1e-10


class Why(StrEnum):
    """Why data do not say where the half is."""

    ONE_STRENGTH = "one_strength"
    FEW_PEOPLE = "few_people"
    FEW_GAMES = "few_games"
    WON_ALL = "won_all"
    LOST_ALL = "lost_all"
    SEPARATED = "separated"
    ONE_PERSON_ALONE = "one_person_alone"
    NO_RISE = "no_rise"
    OUTSIDE = "outside"
    TOO_WIDE = "too_wide"


class CannotSay(ValueError):
    """Data that do not say where the half is. `x`: the log strength or strengths that it is about."""

    def __init__(self, why: Why, *x: float) -> None:
        super().__init__(why.value)
        self.why, self.x = why, x


class Result(NamedTuple):
    """The engine's points (0, 1/2 or 1) of one game with a person, at log strength `x`."""

    person: str
    x: float
    points: float


class Covariance(NamedTuple):
    """Of intercept and slope, and the t of its degrees of freedom."""

    intercept: float
    both: float
    slope: float
    t: float

    def reach(self, x: float) -> float:
        """Half the width of the interval of the linear predictor."""
        return self.t * sqrt(max(0.0, self.intercept + 2 * self.both * x + self.slope * x * x))


class Curve(NamedTuple):
    """A fitted curve: x is less its `centre`. `covariances`: over people, and of independent games."""

    intercept: float
    slope: float
    centre: float
    covariances: tuple[Covariance, ...]

    @property
    def half(self) -> float:
        return self.centre - self.intercept / self.slope

    def score(self, x: float) -> tuple[float, float, float]:
        """The expected score at a log strength, and the ends of its interval."""
        eta = self.intercept + self.slope * (x - self.centre)
        reach = max(one.reach(x - self.centre) for one in self.covariances)
        return _logistic(eta), _logistic(eta - reach), _logistic(eta + reach)

    def interval(self) -> tuple[float, float]:
        """Fieller's interval of the half, as far as the wider of both. Raises CannotSay where it has no end."""
        ends = [self.centre + end for one in self.covariances for end in self._fieller(one)]
        return min(ends), max(ends)

    def _fieller(self, one: Covariance) -> tuple[float, float]:
        square = one.t**2
        a = self.slope**2 - square * one.slope
        if a <= NEGLIGIBLE * self.slope**2:
            raise CannotSay(Why.NO_RISE)
        middle = self.intercept * self.slope - square * one.both
        rest = self.intercept**2 - square * one.intercept
        root = sqrt(max(0.0, middle**2 - a * rest))
        return (-middle - root) / a, (-middle + root) / a


class HalfScore(NamedTuple):
    """The log strength at which the engine is expected to score one half, its interval, and the curve."""

    x: float
    low: float
    high: float
    curve: Curve


def half_score(results: Sequence[Result]) -> HalfScore:
    """The half of the curve through all results. Raises CannotSay where they do not say it."""
    _refuse_little(results)
    curve = fitted(results)
    if curve.slope <= 0:
        raise CannotSay(Why.NO_RISE)
    low, high = curve.interval()
    least, most = min(one.x for one in results), max(one.x for one in results)
    if not least <= curve.half <= most:
        raise CannotSay(Why.OUTSIDE, curve.half)
    if high - low > most - least:
        raise CannotSay(Why.TOO_WIDE, low, high)
    return HalfScore(curve.half, low, high, curve)


def _refuse_little(results: Sequence[Result]) -> None:
    """Raises CannotSay for results of which no curve can be had."""
    won, lost = ([one.x for one in results if one.points != points] for points in (0, 1))  # at least in part
    if results and not lost:
        raise CannotSay(Why.WON_ALL)
    if results and not won:
        raise CannotSay(Why.LOST_ALL)
    if len({one.x for one in results}) < 2:
        raise CannotSay(Why.ONE_STRENGTH)
    if len({one.person for one in results}) < PEOPLE_MIN:
        raise CannotSay(Why.FEW_PEOPLE)
    if len(results) < GAMES_MIN:
        raise CannotSay(Why.FEW_GAMES)
    # A curve exists if strengths of games won and of games lost overlap (Albert and Anderson 1984, Biometrika 71:1).
    if max(won) <= min(lost):
        raise CannotSay(Why.NO_RISE)
    if max(lost) <= min(won):
        raise CannotSay(Why.SEPARATED, max(lost), min(won))


def fitted(results: Sequence[Result]) -> Curve:
    """The curve with both of its covariances. Raises CannotSay where one person alone carries the slope."""
    centre = sum(one.x for one in results) / len(results)
    games = [(one.person, one.x - centre, one.points) for one in results]
    a, b = _newton([(x, points) for _, x, points in games])
    bread, by_person, pearson = _Sums(), dict[str, _Sums](), 0.0
    for person, x, points in games:
        p = _logistic(a + b * x)
        for sums in (bread, by_person.setdefault(person, _Sums())):
            sums.add(x, p * (1 - p), points - p)
        if 0 < p < 1:  # far from the half it may be rounded to either
            pearson += (points - p) ** 2 / (p * (1 - p))
    inverse, people = bread.inverse(), len(by_person)
    steps = [_without(bread, own) for own in by_person.values()]
    scale = (people - 1) / people
    intercept, both, slope = (scale * sum(step[i] * step[j] for step in steps) for i, j in ((0, 0), (0, 1), (1, 1)))
    over_people = Covariance(intercept, both, slope, _t(people - 1))
    dispersion = pearson / (len(games) - 2)
    i00, i01, i11 = (dispersion * one for one in inverse)
    of_games = Covariance(i00, i01, i11, _t(len(games) - 2))
    return Curve(a, b, centre, (over_people, of_games))


class _Sums:
    """The sums of weights by powers of x, and of residuals, of some games."""

    def __init__(self) -> None:
        self.w = self.wx = self.wxx = self.r = self.rx = 0.0

    def add(self, x: float, weight: float, residual: float) -> None:
        self.w += weight
        self.wx += weight * x
        self.wxx += weight * x * x
        self.r += residual
        self.rx += residual * x

    def inverse(self) -> tuple[float, float, float]:
        """The inverse of the matrix of weights: its first element, the one beside it, and the last."""
        determinant = self.w * self.wxx - self.wx**2
        if determinant <= NEGLIGIBLE * self.w * self.wxx:
            raise CannotSay(Why.ONE_PERSON_ALONE)
        return self.wxx / determinant, -self.wx / determinant, self.w / determinant


def _without(every: _Sums, own: _Sums) -> tuple[float, float]:
    """The change of (a, b) when one person is left out: one Newton step of all others' games."""
    others = _Sums()
    for name, value in vars(every).items():
        setattr(others, name, value - getattr(own, name))
    i00, i01, i11 = others.inverse()
    return i00 * others.r + i01 * others.rx, i01 * others.r + i11 * others.rx


def _newton(games: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Intercept and slope, by Newton's method with halved steps where a whole one makes it worse."""
    a = b = 0.0
    best = _log_likelihood(games, a, b)
    for _ in range(STEPS_MAX):
        sums = _Sums()
        for x, points in games:
            p = _logistic(a + b * x)
            sums.add(x, p * (1 - p), points - p)
        i00, i01, i11 = sums.inverse()
        step_a, step_b = i00 * sums.r + i01 * sums.rx, i01 * sums.r + i11 * sums.rx
        while (now := _log_likelihood(games, a + step_a, b + step_b)) < best - NEGLIGIBLE:
            step_a, step_b = step_a / 2, step_b / 2
        a, b, best = a + step_a, b + step_b, now
        if abs(step_a) + abs(step_b) < NEGLIGIBLE:
            break
    return a, b


def _log_likelihood(games: Sequence[tuple[float, float]], a: float, b: float) -> float:
    return sum(points * (a + b * x) - _softplus(a + b * x) for x, points in games)


def _softplus(eta: float) -> float:
    return max(eta, 0.0) + log(1 + exp(-abs(eta)))


def _logistic(eta: float) -> float:
    return exp(-_softplus(-eta))


def _t(df: int) -> float:
    return float(t_quantile(UPPER, df))
