"""Warnings about comparisons of several bundles, one line each; nothing here is refused."""

from collections.abc import Iterator, Mapping

from ..experiment import Arm
from ..scoring.cells import CellKey, arm_of
from ..systems import System

SHOWN_MAX = 3


def warnings_between(runs: Mapping[CellKey, str], systems: Mapping[str, System]) -> Iterator[str]:
    """Warnings for cells that are compared with one another; `runs`: the run of each cell."""
    yield from _deltas_across_runs(runs)
    yield from _unequal_amounts(runs, systems)


def _deltas_across_runs(runs: Mapping[CellKey, str]) -> Iterator[str]:
    """Deltas whose two arms are not of one run, so that each arm may have been chosen among many."""
    found = [
        f"{key} is of run {run}, its {arm.value} arm of run {other}"
        for key, run in sorted(runs.items())
        for arm in (Arm.NAKED, Arm.PLACEBO)
        if key.arm is Arm.REAL and (other := arm_of(runs, key, arm)) not in (None, run)
    ]
    if found:
        yield f"the arms of a delta are not of one run, and each may be chosen among many: {_some(found)}"


def _unequal_amounts(runs: Mapping[CellKey, str], systems: Mapping[str, System]) -> Iterator[str]:
    """Systems of one augmentation that may tell unequal amounts: the difference is then not of the systems alone."""
    amounts: dict[str, dict[str, str]] = {}
    for key in sorted(runs):
        system = systems.get(key.system)
        if key.arm is Arm.REAL and system and (told := _told_at_most(system, systems)):
            amounts.setdefault(key.augmentation.value, {})[key.system] = told
    for augmentation, by_system in amounts.items():
        if len(set(by_system.values())) > 1:
            lines = [f"{name} at most {amount}" for name, amount in by_system.items()]
            yield f"systems compared under {augmentation} may tell unequal amounts: {_some(lines)}"


def _told_at_most(system: System, systems: Mapping[str, System]) -> str:
    """The amount that a system, or each of its parts, may tell."""
    parts = (systems[name].told_at_most for name in system.parts if name in systems)
    return system.told_at_most or " + ".join(filter(None, parts))


def _some(parts: list[str]) -> str:
    more = f"; and {len(parts) - SHOWN_MAX} more" if len(parts) > SHOWN_MAX else ""
    return "; ".join(parts[:SHOWN_MAX]) + more
