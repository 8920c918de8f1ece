"""Matches that may end early: a declared rule looks after so many blocks, and their results decide how many are due.

Blocks between two looks are played side by side, and all of them count. So how long a match is depends on nothing but
its own results in their order, and whoever has the games can tell whether it ended where it had to.
"""

from collections.abc import Sequence
from itertools import accumulate

from ..analysis_plan import SequentialRule
from ..experiment import Match
from ..games.game import Block, StreamPlan
from ..games.registry import GAMES
from ..manifest import Plan
from ..scoring.inference.sequential import Reason, Stop, decide
from ..scoring.sequential_monitoring import observations, plan_of
from ..streams import streams_of


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
    per_unit = GAMES[match.game].unit_results(plan.rules_of(match.game), len(match.table))
    results = accumulate(len(block.records) for block in blocks)
    return 1 + sum(count < decision.n * per_unit for count in results)
