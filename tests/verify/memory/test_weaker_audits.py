"""The audit of a server without an export, with parts of entries or words of its own: what is compared, what is told.

A bundle whose hits are not what its sealed adapter declares has a finding, whatever else its maker says.
"""

from dataclasses import dataclass

import msgspec
import pytest

from agzamov_verify.checks.memory_audit import Audited, StoreAudit
from agzamov_verify.checks.memory_step import Tier, memory_warnings, tier_of
from agzamov_verify.core import canon
from agzamov_verify.core.questions import Exported, Hit, Hits, Settled, Stored
from agzamov_verify.core.script import Script
from agzamov_verify.experiment.matches import Arm, Trait
from agzamov_verify.memory.career_memory import PROBES, CareerMemory
from agzamov_verify.memory.declared_server import Adapter
from agzamov_verify.memory.placebo import Placebo
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import SeatStore
from agzamov_verify.scoring.departures import departures
from agzamov_verify.systems import MemorySystem
from verify.memory.test_outside_audit import NOTE, REWRITING_PLAN, ended, found, stored

NONE = {"absent": True}
LIST = {"tool": "everything", "content": "text"}


def system(export: dict[str, object] = NONE, rewrites: str = "never", **search: str) -> MemorySystem:
    """A memory from outside, with its sealed adapter."""
    wished = {
        "about": "notes in a list",
        "export": export,
        "interface": "agz-memory-1",
        "launch": {"command": "notes"},
        "search": {"args": {"question": "${query}"}, "content": "text", "tool": "recall", **search},
        "store": {"args": {"text": "${content}"}, "stored": "ok", "tool": "remember"},
        "traits": {"architecture": "a list", "query": "full_text", "rewrites": rewrites},
    }
    return MemorySystem(server="notes.yaml", adapter=canon.dumps(msgspec.convert(wished, Adapter)).decode())


def audited(of: MemorySystem, *hits: Hit, before: tuple[Hit, ...] = ()) -> StoreAudit:
    """Two notes, and a search that gives some entries; `before`: what was found before anything was stored."""
    audit = StoreAudit(of)
    for question, answer in (found(1, *before), stored(1), ended(1, 1), stored(2), ended(2, 2), found(3, *hits)):
        audit.note(question, answer)
    return audit


PART, PREVIEW = NOTE[8:13], f"{NOTE[:7]}..."


@dataclass
class Case:
    of: MemorySystem
    hit: str
    tier: Tier
    parts: int = 0
    defect: str = "1. e4 is best"


PREVIEWED = {"gives": "previews", "ellipsis": "..."}
CASES = {
    "no export": Case(system(), NOTE, Tier.BOUNDED),
    "no export, parts": Case(system(gives="parts"), PART, Tier.BOUNDED, 1, PART[::-1]),
    "no export, previews": Case(system(**PREVIEWED), PREVIEW, Tier.BOUNDED, 1, f"{NOTE[1:8]}..."),
    "parts": Case(system(LIST, gives="parts"), PART, Tier.TRACED, 1, PART[::-1]),
    "parts that are whole": Case(system(LIST, gives="parts"), NOTE, Tier.VERBATIM),
    "whole entries alone": Case(system(LIST), NOTE, Tier.VERBATIM, defect=PREVIEW),
    "no export, whole entries alone": Case(system(), NOTE, Tier.BOUNDED, defect=PART),
}


@pytest.mark.parametrize("name", CASES)
def test_the_lineage_follows_from_what_the_searches_gave(name: str) -> None:
    case = CASES[name]
    audit = audited(case.of, Hit(case.hit, "e00001"))
    assert audit.findings == []
    assert audit.counts.parts == case.parts
    assert tier_of(audit.counts, rewrites=False, is_closed=False) == case.tier


@pytest.mark.parametrize("name", CASES)
def test_a_lineage_that_the_hits_do_not_support_fails(name: str) -> None:
    """One hit is none of what the sealed adapter declares; it has the name of an entry that was stored."""
    case = CASES[name]
    (finding,) = audited(case.of, Hit(case.hit, "e00001"), Hit(case.defect, "e00002")).findings
    assert finding.expected.startswith("e00002 ")
    assert "a text that is equal for" in finding.found


def test_an_unknown_name_an_entry_told_twice_and_one_found_too_early_fail() -> None:
    parts = system(gives="parts")
    assert [one.found for one in audited(parts, Hit(PART, "e00003")).findings] == [f"e00003: {PART}"]
    assert [one.found for one in audited(parts, Hit(PART, "e00001"), Hit(NOTE, "e00001")).findings] == ["one twice"]
    assert [one.found for one in audited(parts, before=(Hit(PART, "e00001"),)).findings] == [f"e00001: {PART}"]


def test_words_of_its_own_are_unverified_whatever_they_are_but_not_before_anything_was_stored() -> None:
    own = system(rewrites="always")
    audit = audited(own, Hit("1. e4 is best", "#1"), Hit("1. e4 is best", "#2"))
    assert audit.findings == []
    assert tier_of(audit.counts, rewrites=True, is_closed=True) == Tier.UNVERIFIED
    (finding,) = audited(own, before=(Hit("1. e4 is best", "#1"),)).findings
    assert finding.expected == "nothing before anything was stored"


def test_a_figure_that_stands_on_words_of_its_own_has_a_departure_and_a_warning() -> None:
    system_of_plan = {"kind": "memory", "server": "notes.yaml"}
    own, whole = (
        msgspec.convert({**REWRITING_PLAN, "systems": {"mine": {**system_of_plan, "adapter": one.adapter}}}, Plan)
        for one in (system(rewrites="always"), system())
    )
    (match,) = own.matches
    counts = Audited(careers=1, stored=3, searches=7, found=5, undumped=1)
    (warning,) = memory_warnings(own, {SeatStore(match.id, "memory_a"): counts._replace(untraced=1)})
    assert "system mine: 5 texts found are UNVERIFIED: the server tells entries in words of its own" in warning
    assert list(memory_warnings(whole, {SeatStore(match.id, "memory_a"): counts})) == []
    line = "system mine may give what was never stored (traits.rewrites: always), where"
    assert [any(one.startswith(line) for one in departures(plan)) for plan in (own, whole)] == [True, False]


def test_a_plan_says_what_is_attested_and_refuses_what_cannot_be() -> None:
    assert "what its server held besides the entries that it gave" in system().attested
    assert "every text that the server gave: none is compared" in system(rewrites="always").attested
    assert "its searches cut entries, no tool gives every entry" in system(**PREVIEWED).words(())
    (problem,) = system(rewrites="end_game").problems(Arm.REAL)
    assert "expected an export where traits.rewrites is end_game" in str(problem)
    (problem,) = system(rewrites="always").problems(Arm.PLACEBO)
    assert "a placebo stands for whole ones" in str(problem)


def test_the_key_that_excludes_a_trait_is_named() -> None:
    wished = msgspec.structs.replace(system(), traits=(Trait.GRAPH,))
    (problem,) = wished.problems(Arm.REAL)
    assert str(problem).endswith(
        "found graph; its adapter has traits.query: full_text, which allows full_text, uniform"
    )


class Strangers(Placebo):
    """The same note of a stranger for every entry."""

    def instead_of(self, hits: object) -> list[str]:
        return ["A stranger's note: 2 of 3"] * len(hits)  # type: ignore[arg-type]


def played(memory: CareerMemory) -> Script[str]:
    yield from memory.begin("g1")
    told = yield from memory.recall("g1", 1, "castled")
    yield from memory.observe("g1", NOTE)
    yield from memory.finish("g1")
    return told


def told(of: MemorySystem, placebo: Placebo | None = None) -> tuple[str, list[str]]:
    """The text in a prompt, and the kinds of the questions that were asked."""
    serving = of.serving
    assert serving
    memory = of.career_memory(Arm.REAL, Strangers(), None, (), "memory_a")  # type: ignore[arg-type]
    assert memory
    memory._placebo = placebo
    script, asked, answer = played(memory), list[str](), None
    try:
        while True:
            question = script.send(answer)  # type: ignore[arg-type]
            kind = question.__struct_config__.tag  # type: ignore[union-attr]
            hits = (Hit(PREVIEW, "e00001"),) if len(asked) >= len(PROBES) + asked.count("export") else ()
            answers = {"search": Hits(hits), "export": Exported((), more=False), "store": Stored()}
            answer = answers.get(str(kind), Settled(1))
            asked.append(str(kind))
    except StopIteration as end:
        return end.value, asked


def test_a_server_without_an_export_is_searched_and_never_asked_for_all() -> None:
    probes = ["search"] * len(PROBES)
    assert told(system(**PREVIEWED))[1] == [*probes, "search", "store", "end_game"]
    assert told(system(LIST, **PREVIEWED))[1] == ["export", *probes, "search", "store", "end_game", "export"]


def test_a_placebo_of_previews_is_cut_as_they_are() -> None:
    assert told(system(**PREVIEWED))[0] == PREVIEW
    assert told(system(**PREVIEWED), Strangers())[0] == "A stran..."
