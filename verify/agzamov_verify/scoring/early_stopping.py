"""How far matches are played: a declared rule may end one early, and a seat that fails Phase 0 goes no further.

Matches that may end early: a declared rule looks after so many blocks, and their results decide how many are due.

Blocks between two looks are played side by side, and all of them count. So how long a match is depends on nothing but
its own results in their order, and whoever has the games can tell whether it ended where it had to.

The boundary at which a match ends is in `inference.sequential_test`, the bounds of Phase 0 are in `gate`.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import accumulate

import msgspec

from ..experiment.analysis_plan import SequentialRule
from ..experiment.matches import Match
from ..plan.manifest import Plan
from ..plan.streams import observations_planned, streams_of, unit_results
from ..protocols import PROTOCOLS
from ..table.game import Block, StreamPlan, records_of
from ..table.registry import GAMES
from .game_scoring import looked_name
from .gate import is_gate
from .inference.exact import Figure, figure
from .inference.samples import Interval
from .inference.sequential_test import Continue, Reason, SequentialPlan, Stop, confidence, decide
from .inference.significance import Alternative
from .inference.unit_values import Measure
from .results import MatchResult
from .scorings import SCORINGS
from .units.cells import Cell


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
    """The declared rules of the matches that were played, in their order; `cells` by the names of their rows.

    None of a match about whose seats nothing is found: it may have ended at a look, and what it says is the harness's.
    """
    matches = {match.id: match for match in plan.matches}
    for rule in plan.analysis.sequential:
        match = matches[rule.match]
        watched = looked_name(plan, match, seat_watched(match, plan))
        if watched in cells and not cells[watched].no_finding:
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


def streams_due(match: Match, plan: Plan, blocks: Sequence[Block]) -> list[StreamPlan]:
    """The streams of a match that must be there, given its blocks that are: all, or those up to the look that is next.

    After the look that ends the match: those before that look.
    """
    streams = list(streams_of(match))
    rule = stopping_rule(match, plan)
    if rule is None:
        return streams
    looks = -(-_blocks_to_see(rule, match, plan, blocks) // rule.blocks_per_look)
    return streams[: looks * rule.blocks_per_look]


def stopping_rule(match: Match, plan: Plan) -> SequentialRule | None:
    """The rule that may end a match early, if one was declared."""
    rules = plan.analysis.sequential
    return next((rule for rule in rules if rule.match == match.id and rule.blocks_per_look), None)


def _blocks_to_see(rule: SequentialRule, match: Match, plan: Plan, blocks: Sequence[Block]) -> int:
    """The blocks up to the observation at which the rule allows to stop; one more than there are while it does not."""
    decision = decide(observations(match, plan, blocks), plan_of(rule, match, plan))
    if not isinstance(decision, Stop) or decision.reason is Reason.PLANNED_END:
        return len(blocks) + 1
    per_unit = unit_results(match, plan)
    results = accumulate(len(block.records) for block in blocks)
    return 1 + sum(count < decision.n * per_unit for count in results)


def matches_to_play(plan: Plan, phase: int, phase0: Sequence[MatchResult]) -> list[Match]:
    """The matches of a phase that no failed Phase 0 result stops, of the seat or of the seat that it repeats."""
    failed = {(result.game, result.measured) for result in phase0 if result.gate and not result.gate.passed}
    ours = [match for match in plan.matches if match.phase == phase]
    if is_gate(plan, phase):
        return ours
    repeats = plan.repeats
    stopped = failed | {(game, name) for name, repeat in repeats.items() for game, a in failed if a == repeat.seat}
    return [match for match in ours if (match.game, match.measured) not in stopped]


def streams_to_play(
    plan: Plan, phase0: Sequence[MatchResult], blocks: Mapping[str, Sequence[Block]]
) -> Iterator[StreamPlan]:
    """Every stream of a run in the order of its index, once the results of Phase 0 are known.

    Of a match that may end early, those that are due after its blocks (by match id).
    """
    for phase in PROTOCOLS[plan.protocol].phases:
        for match in matches_to_play(plan, phase, phase0):
            yield from streams_due(match, plan, blocks.get(match.id, ()))
