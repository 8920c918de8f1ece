"""The verdict of step 15: what the audits of all memories counted, the tier of each, and which servers were sealed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ..manifest import Manifest
from ..memory.native_tools import Effect, NativeTool
from ..streams import SeatStore
from ..systems import MemorySystem
from .check_log import CheckLog, Number, Status
from .lineage_tiers import Tier, tiers
from .memory_audit import Audited, cut

SHOWN_DIGITS: Final = 12
OUTSIDE_IS_ATTESTED: Final = (
    ", from outside: prompts and this audit are computed from its recorded answers; that it gave them is attested, and"
    " what its adapter declares is not checked"
)


def check_memory(
    manifest: Manifest, matches: Mapping[SeatStore, Audited], log: CheckLog, warnings: Sequence[str] = ()
) -> dict[str, Tier]:
    """Take step 15; its findings came with the journal's. The tier of each memory's lineage, none where it failed.

    `matches`: counts by match and memory. Raises StepFailed.
    """
    if not any(isinstance(system, MemorySystem) for system in manifest.plan.systems.values()):
        log.skip(Number.MEMORY, Status.NOT_APPLICABLE, "no seat has a memory")
        return {}
    total = Audited()
    for counts in matches.values():
        total = total.plus(counts)
    of_tier = {} if log.has_failed(Number.MEMORY) else tiers(manifest, matches)
    lineage = f"; lineage: {', '.join(f'{name} {tier}' for name, tier in of_tier.items())}" if of_tier else ""
    if total.unknown or total.cut:
        reasons = "; ".join(_unverified(total, manifest))
        log.skip(Number.MEMORY, Status.NOT_CHECKED, f"unverified: {reasons}{lineage}")
        return of_tier
    with log.step(Number.MEMORY):
        derived = f", {total.derived:,} made from others" if total.derived else ""
        failed = f", {total.failed:,} calls of its tools told an error" if total.failed else ""
        refused = f", {total.refused:,} refused as declared" if total.refused else ""
        altered = f", {total.altered:,} altered by declared noise" if total.altered else ""
        log.remark(
            Number.MEMORY,
            f"{total.careers:,} stores began empty; {total.stored:,} entries stored{derived}{refused};"
            f" {total.found:,} found in {total.searches:,} searches{altered}{failed}{lineage}"
            f"; {''.join(f'warning: {one}; ' for one in warnings)}"
            f"sealed: {'; '.join(_servers(manifest))}",
        )
    return of_tier


def _unverified(total: Audited, manifest: Manifest) -> Iterator[str]:
    """Reasons why no dump, or no words, could be compared with what was stored."""
    if total.unknown:
        tools = ", ".join(dict.fromkeys(tool.name for tool in _unknown_tools(manifest)))
        yield (
            f"in {total.unknown:,} of {total.careers:,} careers a tool was called of which nobody knows what it stores"
            f" (on offer: {tools}), so no dump can be compared with what was stored"
        )
    if total.cut:
        yield (
            f"in {total.cut:,} of {total.careers:,} careers the words of a tool were cut, so that they cannot be"
            " compared with the entries"
        )


def _unknown_tools(manifest: Manifest) -> Iterator[NativeTool]:
    """The offered tools whose effect on the store is unknown."""
    for pin in manifest.memories.values():
        yield from (tool for tool in pin.native if tool.effect is Effect.UNKNOWN)


def _servers(manifest: Manifest) -> Iterator[str]:
    """The sealed server of each system in words."""
    for name, pin in sorted(manifest.memories.items()):
        system = manifest.plan.systems[name]
        image = manifest.images.get(system.image_part)
        contained = f", image {image.config_digest[:SHOWN_DIGITS]}" if image else ""
        server = " ".join(filter(None, (cut(pin.name), cut(pin.version)))) or "a server without a name"
        digests = f"adapter {pin.adapter_sha256[:SHOWN_DIGITS]}, tools {pin.tools_sha256[:SHOWN_DIGITS]}{contained}"
        attested = OUTSIDE_IS_ATTESTED if isinstance(system, MemorySystem) and system.is_from_outside else ""
        yield f"{name} is {server} ({digests}){attested}"
