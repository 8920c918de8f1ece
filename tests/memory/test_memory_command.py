"""`agzamov memory list | check | try`, as a person types them."""

import json
import re
import shutil
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.commands.memory_command import SystemRow
from agzamov_harness.memory import launch
from agzamov_harness.memory.adapter_file import systems
from agzamov_memory import embedding
from memory.memory_world import fake_yaml


def agzamov(*arguments: object, typed: str = "") -> tuple[int, str]:
    """Exit code and what is printed, errors too."""
    consent = ["--start-programs"] if arguments[0] in ("check", "try") else []
    ran = CliRunner().invoke(main, ["memory", *map(str, arguments), *consent], input=typed)
    assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exception
    return ran.exit_code, ran.output


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    """The adapter of an honest server."""
    path = tmp_path / "mine.yaml"
    path.write_text(fake_yaml("none"))
    return path


def test_list_says_of_every_system_whether_it_can_be_started_here() -> None:
    code, printed = agzamov("list", "--json")
    rows = {row["name"]: row for row in json.loads(printed)}
    assert code == 0
    assert set(rows) == set(systems())
    assert rows["full_text"]["missing"] == ""
    assert rows["full_text"]["verified"]
    code, printed = agzamov("list")
    assert "recent              none       can be started here\n    the last entries, whatever is asked" in printed


def test_a_built_in_system_whose_packages_are_not_here_is_listed_as_not_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there = launch.find_spec
    absent = embedding.TOKENIZERS
    monkeypatch.setattr(launch, "find_spec", lambda name: None if name == absent else there("json"))
    missing = {name: launch.why_not_here(system, Path()) for name, system in systems().items() if name != "graph"}
    assert missing["full_text"] == ""
    assert missing["semantic"] == f"no Python module {absent}; type: {embedding.INSTALL}"
    assert launch.PACKAGES["semantic"] == (embedding.PACKAGE, embedding.TOKENIZERS)
    code, printed = agzamov("check", "semantic")
    assert (code, printed) == (2, f"error: memory semantic cannot be started here: {missing['semantic']}\n")


def test_the_log_that_an_error_names_is_there_and_goes_when_all_is_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = tmp_path / "mine.yaml"
    path.write_text(fake_yaml("stillborn"))
    for command in (("check", path), ("try", path, "--search", "e4")):
        code, printed = agzamov(*command)
        (log,) = re.findall("^all of it: (.*)$", printed, re.MULTILINE)
        assert code
        assert Path(log).read_text() == "no such database\n"
        shutil.rmtree(Path(log).parent)
    path.write_text(fake_yaml("none"))
    assert agzamov("try", path, "--search", "e4")[0] == 0
    assert [one for one in tmp_path.iterdir() if one.is_dir()] == []


@pytest.mark.slow
def test_check_of_a_file_prints_a_line_for_each_check(adapter: Path) -> None:
    code, printed = agzamov("check", adapter)
    lines = printed.splitlines()
    assert code == 0
    assert lines[0] == "ok          opens           it starts, has the tools that the adapter calls, and is empty"
    assert [line.partition(" ")[0] for line in lines[:13]] == ["ok"] * 13
    assert lines[-1] == "measured"
    assert lines[-2].startswith(("ok          fingerprint", "warning     fingerprint"))


def test_check_fails_with_the_line_and_the_last_words_of_the_server(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(fake_yaml("stillborn"))
    code, printed = agzamov("check", path)
    assert code == 1
    assert "FAILED      opens           expected a server that starts, found the server ended" in printed
    assert "stderr: no such database" in printed
    assert "not checked knows nothing   opens failed, on which it depends" in printed
    assert printed.count("not checked") == 14
    assert "\ncannot be measured, because the check 'opens' failed: expected a server that starts, found the" in printed
    assert agzamov("check", path, "--blank")[1].count("not checked") == 14


@pytest.mark.slow
@pytest.mark.parametrize(("server", "code"), [("none", 0), ("book", 1)])
def test_check_for_knowledge_that_nobody_stored_is_asked_for(tmp_path: Path, server: str, code: int) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(fake_yaml(server))
    ended, printed = agzamov("check", path, "--blank")
    assert ended == code
    blank = [line for line in printed.splitlines() if line[12:].startswith(("blank searches", "blank twin"))]
    assert [line.split()[0] for line in blank] == ["FAILED" if code else "ok"] * 2


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("elephant", "error: expected a memory system, found 'elephant'"),
        ("none.yaml", "error: none.yaml: No such file"),
    ],
)
def test_a_system_that_is_not_there_is_wrong_use(name: str, problem: str) -> None:
    code, printed = agzamov("check", name)
    assert code == 2
    assert problem in printed


def test_try_stores_and_searches(adapter: Path) -> None:
    notes = ("--store", "castled early: 3 of 4", "--store", "folded on the button: 1 of 2")
    code, printed = agzamov("try", adapter, *notes, "--search", "folded on the button", "--limit", 1)
    assert (code, printed) == (0, "folded on the button: 1 found\n  1. folded on the button: 1 of 2\n")
    code, printed = agzamov("try", adapter, *notes, "--search", "castled", "--limit", 1, "--json")
    assert json.loads(printed) == {"castled": ["castled early: 3 of 4"]}


def test_try_shows_the_raw_answers_of_the_server(adapter: Path) -> None:
    _, printed = agzamov("try", adapter, "--store", "castled early", "--search", "castled", "--limit", 1, "--raw")
    assert (
        'call: search {"query": "castled", "limit": 1, "now": 2}\n'
        'structured: {"hits": [{"entry": "e00001", "content": "castled early"}]}\n'
        'text: {"hits": [{"entry": "e00001", "content": "castled early"}]}\n'
    ) in printed
    assert "call:" not in agzamov("try", adapter, "--search", "castled")[1]


def test_try_reads_commands_line_by_line(adapter: Path) -> None:
    typed = "store castled early\nend\nsearch castled\nexport\nwhat\nquit\nstore nothing more\n"
    code, printed = agzamov("try", adapter, typed=typed)
    assert code == 0
    assert printed.splitlines() == [
        "stored",
        "1 entries",
        "  1. castled early",
        "e00001 games 1: castled early",
        "store TEXT | search QUERY | end (of the game) | export | quit",
    ]


def test_try_names_a_broken_rule(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(fake_yaml("preloaded"))
    code, printed = agzamov("try", path, "--search", "e4")
    assert code == 4
    assert "memory mine: expected an empty memory at its start, found 1 entries" in printed


def test_what_to_install_is_one_line_for_a_person() -> None:
    missing = "no program /opt/m (--installed names it); type: pip install m"
    row = SystemRow("vectors", missing, "m", "semantic", "", verified=True)
    assert row.line.splitlines()[1:] == ["    vectors", "    to install: pip install m"]
    bare = msgspec.structs.replace(row, missing="no program m")
    assert bare.line.splitlines()[2:] == ["    no program m"]
    assert len(msgspec.structs.replace(row, missing="").line.splitlines()) == 2
