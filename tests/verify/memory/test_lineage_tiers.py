"""The tier of a memory's lineage: one case for each, and none beside a step that failed."""

from contextlib import suppress
from typing import Any

import msgspec
import pytest

from agzamov_verify.checks.check_log import CheckLog, Finding, Number, Status, Step, StepFailed
from agzamov_verify.checks.memory_audit import Audited
from agzamov_verify.checks.memory_step import Tier, check_memory, memory_warnings, tiers
from agzamov_verify.core import canon
from agzamov_verify.core.seat_letters import memory_name
from agzamov_verify.memory.declared_server import Adapter, Export, Launch, Search, Store, Traits
from agzamov_verify.plan.manifest import MemoryPin, Plan
from agzamov_verify.plan.streams import SeatStore

NATIVE = {"use": "native", "calls_max": 2}
ENOUGH = Audited(careers=2, stored=8, searches=20, found=30)


class Sealed(msgspec.Struct):
    """As much of a manifest as step 15 reads."""

    plan: Plan
    images: dict[str, Any] = {}
    memories: dict[str, MemoryPin] = {}


def sealed(isolation: str = "process", images: tuple[str, ...] = (), **system: object) -> Any:
    match = {"phase": 2, "game": "chess960", "a": "x", "b": "y", "games": 4, "careers": 2}
    conditions = ({"augmentation": "memory", "arm": arm, "system": "notes"} for arm in ("placebo", "real"))
    plan = {
        "title": "Tiers",
        "isolation": isolation,
        "seats": {"x": {"kind": "random"}, "y": {"kind": "random"}},
        "systems": {"notes": {"kind": "memory", **system}},
        "matches": [{**match, "condition": condition} for condition in conditions],
    }
    return Sealed(msgspec.convert(plan, Plan), dict.fromkeys(images))


def counted(manifest: Any, **last: int) -> dict[SeatStore, Audited]:
    """The same counts of both matches, in the second with one more."""
    first, second = (SeatStore(match.id, memory_name(0)) for match in manifest.plan.matches)
    return {first: ENOUGH, second: ENOUGH.plus(Audited(**last))}


AT_ADDRESS = Adapter(
    about="Notes",
    interface="agz-memory-1",
    launch=Launch(url="http://127.0.0.1:8000/mcp"),
    traits=Traits("a list", "full_text", "never"),
    store=Store("remember", {"text": "${content}", "shelf": "${CAREER}"}, stored="ok"),
    search=Search("recall", {"question": "${query}", "shelf": "${CAREER}"}, items="notes", content="text"),
    export=Export("everything", {"shelf": "${CAREER}"}, items="notes", content="text"),
)
RUNS_ALREADY = {"server": "notes.yaml", "adapter": canon.dumps(AT_ADDRESS).decode()}
CONTAINED = sealed("container", ("harness", "memory"), **NATIVE)
CASES: dict[str, tuple[Any, dict[str, int], Tier]] = {
    "entries stay as they were stored": (sealed(), {}, Tier.VERBATIM),
    "noise is declared, and its dump is what was stored": (
        sealed(server="noisy", noise_percent=25),
        {"altered": 3},
        Tier.VERBATIM,
    ),
    "a server ran already at an address": (sealed(**RUNS_ALREADY), {}, Tier.UNVERIFIED),
    "sums name their sources": (sealed(server="consolidator"), {"derived": 4}, Tier.TRACED),
    "a server may rewrite and did not": (sealed(server="consolidator"), {}, Tier.TRACED),
    "a tool of unknown effect in a sealed image": (CONTAINED, {"unknown": 1}, Tier.BOUNDED),
    "words that were cut in a sealed image": (CONTAINED, {"cut": 1}, Tier.BOUNDED),
    "a tool of unknown effect in a process": (sealed(**NATIVE), {"unknown": 1}, Tier.UNVERIFIED),
    "words that were cut in a process": (sealed(**NATIVE), {"cut": 1}, Tier.UNVERIFIED),
    "a container whose image is not sealed": (sealed("container", ("harness",), **NATIVE), {"cut": 1}, Tier.UNVERIFIED),
    "an image beside a run in processes": (sealed("process", ("memory",), **NATIVE), {"cut": 1}, Tier.UNVERIFIED),
}


def step_of(manifest: Any, counts: dict[SeatStore, Audited], *findings: Finding) -> Step:
    log = CheckLog()
    with suppress(StepFailed), log.taking(Number.MEMORY):
        log.take(findings)
        check_memory(manifest, counts, log)
    return log.steps[Number.MEMORY - 1]


@pytest.mark.parametrize("name", CASES)
def test_the_weakest_lineage_of_all_careers_is_the_tier_of_a_memory(name: str) -> None:
    manifest, last, tier = CASES[name]
    counts = counted(manifest, **last)
    assert tiers(manifest, counts) == {"notes": tier}
    step = step_of(manifest, counts)
    assert f"; lineage: notes {tier}" in step.remark
    assert step.status is (Status.PASS if tier in (Tier.VERBATIM, Tier.TRACED) else Status.NOT_CHECKED)


def test_a_memory_whose_audit_failed_has_no_tier() -> None:
    manifest = sealed()
    step = step_of(manifest, counted(manifest), Finding(Number.MEMORY, "game g1", "no such entry", "book"))
    assert (step.status, "lineage" in step.remark) == (Status.FAIL, False)


def test_a_memory_that_was_not_played_has_no_tier() -> None:
    assert tiers(sealed(), {}) == {}


def test_a_server_that_ran_already_is_warned_of_and_one_that_was_started_is_not() -> None:
    manifest = sealed(**RUNS_ALREADY)
    (warning,) = memory_warnings(manifest.plan, counted(manifest))
    assert warning.startswith("system notes is a server that ran already at http://127.0.0.1:8000/mcp: no digest pins")
    started = sealed()
    assert list(memory_warnings(started.plan, counted(started))) == []
