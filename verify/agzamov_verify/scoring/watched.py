"""Matches that the plan declared to be watched: when the declared rule allowed to stop, and what is known then."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

import msgspec

from ..analysis_plan import SequentialRule
from .agzamov.cells import Cell
from .agzamov.measures import Measure, units_of
from .inference.sequential import Continue, SequentialPlan, Stop, confidence, decide
from .inference.significance import Alternative
from .statistics import Interval


class Watched(msgspec.Struct, frozen=True):
    """One watched match: the decision, and the confidence sequence after all observations, in the published unit."""

    match: str
    decision: Continue | Stop
    confidence: Interval
    unit: str


def watched(rules: Sequence[SequentialRule], cells: Mapping[str, Cell]) -> Iterator[Watched]:
    """The declared rules of the matches that were played, in their order."""
    for rule in rules:
        if rule.match in cells:
            units = units_of(cells[rule.match], Measure.SCORE)
            plan = plan_of(rule)
            seen = confidence(units.values, plan, units.scale.factor)
            yield Watched(rule.match, decide(units.values, plan), seen, units.scale.unit)


def plan_of(rule: SequentialRule) -> SequentialPlan:
    """A rule as the test by betting takes it. Raises ValueError for one that `feasible` refuses."""
    interest = Decimal(rule.of_interest)
    return SequentialPlan(
        Decimal(rule.alpha),
        rule.least,
        rule.greatest,
        rule.expected,
        Alternative(rule.alternative),
        interest or None,
        rule.planned,
    )
