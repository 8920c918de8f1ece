"""Matches that the plan declared to be watched: when the declared rule allowed to stop, and what is known then."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal

import msgspec

from ..analysis_plan import SequentialRule
from ..manifest import ChessMatch, Match, Plan
from ..phases.streams import Block, streams_of
from .agzamov.cells import Cell
from .agzamov.measures import Measure, units_of
from .chess960 import pair_halfpoints
from .holdem import session_chips
from .inference.sequential import Continue, SequentialPlan, Stop, confidence, decide
from .inference.significance import Alternative
from .results import chess_records, hand_records
from .statistics import Interval


class Watched(msgspec.Struct, frozen=True):
    """One watched match: the decision, and the confidence sequence after all observations, in the published unit.

    `observations` were made of `planned`. `ended_early`: the rule ended the match at one of its looks, so intervals
    and tests of a fixed size do not hold for it, and this confidence sequence does.
    """

    match: str
    decision: Continue | Stop
    confidence: Interval
    unit: str
    observations: int
    planned: int
    ended_early: bool


def watched(plan: Plan, cells: Mapping[str, Cell], early: Collection[str]) -> Iterator[Watched]:
    """The declared rules of the matches that were played, in their order; `cells` by match id, `early` ended early."""
    matches = {match.id: match for match in plan.matches}
    for rule in plan.analysis.sequential:
        if rule.match in cells:
            units = units_of(cells[rule.match], Measure.SCORE)
            declared = plan_of(rule, matches[rule.match], plan)
            seen = confidence(units.values, declared, units.scale.factor)
            decision, n = decide(units.values, declared), len(units.values)
            yield Watched(rule.match, decision, seen, units.scale.unit, n, declared.planned, rule.match in early)


def ended_early(plan: Plan, blocks: Mapping[str, Sequence[Block]]) -> tuple[str, ...]:
    """The matches that were begun and not played whole, from the blocks by match id."""
    return tuple(
        match.id
        for match in plan.matches
        if match.id in blocks and len(blocks[match.id]) < len(list(streams_of(match)))
    )


def plan_of(rule: SequentialRule, match: Match, plan: Plan) -> SequentialPlan:
    """A rule as the test by betting takes it. Raises ValueError for one that `feasible` refuses."""
    interest = Decimal(rule.of_interest)
    return SequentialPlan(
        Decimal(rule.alpha),
        rule.least,
        rule.greatest,
        rule.expected,
        Alternative(rule.alternative),
        interest or None,
        match.games // 2 if isinstance(match, ChessMatch) else match.hands // plan.holdem.session_hands,
    )


def observations(match: Match, plan: Plan, blocks: Sequence[Block]) -> list[int]:
    """What a rule observes: seat A's half-points of each start pair, or its chips of each session."""
    if isinstance(match, ChessMatch):
        return pair_halfpoints(chess_records(blocks))
    return session_chips(hand_records(blocks), plan.holdem.session_hands)
