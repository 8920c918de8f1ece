"""`agzamov memory adapt`: a server is started and used, and its adapter's first version is written and checked."""

import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.commands.memory_adapt_command import _setup_of, launch_of
from agzamov_harness.memory.adapt.answer_shapes import json_shape
from agzamov_harness.memory.adapt.findings import found_out, is_taken, stored_keys
from agzamov_harness.memory.adapt.probe import NOTES
from agzamov_harness.memory.adapt.prose_shapes import prose_shape
from agzamov_harness.memory.adapt.tool_choice import FRAME, giving_all, mended, searching, storing
from agzamov_harness.memory.adapter_file import read_systems
from agzamov_harness.servers.mcp_client import ListedTool, ToolResult
from agzamov_verify.memory.declared_server import Adapter

SERVER = Path(__file__).parent / "unknown_server.py"


def adapt(folder: Path, kind: str, *options: str) -> tuple[int, str]:
    """Exit code and what is printed, errors too."""
    out = folder / "mine.yaml"
    typed = ["memory", "adapt", "--out", out, *options, "${PYTHON}", SERVER, kind]
    ran = CliRunner().invoke(main, [str(word) for word in typed])
    assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exception
    return ran.exit_code, ran.output


def adapted(folder: Path, kind: str) -> tuple[Adapter, str]:
    """The adapter that was written, and what was printed; every check went well."""
    code, printed = adapt(folder, kind, "--start-programs")
    assert code == 0, printed
    (system,) = read_systems(folder / "mine.yaml")
    return system.adapter, printed


@pytest.mark.slow
def test_structured_results_and_an_export_are_measured_whole(tmp_path: Path) -> None:
    adapter, printed = adapted(tmp_path, "structured")
    assert (adapter.store.stored, adapter.store.id) == ("success", "id")
    assert (adapter.search.items, adapter.search.content, adapter.search.id) == ("hits[]", "text", "id")
    assert adapter.search.args == {"query": "${query}", "limit": "${limit}"}
    assert (adapter.export.tool, adapter.export.items) == ("list_notes", "all[]")
    assert printed.splitlines()[-1] == "measured"
    assert "query: full_text  # choose: none, substring, full_text, semantic, hybrid, graph" in printed


@pytest.mark.exhaustive
def test_json_as_text_numbers_as_names_and_prose_for_nothing(tmp_path: Path) -> None:
    adapter, printed = adapted(tmp_path, "json")
    assert (adapter.search.answer, adapter.search.items, adapter.search.content) == (
        "json_text",
        "results[]",
        "note.text",
    )
    assert adapter.search.id == adapter.store.id == "to_string(id)"
    assert re.search(adapter.search.empty_text, "Nothing was found.")
    assert adapter.export.absent
    assert printed.splitlines()[-1].startswith("measured with lineage C bounded")


@pytest.mark.slow
def test_beginnings_in_prose_are_fetched_whole(tmp_path: Path) -> None:
    adapter, printed = adapted(tmp_path, "prose")
    assert (adapter.search.answer, adapter.search.gives, adapter.search.ellipsis) == ("text", "previews", "...")
    assert adapter.store.stored_text == "^Note saved\\. ID"
    assert (adapter.fetch.tool, adapter.fetch.args, adapter.fetch.content) == (
        "get_note",
        {"note_id": "${id}"},
        "note.body",
    )
    assert printed.splitlines()[-1].startswith("measured with lineage C bounded")


@pytest.mark.exhaustive
def test_several_parts_of_one_entry_are_fetched_once(tmp_path: Path) -> None:
    adapter, printed = adapted(tmp_path, "parts")
    assert (adapter.search.gives, adapter.fetch.tool) == ("previews", "get_note")
    assert printed.splitlines()[-1].startswith("measured with lineage C bounded")


@pytest.mark.exhaustive
def test_a_tool_that_refuses_short_texts_is_given_longer_ones(tmp_path: Path) -> None:
    adapter, _ = adapted(tmp_path, "framed")
    assert adapter.store.args == {"content": FRAME}
    assert re.search(adapter.search.content_text, FRAME.replace("${content}", NOTES[0]))


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("no-search", "it has no tool that searches for a text; its tools are save_note"),
        ("no-store", "it has no tool that stores a text; its tools are search_notes"),
        ("no-such-kind", r"found the server ended; its last line on stderr is .KeyError"),
    ],
)
def test_a_server_that_is_no_memory_is_told_in_one_line(tmp_path: Path, kind: str, expected: str) -> None:
    code, printed = adapt(tmp_path, kind, "--start-programs")
    assert code == 2
    errors = [line for line in printed.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert re.search(f"mine cannot be adapted: .*{expected}", errors[0])
    assert not (tmp_path / "mine.yaml").exists()


@pytest.mark.exhaustive
def test_a_server_that_finds_nothing_is_told_with_its_answer(tmp_path: Path) -> None:
    code, printed = adapt(tmp_path, "silent", "--start-programs")
    assert code == 2
    assert "no tool was found to store what another finds; save_note: search_notes answers" in printed


def test_nothing_starts_without_consent_and_no_file_is_replaced(tmp_path: Path) -> None:
    code, printed = adapt(tmp_path, "structured")
    assert (code, "starts a program that does not come with Agzamov" in printed) == (2, True)
    (tmp_path / "mine.yaml").write_text("about: mine\n")
    code, printed = adapt(tmp_path, "structured", "--start-programs")
    assert (code, "expected a new file, found one that exists" in printed) == (2, True)


def tool(name: str, *needed: str, **properties: str) -> ListedTool:
    schema = {"properties": {name: {"type": kind} for name, kind in properties.items()}, "required": list(needed)}
    return ListedTool(schema, "", name, None)


def test_tools_are_ranked_by_their_names_and_arguments() -> None:
    tools = [
        tool("delete_memory", "id", id="string"),
        tool("add_reminder", "message", message="string"),
        tool("add_memory", "content", "title", content="string", title="string"),
        tool("search_memories", "query", query="string", top_k="integer", project="string"),
        tool("search_sessions", "query", query="string"),
    ]
    assert [(one.tool, one.args) for one in storing(tools)] == [
        ("add_memory", {"content": "${content}", "title": "Note ${entry} of game ${game}"})
    ]
    best = searching(tools)[0]
    assert (best.tool, best.args) == ("search_memories", {"query": "${query}", "top_k": "${limit}"})


def test_a_scope_is_one_for_all_notes_and_a_search_knows_no_entry() -> None:
    """A required user_id became a new user for each note; in a search `${entry}` ended in a traceback."""
    tools = [
        tool("add_memory", "content", "user_id", content="string", user_id="string"),
        tool("search_memories", "query", "topic", query="string", topic="string", user_id="string"),
        tool("list_memories", user_id="string"),
    ]
    assert storing(tools)[0].args == {"content": "${content}", "user_id": "notes"}
    assert searching(tools)[0].args == {"query": "${query}", "topic": "notes", "user_id": "notes"}
    assert giving_all(tools)[0].args == {"user_id": "notes"}
    assert set(searching(tools)[0].choices) == {"topic", "user_id"}
    named = [tool("add_memory", "content", "key", content="string", key="string")]
    assert storing(named)[0].args == {"content": "${content}", "key": "${entry}"}


def test_a_note_that_is_refused_without_an_error_was_not_taken(tmp_path: Path) -> None:
    """All notes got one name: the second and third were refused, and the file said that three were taken."""
    launch = launch_of((sys.executable, str(SERVER), "named"), (), "", tmp_path)
    setup = _setup_of(launch, tmp_path / "mine.yaml", tmp_path, start_programs=True)
    found = found_out(setup, tmp_path / "log")
    assert found.store.candidate.args == {"content": "${content}", "handle": "${entry}"}
    assert found.store.candidate.choices == {}
    taken, refused = (ToolResult({"stored": one, "reason": ""}, "", failed=False) for one in (True, False))
    keys = stored_keys([taken, taken])
    assert (is_taken(taken, keys), is_taken(refused, keys)) == (True, False)


@pytest.mark.slow
def test_the_memory_of_the_page_is_adapted(tmp_path: Path) -> None:
    """That of docs/measure-a-memory.md. Its notes have names of their own, and its export comes by pages."""
    typed = "-m agzamov_memory full_text --data ${DATA}"
    assert typed.replace("${DATA}", "'${DATA}'") in (SERVER.parents[2] / "docs" / "measure-a-memory.md").read_text()
    launch = launch_of((sys.executable, *typed.split()), (), "", tmp_path)
    found = found_out(_setup_of(launch, tmp_path / "mine.yaml", tmp_path, start_programs=True), tmp_path / "log")
    assert (found.store.candidate.tool, found.store.keys["stored"]) == ("store", "stored")
    assert found.store.candidate.args == {"entry": "${entry}", "content": "${content}"}
    assert found.export
    assert found.export.candidate.args == {"after": "${offset}", "limit": 200}
    assert found.export.keys["more"] == "length(entries[]) > `0`"


def test_an_entry_s_name_is_its_own_and_a_scope_stays_one() -> None:
    tools = [tool("store", "entry", "content", entry="string", content="string")]
    assert storing(tools)[0].args == {"content": "${content}", "entry": "${entry}"}
    tools = [tool("add_note", "text", "user_id", "handle", text="string", user_id="string", handle="string")]
    (store,) = storing(tools)
    assert store.args == {"text": "${content}", "user_id": "notes", "handle": "notes"}
    other = mended(store, tools, "a note with that handle exists already")
    assert other
    assert other.args == {"text": "${content}", "user_id": "notes", "handle": "${entry}"}
    assert mended(store, tools, "the disk is full") is None


def test_an_export_by_pages_is_read_to_its_end() -> None:
    """`after`: the entries to leave out, as our own servers have it; a text is the mark of a page."""
    tools = [tool("export", after="integer", limit="integer"), tool("list_notes", after="string")]
    assert [one.args for one in giving_all(tools)] == [{}, {"after": "${offset}", "limit": 1_000}]


def test_files_beside_the_adapter_are_named_from_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As docs/add-a-memory.md types it; the server starts in a folder of its own, where no such file is."""
    (tmp_path / "here").mkdir()
    for path in ("here/server.py", "other.py"):
        (tmp_path / path).write_text("")
    monkeypatch.chdir(tmp_path)
    launch = launch_of(("python3", "here/server.py", "--folder", "${DATA}"), (), "", tmp_path / "no", Path("here"))
    assert (launch.command, launch.args) == ("python3", ("${HERE}/server.py", "--folder", "${DATA}"))
    launch = launch_of(("./other.py", "here"), (), "", tmp_path / "no", Path("here"))
    assert (launch.command, launch.args) == (str(tmp_path / "other.py"), ("here",))


def test_whole_notes_in_prose_are_read_whatever_stands_between_them() -> None:
    text = f"2 notes\n- 2026-11-26 (7): {NOTES[0]}\n- 2026-11-27 (12): {NOTES[1]}\n"
    shape = prose_shape(text, NOTES)
    assert shape
    assert [match["content"] for match in re.finditer(shape.keys["items_text"], text)] == list(NOTES[:2])
    assert prose_shape("2 notes, neither of which is told", NOTES) is None


def test_a_text_with_several_notes_is_no_entry_of_json() -> None:
    result = ToolResult({"result": f"{NOTES[0]} and {NOTES[1]}"}, "", failed=False)
    assert json_shape(result, NOTES) is None


def test_the_adapters_of_the_page_are_adapters() -> None:
    """docs/memory-servers.md names each, and each spells how its server is installed."""
    folder = Path(__file__).parents[2] / "docs" / "memory-servers"
    files = sorted(folder.glob("*.yaml"))
    assert len(files) == 9
    for file in files:
        (system,) = read_systems(file)
        assert system.adapter.install
