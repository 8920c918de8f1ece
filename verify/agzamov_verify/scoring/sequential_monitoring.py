"""Matches that the plan declares as monitored: the earliest stop that the rule allowed, and the figures then."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

import msgspec

from ..analysis_plan import SequentialRule
from ..experiment import Match
from ..games.game import Block, records_of
from ..games.registry import GAMES
from ..manifest import Plan
from ..plan_problems import observations_planned
from .cells import Cell
from .exact import Figure, figure
from .game_scoring import looked_name
from .inference.sequential import Continue, SequentialPlan, Stop, confidence, decide
from .inference.significance import Alternative
from .measures import Measure
from .registry import SCORINGS
from .statistics import Interval


class MonitoredMatch(msgspec.Struct, frozen=True):
    """One monitored match: the declared test, its decision, and the confidence sequence after all observations.

    `null` is what chance gives; it, `clip` and `confidence` are in the published unit; null `clip` clips nothing.
    `observations` were made of `planned`. `open_ended`: the rule might end the match at its looks, so that no figure
    of a fixed size holds for it; `ended_early`: it did.
    """

    match: str
    alternative: str
    alpha: str
    null: Figure
    clip: Figure | None
    decision: Continue | Stop
    confidence: Interval
    unit: str
    observations: int
    planned: int
    open_ended: bool
    ended_early: bool


def monitored_matches(plan: Plan, cells: Mapping[str, Cell]) -> Iterator[MonitoredMatch]:
    """The declared rules of the matches that were played, in their order; `cells` by the names of their rows."""
    matches = {match.id: match for match in plan.matches}
    for rule in plan.analysis.sequential:
        match = matches[rule.match]
        watched = looked_name(plan, match, seat_watched(match, plan))
        if watched in cells:
            cell, declared = cells[watched], plan_of(rule, match, plan)
            units = cell.measured(Measure.SCORE)
            scale, n = units.scale, len(units.values)
            yield MonitoredMatch(
                rule.match,
                rule.alternative,
                rule.alpha,
                figure(declared.null * scale.factor),
                figure(declared.greatest * scale.factor) if GAMES[cell.key.game].bounds(rule).clipped else None,
                decide(units.values, declared),
                confidence(units.values, declared, scale.factor),
                scale.unit,
                n,
                declared.planned,
                rule.blocks_per_look > 0,
                n < declared.planned,
            )


def open_ended(plan: Plan) -> tuple[str, ...]:
    """The matches whose length depends on their own results: figures of a fixed size do not hold for them."""
    return tuple(rule.match for rule in plan.analysis.sequential if rule.blocks_per_look)


def plan_of(rule: SequentialRule, match: Match, plan: Plan) -> SequentialPlan:
    """A rule as the test by betting takes it. Raises ValueError for one that `feasible` refuses."""
    bounds = GAMES[match.game].bounds(rule)
    interest, side = Decimal(rule.of_interest), Alternative(rule.alternative)
    planned = observations_planned(match, plan)
    return SequentialPlan(
        Decimal(rule.alpha), bounds.least, bounds.greatest, bounds.null, side, interest or None, planned
    )


def observations(match: Match, plan: Plan, blocks: Sequence[Block]) -> list[int]:
    """Observations of a stopping rule for the seat watched: half-points of a start pair, or chips of a session."""
    seat_index = seat_watched(match, plan)
    return SCORINGS[match.game].observations(records_of(blocks), plan.rules_of(match.game), seat_index)


def seat_watched(match: Match, plan: Plan) -> int:
    """The seat that a stopping rule watches: the first that is looked at."""
    return min(plan.looked_at(match))
