"""The port in front of a server whose own tools a model calls: what is offered, filled in, and answered."""

import json
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from agzamov_harness.memory.adapter_file import DeclaredSystem, Variant, adapter_from_yaml, system_of
from agzamov_harness.memory.launch import Setup
from agzamov_harness.memory.memory_server import MemoryServer
from agzamov_harness.ports import PortFault
from agzamov_verify.core.questions import MEMORY, Called, CallTool, Exported, Hit, Kept, Settled
from agzamov_verify.memory.native_tools import Effect
from agzamov_verify.memory.tool_effects import BUILT_IN_TOOLS
from agzamov_verify.plan.manifest import ManifestError
from memory.memory_world import LIMITS, NOTES, answers, end_game, export, fake_yaml, opened, store

HONEST = fake_yaml("none")
NATIVE = next(line for line in HONEST.splitlines() if line.startswith("native:"))


def setup_from(yaml: str) -> Setup:
    adapter = adapter_from_yaml(yaml.encode())
    return Setup(DeclaredSystem("fake", adapter, Variant("", adapter.traits.query)), limits=LIMITS, is_native=True)


def call(tool: str, number: int, arguments: dict[str, object], content: str = "") -> CallTool:
    return CallTool(
        attempt=0,
        called_with=json.dumps(arguments),
        content=content,
        entry=f"e{number:05}" if content else "",
        game=f"g{number:05}",
        hits_max=2,
        number=number,
        tool=tool,
        turn=1,
        to=MEMORY,
    )


def stored(number: int, content: str) -> CallTool:
    return call("store", number, {"content": content}, content)


def searched(number: int) -> CallTool:
    return call("search", number, {"query": "castled"})


def test_a_model_stores_and_searches_and_the_rest_is_filled_in(tmp_path: Path) -> None:
    with opened(setup_from(HONEST), tmp_path) as port:
        assert port.answer(stored(1, NOTES[0])) == Called(text='{"stored": true, "reason": ""}')
        assert port.answer(end_game(1)) == Settled(1)
        assert port.answer(stored(2, NOTES[3])).text
        found = port.answer(searched(2))
        assert isinstance(found, Called)
        assert found.hits == (Hit(NOTES[0], "e00001"), Hit(NOTES[3], "e00002"))
        assert json.loads(found.text) == {"hits": [{"entry": hit.entry, "content": hit.content} for hit in found.hits]}
        assert port.answer(end_game(2)) == Settled(2)
        entries = [Kept(NOTES[0], (), "e00001", (1,), "note"), Kept(NOTES[3], (), "e00002", (2,), "note")]
        assert port.answer(export()) == Exported(tuple(entries), more=False)


@pytest.mark.slow
def test_what_a_built_in_server_offers_is_its_own_less_what_is_filled_in(tmp_path: Path) -> None:
    setup = Setup(system_of("full_text"), limits=LIMITS, is_native=True)
    with closing(MemoryServer(setup, tmp_path / "memory.log")) as server:
        search, keep = server.pin.native
        assert server.pin.native == BUILT_IN_TOOLS
    with closing(MemoryServer(msgspec.structs.replace(setup, is_native=False), tmp_path / "memory.log")) as server:
        assert server.pin.native == ()
    assert (search.effect, search.text_argument, search.description) == (
        Effect.SEARCHES,
        "query",
        "Find entries for a query, the best first.",
    )
    assert (keep.name, keep.effect, keep.text_argument) == ("store", Effect.STORES, "content")
    schema = json.loads(keep.parameters)
    assert (list(schema["properties"]), schema["required"]) == (["content"], ["content"])


@pytest.mark.parametrize(
    ("tool", "line"),
    [
        ("export", "native[0]: expected a tool for single entries, found export, which no model is offered"),
        ("end_game", "native[0]: expected a tool for single entries, found end_game, which no model is offered"),
        ("describe", "native[0]: expected a tool for single entries, found describe, which no model is offered"),
        ("search, search", "native[1]: expected each tool once, found search twice"),
    ],
)
def test_a_tool_that_no_model_may_have_is_refused_with_its_place(tool: str, line: str) -> None:
    with pytest.raises(ManifestError) as error:
        adapter_from_yaml(HONEST.replace(NATIVE, f"native: [{tool}]").encode())
    assert str(error.value) == line


def test_of_a_store_whose_text_stands_within_another_argument_nobody_knows_what_it_stores(tmp_path: Path) -> None:
    yaml = HONEST.replace('content: "${content}", game', 'content: "Note: ${content}", game')
    assert yaml != HONEST
    with closing(MemoryServer(setup_from(yaml), tmp_path / "memory.log")) as server:
        search, keep = server.pin.native
    assert (search.effect, keep.effect, keep.text_argument) == (Effect.SEARCHES, Effect.UNKNOWN, "")
    assert set(json.loads(keep.parameters)["properties"]) == {"entry", "content", "game", "kind"}


@pytest.mark.parametrize("again", ["now: '${query}'", "now: [about, '${query}']", "now: 'about ${query}'"])
def test_the_query_stands_in_one_argument_of_a_search_that_a_model_is_offered(again: str) -> None:
    yaml = HONEST.replace('now: "${number}"', again)
    assert yaml != HONEST
    with pytest.raises(ManifestError) as error:
        adapter_from_yaml(yaml.encode())
    assert str(error.value) == (
        "search.args.now: expected ${query} in query alone, found it here too; native offers search, whose query the "
        "model writes once"
    )
    adapter_from_yaml(yaml.replace(NATIVE, "").encode())


def test_a_text_that_is_stored_may_stand_in_two_arguments(tmp_path: Path) -> None:
    with opened(setup_from(HONEST.replace('kind: "${kind}"', 'kind: "${content}"')), tmp_path) as port:
        assert port.answer(stored(1, NOTES[0])) == Called(text='{"stored": true, "reason": ""}')
        assert port._server
        (row,) = port._server.export()
    assert (row.content, row.kind) == (NOTES[0], NOTES[0])


@pytest.mark.parametrize(
    ("native", "line"),
    [
        ("native: [forget]", "expected the tool forget, which its adapter offers, found the tools describe, end_game"),
        (
            "",
            r"expected 1 to 50 tools under native in its adapter, found none; write in .*: native: \[search, store\];",
        ),
    ],
)
def test_a_server_that_has_no_such_tool_does_not_start(tmp_path: Path, native: str, line: str) -> None:
    with opened(setup_from(HONEST.replace(NATIVE, native)), tmp_path) as port, pytest.raises(PortFault, match=line):
        port.answer(end_game(1))


UNKNOWN = (
    HONEST.replace("describe: {tool: describe, rewrites: rewrites, name: name, version: version}\n", "")
    .replace("rewrites: described", "rewrites: never")
    .replace(NATIVE, "native: [describe, search, store]")
)


def test_after_a_tool_of_which_nobody_knows_what_it_stores_exports_are_taken_as_they_are(tmp_path: Path) -> None:
    with opened(setup_from(UNKNOWN.replace(", none]", ", forgets]")), tmp_path) as port:
        for number in (1, 2):
            port.answer(store(number, NOTES[0]))
            answer = port.answer(call("describe", number, {}))
            assert isinstance(answer, Called)
            assert json.loads(answer.text)["name"] == "fake"
            port.answer(end_game(number))
        dump = port.answer(export())
    assert isinstance(dump, Exported)
    assert [kept.entry for kept in dump.entries] == ["e00002"]


def test_an_error_of_a_tool_is_an_answer_and_nothing_is_stored(tmp_path: Path) -> None:
    with opened(setup_from(fake_yaml("error")), tmp_path) as port:
        assert port.answer(searched(1)) == Called(failed=True, text="no such index")
        assert port.answer(end_game(1)) == Settled(0)


@pytest.mark.parametrize(
    ("defect", "fault"),
    [
        ("hides", "expected entries that were stored, found book from a search: '1. e4 is best'"),
        ("dedup", "expected e00002 to be stored, found a refusal: 'duplicate of e00001'"),
        ("loses", "expected every stored entry in its export within .* s, found 1 missing: e00003"),
    ],
)
def test_a_server_that_breaks_a_rule_stops_the_stream(tmp_path: Path, defect: str, fault: str) -> None:
    asked = [
        question for number in (1, 2, 3) for question in (searched(number), stored(number, NOTES[0]), end_game(number))
    ]
    with opened(setup_from(fake_yaml(defect)), tmp_path) as port, pytest.raises(PortFault, match=fault):
        answers(port, asked)


def test_a_fresh_server_that_is_told_the_same_calls_must_answer_the_same(tmp_path: Path) -> None:
    asked = [stored(1, NOTES[0]), searched(1), end_game(1)]
    with opened(setup_from(HONEST), tmp_path) as port:
        recorded = [port.answer(question) for question in asked]
    with opened(setup_from(HONEST), tmp_path) as port:
        for question, answer in zip(asked, recorded, strict=True):
            port.restore(question, answer)
    altered = [recorded[0], Called(hits=recorded[1].hits, text="other words"), recorded[2]]
    with opened(setup_from(HONEST), tmp_path) as port:
        port.restore(asked[0], altered[0])
        with pytest.raises(PortFault, match="expected the recorded answer to memory_a's question 0 in turn 1"):
            port.restore(asked[1], altered[1])
    loosely = HONEST.replace("rewrites: described", "rewrites: described\n  deterministic: store")
    with opened(setup_from(loosely), tmp_path) as port:
        for question, answer in zip(asked, altered, strict=True):
            port.restore(question, answer)
