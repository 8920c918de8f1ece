"""The convergence rate tau and recovery tau by the paper's words (sections 3.3 and 4.4; draft 4.2, 5 and 9).

"Games or hands needed to reach 95 % of maximum performance", on a "sliding window win rate with exponential
smoothing": after result k >= window, performance is the mean of the last `window` results, smoothed by
s_k = s_(k-1) + alpha (p_k - s_(k-1)) with alpha = 2 / (span + 1), from s = p at the first whole window. The
plateau is the largest s; tau is the first k with s_k >= 95 % of it. Where the plateau is negative nothing
reaches 95 % of it, and there is no tau.

The words reward noise: at constant strength, with windows of 20 decisive games, the median tau is 52, 90 and
200 for 100, 200 and 500 games; and a player who loses every game has the window's length, the best there is.
So it is reported, and what is scored comes from `outcome.learning`.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import msgspec

from ..inference.exact import Figure, figure

SHARE: Final = Fraction(95, 100)
_FINE: Final = 2**32  # smoothed performance is kept in integers of window sum / 2^32


class WindowRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Results to a window, the span of the smoothing (1: none), and how many units make up one of performance."""

    window_results: int
    span_results: int
    units: int


class TauByWords(msgspec.Struct, frozen=True):
    """The plateau in points per game or bb/100, and after how many results 95 % of it was reached first."""

    rule: WindowRule
    results: int
    plateau: Figure | None
    tau: int | None


class RecoveryByWords(msgspec.Struct, frozen=True):
    """Performance before a shift, and how many results after it performance was back within 5 % of that."""

    rule: WindowRule
    baseline: Figure
    tau: int | None


def tau_by_words(values: Sequence[int], rule: WindowRule) -> TauByWords:
    """The paper's tau of results in order; no plateau and no tau with less than one whole window."""
    course = smoothed(values, rule)
    if not course:
        return TauByWords(rule, len(values), None, None)
    plateau = max(course)
    enough = (results for results, level in enumerate(course, rule.window_results) if level >= SHARE * plateau)
    return TauByWords(rule, len(values), figure(_level(plateau, rule)), next(enough, None))


def recovery_by_words(before: Sequence[int], after: Sequence[int], rule: WindowRule) -> RecoveryByWords:
    """Recovery tau: `before` are the results of the baseline, `after` those from the shift to the next one.

    Windows lie wholly after the shift. "Within 5 %" is no more than 5 % of the baseline's size below it, so that
    it also makes sense for a losing baseline. An empty baseline is 0.
    """
    baseline = Fraction(sum(before), max(1, len(before)) * rule.units)
    recovered = (baseline - (1 - SHARE) * abs(baseline)) * rule.units * rule.window_results * _FINE
    course = enumerate(smoothed(after, rule), rule.window_results)
    tau = next((results for results, level in course if level >= recovered), None)
    return RecoveryByWords(rule, figure(baseline), tau)


def smoothed(values: Sequence[int], rule: WindowRule) -> list[int]:
    """Smoothed window sums times 2^32, after each result from the first whole window on, rounded half up."""
    window, span = rule.window_results, rule.span_results
    if len(values) < window:
        return []
    total = sum(values[:window])
    course = [total * _FINE]
    for new, old in zip(values[window:], values, strict=False):
        total += new - old
        gap = total * _FINE - course[-1]
        course.append(course[-1] + (4 * gap + span + 1) // (2 * (span + 1)))
    return course


def _level(course: int, rule: WindowRule) -> Fraction:
    return Fraction(course, _FINE * rule.window_results * rule.units)
