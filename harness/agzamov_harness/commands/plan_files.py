"""A plan's file as a command names it."""

from pathlib import Path

from ..run.plan_file import PlanFile, read_plan
from ..run.plan_file import small as small_plan


def plan_file(path: Path, *, small: bool) -> PlanFile:
    """A plan as it is, or its small profile. Raises ManifestError."""
    plan = read_plan(path)
    return PlanFile(small_plan(plan) if small else plan, path.parent)
