"""The adapters of real systems, against servers that answer as the real ones were seen to answer."""

import json
import os
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from agzamov_harness.memory.adapter_file import DeclaredSystem, read_systems, sealed_text, system_of, systems
from agzamov_harness.memory.conformance import check_system
from agzamov_harness.memory.launch import Setup
from agzamov_harness.memory.memory_server import MemoryServer
from agzamov_verify.core.questions import MEMORY, Called, CallTool, Exported, Hits
from agzamov_verify.memory.declared_server import Export
from agzamov_verify.memory.native_tools import Effect, NativeTool
from agzamov_verify.systems.memory_system import MemorySystem, Use
from memory.memory_world import LIMITS, NOTES, answers, career, end_game, export, opened

RECORDED = Path(__file__).parent / "recorded_servers.py"
REAL = sorted(name for name, system in systems().items() if not system.adapter.systems)
INSTALLED = os.environ.get("AGZAMOV_MEMORY_SERVERS", "")


def recorded(name: str) -> Setup:
    """The adapter of a real system, which starts the recorded one instead."""
    system = system_of(name)
    launch = msgspec.structs.replace(
        system.adapter.launch, command="${PYTHON}", args=(str(RECORDED), name, "${DATA}"), links={}
    )
    adapter = msgspec.structs.replace(system.adapter, launch=launch, mcp_mode="legacy")
    return Setup(DeclaredSystem(name, adapter, system.variant), limits=LIMITS)


def test_every_real_system_has_its_recorded_server() -> None:
    assert REAL == ["basic-memory", "brainops", "chroma-mcp", "mcp-memory-service", "mem0", "server-memory"]


@pytest.mark.parametrize("name", REAL)
def test_what_was_stored_is_found_and_exported_under_our_names(tmp_path: Path, name: str) -> None:
    with opened(recorded(name), tmp_path) as port:
        answered = answers(port, career())
    search, dump = answered[-2:]
    assert isinstance(dump, Exported)
    assert [(one.entry, one.content, one.games, one.kind) for one in dump.entries] == [
        (f"e{number:05}", content, (number,), "observation") for number, content in enumerate(NOTES, 1)
    ]
    assert isinstance(search, Hits)
    assert search.hits[0].entry == "e00002"
    assert bool(search.text) == (name == "mcp-memory-service")


IN_FILES = Export(
    files="notes/**/*.md",
    items_text=r"(?ms)^title: (?P<entry>\S+).*?^game: (?P<games>\S+)\nkind: (?P<kind>\S+)\n.*?---\n\n(?P<content>.*)\Z",
)


def test_an_export_may_be_the_files_of_a_server(tmp_path: Path) -> None:
    setup = recorded("basic-memory")
    adapter = msgspec.structs.replace(setup.system.adapter, export=IN_FILES)
    system = msgspec.structs.replace(setup.system, adapter=adapter)
    with opened(msgspec.structs.replace(setup, system=system), tmp_path) as port:
        dump = answers(port, career())[-1]
    assert isinstance(dump, Exported)
    assert [(one.entry, one.content, one.games, one.kind) for one in dump.entries] == [
        (f"e{number:05}", content, (number,), "observation") for number, content in enumerate(NOTES, 1)
    ]


AUDITED = ("basic-memory", "brainops", "mcp-memory-service", "mem0")
"""Those whose adapter says of their own tools what a call stores."""


@pytest.mark.parametrize("name", AUDITED)
def test_a_model_that_calls_its_own_tools_stores_and_finds_under_our_names(tmp_path: Path, name: str) -> None:
    setup = msgspec.structs.replace(recorded(name), is_native=True)
    with closing(MemoryServer(setup, tmp_path / "memory.log")) as server:
        search, keep = server.pin.native
    assert (search.effect, keep.effect) == (Effect.SEARCHES, Effect.STORES)
    with opened(setup, tmp_path) as port:
        port.answer(call(keep, 1, NOTES[0]))
        port.answer(end_game(1))
        found, dump = port.answer(call(search, 2, "castled three-bet")), port.answer(export())
    assert isinstance(found, Called)
    assert [hit.entry for hit in found.hits] == ["e00001"]
    assert isinstance(dump, Exported)
    assert [(kept.entry, kept.content, kept.games) for kept in dump.entries] == [("e00001", NOTES[0], (1,))]


def call(tool: NativeTool, number: int, text: str) -> CallTool:
    stores = tool.effect is Effect.STORES
    return CallTool(
        attempt=0,
        called_with=json.dumps({tool.text_argument: text}),
        content=text if stores else "",
        entry=f"e{number:05}" if stores else "",
        game=f"g{number:05}",
        hits_max=5,
        number=number,
        tool=tool.name,
        turn=1,
        to=MEMORY,
    )


def test_the_graph_and_the_vectors_with_lists_are_offered_as_far_as_they_can_be(tmp_path: Path) -> None:
    setup = msgspec.structs.replace(recorded("server-memory"), is_native=True)
    with closing(MemoryServer(setup, tmp_path / "memory.log")) as server:
        effects = {tool.name: tool.effect for tool in server.pin.native}
    unknown = dict.fromkeys(("create_entities", "add_observations", "open_nodes"), Effect.UNKNOWN)
    assert effects == {**unknown, "search_nodes": Effect.SEARCHES}
    assert system_of("chroma-mcp").adapter.native == ()


@pytest.mark.parametrize("name", REAL)
def test_the_checks_pass_with_the_recorded_server(tmp_path: Path, name: str) -> None:
    wrong = [finding.line for finding in check_system(recorded(name), tmp_path / "log") if finding.outcome != "ok"]
    assert wrong == []


@pytest.mark.skipif(not INSTALLED, reason="AGZAMOV_MEMORY_SERVERS names no folder with installed servers")
@pytest.mark.parametrize("name", REAL)
def test_the_checks_pass_with_the_real_server(tmp_path: Path, name: str) -> None:
    folder = Path(INSTALLED) / name
    if not folder.exists():
        pytest.skip(f"{name} is not installed")
    setup = Setup(system_of(name), installed=folder)
    wrong = [finding.line for finding in check_system(setup, tmp_path / "log") if finding.outcome != "ok"]
    assert wrong == []


def test_an_adapter_says_how_its_system_is_had() -> None:
    for name in REAL:
        (system,) = read_systems(Path(system_file(name)))
        assert system.adapter.install, name


def system_file(name: str) -> Path:
    return Path(__file__).parents[2] / f"harness/agzamov_harness/memory/adapters/{name}.yaml"


@pytest.mark.parametrize(("name", "is_told"), [("server-memory", False), ("mem0", True)])
def test_entries_of_a_native_result_are_counted_where_the_server_is_told_a_number(name: str, is_told: bool) -> None:
    adapter = sealed_text(system_of(name).adapter)
    native = MemorySystem(server=name, adapter=adapter, use=Use.NATIVE, calls_max=2, hits_max=7).words([])
    assert ("at most 7 entries and 4,000 bytes a result" in native) is is_told
    assert ("at most 4,000 bytes a result" in native) is not is_told
    by_harness = MemorySystem(server=name, adapter=adapter, hits_max=7).words([])
    assert "at most 7 entries and 4,000 bytes in each prompt" in by_harness, "there the harness cuts"
