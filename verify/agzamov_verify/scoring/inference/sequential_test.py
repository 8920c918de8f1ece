"""Anytime-valid early stopping: a test by betting, in whole numbers.

A gambler bets against "the mean is m" on every observation x, from declared bounds, in their order:

    wealth = average over bets b of the product over x of 1 + b (x - m) / (m - least)

If the mean is m or less, the wealth is a fair or losing game, so it ever reaches 1 / alpha with probability at
most alpha (Ville 1939): the run may be stopped at the first observation at which it does. Betting downward mirrors
this. The wealth is a ratio of integers, so the decision is the same on every machine. Sources: Waudby-Smith and
Ramdas 2024 (JRSS B 86:1; the average over fixed bets is their diversified Kelly betting); Shafer 2021 (JRSS A 184:407).

A unit is a start pair in chess, a difference of two conditions on one start, or a session of hands. A session has
no near bounds, so chips beyond the declared ones are clipped, and what is tested is the mean of clipped sessions.
"""

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import Final

import msgspec

from .exact import fixed, significant
from .samples import Interval
from .significance import Alternative

BETS: Final = (3, 6, 10)
"""Sixteenths of the wealth that are lost if the worst value comes; for edges of 3 to 15 points of score."""

SHARES: Final = 16

_BOUND_STEPS: Final = 20  # a confidence bound is right to 2^-20 of the declared range


class SequentialPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Design of a sequential test, declared before any observation. Values are whole numbers in the sample's unit.

    `least`, `greatest`: bounds of an observation; `null`: the mean under the null hypothesis; `of_interest`: the
    least difference from it that matters (none: never stop for lack of one); `planned`: the end in any case.
    """

    alpha: Decimal
    least: int
    greatest: int
    null: int
    alternative: Alternative
    of_interest: Decimal | None
    planned: int

    def __post_init__(self) -> None:
        if not self.least < self.null < self.greatest:
            raise ValueError(
                f"null must lie between least and greatest, not {self.least}, {self.null}, {self.greatest}"
            )
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha must lie between 0 and 1, not {self.alpha}")
        reach = min(self.greatest - self.null, self.null - self.least)
        if self.of_interest is not None and not 0 < self.of_interest < reach:
            raise ValueError(f"of_interest must lie between 0 and {reach}, not {self.of_interest}")
        if self.planned < 1:
            raise ValueError(f"planned must be at least 1, not {self.planned}")


class Reason(StrEnum):
    """Reason for which a run may end."""

    ABOVE = "above"  # the mean is above null
    BELOW = "below"
    NO_EFFECT = "no effect of interest"
    PLANNED_END = "planned end"


class Continue(msgspec.Struct, frozen=True, tag_field="decision", tag="continue"):
    """Play on. Wealth of the upward and the downward gambler; `clipped` observations lay beyond the bounds."""

    n: int
    wealth_above: str
    wealth_below: str
    clipped: int


class Stop(msgspec.Struct, frozen=True, tag_field="decision", tag="stop"):
    """End after observation `n`, the first at which the plan allows it. The interval is valid at any stopping time."""

    reason: Reason
    n: int
    wealth_above: str
    wealth_below: str
    clipped: int
    ci: Interval


def decide(observations: Sequence[int], plan: SequentialPlan) -> Continue | Stop:
    """The plan's decision after these observations, given in the order of the run's plan with none left out.

    The rule is evaluated after each observation, so the decision does not depend on how often it is asked for.
    """
    table = _Table(plan)
    for n, value in enumerate(observations, 1):
        table.take(value)
        if reason := table.reason(n):
            return Stop(reason, n, *table.wealth(), table.clipped, confidence(observations[:n], plan, Fraction(1)))
    return Continue(len(observations), *table.wealth(), table.clipped)


def confidence(observations: Sequence[int], plan: SequentialPlan, scale: Fraction) -> Interval:
    """The confidence sequence at level 1 - alpha after these observations, times `scale`; valid at any stopping time.

    All means against which no gambler of the plan has won; on the side where none bets it ends at the declared
    bound. Bounds are found to 2^-20 of the range, outward.
    """
    values = [_clip(value, plan) for value in observations]
    enough = _enough(plan)
    low, high = Fraction(plan.least), Fraction(plan.greatest)
    if plan.alternative is not Alternative.LESS:
        low = _lower_bound(values, plan.least, plan.greatest, enough)
    if plan.alternative is not Alternative.GREATER:
        high = -_lower_bound([-value for value in values], -plan.greatest, -plan.least, enough)
    return Interval(fixed(low * scale), fixed(high * scale), "betting-sequence")


class Gambler:
    """A gambler's wealth against one mean: betting upward if `worst` is below the mean, downward if above."""

    def __init__(self, mean: Fraction, worst: int) -> None:
        self._mean = mean
        # A bet's factor as a quotient of whole numbers, with m = numerator / denominator:
        # 1 + bet (x - m) / (16 (m - worst)) = (stake + bet * gain) / stake,
        # stake = 16 denominator |m - worst|, gain = +-denominator (x - m).
        stake = SHARES * (mean.numerator - worst * mean.denominator)
        self._upward = 1 if stake > 0 else -1
        self._stake = abs(stake)
        self._products = [1] * len(BETS)
        self._unit = 1

    def take(self, value: int, times: int = 1) -> None:
        """Bets on an observation, or on several alike. The factor of bet k / 16 is 1 + k (x - m) / (16 (m - worst))."""
        gain = self._upward * (value * self._mean.denominator - self._mean.numerator)
        self._unit *= self._stake**times
        for index, bet in enumerate(BETS):
            self._products[index] *= (self._stake + bet * gain) ** times

    @property
    def wealth(self) -> Fraction:
        """The average over the bets; 1 before the first observation."""
        return Fraction(sum(self._products), len(BETS) * self._unit)

    def has(self, wealth: Fraction) -> bool:
        """True if the current wealth is at least `wealth`."""
        return sum(self._products) * wealth.denominator >= wealth.numerator * len(BETS) * self._unit


class _Table:
    """The gamblers of a plan: against `null`, and against `null` plus or minus `of_interest`."""

    def __init__(self, plan: SequentialPlan) -> None:
        self._plan, self._enough = plan, _enough(plan)
        self._above = Gambler(Fraction(plan.null), plan.least)
        self._below = Gambler(Fraction(plan.null), plan.greatest)
        self._doubters = _doubters(plan)
        self.clipped = 0

    def take(self, value: int) -> None:
        """Bet on one more unit."""
        clipped = _clip(value, self._plan)
        self.clipped += clipped != value
        for gambler in (self._above, self._below, *self._doubters):
            gambler.take(clipped)

    def reason(self, n: int) -> Reason | None:
        """Reason to stop after `n` units; None to go on."""
        alternative = self._plan.alternative
        if alternative is not Alternative.LESS and self._above.has(self._enough):
            return Reason.ABOVE
        if alternative is not Alternative.GREATER and self._below.has(self._enough):
            return Reason.BELOW
        # Equivalence by two one-sided tests, each at alpha: both must reject, so nothing is shared (Schuirmann 1987, J.
        # Pharmacokinet. Biopharm. 15:657).
        if self._doubters and all(gambler.has(1 / Fraction(self._plan.alpha)) for gambler in self._doubters):
            return Reason.NO_EFFECT
        return Reason.PLANNED_END if n >= self._plan.planned else None

    def wealth(self) -> tuple[str, str]:
        """Wealth of the gambler against a mean at or below the null, and of the one against a mean at or above it."""
        return significant(self._above.wealth), significant(self._below.wealth)


def _doubters(plan: SequentialPlan) -> list[Gambler]:
    """Gamblers against a mean at distance `of_interest` from null, each betting that the mean is nearer to null."""
    if plan.of_interest is None:
        return []
    reach, null = Fraction(plan.of_interest), Fraction(plan.null)
    above, below = Gambler(null + reach, plan.greatest), Gambler(null - reach, plan.least)
    return {
        Alternative.GREATER: [above],
        Alternative.LESS: [below],
        Alternative.TWO_SIDED: [above, below],
    }[plan.alternative]


def _enough(plan: SequentialPlan) -> Fraction:
    """The wealth that decides: 1 / alpha, shared by two gamblers where both sides are watched."""
    sides = 2 if plan.alternative is Alternative.TWO_SIDED else 1
    return sides / Fraction(plan.alpha)


def _lower_bound(values: Sequence[int], least: int, greatest: int, enough: Fraction) -> Fraction:
    """The greatest mean on the grid against which an upward gambler has enough: wealth falls as the mean grows."""
    # Wealth is a product, in which order does not matter, so equal observations are bet on at once. Bisection keeps the
    # gambler rich enough at `low` (or low is the declared bound), so the bound is rounded outward.
    counts = sorted(Counter(values).items())
    low, high = 0, 2**_BOUND_STEPS
    while high - low > 1:
        middle = (low + high) // 2
        gambler = Gambler(least + Fraction((greatest - least) * middle, 2**_BOUND_STEPS), least)
        for value, count in counts:
            gambler.take(value, count)
        low, high = (middle, high) if gambler.has(enough) else (low, middle)
    return least + Fraction((greatest - least) * low, 2**_BOUND_STEPS)


def _clip(value: int, plan: SequentialPlan) -> int:
    return min(max(value, plan.least), plan.greatest)
