"""Matches that the plan declared to be watched: when the declared rule allowed to stop, and what is known then."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

import msgspec

from ..analysis_plan import SequentialRule
from ..feasible import CHESS_REACH, observations_planned
from ..manifest import ChessMatch, Match, Plan
from ..phases.streams import Block
from .agzamov.cells import Cell, PokerCell
from .agzamov.measures import Measure, units_of
from .chess960 import pair_halfpoints
from .exact import Figure, figure
from .holdem import session_chips
from .inference.sequential import Continue, SequentialPlan, Stop, confidence, decide
from .inference.significance import Alternative
from .results import chess_records, hand_records
from .statistics import Interval


class Watched(msgspec.Struct, frozen=True):
    """One watched match: the declared test, its decision, and the confidence sequence after all observations.

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


def watched(plan: Plan, cells: Mapping[str, Cell]) -> Iterator[Watched]:
    """The declared rules of the matches that were played, in their order; `cells` by match id."""
    matches = {match.id: match for match in plan.matches}
    for rule in plan.analysis.sequential:
        if rule.match in cells:
            cell, declared = cells[rule.match], plan_of(rule, matches[rule.match], plan)
            units = units_of(cell, Measure.SCORE)
            scale, n = units.scale, len(units.values)
            yield Watched(
                rule.match,
                rule.alternative,
                rule.alpha,
                figure(declared.null * scale.factor),
                figure(declared.greatest * scale.factor) if isinstance(cell, PokerCell) else None,
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
    chess = isinstance(match, ChessMatch)
    least, greatest, null = (0, 2 * CHESS_REACH, CHESS_REACH) if chess else (-rule.clip_chips, rule.clip_chips, 0)
    interest, side = Decimal(rule.of_interest), Alternative(rule.alternative)
    planned = observations_planned(match, plan)
    return SequentialPlan(Decimal(rule.alpha), least, greatest, null, side, interest or None, planned)


def observations(match: Match, plan: Plan, blocks: Sequence[Block]) -> list[int]:
    """What a rule observes: seat A's half-points of each start pair, or its chips of each session."""
    if isinstance(match, ChessMatch):
        return pair_halfpoints(chess_records(blocks))
    return session_chips(hand_records(blocks), plan.holdem.session_hands)
