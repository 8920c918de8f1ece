"""Detectable effects of Phase 3 and its forced shifts: result of a match, drop at a shift, time to recover.

The drop is tested as `scoring.learning.outcome` does it: the last results before a shift less as many after it, over
careers by a one-sided Student's t of each career's difference, and all shifts of a run together by Holm's method.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Final, NamedTuple

from agzamov_verify.experiment import Match, Phase
from agzamov_verify.games.registry import GAMES
from agzamov_verify.manifest import Plan
from agzamov_verify.protocol import load_protocol
from agzamov_verify.scoring.career_length import too_short
from agzamov_verify.scoring.inference.significance import Alternative
from agzamov_verify.scoring.learning.outcome import LearningRule
from agzamov_verify.scoring.planning import Arm, Block, Design, Scoring, detectable
from agzamov_verify.scoring.score_constants import load_score_constants

from .assumed_spreads import AssumedSpreads
from .contrast_design import Row
from .phase_figure import ALPHA, MDE_TEST, Figure, Repeated, mean_figure
from .planned_arms import careers_of

DROP_IN_SHORT: Final = "A drop at a shift is found with 80 % probability if it is at least"


class Stretch(NamedTuple):
    """Results of a career before a shift, and those from it to the next one or to the end."""

    before: int
    after: int


def arms_race_figures(match: Match, plan: Plan, spreads: AssumedSpreads) -> Iterator[Figure]:
    """The figures of one match of Phase 3, or of any match with shifts."""
    scorings = [methods[0] for methods in spreads.scorings.get(match.game, ())]
    if not scorings:
        return
    careers = careers_of(match)
    over = (
        f"{careers} careers" if careers else GAMES[match.game].unit.counted(match.planned // scorings[0].unit_results)
    )
    if match.phase == Phase.ARMS_RACE:
        repeated = Repeated(match.planned, careers, spreads.icc[match.game].value if careers else Fraction(0), over)
        yield mean_figure("result (the paper's E2: equal systems end even)", scorings, repeated)
    if match.shifts:
        yield from _recovery(match, plan, scorings, over)


def testable_shifts(plan: Plan) -> int:
    """The number of shifts of a run whose drop is tested: one family."""
    matches = (match for match in plan.matches if match.measured not in plan.repeats)
    return sum(_is_tested(match, stretch, plan) for match in matches for stretch in _stretches(match))


def _recovery(match: Match, plan: Plan, scorings: list[Scoring], over: str) -> Iterator[Figure]:
    rule, result = _rule(match, plan), GAMES[match.game].result.many
    stretches = list(_stretches(match))
    tested = [stretch for stretch in stretches if _is_tested(match, stretch, plan)]
    if tested:
        name = f"drop from the {rule.baseline_results} {result} before a shift to as many after it"
        yield Figure(name, MDE_TEST, _drop(match, rule, scorings, ALPHA, Alternative.TWO_SIDED, over))
        family = testable_shifts(plan)
        alpha = Fraction(rule.level) / family
        test = f"one-sided {100 * float(Fraction(rule.level)):g} %, the first found of {family} shifts (Holm)"
        row = _drop(match, rule, scorings, alpha, Alternative.GREATER, over)
        yield Figure("the same", test, row, in_short=DROP_IN_SHORT)
    if len(tested) < len(stretches):
        yield Figure("drop at a shift", words=_why_untested(match, plan, rule, len(stretches) - len(tested)))
    if tested:
        longest = " or ".join(f"{after:,}" for after in dict.fromkeys(stretch.after for stretch in tested))
        why = "no figure: it follows from a course by rules, for which there is no formula"
        range_words = f"from {rule.window.window_results:,} to the {longest} {result} until the next shift or the end"
        yield Figure("recovery τ", words=f"{why}; what can be seen is {range_words}")


def _drop(
    match: Match, rule: LearningRule, scorings: list[Scoring], alpha: Fraction, alternative: Alternative, over: str
) -> Row:
    """Detectable drop at a shift. A store's offset to a whole career cancels in the difference: no ICC is counted."""
    effects = []
    for scoring in scorings:
        units, before, after = rule.baseline_results // scoring.unit_results, Arm(scoring), Arm(scoring, is_moved=True)
        if careers := careers_of(match):
            blocks: tuple[Block, ...] = (Block((before, after), units * careers, careers),)
        else:
            blocks = Block((before,), units), Block((after,), units)
        effects.append(detectable(Design(blocks, alpha, alternative, scoring.reach)))
    return Row("", scorings[0].unit, over, tuple(effects))


def _stretches(match: Match) -> Iterator[Stretch]:
    """Shifts are counted in each career."""
    end = match.planned // (careers_of(match) or 1)
    shifts = [shift.after for shift in match.shifts if shift.after < match.planned // max(1, match.careers)]
    yield from (Stretch(shift, until - shift) for shift, until in pairwise([*shifts, end]))


def _is_tested(match: Match, stretch: Stretch, plan: Plan) -> bool:
    careers, least = careers_of(match), load_protocol(plan.protocol).verdict.careers_min
    enough = not careers or (careers >= least and not too_short(match, plan))
    return enough and min(stretch) >= _rule(match, plan).baseline_results


def _why_untested(match: Match, plan: Plan, rule: LearningRule, shifts: int) -> str:
    which, least = GAMES[match.game].result.many, load_protocol(plan.protocol).verdict.careers_min
    if careers_of(match) and (shortfall := too_short(match, plan)):
        return f"no figure: {shortfall}"
    if 0 < careers_of(match) < least:
        return f"no figure: {careers_of(match)} careers, a test needs {least}"
    return f"no figure at {shifts} shifts: a test needs {rule.baseline_results} {which} before a shift and after it"


def _rule(match: Match, plan: Plan) -> LearningRule:
    return load_score_constants(plan.protocol).learning.rules[match.game]
