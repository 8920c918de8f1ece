"""Detectable figures of one class of Phase 5 positions: recovery, survival, evaluation and calculation."""

from collections.abc import Iterator
from fractions import Fraction
from math import sqrt
from typing import Final

from agzamov_verify.analysis_plan import HypothesisId
from agzamov_verify.experiment import Arm, Match
from agzamov_verify.games.registry import GAMES
from agzamov_verify.manifest import Plan
from agzamov_verify.position_classes import UNEVEN, PositionClass
from agzamov_verify.scoring.hypotheses.registry import Family
from agzamov_verify.scoring.inference.design_power import detectable_delta
from agzamov_verify.scoring.inference.power import critical_count, rate_reaching
from agzamov_verify.scoring.inference.significance import Alternative
from agzamov_verify.scoring.planning import POWER
from agzamov_verify.scoring.score_constants import load_score_constants

from .assumed_spreads import AssumedSpreads
from .contrast_design import Row
from .exploratory_tests import family_alpha
from .phase_figure import ALPHA, MDE_TEST, Figure, Repeated, mean_figure
from .planned_arms import careers_of

PAIR: Final = 2
"""Games of one position, one with each colour."""
SHARE_UNIT: Final = "share of games"
RECOVERY_IN_SHORT: Final = "A recovery rate is told from a given one with 80 % probability if it differs by at least"
NOT_COUNTED: Final = "no figure: how many different positions the careers draw is not known before"
POWER_OF_EACH_SIDE: Final = 1 - (1 - POWER) / 2
"""Of two one-sided tests that fail together in at most 1 - POWER."""


def stress_figures(match: Match, plan: Plan, spreads: AssumedSpreads) -> Iterator[Figure]:
    """The figures of one match of Phase 5."""
    part, careers, units = PositionClass(match.part), careers_of(match), match.planned // PAIR
    icc = spreads.icc[match.game].value if careers else Fraction(0)
    repeated = Repeated(match.planned, careers, icc, f"{careers} careers" if careers else f"{units} positions")
    if part in UNEVEN or part is PositionClass.EQUAL:
        yield mean_figure("result of both colours", spreads.score(match), repeated)
    if part in UNEVEN:
        yield _recovery(match, spreads, units, repeated)
        survival = [one.survival for one in spreads.positions(match)]
        yield mean_figure("survival index", survival, repeated)
        if plan.quality.nodes:
            why = "no figure: how widely centipawns lost a move spread under pressure has not been measured"
            yield Figure("GQI under pressure", words=why)
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


def _recovery(match: Match, spreads: AssumedSpreads, units: int, repeated: Repeated) -> Figure:
    effects: list[float | None] = []
    for held in spreads.held[match.game]:
        rate = float(held.value)
        effect = share_effect(rate, units, repeated.careers, float(repeated.icc)) if 0 < rate < 1 else None
        effects.append(effect if effect is not None and effect <= max(rate, 1 - rate) else None)
    row = Row("", SHARE_UNIT, repeated.over, tuple(effects))
    return Figure("recovery rate", MDE_TEST, row, in_short=RECOVERY_IN_SHORT)


def _probe(match: Match, plan: Plan) -> Iterator[Figure]:
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
        yield Figure("calculation efficiency", words=words)
    elif part in tests and match.condition.arm is Arm.NAKED and HypothesisId.E6 in plan.analysis.hypotheses:
        name, alternative, null = tests[part]
        alone = family_alpha(plan, Family.EXPLORATORY)
        words = _counted(n, alone, alternative, null) or _not_alone(n, alone, alternative, null) if n else NOT_COUNTED
        yield Figure(f"{name} (E6)", words=words)


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
