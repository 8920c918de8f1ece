"""Learning, decline and recovery in a match, and the tau that may be scored.

tau is taken from the fitted curve, and only where the trend rises and beats the permutation null: else nothing
converged. The tau by the paper's words is reported beside it; what the score counts is `agzamov.convergence`.

All matches of a run are one family of tests, and so are all its forced shifts: a verdict follows the p that Holm's
method corrects over the family, so the probability of one false verdict in a run is at most the level.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from ..inference.estimate import Estimate, Scale, contrast_estimate, difference_estimate
from ..inference.exact import Figure, figure, fixed
from ..inference.intervals import Resamples, bootstrap_of
from ..inference.significance import Alternative, holm
from ..inference.unit_values import CAREERS
from .course import Course, drop_p, over_careers, trend_contrasts, trend_either_way, unit_sums
from .curve import Curve, fitted, risings, tau_grid, too_many
from .paper_tau import RecoveryByWords, TauByWords, WindowRule, recovery_by_words, tau_by_words


class Reach(StrEnum):
    """Reference of the 95 %: the plateau where points have a natural zero, the gain where they have none."""

    PLATEAU = "plateau"
    GAIN = "gain"


class LearningRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Rule for detecting learning in one game; the protocol's rules are in its score file.

    `unit_results` results are summed before anything is fitted; trailing ones that fill no unit are left out of
    the fit, and fewer than `units_min` units are too few. `baseline_results` stand before a shift. A trend counts
    whose corrected p, from so many `permutations`, is at most `level`. Performance is in `unit`.
    """

    baseline_results: int
    level: str
    permutations: int
    reach: Reach
    unit: Literal["score", "bb/100"]
    unit_results: int
    units_min: int
    window: WindowRule


class TrendVerdict(StrEnum):
    """Outcome of the test for a trend. DECLINED: the course falls, as with a memory that misleads."""

    LEARNED = "learned"
    DECLINED = "declined"
    NO_CONVERGENCE_DETECTED = "no convergence detected"
    ONE_CAREER = "within one career, not tested"
    TOO_FEW_RESULTS = "too few results"
    TOO_MANY_RESULTS = "too many results for exact sums"


class TrendTest(NamedTuple):
    """The test for a trend in one course: `p` is two-sided; None where there was no test, and `verdict` says why.

    `p_corrected` is corrected over the family; a test by itself is a family of one.
    """

    verdict: TrendVerdict
    p: Fraction | None
    p_corrected: Fraction | None
    rises: bool


class DropTest(NamedTuple):
    """The test for a drop at a forced shift, one-sided; None where there are too few results on either side."""

    p: Fraction | None
    p_corrected: Fraction | None


class ShiftTests(NamedTuple):
    """The tests of one forced shift: for the drop, and for a trend after it."""

    drop: DropTest
    trend: TrendTest


class LearningOutcome(msgspec.Struct, frozen=True):
    """Learning in one match, or decline. `p` is two-sided; the verdict follows `p_corrected`.

    `less_control`: what is tested is the match less its naked control at the same place; the words and the curve are of
    the match itself. `change` is the mean of the second half of the tested units less that of the first, as two
    samples; None where a half has fewer than `LearningRule.units_min`, and after a forced shift. `curve` rises: it is
    None for a course that declined, where there are too few or too many results, and where all units are equal.
    """

    results: int
    verdict: TrendVerdict
    p: Figure | None
    p_corrected: Figure | None
    change: Estimate | None
    permutations: int
    words: TauByWords
    reach: Reach
    curve: Curve | None
    less_control: bool = False

    @property
    def tau(self) -> int | None:
        """Games or hands to 95 %, from the fitted curve; None where no learning was detected.

        Where the plateau is not positive, 95 % of the gain stands in. 0 where the curve starts within 5 % of its
        plateau: it needed no game to get there, and how much it gained after that is no matter of speed. None where the
        match itself gains nothing, and is above a control that falls.
        """
        if self.verdict is not TrendVerdict.LEARNED or self.curve is None or Fraction(self.curve.gain.exact) <= 0:
            return None
        if self.reach is Reach.PLATEAU and self.curve.to_95_of_plateau is not None:
            return self.curve.to_95_of_plateau
        return self.curve.to_95_of_gain


class RecoveryVerdict(StrEnum):
    """Outcome of the test for recovery from a forced shift."""

    RECOVERED = "recovered"
    NOT_RECOVERED = "not recovered"
    NO_DROP_DETECTED = "no drop detected"
    ONE_CAREER = "within one career, not tested"
    TOO_FEW_RESULTS = "too few results"


class RecoveryOutcome(msgspec.Struct, frozen=True):
    """Recovery from a shift after `shift_after` results, until the next shift or the end.

    `drop` is the baseline's mean less that of as many results after the shift, as two samples of units, `p_drop` its
    permutation p, one-sided; the verdict follows the corrected one.
    """

    shift_after: int
    results: int
    verdict: RecoveryVerdict
    words: RecoveryByWords
    drop: Estimate | None
    p_drop: Figure | None
    p_drop_corrected: Figure | None
    curve: LearningOutcome

    @property
    def tau(self) -> int | None:
        """Results to recovery by the words, if there was anything to recover from; else None."""
        return self.words.tau if self.verdict is RecoveryVerdict.RECOVERED else None


class TauRatio(msgspec.Struct, frozen=True):
    """tau_poker / tau_chess (draft H9, paper E9): of the words, and of the fitted time constants where both learned.

    It describes, without an interval: that of two constants which were both found to be there is too narrow.
    """

    words: Figure | None
    fitted: Figure | None


def trend_test(course: Course, rule: LearningRule, seed: bytes) -> TrendTest:
    """The test for a trend in results in order, by itself: by permutation of units, or by Student's t over careers."""
    units = unit_sums(course.values, rule.unit_results)
    if len(units) < rule.units_min or course.is_too_little:
        return TrendTest(TrendVerdict.TOO_FEW_RESULTS, None, None, rises=False)
    if len(course.careers) == 1:
        return TrendTest(TrendVerdict.ONE_CAREER, None, None, rises=False)
    if course.careers:
        careers = [unit_sums(career, rule.unit_results) for career in course.careers]
        contrasts = trend_contrasts(careers, rule.unit_results)
        p = over_careers(contrasts, Alternative.TWO_SIDED).p_value
        return _decided(Fraction(1) if p is None else p, rule, rises=sum(contrasts) > 0)
    if len(set(units)) < 2:
        return _decided(Fraction(1), rule, rises=False)
    if too_many(units):
        return TrendTest(TrendVerdict.TOO_MANY_RESULTS, None, None, rises=False)
    shapes = risings(len(units), rule.unit_results, tau_grid(len(units) * rule.unit_results, rule.unit_results))
    trend = trend_either_way(units, shapes, seed + b"null", rule.permutations)
    return _decided(trend.p, rule, rises=trend.rises)


def corrected_trends(tests: Sequence[TrendTest], rules: Sequence[LearningRule]) -> list[TrendTest]:
    """The tests of one family, each with the p that Holm's method corrects and the verdict by it."""
    adjusted = _corrected([test.p for test in tests])
    return [
        test if test.p is None else _decided(test.p, rule, rises=test.rises, p_corrected=p)
        for test, rule, p in zip(tests, rules, adjusted, strict=True)
    ]


def learning(
    course: Course,
    rule: LearningRule,
    seed: bytes,
    resamples: int,
    trend: TrendTest | None = None,
    less_control: Course | None = None,
) -> LearningOutcome:
    """Learning in results in order: half-points of games, or chips of hands (or any chance-adjusted integers).

    `trend`: the test of this course as corrected over its family; None: the test by itself. `less_control`: the course
    less that of its naked control, which is tested in its place.
    """
    tested = less_control or course
    trend = trend or trend_test(tested, rule, seed)
    change = None
    if trend.p is not None:
        change = _change(tested, rule, Resamples(seed + b"change", resamples, bootstrap_of(rule.unit)))
    described = _described(course, rule, trend)
    return msgspec.structs.replace(described, change=change, less_control=less_control is not None)


def shift_tests(
    course: Course, shifts: Iterable[int], rule: LearningRule, seed: bytes, less_control: Course | None = None
) -> tuple[ShiftTests, ...]:
    """The tests of each forced shift, each by itself: of the course's drop, and of the trend after it.

    The trend is that of the course less its naked control, where it has one, as without a shift (`learning`): a world
    that changes after a shift changes for both. A drop is the course's own: both arms meet the shift.
    """
    shifts = tuple(shifts)
    tested = _stretches(less_control or course, shifts, seed)
    return tuple(
        ShiftTests(_drop_test(before, after, rule, own), trend_test(trend, rule, own))
        for (before, after, own), (_, trend, _) in zip(_stretches(course, shifts, seed), tested, strict=True)
    )


def corrected_shifts(tests: Sequence[ShiftTests], rules: Sequence[LearningRule]) -> list[ShiftTests]:
    """The shifts of a run as two families, the drops and the trends after them, corrected by Holm's method."""
    trends = corrected_trends([test.trend for test in tests], rules)
    drops = _corrected([test.drop.p for test in tests])
    return [ShiftTests(DropTest(test.drop.p, p), trend) for test, p, trend in zip(tests, drops, trends, strict=True)]


def recoveries(
    course: Course,
    shifts: Iterable[int],
    rule: LearningRule,
    seed: bytes,
    resamples: int,
    tests: Sequence[ShiftTests] | None = None,
    less_control: Course | None = None,
) -> tuple[RecoveryOutcome, ...]:
    """Recovery from each forced shift, `shifts` in results played before it, rising.

    `tests`: those of each shift as corrected over their families; None: each by itself. `less_control`: as
    `shift_tests`.
    """
    shifts = tuple(shifts)
    tests = tests or shift_tests(course, shifts, rule, seed, less_control)
    return tuple(
        _recovery(before, after, rule, own, resamples, test, is_less_control=less_control is not None)
        for (before, after, own), test in zip(_stretches(course, shifts, seed), tests, strict=True)
    )


def _stretches(course: Course, shifts: Iterable[int], seed: bytes) -> Iterator[tuple[Course, Course, bytes]]:
    """The results before each shift, those from it to the next one, and its seed."""
    for shift, end in pairwise([*shifts, len(course.values)]):
        yield course.part(0, shift), course.part(shift, end), seed + shift.to_bytes(4, "big")


def tau_ratio(poker: LearningOutcome, chess: LearningOutcome) -> TauRatio:
    """Number of hands per game by learning time: tau_poker / tau_chess."""
    words = poker.words.tau, chess.words.tau
    curves = _learned(poker), _learned(chess)
    constants = [curve.tau if curve else None for curve in curves]
    return TauRatio(_ratio(*words), _ratio(*constants))


def _learned(outcome: LearningOutcome) -> Curve | None:
    return outcome.curve if outcome.verdict is TrendVerdict.LEARNED else None


def _ratio(over: int | None, under: int | None) -> Figure | None:
    return figure(Fraction(over, under)) if over and under else None


def _described(course: Course, rule: LearningRule, trend: TrendTest) -> LearningOutcome:
    """The outcome of a course by its trend, window and curve, without its change."""
    values = course.values
    words, units, curve = tau_by_words(values, rule.window), unit_sums(values, rule.unit_results), None
    if trend.p is not None and trend.verdict is not TrendVerdict.DECLINED and len(set(units)) > 1:
        curve = fitted(units, rule.unit_results, rule.window.units, independent=not course.careers)
    p, p_corrected = _figure(trend.p), _figure(trend.p_corrected)
    return LearningOutcome(
        len(values), trend.verdict, p, p_corrected, None, rule.permutations, words, rule.reach, curve
    )


def _decided(p: Fraction, rule: LearningRule, *, rises: bool, p_corrected: Fraction | None = None) -> TrendTest:
    """A test that was made, with the verdict by its corrected p."""
    decisive = p if p_corrected is None else p_corrected
    if decisive > Fraction(rule.level):
        verdict = TrendVerdict.NO_CONVERGENCE_DETECTED
    else:
        verdict = TrendVerdict.LEARNED if rises else TrendVerdict.DECLINED
    return TrendTest(verdict, p, decisive, rises)


def _corrected(ps: Sequence[Fraction | None]) -> list[Fraction | None]:
    """Holm's method over the tests that were made."""
    adjusted = iter(holm([p for p in ps if p is not None]))
    return [None if p is None else next(adjusted) for p in ps]


def _figure(p: Fraction | None) -> Figure | None:
    return None if p is None else figure(p)


def _change(course: Course, rule: LearningRule, resamples: Resamples) -> Estimate | None:
    """The second half less the first, an odd unit in the middle left out."""
    half = len(course.values) // rule.unit_results // 2
    if half < rule.units_min:
        return None
    split = [unit_sums(career, rule.unit_results) for career in course.careers or (course.values,)]
    return _difference([units[-half:] for units in split], [units[:half] for units in split], rule, resamples)


def _difference(
    minuend: Sequence[Sequence[int]], subtrahend: Sequence[Sequence[int]], rule: LearningRule, resamples: Resamples
) -> Estimate:
    """The mean of one sample of units less that of another, or the difference within each of many careers."""
    units_per_point = rule.window.units // len(minuend)  # `rule` is of the sum of the careers
    scale = Scale(rule.unit, Fraction(1, rule.unit_results * units_per_point))
    if len(minuend) == 1:
        return difference_estimate(minuend[0], subtrahend[0], scale, resamples)
    size = len(minuend[0])
    differences = [sum(first) - sum(second) for first, second in zip(minuend, subtrahend, strict=True)]
    estimate = contrast_estimate([differences], [Fraction(1)], Scale(rule.unit, scale.factor / size), None)
    each = tuple(fixed(Fraction(one, size) * scale.factor) for one in differences)
    return msgspec.structs.replace(estimate, over=CAREERS, by_career=(each,))


Samples: TypeAlias = list[list[int]]


def _drop_samples(before: Course, after: Course, rule: LearningRule) -> tuple[Samples, Samples] | None:
    """The units of the baseline and of as many results after the shift, of each career.

    None where either side has too few, or where there is one career.
    """
    size, careers = rule.baseline_results, len(before.careers)
    if min(len(before.values), len(after.values)) < size or careers == 1 or before.is_too_little:
        return None
    early = [unit_sums(career[:size], rule.unit_results) for career in after.careers or (after.values,)]
    baseline = [unit_sums(career[-size:], rule.unit_results) for career in before.careers or (before.values,)]
    return baseline, early


def _drop_test(before: Course, after: Course, rule: LearningRule, seed: bytes) -> DropTest:
    samples = _drop_samples(before, after, rule)
    if samples is None:
        return DropTest(None, None)
    baseline, early = samples
    if before.careers:
        drops = [sum(old) - sum(new) for old, new in zip(baseline, early, strict=True)]
        p_drop = over_careers(drops, Alternative.GREATER).p_value
        p = Fraction(1) if p_drop is None else p_drop
    else:
        p = drop_p(baseline[0], early[0], seed + b"drop", rule.permutations)
    return DropTest(p, p)


def _recovery(
    before: Course,
    after: Course,
    rule: LearningRule,
    seed: bytes,
    resamples: int,
    tests: ShiftTests,
    *,
    is_less_control: bool,
) -> RecoveryOutcome:
    words = recovery_by_words(before.values[-rule.baseline_results :], after.values, rule.window)
    curve = msgspec.structs.replace(_described(after, rule, tests.trend), less_control=is_less_control)
    samples, (p, p_corrected) = _drop_samples(before, after, rule), tests.drop
    if samples is None or p_corrected is None:
        one_career = len(before.careers) == 1
        verdict, drop = RecoveryVerdict.ONE_CAREER if one_career else RecoveryVerdict.TOO_FEW_RESULTS, None
    else:
        drop = _difference(*samples, rule, Resamples(seed + b"ci", resamples, bootstrap_of(rule.unit)))
        verdict = _verdict(words, dropped=p_corrected <= Fraction(rule.level))
    sizes = len(before.values), len(after.values)
    return RecoveryOutcome(*sizes, verdict, words, drop, _figure(p), _figure(p_corrected), curve)


def _verdict(words: RecoveryByWords, *, dropped: bool) -> RecoveryVerdict:
    if not dropped:
        return RecoveryVerdict.NO_DROP_DETECTED
    return RecoveryVerdict.NOT_RECOVERED if words.tau is None else RecoveryVerdict.RECOVERED
