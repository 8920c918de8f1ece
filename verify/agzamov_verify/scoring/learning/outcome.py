"""What a match shows of learning and of recovery, and the tau that may be scored.

tau is taken from the fitted curve, and only where the trend beats the permutation null: else there is nothing
that converged, and the sub-score is 0 (paper Table 4, row 7). The words' own tau stands beside it.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise
from typing import Literal

import msgspec

from ..exact import Figure, figure
from ..inference.estimate import Estimate, Scale, difference_estimate
from ..inference.intervals import Resamples, bootstrap_of
from ..ratings.wide import places, wide
from ..statistics import Interval
from .basis import risings, tau_grid, too_many
from .curve import Curve, fitted
from .null import drop_p, trend_p
from .words import RecoveryByWords, TauByWords, WindowRule, recovery_by_words, tau_by_words


class Reach(StrEnum):
    """95 % of what: of the plateau where points have a natural zero, of the gain where they have none."""

    PLATEAU = "plateau"
    GAIN = "gain"


class LearningRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How learning is looked for in one game; the protocol's rules are in its score file.

    `unit_results` results are summed before anything is fitted; trailing ones that fill no unit are left out of
    the fit, and fewer than `units_min` units are too few. `baseline_results` stand before a shift. A trend counts
    whose p among so many `permutations` is at most `level`. Performance is in `unit`.
    """

    baseline_results: int
    level: str
    permutations: int
    reach: Reach
    unit: Literal["score", "bb/100"]
    unit_results: int
    units_min: int
    window: WindowRule


class Verdict(StrEnum):
    """Whether a curve is more than noise."""

    LEARNED = "learned"
    NO_CONVERGENCE_DETECTED = "no convergence detected"
    TOO_FEW_RESULTS = "too few results"
    TOO_MANY_RESULTS = "too many results for exact sums"


class LearningOutcome(msgspec.Struct, frozen=True):
    """Learning in one match. `curve` is None where there are too few or too many results, or all units are equal."""

    results: int
    verdict: Verdict
    p: Figure | None
    permutations: int
    words: TauByWords
    reach: Reach
    curve: Curve | None

    @property
    def tau(self) -> int | None:
        """Games or hands to 95 %, from the fitted curve; None where no learning was detected.

        Where the plateau is not positive, 95 % of the gain stands in. 0 where the curve starts within 5 % of its
        plateau: it needed no game to get there, and how much it gained after that is no matter of speed.
        """
        return self._reached[0]

    @property
    def tau_ci(self) -> Interval | None:
        """The 95 % interval of tau, over resampled units."""
        return self._reached[1]

    @property
    def _reached(self) -> tuple[int | None, Interval | None]:
        if self.verdict is not Verdict.LEARNED or self.curve is None:
            return None, None
        if self.reach is Reach.PLATEAU and self.curve.to_95_of_plateau is not None:
            return self.curve.to_95_of_plateau, self.curve.to_95_of_plateau_ci
        return self.curve.to_95_of_gain, self.curve.to_95_of_gain_ci

    def subscore(self, tau_max: Fraction) -> Fraction:
        """1 - tau / tau_max within [0, 1]; 0 where no learning was detected (paper Table 4, row 7)."""
        return Fraction(0) if self.tau is None else max(Fraction(0), 1 - self.tau / tau_max)


class RecoveryVerdict(StrEnum):
    """What a forced shift did."""

    RECOVERED = "recovered"
    NOT_RECOVERED = "not recovered"
    NO_DROP_DETECTED = "no drop detected"
    TOO_FEW_RESULTS = "too few results"


class RecoveryOutcome(msgspec.Struct, frozen=True):
    """What followed a shift after `shift_after` results, until the next shift or the end.

    `drop` is the baseline's mean less that of as many results after the shift, as two samples of units, `p_drop` its
    permutation p.
    """

    shift_after: int
    results: int
    verdict: RecoveryVerdict
    words: RecoveryByWords
    drop: Estimate | None
    p_drop: Figure | None
    curve: LearningOutcome

    @property
    def tau(self) -> int | None:
        """Results to recovery by the words, if there was anything to recover from; else None."""
        return self.words.tau if self.verdict is RecoveryVerdict.RECOVERED else None


class TauRatio(msgspec.Struct, frozen=True):
    """tau_poker / tau_chess (draft H9, paper E9): of the words, and of the fitted time constants where both learned.

    The interval joins those of the two constants by the squares of their distances in logarithms (Zou and Donner 2008,
    Statistics in Medicine 27:1693).
    """

    words: Figure | None
    fitted: Figure | None
    fitted_ci: Interval | None


def learning(values: Sequence[int], rule: LearningRule, seed: bytes, resamples: int) -> LearningOutcome:
    """Learning in results in order: half-points of games, or chips of hands (or any luck-adjusted integers)."""
    words = tau_by_words(values, rule.window)
    units = _units(values, rule.unit_results)
    enough = len(units) >= rule.units_min
    if not enough or len(set(units)) < 2:
        verdict = Verdict.NO_CONVERGENCE_DETECTED if enough else Verdict.TOO_FEW_RESULTS
        p = figure(Fraction(1)) if enough else None
        return LearningOutcome(len(values), verdict, p, rule.permutations, words, rule.reach, None)
    if too_many(units):
        verdict = Verdict.TOO_MANY_RESULTS
        return LearningOutcome(len(values), verdict, None, rule.permutations, words, rule.reach, None)
    grid = tau_grid(len(units) * rule.unit_results, rule.unit_results)
    p_trend = trend_p(units, risings(len(units), rule.unit_results, grid), seed + b"null", rule.permutations)
    curve = fitted(units, rule.unit_results, rule.window.units, seed + b"curve", resamples)
    verdict = Verdict.LEARNED if p_trend <= Fraction(rule.level) else Verdict.NO_CONVERGENCE_DETECTED
    return LearningOutcome(len(values), verdict, figure(p_trend), rule.permutations, words, rule.reach, curve)


def recoveries(
    values: Sequence[int], shifts: Iterable[int], rule: LearningRule, seed: bytes, resamples: int
) -> tuple[RecoveryOutcome, ...]:
    """Recovery from each forced shift, `shifts` in results played before it, rising."""
    ends = [*shifts, len(values)]
    return tuple(
        _recovery(values[:shift], values[shift:end], rule, seed + shift.to_bytes(4, "big"), resamples)
        for shift, end in pairwise(ends)
    )


def tau_ratio(poker: LearningOutcome, chess: LearningOutcome) -> TauRatio:
    """How many hands take the place of a game."""
    words = poker.words.tau, chess.words.tau
    curves = _learned(poker), _learned(chess)
    constants = [curve.tau if curve else None for curve in curves]
    interval = _ratio_interval(curves[0], curves[1]) if curves[0] and curves[1] else None
    return TauRatio(_ratio(*words), _ratio(*constants), interval)


def _learned(outcome: LearningOutcome) -> Curve | None:
    return outcome.curve if outcome.verdict is Verdict.LEARNED else None


def _ratio_interval(over: Curve, under: Curve) -> Interval:
    with wide():
        (low, at, high), (other_low, other_at, other_high) = (_logarithms(curve) for curve in (over, under))
        down = ((at - low) ** 2 + (other_high - other_at) ** 2).sqrt()
        up = ((high - at) ** 2 + (other_at - other_low) ** 2).sqrt()
        ratio = at - other_at
        return Interval(places((ratio - down).exp()), places((ratio + up).exp()), "mover")


def _logarithms(curve: Curve) -> tuple[Decimal, Decimal, Decimal]:
    """Of the time constant with its bounds."""
    low, at, high = Decimal(curve.tau_ci.low).ln(), Decimal(curve.tau).ln(), Decimal(curve.tau_ci.high).ln()
    return low, at, high


def _ratio(over: int | None, under: int | None) -> Figure | None:
    return figure(Fraction(over, under)) if over and under else None


def _recovery(
    before: Sequence[int], after: Sequence[int], rule: LearningRule, seed: bytes, resamples: int
) -> RecoveryOutcome:
    baseline = before[-rule.baseline_results :]
    words = recovery_by_words(baseline, after, rule.window)
    curve = learning(after, rule, seed, resamples)
    early = after[: rule.baseline_results]
    if min(len(baseline), len(early)) < rule.baseline_results:
        verdict, drop, p_drop = RecoveryVerdict.TOO_FEW_RESULTS, None, None
    else:
        sums = _units(baseline, rule.unit_results), _units(early, rule.unit_results)
        scale = Scale(rule.unit, Fraction(1, rule.unit_results * rule.window.units))
        drop = difference_estimate(*sums, scale, Resamples(seed + b"ci", resamples, bootstrap_of(rule.unit)))
        p = drop_p(*sums, seed + b"drop", rule.permutations)
        verdict, p_drop = _verdict(words, dropped=p <= Fraction(rule.level)), figure(p)
    return RecoveryOutcome(len(before), len(after), verdict, words, drop, p_drop, curve)


def _verdict(words: RecoveryByWords, *, dropped: bool) -> RecoveryVerdict:
    if not dropped:
        return RecoveryVerdict.NO_DROP_DETECTED
    return RecoveryVerdict.NOT_RECOVERED if words.tau is None else RecoveryVerdict.RECOVERED


def _units(values: Sequence[int], size: int) -> list[int]:
    """Sums over whole units, in order."""
    return [sum(values[at : at + size]) for at in range(0, len(values) - size + 1, size)]
