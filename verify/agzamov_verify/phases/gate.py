"""Phase 0 decides what follows: a seat that fails it in a game goes no further in that game."""

from collections.abc import Iterator, Sequence

from ..manifest import Match, Plan
from ..scoring.results import MatchResult
from .streams import StreamPlan, streams_of

PHASES = (0, 1)


def matches_to_play(plan: Plan, phase: int, phase0: Sequence[MatchResult]) -> list[Match]:
    """The matches of a phase that no failed Phase 0 result stops."""
    failed = {(result.game, result.a) for result in phase0 if result.gate and not result.gate.passed}
    return [
        match for match in plan.matches if match.phase == phase and (phase == 0 or (match.game, match.a) not in failed)
    ]


def streams_to_play(plan: Plan, phase0: Sequence[MatchResult]) -> Iterator[StreamPlan]:
    """Every stream of a run in the order of its index, once the results of Phase 0 are known."""
    for phase in PHASES:
        for match in matches_to_play(plan, phase, phase0):
            yield from streams_of(match)
