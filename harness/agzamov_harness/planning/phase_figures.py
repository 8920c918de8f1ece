"""Figures of Phase 3 and Phase 5, and what each can show.

Phase 3 with its forced shifts: how a match ends, how far play falls at a shift, how soon it is back. The drop is tested
as `scoring.learning.outcome` does it: the last results before a shift less as many after it, over careers by a
one-sided Student's t of each career's difference, and all shifts of a run together by Holm's method. Phase 5, of one
class of positions: recovery, survival, and what a model can judge and calculate.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import sqrt
from typing import Final, NamedTuple

from agzamov_verify.experiment.analysis_plan import HypothesisId
from agzamov_verify.experiment.matches import UNEVEN, Arm, Match, Phase, PositionClass
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.departures import too_short
from agzamov_verify.scoring.hypotheses.declarations import Family
from agzamov_verify.scoring.inference.design_power import detectable_delta
from agzamov_verify.scoring.inference.power import critical_count, rate_reaching
from agzamov_verify.scoring.inference.significance import Alternative
from agzamov_verify.scoring.learning.outcome import LearningRule
from agzamov_verify.scoring.sample_sizes import POWER, ArmDesign, Block, Design, Scoring, detectable, one_match
from agzamov_verify.scoring.units.score_constants import load_score_constants
from agzamov_verify.table.registry import GAMES

from .contrasts import LeastEffect, careers_of
from .hypothesis_tests import family_alpha
from .spreads import AssumedSpreads

MDE_TEST: Final = "two-sided 5 %, as its own MDE"
"""The test that every estimate's `mde` is of."""
ALPHA: Final = Fraction(1, 20)


class PhaseFigure(NamedTuple):
    """A figure of some matches: the least effect that its test finds with 80 % power.

    `words`: what stands in the place of effects, such as why there is no honest one. `in_short`: the beginning of a
    sentence that ends with the effect, where the forecast's first lines should say it.
    """

    name: str
    test: str = ""
    row: LeastEffect | None = None
    words: str = ""
    in_short: str = ""


class Repeated(NamedTuple):
    """Repetitions in a match: results in all, careers, and the intraclass correlation of one career's units."""

    results: int
    careers: int
    icc: Fraction
    over: str


def mean_figure(name: str, scorings: Sequence[Scoring], repeated: Repeated) -> PhaseFigure:
    """A mean over units or careers, by the formula of the analysis's own `mde`."""
    effects = tuple(
        detectable(one_match(scoring, repeated.results, ALPHA, repeated.careers, repeated.icc)) for scoring in scorings
    )
    return PhaseFigure(name, MDE_TEST, LeastEffect("", scorings[0].unit, repeated.over, effects))


DROP_IN_SHORT: Final = "A drop at a shift is found with 80 % probability if it is at least"


class Stretch(NamedTuple):
    """Results of a career before a shift, and those from it to the next one or to the end."""

    before: int
    after: int


def arms_race_figures(match: Match, plan: Plan, spreads: AssumedSpreads) -> Iterator[PhaseFigure]:
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
        yield from _shift_recovery(match, plan, scorings, over)


def testable_shifts(plan: Plan) -> int:
    """The number of shifts of a run whose drop is tested: one family."""
    matches = (match for match in plan.matches if match.measured not in plan.repeats)
    return sum(_is_tested(match, stretch, plan) for match in matches for stretch in _stretches(match))


def _shift_recovery(match: Match, plan: Plan, scorings: list[Scoring], over: str) -> Iterator[PhaseFigure]:
    rule, result = _rule(match, plan), GAMES[match.game].result.many
    stretches = list(_stretches(match))
    tested = [stretch for stretch in stretches if _is_tested(match, stretch, plan)]
    if tested:
        name = f"drop from the {rule.baseline_results} {result} before a shift to as many after it"
        yield PhaseFigure(name, MDE_TEST, _drop(match, rule, scorings, ALPHA, Alternative.TWO_SIDED, over))
        family = testable_shifts(plan)
        alpha = Fraction(rule.level) / family
        test = f"one-sided {100 * float(Fraction(rule.level)):g} %, the first found of {family} shifts (Holm)"
        row = _drop(match, rule, scorings, alpha, Alternative.GREATER, over)
        yield PhaseFigure("the same", test, row, in_short=DROP_IN_SHORT)
    if len(tested) < len(stretches):
        yield PhaseFigure("drop at a shift", words=_why_untested(match, plan, rule, len(stretches) - len(tested)))
    if tested:
        longest = " or ".join(f"{after:,}" for after in dict.fromkeys(stretch.after for stretch in tested))
        why = "no figure: it follows from a course by rules, for which there is no formula"
        range_words = f"from {rule.window.window_results:,} to the {longest} {result} until the next shift or the end"
        yield PhaseFigure("recovery τ", words=f"{why}; what can be seen is {range_words}")


def _drop(
    match: Match, rule: LearningRule, scorings: list[Scoring], alpha: Fraction, alternative: Alternative, over: str
) -> LeastEffect:
    """Detectable drop at a shift. A store's offset to a whole career cancels in the difference: no ICC is counted."""
    effects = []
    for scoring in scorings:
        units, before, after = (
            rule.baseline_results // scoring.unit_results,
            ArmDesign(scoring),
            ArmDesign(scoring, is_moved=True),
        )
        if careers := careers_of(match):
            blocks: tuple[Block, ...] = (Block((before, after), units * careers, careers),)
        else:
            blocks = Block((before,), units), Block((after,), units)
        effects.append(detectable(Design(blocks, alpha, alternative, scoring.reach)))
    return LeastEffect("", scorings[0].unit, over, tuple(effects))


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


PAIR: Final = 2
"""Games of one position, one with each colour."""
SHARE_UNIT: Final = "share of games"
RECOVERY_IN_SHORT: Final = "A recovery rate is told from a given one with 80 % probability if it differs by at least"
NOT_COUNTED: Final = "no figure: how many different positions the careers draw is not known before"
POWER_OF_EACH_SIDE: Final = 1 - (1 - POWER) / 2
"""Of two one-sided tests that fail together in at most 1 - POWER."""


def stress_figures(match: Match, plan: Plan, spreads: AssumedSpreads) -> Iterator[PhaseFigure]:
    """The figures of one match of Phase 5."""
    part, careers, units = PositionClass(match.part), careers_of(match), match.planned // PAIR
    icc = spreads.icc[match.game].value if careers else Fraction(0)
    repeated = Repeated(match.planned, careers, icc, f"{careers} careers" if careers else f"{units} positions")
    if part in UNEVEN or part is PositionClass.EQUAL:
        yield mean_figure("result of both colours", spreads.score(match), repeated)
    if part in UNEVEN:
        yield _position_recovery(match, spreads, units, repeated)
        survival = [one.survival for one in spreads.positions(match)]
        yield mean_figure("survival index", survival, repeated)
        if plan.quality.nodes:
            why = "no figure: how widely centipawns lost a move spread under pressure has not been measured"
            yield PhaseFigure("GQI under pressure", words=why)
    yield from _probe(match, plan)


def share_effect(rate: float, units: int, careers: int, icc: float) -> float:
    """The `mde` of a share, as `inference.clusters` has it: of single positions, or of equal careers.

    Squared error r (1 - r) / n (1 + (m - 1) ICC). Its degrees of freedom are 2n / (kurtosis - 1), at most n - 1, with
    the kurtosis of a single position; of k careers k - 1.
    """
    variance = rate * (1 - rate)
    if careers:
        spread, df = 1 + (units / careers - 1) * icc, careers - 1
    else:
        excess = (1 - 3 * variance) / variance - 1
        spread, df = 1.0, units - 1 if excess <= 0 else max(1, min(units - 1, int(2 * units / excess)))
    return detectable_delta(df, ALPHA, Alternative.TWO_SIDED, POWER) * sqrt(variance * spread / units)


def _position_recovery(match: Match, spreads: AssumedSpreads, units: int, repeated: Repeated) -> PhaseFigure:
    effects: list[float | None] = []
    for held in spreads.held[match.game]:
        rate = float(held.value)
        effect = share_effect(rate, units, repeated.careers, float(repeated.icc)) if 0 < rate < 1 else None
        effects.append(effect if effect is not None and effect <= max(rate, 1 - rate) else None)
    row = LeastEffect("", SHARE_UNIT, repeated.over, tuple(effects))
    return PhaseFigure("recovery rate", MDE_TEST, row, in_short=RECOVERY_IN_SHORT)


def _probe(match: Match, plan: Plan) -> Iterator[PhaseFigure]:
    """Figures counted once for each position that seat A has White in; E6 reads the naked arms."""
    constants, n = load_score_constants(plan.protocol).contrasts, _distinct(match)
    tests = {
        PositionClass.SLIGHT: ("evaluation accuracy", Alternative.GREATER, Fraction(constants.evaluation_above)),
        PositionClass.SEVERE: ("evaluation accuracy", Alternative.GREATER, Fraction(constants.evaluation_above)),
        PositionClass.MATE: ("calculation accuracy", Alternative.LESS, Fraction(constants.calculation_below)),
    }
    part = PositionClass(match.part)
    if part is PositionClass.WON:
        words = _efficiency(n, Fraction(constants.efficiency_margin), plan) if n else NOT_COUNTED
        yield PhaseFigure("calculation efficiency", words=words)
    elif part in tests and match.condition.arm is Arm.NAKED and HypothesisId.E6 in plan.analysis.hypotheses:
        name, alternative, null = tests[part]
        alone = family_alpha(plan, Family.EXPLORATORY)
        words = _counted(n, alone, alternative, null) or _not_alone(n, alone, alternative, null) if n else NOT_COUNTED
        yield PhaseFigure(f"{name} (E6)", words=words)


def _distinct(match: Match) -> int:
    """Positions of the class that are played; 0 where several careers draw some of them each."""
    positions, careers = GAMES[match.game].positions(match), max(1, match.careers)
    a_career = match.planned // PAIR // careers
    return a_career if careers == 1 or a_career == positions else 0


def _counted(n: int, alpha: Fraction, alternative: Alternative, null: Fraction) -> str:
    """Least count that the exact one-sided binomial test of a share finds, in words; empty where not even n is."""
    above = alternative is Alternative.GREATER
    enough = critical_count(n, alpha, null if above else 1 - null)
    rate = rate_reaching(enough, n)
    if rate is None:
        return ""
    if not above:
        enough, rate = n - enough, 1 - rate
    bound, count = ("above", f"at least {enough}") if above else ("below", f"at most {enough}")
    found = f"found {bound} {_percent(null)} (p below {float(alpha):.2g}) with {count} right of {n}"
    return f"{found}, which is so with 80 % probability if truly {_percent(rate)} are"


def _not_alone(n: int, alone: Fraction, alternative: Alternative, null: Fraction) -> str:
    """Beside other findings q asks for less, at most for the level itself."""
    why = f"no count of {n} is enough where nothing else is found (p below {float(alone):.2g})"
    counted = _counted(n, ALPHA, alternative, null)
    return f"{why}; at best {counted}" if counted else why


def _efficiency(n: int, margin: Fraction, plan: Plan) -> str:
    """Values lie between 0 and 1, so the greatest standard deviation of n of them is sqrt(n / (n - 1)) / 2.

    Equivalence, of two samples of n: each of two one-sided tests at `alpha` with a power that leaves POWER to both.
    """
    most = detectable_delta(n - 1, ALPHA, Alternative.TWO_SIDED, POWER) / 2 / sqrt(n - 1) if n > 1 else 1.0
    if most >= 1:
        return f"no figure: of {n} positions no possible difference need be found"
    words = f"its own MDE is at most {most:.2f}, since each value lies between 0 and 1"
    alpha = family_alpha(plan, Family.DRAFT)
    if HypothesisId.DRAFT_H20 not in plan.analysis.hypotheses:
        return words
    errors = detectable_delta(2 * n - 2, alpha, Alternative.GREATER, POWER_OF_EACH_SIDE)
    spread = float(margin) / errors / sqrt(2 / n)
    return f"{words}; draft-H20 (alike within {float(margin):g}) is found only if their SD is {spread:.2f} or less"


def _percent(share: Fraction) -> str:
    return f"{100 * float(share):.3g} %"
