"""The streams to be played: a seat that fails Phase 0 in a game goes no further in it, and a rule may end a match."""

from collections.abc import Iterator, Mapping, Sequence

from ..experiment import Match
from ..games.game import Block, StreamPlan
from ..manifest import Plan
from ..protocols import PROTOCOLS
from ..scoring.results import MatchResult
from .early_stopping import streams_due


def matches_to_play(plan: Plan, phase: int, phase0: Sequence[MatchResult]) -> list[Match]:
    """The matches of a phase that no failed Phase 0 result stops, of the seat or of the seat that it repeats."""
    failed = {(result.game, result.measured) for result in phase0 if result.gate and not result.gate.passed}
    ours = [match for match in plan.matches if match.phase == phase]
    if is_gate(plan, phase):
        return ours
    repeats = plan.repeats
    stopped = failed | {(game, name) for name, repeat in repeats.items() for game, a in failed if a == repeat.seat}
    return [match for match in ours if (match.game, match.measured) not in stopped]


def is_gate(plan: Plan, phase: int) -> bool:
    """True if the matches of the phase decide which seats go further."""
    rule = PROTOCOLS[plan.protocol].phases.get(phase)
    return rule is not None and rule.gate


def streams_to_play(
    plan: Plan, phase0: Sequence[MatchResult], blocks: Mapping[str, Sequence[Block]]
) -> Iterator[StreamPlan]:
    """Every stream of a run in the order of its index, once the results of Phase 0 are known.

    Of a match that may end early, those that are due after its blocks (by match id).
    """
    for phase in PROTOCOLS[plan.protocol].phases:
        for match in matches_to_play(plan, phase, phase0):
            yield from streams_due(match, plan, blocks.get(match.id, ()))
