"""The store of engine answers: the same answers without the engine, never another engine's, nobody else's."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from agzamov_verify.core.questions import TOOL, Evaluation, Examine
from agzamov_verify.engines import answer_store
from agzamov_verify.engines.answer_store import (
    FILE,
    VARIABLE,
    AnswerStore,
    EngineAnswers,
    StoreFault,
    answers_of,
    drawing_seed,
    is_asked_again,
    shared_store,
    store_folder,
)
from agzamov_verify.engines.exact_score import Searched
from agzamov_verify.engines.uci_engine import NAME, NET_SHA256, EngineFault, UciEngine
from verify.test_stockfish import ENGINE, HASH_MIB, NODES, QUESTIONS, START, needs_engine, position

KEY, OTHER_KEY = b"k" * 32, b"o" * 32
ANSWER = Searched("e2e4", Evaluation(31, None), ("e2e4", "e7e5"))
THE_FIRST_ALONE = (1).__eq__


@pytest.fixture
def store(tmp_path: Path) -> Iterator[AnswerStore]:
    opened = AnswerStore(tmp_path / "cache")
    yield opened
    opened.close()


def asked(answers: EngineAnswers, question: str = "go", options: str = "Hash 16", given: Searched = ANSWER) -> int:
    """How often the engine is asked for one answer, which must be `given`."""
    times: list[str] = []

    def ask() -> Searched:
        times.append(question)
        return given

    assert answers.answer(options, question, Searched, ask) == given
    return len(times)


def test_a_second_question_is_not_asked_and_some_are_to_compare(
    store: AnswerStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert asked(EngineAnswers(store, "engine")) == 1
    answers = EngineAnswers(store, "engine")
    monkeypatch.setattr(answer_store, "is_asked_again", THE_FIRST_ALONE)
    assert [asked(answers) for _ in range(4)] == [1, 0, 0, 0], "the first is compared"
    monkeypatch.setattr(answer_store, "is_asked_again", bool)
    assert [asked(answers) for _ in range(2)] == [1, 1]
    assert answers.found == 6


def test_the_first_answer_and_about_ln_n_of_n_are_asked_again() -> None:
    """The sum of 1/k to 10,000 is 9.79, its standard deviation 2.85 (the sum of 1/k - 1/k^2)."""
    assert is_asked_again(1)
    counts = [sum(is_asked_again(found) for found in range(1, 10_001)) for _ in range(20)]
    assert abs(sum(counts) / 20 - 9.79) < 6 * 2.85 / 20**0.5


@pytest.mark.parametrize("other", [{"question": "go nodes 2"}, {"options": "Hash 32"}, {"engine": "another"}])
def test_another_engine_option_or_question_has_its_own_answer(store: AnswerStore, other: dict[str, str]) -> None:
    asked(EngineAnswers(store, "engine"))
    answers = EngineAnswers(store, other.pop("engine", "engine"))
    assert asked(answers, given=Searched("d2d4", Evaluation(None, 3), ()), **other) == 1
    assert answers.found == 0


@pytest.mark.parametrize("forged", [b'["d2d4",{"as":"evaluation","centipawns":31,"mate":null},[]]', b"\xff{", b"[]"])
def test_a_forged_answer_that_is_compared_empties_the_store(store: AnswerStore, forged: bytes) -> None:
    asked(EngineAnswers(store, "engine"))
    asked(EngineAnswers(store, "engine"), "another question")
    with sqlite3.connect(store.path) as database:
        database.execute("UPDATE answers SET answer = ?", [forged])
    with pytest.raises(EngineFault, match=r"engine-answers\.sqlite held an answer that the engine does not give"):
        asked(EngineAnswers(store, "engine"))
    answers = EngineAnswers(store, "engine")
    assert (asked(answers, "another question"), answers.found) == (1, 0)


def test_a_forged_answer_of_another_form_is_never_used(store: AnswerStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_store, "is_asked_again", THE_FIRST_ALONE)
    answers = EngineAnswers(store, "engine")
    for question in ("one", "two"):
        asked(answers, question)
    asked(answers, "one")
    with sqlite3.connect(store.path) as database:
        database.execute("UPDATE answers SET answer = ?", [b'["d2d4"]'])
    with pytest.raises(EngineFault, match="the file was emptied"):
        asked(answers, "two")


def test_a_folder_or_file_where_others_may_write_is_not_used(tmp_path: Path) -> None:
    open_to_all, linked, owned = tmp_path / "open", tmp_path / "linked", tmp_path / "owned"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    linked.mkdir(mode=0o700)
    (linked / FILE).symlink_to(tmp_path / "elsewhere")
    AnswerStore(owned).close()
    (owned / FILE).chmod(0o620)
    for folder in (open_to_all, linked, owned):
        with pytest.raises(StoreFault):
            AnswerStore(folder)
        assert shared_store(folder) is None
    assert not (tmp_path / "elsewhere").exists()
    (owned / FILE).chmod(0o600)
    AnswerStore(owned).close()


def test_a_folder_of_another_user_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    AnswerStore(tmp_path / "own").close()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(StoreFault, match="of this user"):
        AnswerStore(tmp_path / "own")


def test_a_broken_file_is_made_anew_and_a_full_disk_ends_the_store(tmp_path: Path, store: AnswerStore) -> None:
    broken = tmp_path / "broken"
    broken.mkdir(mode=0o700)
    (broken / FILE).write_bytes(b"no database at all, but more than a header of one needs" * 100)
    (broken / FILE).chmod(0o600)
    anew = AnswerStore(broken)
    anew.put(KEY, b"1")
    assert anew.get(KEY) == b"1"
    anew.close()
    store.put(KEY, b"1")
    assert store._open
    store._open.execute("PRAGMA max_page_count = 8")  # of a disk with 32 KiB
    store.put(OTHER_KEY, bytes(2**17))
    assert (store.get(KEY), store.get(OTHER_KEY)) == (None, None)


def test_of_too_many_answers_the_older_half_is_dropped(store: AnswerStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_store, "ANSWERS_MAX", 8)
    monkeypatch.setattr(answer_store, "COUNTED_EVERY", 1)
    for number in range(9):
        store.put(bytes([number]), b"1")
    assert [number for number in range(9) if store.get(bytes([number]))] == [5, 6, 7, 8]


def test_a_file_of_another_version_is_begun_anew(tmp_path: Path) -> None:
    first = AnswerStore(tmp_path)
    first.put(KEY, b"1")
    first.close()
    with sqlite3.connect(tmp_path / FILE) as database:
        database.execute("PRAGMA user_version = 99")
    again = AnswerStore(tmp_path)
    assert again.get(KEY) is None
    again.close()


@pytest.mark.parametrize("left", ["None", "types.ModuleType('sqlite3')"])
def test_where_python_has_no_sqlite_each_question_is_asked(left: str, tmp_path: Path) -> None:
    """Of the module an image may have nothing, or an empty folder that can be imported."""
    program = (
        f"import sys, types; from pathlib import Path; sys.modules['sqlite3'] = {left};"
        "from agzamov_verify.engines.answer_store import shared_store; print(shared_store(Path(sys.argv[1])))"
    )
    ran = subprocess.run([sys.executable, "-c", program, tmp_path], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, "None\n"), ran.stderr


def test_in_a_browser_which_has_no_users_there_is_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_store, "HAS_USERS", False)
    assert shared_store(tmp_path / "cache") is None
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(("words", "opens"), [("database is locked", True), ("unable to open database file", False)])
def test_a_store_that_another_process_begins_is_waited_for(
    words: str, opens: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite waits for a lock, but not where the journal's mode changes."""
    faults, connected = [sqlite3.OperationalError(words)] * 2, AnswerStore._connected

    def busy(self: AnswerStore) -> sqlite3.Connection:
        if faults:
            raise faults.pop()
        return connected(self)

    monkeypatch.setattr(AnswerStore, "_connected", busy)
    with nullcontext() if opens else pytest.raises(StoreFault, match=words):
        store = AnswerStore(tmp_path)
        store.put(b"question", b"answer")
        assert store.get(b"question") == b"answer"
        store.close()


def test_processes_share_a_store(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from agzamov_verify.engines.answer_store import AnswerStore;"
        "store = AnswerStore(Path(sys.argv[1]));"
        "[store.put(f'{sys.argv[2]} {number}'.encode(), b'1') for number in range(200)]"
    )
    both = [subprocess.Popen([sys.executable, "-c", program, tmp_path, name]) for name in ("one", "two")]
    assert [process.wait() for process in both] == [0, 0]
    store = AnswerStore(tmp_path)
    assert all(store.get(f"{name} {number}".encode()) for name in ("one", "two") for number in range(200))
    store.close()


def test_a_user_draws_the_same_sample_of_a_bundle_again_and_nobody_else_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "one"))
    own = drawing_seed("bundle")
    assert own == drawing_seed("bundle") != drawing_seed("another bundle")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "two"))
    assert drawing_seed("bundle") != own
    monkeypatch.setenv(VARIABLE, "off")
    assert drawing_seed("bundle") != drawing_seed("bundle")


def test_the_store_is_in_the_users_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "off")
    assert store_folder() is None
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("HOME", str(tmp_path))
    for named, folder in (("", tmp_path / ".cache"), ("relative", tmp_path / ".cache"), (str(tmp_path), tmp_path)):
        monkeypatch.setenv("XDG_CACHE_HOME", named)
        assert store_folder() == folder / "agzamov"


def test_a_script_or_a_socket_does_not_tell_which_engine_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    script = tmp_path / "engine"
    script.write_text("#!/bin/sh\nexec stockfish\n")
    assert answers_of(script, NAME, NET_SHA256) is None
    assert answers_of(tmp_path, NAME, NET_SHA256) is None
    assert answers_of(Path(sys.executable).resolve(), NAME, NET_SHA256)


@needs_engine
def test_a_second_engine_answers_all_questions_without_a_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    monkeypatch.setattr(answer_store, "is_asked_again", THE_FIRST_ALONE)
    lines = Examine(
        attempt=0, candidates=(), game="", lines_max=2, moves="", nodes=NODES, start_fen=START, turn=0, to=TOOL
    )
    given: list[object] = []
    for searches in (len(QUESTIONS) + 3, 1):
        with UciEngine(ENGINE, HASH_MIB) as engine:
            engine.answers = answers_of(ENGINE, NAME, NET_SHA256)
            answers = [engine.evaluate(question, NODES) for question in QUESTIONS]
            given.append((answers, engine.examine(lines), engine.best_move(START, "", f"nodes {NODES}")))
            assert engine.searches == searches
    assert given[0] == given[1]
    with UciEngine(ENGINE, HASH_MIB) as alone:
        assert alone.evaluate(position(START), NODES) == given[0][0][0]  # type: ignore[index]
