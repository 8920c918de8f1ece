"""The port in front of a memory server: an honest one's answers, and each defect stops the stream with one line."""

import os
import signal
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from agzamov_harness.memory.adapter_file import system_of
from agzamov_harness.memory.launch import Setup, SystemSettings
from agzamov_harness.memory.memory_port import FULL_EXPORT_GAMES, MemoryPort
from agzamov_harness.memory.memory_server import MemoryServer
from agzamov_harness.memory.result_reader import ServerEntry
from agzamov_harness.memory.server_tools import changes_since_sealed
from agzamov_harness.ports import PortFault
from agzamov_harness.servers.server_process import ENVIRONMENT, LOG_BYTES_MAX, StderrLog
from agzamov_verify.core.questions import Exported, Hit, Hits, Kept, Settled, Stored
from agzamov_verify.memory.native_tools import Effect, NativeTool
from agzamov_verify.plan.manifest import MemoryPin
from memory.memory_world import (
    IMPATIENT,
    LIMITS,
    NOTES,
    answers,
    career,
    end_game,
    export,
    fake,
    opened,
    search,
    store,
)

FAULTS = {
    "hides": "expected entries that were stored, found book from a search: '1. e4 is best'",
    "preloaded": "expected an empty memory at its start, found 1 entries, such as '1. e4 is best'",
    "loses": "expected every stored entry in its export within .* s, found 1 missing: e00003",
    "forgets": "expected every stored entry in its export within .* s, found 1 missing: e00001",
    "dedup": "expected e00003 to be stored, found a refusal: 'duplicate of e00001'",
    "never_visible": "expected every stored entry in its export within .* s, found 1 missing: e00001",
    "alters": r"expected e00002 in its export as it was stored, found a text that is equal for 31 characters, then"
    r" expected '\\n3 of 4' \(of 38\), found ' 3 of 4' \(of 38\); ",
    "mutates": "expected e00001 .* as it was stored.* found .*asked: opponent",
    "twice": "expected e00001 once from a search, found it twice",
    "too_many": "expected at most 2 entries from a search, found 3",
    "prose": "expected structured content from its tool search, found the text",
    "shape": "expected a list for 'hits' from its tool search, found None",
    "miscounts": "expected 2 entries in its export, as its end of game tells, found 1",
    "pages": "a list of tools without an end, after 20 pages",
    "tools": "expected the tool list of its start, found another one: tool forget is new;",
    "error": "expected an answer of its tool search, found an error: 'no such index'",
    "dies": "found the server ended; its last line on stderr is 'out of memory'",
    "hangs": "expected an answer of its tool .*, found no answer within 5 s",
    "noise": "found output on stdout that is not MCP: 'INFO store opened'",
    "babbles": "found output on stdout that is not MCP: 'a line of more than 67108864 bytes'",
    "stillborn": "expected .*, found the server ended; its last line on stderr is 'no such database'",
    "repeats": "expected e00001 once in its export, found it twice",
    "endless": "expected an end of its export within 1000000 entries, found more after 1",
}


def test_the_answers_of_an_honest_server(tmp_path: Path) -> None:
    with opened(fake("none"), tmp_path) as port:
        assert port.answer(store(1, NOTES[0])) == Stored()
        assert port.answer(end_game(1)) == Settled(1)
        assert port.answer(store(2, NOTES[1])) == Stored()
        assert port.answer(search("castled", 2)) == Hits((Hit(NOTES[1], "e00002"), Hit(NOTES[0], "e00001")))
        assert port.answer(end_game(2)) == Settled(2)
        entries = [Kept(NOTES[0], (), "e00001", (1,), "observation"), Kept(NOTES[1], (), "e00002", (2,), "observation")]
        assert port.answer(export()) == Exported(tuple(entries), more=False)
        assert port.answer(export(1)) == Exported(tuple(entries[1:]), more=False)


@pytest.mark.parametrize("defect", FAULTS)
def test_a_defect_stops_the_stream_with_one_line_that_names_the_system(tmp_path: Path, defect: str) -> None:
    setup = fake(defect, IMPATIENT if defect == "hangs" else LIMITS)
    with opened(setup, tmp_path) as port, pytest.raises(PortFault, match=FAULTS[defect]) as fault:
        answers(port, career())
    (line,) = str(fault.value).splitlines()
    assert line.startswith(f"memory fake-{defect}: expected ")
    assert line.endswith(f"; its log is {tmp_path / 'memory.log'}; try: agzamov memory check fake-{defect}")


def test_what_becomes_visible_late_is_waited_for(tmp_path: Path) -> None:
    with opened(fake("eventual"), tmp_path) as port:
        answered = answers(port, career())
    assert [answer.entries for answer in answered if isinstance(answer, Settled)] == [1, 2, 3, 4]


def test_numbers_of_games_and_names_of_entries_only_grow(tmp_path: Path) -> None:
    with opened(fake("none"), tmp_path) as port:
        answers(port, [store(2, NOTES[0])])
        with pytest.raises(PortFault, match="expected no game before 2, found a question of game 1"):
            port.answer(end_game(1))
        with pytest.raises(PortFault, match="expected an entry after e00002, found e00001 to be stored"):
            port.answer(store(1, NOTES[0], game=2))
        answers(port, [end_game(2)])
        with pytest.raises(PortFault, match="expected an entry of a game that is open, found e00003 of one that has"):
            port.answer(store(3, NOTES[0], game=2))


def test_the_end_of_a_game_reads_new_entries_alone_and_now_and_then_all(tmp_path: Path) -> None:
    with opened(fake("none"), tmp_path) as port:
        port.answer(end_game(1))
        server = port._server
        assert server
        offsets: list[int] = []
        export_all = server.export

        def noted(offset: int = 0) -> list[ServerEntry]:
            offsets.append(offset)
            return export_all(offset)

        server.export = noted  # type: ignore[method-assign]
        for number in range(2, FULL_EXPORT_GAMES + 2):
            port.answer(store(number, f"note {number}"))
            port.answer(end_game(number))
    assert offsets == [*range(FULL_EXPORT_GAMES - 2), 0, FULL_EXPORT_GAMES - 1]


def test_a_naked_stream_starts_no_server(tmp_path: Path) -> None:
    with opened(fake("stillborn"), tmp_path):
        pass
    assert not (tmp_path / "memory.log").exists()


CALLS = len(career())


@pytest.mark.parametrize(
    "killed_after",
    [pytest.param(number, marks=pytest.mark.slow if 1 < number < CALLS - 1 else ()) for number in range(1, CALLS)],
)
def test_a_killed_server_is_told_everything_again(tmp_path: Path, killed_after: int) -> None:
    asked = career()
    with opened(fake("none"), tmp_path) as port:
        expected = answers(port, asked)
    with opened(fake("none"), tmp_path) as port:
        recorded = answers(port, asked[:killed_after])
        kill(port)
        with pytest.raises(PortFault, match="the server ended"):
            answers(port, asked[killed_after:])
    with opened(fake("none"), tmp_path) as port:
        for question, answer in zip(asked, recorded, strict=False):
            port.restore(question, answer)
        assert [*recorded, *answers(port, asked[killed_after:])] == expected


def test_a_fresh_server_that_answers_otherwise_is_named_with_the_question(tmp_path: Path) -> None:
    with opened(fake("none"), tmp_path) as port:
        port.restore(store(1, NOTES[0]), Stored())
        with pytest.raises(PortFault) as fault:
            port.restore(search("castled", 1), Hits((Hit("something else", "e00001"),)))
    place = "the recorded answer to memory_a's question 0 in turn 1 of g00001"
    assert place in str(fault.value)
    assert "something else" in str(fault.value)


def test_searches_that_need_not_be_repeated_are_not_compared(tmp_path: Path) -> None:
    setup = fake("none")
    adapter = setup.system.adapter
    traits = msgspec.structs.replace(adapter.traits, deterministic="store")
    loose = msgspec.structs.replace(
        setup,
        system=msgspec.structs.replace(setup.system, adapter=msgspec.structs.replace(adapter, traits=traits)),
    )
    with opened(loose, tmp_path) as port:
        port.restore(store(1, NOTES[0]), Stored())
        port.restore(search("castled", 1), Hits(()))
        with pytest.raises(PortFault, match="the recorded answer"):
            port.restore(end_game(1), Settled(7))


def test_a_server_is_told_nothing_of_who_started_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with opened(fake("none"), tmp_path) as port:
        port.answer(store(1, NOTES[0]))
        environment = Path(f"/proc/{server_pid(port)}/environ").read_text()
        assert "sk-secret" not in environment
        names = {line.partition("=")[0] for line in environment.split("\0") if line}
        home = next(line for line in environment.split("\0") if line.startswith("HOME=")).partition("=")[2]
        assert Path(home).parent.name.startswith("agzamov-memory-")
    assert names == {"HOME", "TMPDIR", *ENVIRONMENT}
    assert not Path(home).exists()


@pytest.mark.slow
def test_a_built_in_system_behind_the_same_port(tmp_path: Path) -> None:
    setup = Setup(system_of("recent"))
    with opened(setup, tmp_path) as port:
        answered = answers(port, career())
        pages = port.answer(export())
    assert isinstance(pages, Exported)
    assert [one.content for one in pages.entries] == list(NOTES)
    assert answered[-2] == Hits(tuple(Hit(NOTES[number - 1], f"e{number:05}") for number in (4, 3, 2)))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["full_text", "graph", "file", "history", "consolidator"])
def test_every_built_in_system_keeps_the_rules_of_the_port(tmp_path: Path, name: str) -> None:
    with opened(Setup(system_of(name)), tmp_path) as port:
        dump = answers(port, career())[-1]
    assert isinstance(dump, Exported)
    assert {number for one in dump.entries for number in one.games} == {1, 2, 3, 4}


@pytest.mark.slow
def test_a_system_that_rewrites_names_what_it_made_entries_of(tmp_path: Path) -> None:
    with opened(Setup(system_of("consolidator")), tmp_path) as port:
        dump = answers(port, career())[-1]
    assert isinstance(dump, Exported)
    (sums,) = [one for one in dump.entries if "three-bet" in one.content]
    assert (sums.content, sums.games) == ("Opponent folded to a three-bet on the button: 6 of 7", (1, 3))
    assert set(sums.derived_from) == {"e00001", "e00003"}


CHANGED = {
    "adapter_sha256": ("0" * 64, "adapter 000000000000 -> "),
    "files": ({"server.py": "0" * 64}, "file server.py is gone"),
    "name": ("other", "name 'other' -> 'recent'"),
    "native": ((), "tool search is new; tool store is new"),
    "tools_sha256": ("0" * 64, "which are now describe, end_game, export, search, store"),
    "version": ("0.9", "version '0.9' -> '1'"),
}


@pytest.mark.slow
def test_another_server_than_the_sealed_one_is_refused_with_what_changed(tmp_path: Path) -> None:
    setup = Setup(system_of("recent"), is_native=True)
    with closing(MemoryServer(setup, tmp_path / "memory.log")) as server:
        sealed = server.pin
    assert (sealed.name, sealed.version) == ("recent", "1")
    with closing(MemoryServer(msgspec.structs.replace(setup, pin=sealed), tmp_path / "memory.log")):
        pass
    for field in MemoryPin.__struct_fields__:
        value, words = CHANGED[field]
        other = msgspec.structs.replace(sealed, **{field: value})
        with pytest.raises(PortFault, match=r"^memory recent: expected the server that was sealed, found .*") as error:
            MemoryServer(msgspec.structs.replace(setup, pin=other), tmp_path / "memory.log")
        assert words in str(error.value)
        assert len(str(error.value).splitlines()) == 1


def test_a_changed_tool_on_offer_is_named_with_what_of_it_changed() -> None:
    search = NativeTool("search", "Finds notes.", "{}", Effect.SEARCHES, "query")
    sealed = MemoryPin("0" * 64, "0" * 64, "notes", "1", (search,))
    found = msgspec.structs.replace(sealed, native=(msgspec.structs.replace(search, description="Buy now."),))
    assert changes_since_sealed(sealed, sealed, ()) == ""
    assert changes_since_sealed(sealed, found, ()) == "description of tool search changed"


def test_a_setting_that_a_system_has_not_is_refused(tmp_path: Path) -> None:
    setup = Setup(fake("none").system, SystemSettings(half_life_games=5))
    with opened(setup, tmp_path) as port, pytest.raises(PortFault, match="it has no setting half_life_games"):
        port.answer(end_game(1))


def test_a_log_is_cut_at_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "memory.log"
    for _ in range(2):
        log = StderrLog(path)
        for _ in range(3):
            log.file.write("x" * (LOG_BYTES_MAX // 2 - 1) + "\n")
        log.file.write("the last words\n")
        assert log.last_line() == "the last words"
    kept = path.read_bytes()
    assert kept.startswith(b"xxx")
    assert kept.count(b"[agzamov: cut here; the log is full]") == 1
    assert len(kept) < LOG_BYTES_MAX + 100


def server_pid(port: MemoryPort) -> int:
    """The process of a port's server: the one child of this process that runs the fake."""
    found = [int(pid) for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()]
    (pid,) = [pid for pid in found if b"fake_memory" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    return pid


def kill(port: MemoryPort) -> None:
    os.kill(server_pid(port), signal.SIGKILL)
