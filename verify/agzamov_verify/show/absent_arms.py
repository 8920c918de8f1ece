"""Arms that a plan does not play, where tables say so in a row of their own rather than leave it out."""

from collections.abc import Iterator
from typing import Final

import msgspec

from ..experiment.matches import Arm, Condition, Match, Phase
from ..plan.manifest import Plan

ALWAYS_TOLD: Final = (Arm.FILLER,)
"""Arms that have a row in every table beside the real arm of their system."""
NOT_PLAYED: Final = "not played"


def absent_arms(plan: Plan) -> Iterator[Match]:
    """The matches of Phase 2 that stand beside a real arm of the plan in `ALWAYS_TOLD`, and are not in the plan."""
    planned = {match.id for match in plan.matches}
    for match in plan.matches:
        condition = match.condition
        if match.phase != Phase.ASYMMETRIC or condition.arm is not Arm.REAL or match.measured in plan.repeats:
            continue
        for arm in ALWAYS_TOLD:
            other = msgspec.structs.replace(match, condition=Condition(condition.augmentation, arm, condition.system))
            if arm in plan.systems[condition.system].arms and other.id not in planned:
                yield other
