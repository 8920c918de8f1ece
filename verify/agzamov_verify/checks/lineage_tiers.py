"""Lineage tiers: the degree to which what a memory gave back can be traced to what was stored, by memory system.

    A verbatim     entries stay as they were stored: each dump is the fold of the stores
    B traced       the server makes entries of others, and each names sources that go back to stored ones
    C bounded      no dump could be compared, but in a sealed image without a network, with an empty store and every
                   question recorded, its answers come from the image or from the questions
    D unverified   the same in a process, which can read what its user can

A and B are computed from the journal. That a run was in containers, of which C is made, is attested.
"""

from collections.abc import Mapping
from enum import StrEnum

from ..manifest import Manifest, Plan
from ..seat_letters import memory_name
from ..streams import SeatStore
from ..systems import MemorySystem
from .memory_audit import Audited


class Tier(StrEnum):
    """The tier of a memory's lineage, the best first."""

    VERBATIM = "A verbatim"
    TRACED = "B traced"
    BOUNDED = "C bounded"
    UNVERIFIED = "D unverified"


def tier_of(counts: Audited, *, rewrites: bool, is_closed: bool) -> Tier:
    """The tier of a memory without audit findings.

    `counts`: of all its careers. `rewrites`: its server may change entries when a game ends. `is_closed`: it ran in a
    sealed image without a network.
    """
    if counts.unknown or counts.cut:
        return Tier.BOUNDED if is_closed else Tier.UNVERIFIED
    return Tier.TRACED if rewrites or counts.derived else Tier.VERBATIM


def tiers(manifest: Manifest, matches: Mapping[SeatStore, Audited]) -> dict[str, Tier]:
    """The tier of each memory system that was played. `matches`: counts by match and memory."""
    plan = manifest.plan
    found = dict[str, Tier]()
    for name, counts in sorted(_counts_by_system(plan, matches).items()):
        system = plan.systems[name]
        if isinstance(system, MemorySystem):
            rewrites = system.serving is not None and system.serving.rewrites
            is_closed = plan.isolation == "container" and system.image_part in manifest.images
            found[name] = tier_of(counts, rewrites=rewrites, is_closed=is_closed)
    return found


def _counts_by_system(plan: Plan, matches: Mapping[SeatStore, Audited]) -> dict[str, Audited]:
    counts = dict[str, Audited]()
    for match in plan.memory_matches:
        for seat_index, name in enumerate(plan.memories_of(match)):
            if own := matches.get(SeatStore(match.id, memory_name(seat_index))):
                counts[name] = counts.get(name, Audited()).plus(own)
    return counts
