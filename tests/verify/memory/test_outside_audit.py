"""The audit of a server from outside: what its adapter declares is allowed and counted, and nothing beyond it."""

import json
from collections.abc import Callable
from functools import reduce
from typing import Any, TypeAlias

import msgspec
import pytest

from agzamov_verify.checks.memory_audit import Audited, StoreAudit
from agzamov_verify.checks.memory_step import memory_warnings
from agzamov_verify.core import canon
from agzamov_verify.core.questions import (
    MEMORY,
    Answer,
    EndGame,
    Export,
    Exported,
    Hit,
    Hits,
    Kept,
    Question,
    Search,
    Settled,
    Store,
    Stored,
)
from agzamov_verify.experiment.matches import Arm, Trait
from agzamov_verify.memory.declared_server import SHIPPED_SHA256, Adapter, NoAdapter, declared_in, server_of
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import SeatStore
from agzamov_verify.systems import MemorySystem
from agzamov_verify.systems.memory_system import Use

Exchange: TypeAlias = tuple[Question, Answer]
Change: TypeAlias = Callable[[list[Exchange]], list[Exchange]]
NOTE = "castled early: 1 of 1"


def adapter(**traits: str) -> str:
    """A sealed adapter, every key written out."""
    wished = {
        "about": "notes in a list",
        "export": {"tool": "everything", "content": "text"},
        "interface": "agz-memory-1",
        "launch": {"command": "notes"},
        "search": {"args": {"question": "${query}"}, "content": "text", "tool": "recall"},
        "store": {"args": {"text": "${content}"}, "stored": "ok", "tool": "remember"},
        "traits": {"architecture": "a list", "query": "full_text", "rewrites": "never", **traits},
    }
    return canon.dumps(msgspec.convert(wished, Adapter)).decode()


def without(*path: str) -> str:
    """A sealed adapter that lacks a key."""
    return changed(path, remove)


def changed(path: tuple[str, ...], change: Callable[[dict[str, Any], str], object]) -> str:
    whole = json.loads(adapter())
    *outer, last = path
    change(reduce(lambda part, key: part[key], outer, whole), last)
    return canon.dumps(whole).decode()


def remove(part: dict[str, Any], key: str) -> None:
    del part[key]


def problems_of(text: str, server: str = "notes.yaml") -> list[str]:
    return [str(problem) for problem in MemorySystem(server=server, adapter=text).problems(Arm.REAL)]


def system(**traits: str) -> MemorySystem:
    return MemorySystem(server="notes.yaml", adapter=adapter(**traits))


def audit(exchanges: list[Exchange], **traits: str) -> StoreAudit:
    done = StoreAudit(system(**traits))
    for question, answer in exchanges:
        done.note(question, answer)
    return done


def kept(entry: str, *games: int, made_of: tuple[str, ...] = (), content: str = NOTE) -> Kept:
    return Kept(content, made_of, entry, games, "observation")


def stored(number: int, refused: str = "") -> Exchange:
    question = Store(
        attempt=0,
        content=NOTE,
        entry=f"e{number:05d}",
        game=f"g{number}",
        kind="observation",
        number=number,
        turn=0,
        to=MEMORY,
    )
    return question, Stored(refused)


def ended(number: int, entries: int) -> Exchange:
    return EndGame(attempt=1, game=f"g{number}", number=number, turn=0, to=MEMORY), Settled(entries)


def dump(game: int, *entries: Kept) -> Exchange:
    return Export(attempt=2, game=f"g{game}", offset=0, turn=0, to=MEMORY), Exported(entries, more=False)


def found(number: int, *hits: Hit) -> Exchange:
    search = Search(attempt=0, game=f"g{number}", hits_max=9, number=number, query="castled", turn=1, to=MEMORY)
    return search, Hits(hits)


@pytest.mark.parametrize(
    ("said", "own"),
    [
        ("castled early: 2 of 2", 0),
        ("Castled EARLY: 0 of 2", 0),
        ("castled early", 0),
        ("castled early: 2 of 2, so open with e4", 1),
        ("castled early: 3 of 3", 1),
        ("castled early: 1 of 1\ncastled early: 2 of 2", 1),
        ("early castled: 1 of 1", 1),
    ],
)
def test_a_found_entry_that_says_more_than_its_sources_is_counted(said: str, own: int) -> None:
    first, second = kept("m1", 1, 2, made_of=("e00001", "e00002"), content=said), found(3, Hit(said, "m1"))
    done = audit([*HONEST[:6], dump(2, first), second], rewrites="end_game")
    assert (done.findings, done.counts.own) == ([], own)
    again = kept("m2", 1, 2, made_of=("m1",), content=said)
    done = audit(
        [*HONEST[:6], dump(2, first), ended(3, 1), dump(3, again), found(4, Hit(said, "m2"))], rewrites="end_game"
    )
    assert (done.findings, done.counts.own) == ([], own), "made of one that says more, it goes back to what was stored"


def test_what_a_server_says_of_its_own_is_warned_of() -> None:
    plan = msgspec.convert(REWRITING_PLAN, Plan)
    (match,) = plan.matches
    counts = Audited(careers=1, stored=3, searches=7, found=5, own=2)
    (warning,) = memory_warnings(plan, {SeatStore(match.id, MEMORY): counts})
    assert f"{match.id}, system mine: 2 of 5 entries found say more than those that the server made them of" in warning
    assert list(memory_warnings(plan, {match.id: counts._replace(own=0)})) == []


REWRITING_PLAN = {
    "title": "A memory that rewrites",
    "seats": {"x": {"kind": "random"}, "y": {"kind": "random"}},
    "systems": {"mine": {"kind": "memory", "server": "notes.yaml", "adapter": adapter(rewrites="end_game")}},
    "matches": [
        {
            "phase": 2,
            "game": "chess960",
            "a": "x",
            "b": "y",
            "games": 4,
            "careers": 1,
            "condition": {"augmentation": "memory", "arm": "real", "system": "mine"},
        }
    ],
}
SUMMED, AGAIN = kept("m1", 1, 2, made_of=("e00001", "e00002")), kept("m2", 1, 2, 3, made_of=("m1", "e00003"))
HONEST = [
    dump(1),
    stored(1),
    ended(1, 1),
    dump(1, kept("e00001", 1)),
    stored(2),
    ended(2, 1),
    dump(2, SUMMED),
    found(3, Hit(NOTE, "m1")),
    stored(3),
    ended(3, 1),
    dump(3, AGAIN),
    dump(3, AGAIN),
]


def with_dump(index: int, *entries: Kept) -> Change:
    def change(exchanges: list[Exchange]) -> list[Exchange]:
        question, _ = exchanges[index]
        return [*exchanges[:index], (question, Exported(entries, more=False)), *exchanges[index + 1 :]]

    return change


def with_hit(entry: str, content: str) -> Change:
    return lambda exchanges: [*exchanges[:7], found(3, Hit(content, entry)), *exchanges[8:]]


def test_what_a_server_makes_of_its_entries_is_taken_where_it_names_them() -> None:
    done = audit(HONEST, rewrites="end_game")
    assert done.findings == []
    assert done.counts == Audited(careers=1, stored=3, searches=1, found=1, derived=2)


def test_a_server_that_declares_that_it_never_rewrites_may_not() -> None:
    places = [finding.place for finding in audit(HONEST).findings]
    assert places[0].startswith("game g2 turn 0 memory question 1")


DEFECTS: dict[str, tuple[Change, str, str]] = {
    "made of nothing": (with_dump(6, kept("m1", 1, 2)), "game g2", "m1 made of entries that were stored"),
    "made of an entry that was never there": (
        with_dump(6, kept("m1", 1, 2, made_of=("e00001", "e00002", "book"))),
        "game g2",
        "m1 made of entries that were stored",
    ),
    "made of a later entry": (
        with_dump(6, kept("m1", 1, 2, made_of=("e00001", "e00002", "e00003"))),
        "game g2",
        "m1 made of entries that were stored",
    ),
    "of a contest that its sources are not from": (
        with_dump(6, kept("m1", 1, 2, 3, made_of=("e00001", "e00002"))),
        "game g2",
        "m1 of contests of its sources",
    ),
    "an entry is gone of which nothing was made": (
        with_dump(6, kept("m1", 1, made_of=("e00001",))),
        "game g2",
        "e00002, or an entry made of it",
    ),
    "an entry is altered": (with_dump(3, kept("e00001", 1, content="castled late")), "game g1", "e00001 made of"),
    "an injected entry": (with_dump(6, SUMMED, kept("book", 1)), "game g2", "1 live entries, as were counted"),
    "rewritten between two contests": (with_dump(11, kept("m3", 1, made_of=("m2",))), "game g3", "m2 (observation)"),
    "a search gives what was made of other entries": (with_hit("e00001", NOTE), "game g3", "stored before"),
    "a search gives another text of what was made": (with_hit("m1", "castled late"), "game g3", "m1 as it was stored"),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_of_a_server_that_rewrites_is_found_at_its_place(defect: str) -> None:
    change, place, expected = DEFECTS[defect]
    findings = audit(change(list(HONEST)), rewrites="end_game").findings
    assert any(place in finding.place and expected in finding.expected for finding in findings), findings


def test_a_refusal_is_allowed_as_it_is_declared_and_is_counted() -> None:
    once = [stored(1), stored(2, "there already"), dump(2, kept("e00001", 1))]
    for dedup in ("exact", "semantic"):
        done = audit(once, dedup=dedup)
        assert (done.findings, done.counts.stored, done.counts.refused) == ([], 1, 1)
    assert audit(once).findings[0].found == "refused: there already"
    first = [stored(1, "too like another")]
    assert all(audit(first, dedup=dedup).findings for dedup in ("exact", "semantic")), "there was no other"


def test_equal_entries_alone_may_be_refused_where_that_is_declared() -> None:
    question, answer = stored(2, "like another")
    other = msgspec.structs.replace(question, content="castled late: 1 of 1")
    exchanges: list[Exchange] = [stored(1), (other, answer)]
    assert audit(exchanges, dedup="semantic").findings == []
    assert audit(exchanges, dedup="exact").findings


@pytest.mark.parametrize(
    ("traits", "known"),
    [
        ({}, {Trait.FULL_TEXT, Trait.UNIFORM}),
        ({"query": "semantic", "clock": "wall"}, {Trait.SEMANTIC}),
        ({"query": "graph", "clock": "games"}, {Trait.GRAPH, Trait.TEMPORAL}),
        ({"query": "substring"}, {Trait.UNIFORM}),
    ],
)
def test_the_traits_that_a_plan_may_declare_are_those_of_the_adapter(traits: dict[str, str], known: set[Trait]) -> None:
    assert system(**traits).traits_known == known


def test_no_text_but_an_adapter_names_a_server() -> None:
    for text in ("", "{", "{}", "[]", adapter().replace("full_text", "magic"), " " + adapter(), "\ud800"):
        assert server_of("notes.yaml", text) is None
        assert not text or isinstance(declared_in(text), NoAdapter)
        assert [problem.path for problem in MemorySystem(server="notes.yaml", adapter=text).problems(Arm.REAL)] == [
            "adapter" if text else "server"
        ]
    assert list(system().problems(Arm.PLACEBO)) == []
    (problem,) = system(rewrites="end_game").problems(Arm.PLACEBO)
    assert problem.path == "server"


DEFECTIVE = {
    "no launch": (without("launch"), "Object missing required field `launch`"),
    "no export": (without("export"), "Object missing required field `export`"),
    "no about": (without("about"), "Object missing required field `about`"),
    "no tool that stores": (without("store", "tool"), "Object missing required field `tool` - at `$.store`"),
    "no arguments of searches": (without("search", "args"), "Object missing required field `args` - at `$.search`"),
    "a tool that is a number": (
        changed(("store", "tool"), lambda part, key: part.update({key: 7})),
        "Expected `str`, got `int` - at `$.store.tool`",
    ),
    "tools on offer that are one text": (
        changed(("native",), lambda part, key: part.update({key: "recall"})),
        "Expected `array`, got `str` - at `$.native`",
    ),
    "a value that is none of those": (
        changed(("export", "answer"), lambda part, key: part.update({key: "magic"})),
        "Invalid enum value 'magic' - at `$.export.answer`",
    ),
    "a key that is unknown": (
        changed(("launch", "shell"), lambda part, key: part.update({key: "sh"})),
        "Object contains unknown field `shell` - at `$.launch`",
    ),
    "a default that is not written out": (without("verified"), "not in canonical form from byte "),
}


@pytest.mark.parametrize("defect", DEFECTIVE)
def test_a_sealed_adapter_that_is_not_whole_is_a_problem_at_its_place(defect: str) -> None:
    assert problems_of(adapter()) == []
    text, reason = DEFECTIVE[defect]
    (problem,) = problems_of(text)
    assert problem.startswith(f"adapter: expected an adapter as canonical JSON, found another text ({reason}")


def test_a_sealed_adapter_of_several_systems_is_refused() -> None:
    several = changed(("systems",), lambda part, key: part.update({key: {"a": {"about": "", "query": "none"}}}))
    whole = canon.dumps(msgspec.json.decode(several, type=Adapter)).decode()
    assert problems_of(whole) == ["adapter: expected the adapter of one system, without the key systems"]


def test_a_name_without_a_file_stands_for_the_adapter_that_comes_with_the_program() -> None:
    (problem,) = problems_of(adapter(), "server-memory")
    known = SHIPPED_SHA256["server-memory"][0][:12]
    start = f"adapter: expected the adapter that comes with the program as server-memory (sha256 {known}), found anoth"
    assert problem.startswith(start)
    (problem,) = problems_of(adapter(), "my-memory")
    assert problem.startswith("adapter: expected FILE.yaml or one of basic-memory, ")


@pytest.mark.parametrize(
    ("rewrites", "settings", "parts"),
    [
        ("never", {}, []),
        ("end_game", {}, ["the text of each entry that the server made of others"]),
        (
            "never",
            {"use": Use.NATIVE, "calls_max": 2},
            [
                "what a tool says with an error",
                "what its tools say beside the entries, their descriptions, and which of them store or search",
            ],
        ),
    ],
)
def test_what_rests_on_the_submitters_word_is_named(rewrites: str, settings: dict[str, Any], parts: list[str]) -> None:
    own = MemorySystem(server="notes.yaml", adapter=adapter(rewrites=rewrites), **settings)
    given = "that its server, from outside, gave the recorded answers, and what its adapter declares of it"
    assert own.attested.split("; ") == [given, *parts]


def test_of_a_built_in_server_the_words_of_an_error_are_attested_where_a_model_reads_them() -> None:
    native = {"use": Use.NATIVE, "calls_max": 2}
    ranked = "which of the stored entries its server gave"
    assert MemorySystem(server="full_text").attested == ranked
    assert MemorySystem(server="history").attested == ""
    assert MemorySystem(server="full_text", **native).attested == f"{ranked}; what a tool says with an error"
    assert MemorySystem(server="history", **native).attested == "what a tool says with an error"
