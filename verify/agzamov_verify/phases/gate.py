"""Which streams are played: a seat that fails Phase 0 in a game goes no further in it, and a rule may end a match."""

from collections.abc import Iterator, Mapping, Sequence

from ..manifest import Match, Plan
from ..scoring.results import MatchResult
from .looks import streams_due
from .streams import Block, StreamPlan

PHASES = (0, 1)


def matches_to_play(plan: Plan, phase: int, phase0: Sequence[MatchResult]) -> list[Match]:
    """The matches of a phase that no failed Phase 0 result stops."""
    failed = {(result.game, result.a) for result in phase0 if result.gate and not result.gate.passed}
    return [
        match for match in plan.matches if match.phase == phase and (phase == 0 or (match.game, match.a) not in failed)
    ]


def streams_to_play(
    plan: Plan, phase0: Sequence[MatchResult], blocks: Mapping[str, Sequence[Block]]
) -> Iterator[StreamPlan]:
    """Every stream of a run in the order of its index, once the results of Phase 0 are known.

    Of a match that may end early, those that are due after its blocks (by match id).
    """
    for phase in PHASES:
        for match in matches_to_play(plan, phase, phase0):
            yield from streams_due(match, plan, blocks.get(match.id, ()))
