"""The last line of a check: whether a memory system can be measured, and how far what it gives will be traced.

    measured                                  every export is what was stored (lineage A)
    measured with lineage X: why              what its adapter declares leaves less to compare
    cannot be measured, because ...           a check failed; its line says what to do

The lineage is that of a run in processes (`agzamov_verify.checks.memory_step` has the tiers).
"""

from collections.abc import Iterable

from agzamov_verify.checks.memory_step import Tier
from agzamov_verify.memory.built_in_servers import SERVERS

from .adapter_file import DeclaredSystem
from .conformance import ConformanceFinding

RAN_ALREADY = "it ran already at its address, so nothing says which program answers there"
UNTRACED = "it tells entries in words of its own, so nothing that it gives can be compared; the report says UNVERIFIED"
MODELS = "models at an address help it to choose what it gives: recorded, and attested"
UNDUMPED = "no tool gives every entry, so each text that it gives is compared, and what else it holds nobody knows"
PARTS = "searches give parts of entries, each of which is compared with the entry"
MADE = "it makes entries of others, and names them"


def measured_line(system: DeclaredSystem, findings: Iterable[ConformanceFinding]) -> str:
    """The outcome of all checks of a system, in one line."""
    for finding in findings:
        if finding.outcome == "FAILED":
            wrong = f"expected {finding.expected}, found {finding.found}" if finding.expected else finding.found
            return f"cannot be measured, because the check {finding.check!r} failed: {wrong}"
    tier, why = lineage_of(system)
    return f"measured with lineage {tier}: {why}" if why else "measured"


def lineage_of(system: DeclaredSystem) -> tuple[Tier, str]:
    """The best lineage that a run with the system can have, and the reason where it is not the best of all."""
    adapter = system.adapter
    built_in = SERVERS.get(system.name) if adapter.systems else None
    is_made = adapter.traits.rewrites == "end_game" or (built_in is not None and built_in.rewrites)
    the_worst_first = (
        (adapter.launch.runs_already, Tier.UNVERIFIED, RAN_ALREADY),
        (not adapter.is_traced, Tier.UNVERIFIED, UNTRACED),
        (bool(adapter.launch.models_url), Tier.BOUNDED, MODELS),
        (not adapter.exports, Tier.BOUNDED, UNDUMPED),
        (adapter.given(native=False).gives != "entries", Tier.TRACED, PARTS),
        (is_made, Tier.TRACED, MADE),
    )
    return next(((tier, why) for holds, tier, why in the_worst_first if holds), (Tier.VERBATIM, ""))
