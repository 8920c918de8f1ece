"""Which files of a memory server from outside are sealed, and what of them is told when they are others."""

import os
from pathlib import Path

import msgspec
import pytest

from agzamov_harness.memory import program_files as sealed_files
from agzamov_harness.memory.adapter_file import DeclaredSystem, system_of
from agzamov_harness.memory.program_files import copied_program, file_changes, program_files
from agzamov_harness.ports import PortFault
from memory.memory_world import fake

PYTHON = ("${HERE}/server.py", "--folder", "${DATA}")


def system(folder: Path, *args: str, env: dict[str, str] | None = None) -> DeclaredSystem:
    """A system whose adapter stands in `folder`."""
    made = fake("none").system
    launch = msgspec.structs.replace(made.adapter.launch, args=args, env=env or {})
    adapter = msgspec.structs.replace(made.adapter, launch=launch)
    return msgspec.structs.replace(made, adapter=adapter, here=folder, file=str(folder / "mine.yaml"))


def put(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def test_a_program_and_what_python_may_load_beside_it_is_sealed_and_nothing_else(tmp_path: Path) -> None:
    put(tmp_path, "server.py", "helper.py", "pack/__init__.py", "pack/__pycache__/old.pyc", "fast.so")
    put(tmp_path, "plan.yaml", "mine.yaml", "notes.txt", ".venv/lib/other.py")
    files = program_files(system(tmp_path, *PYTHON))
    assert sorted(files) == ["fast.so", "helper.py", "pack/__init__.py", "server.py"]
    assert files == program_files(system(tmp_path, *PYTHON))


def test_a_file_in_a_variable_and_a_whole_folder_are_sealed(tmp_path: Path) -> None:
    put(tmp_path, "server", "data/one.txt", "data/deep/two.txt", "settings.toml", "other.txt")
    put(tmp_path, "data/.hidden/three.txt", "data/__pycache__/one.pyc")
    made = system(tmp_path, "${HERE}/server", "--data=${HERE}/data", env={"CONFIG": "${HERE}/settings.toml"})
    named = ["data/.hidden/three.txt", "data/deep/two.txt", "data/one.txt", "server", "settings.toml"]
    assert sorted(program_files(made)) == named


@pytest.mark.parametrize(
    "name", ["my server.py", "a:b.py", 'q"uote.py', ".hidden/server.py", "com,ma;.py"], ids=lambda name: name[:6]
)
def test_a_word_that_is_a_path_is_sealed_as_it_stands(tmp_path: Path, name: str) -> None:
    put(tmp_path, name)
    assert list(program_files(system(tmp_path, "${HERE}/" + name))) == [name]
    assert sorted(program_files(system(tmp_path, "${HERE}"))) == [name]


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("${HERE}/nothing.py", "no file .*/nothing.py "),
        ("--log=${HERE}/log.txt", "no file .*/log.txt "),
        ("${HERE}/../other/server.py", "expected a place below"),
        ("sh ${HERE}/../other/server.py", "expected a place below"),
        ("${HERE}/linked.py", "linked.py: expected a file, found a link; copy what it leads to"),
        ("${HERE}/pipe.sh", "pipe.sh: expected a file"),
    ],
)
def test_a_place_that_cannot_be_sealed_is_refused(tmp_path: Path, word: str, found: str) -> None:
    put(tmp_path, "here/server.py", "other/server.py")
    (tmp_path / "here" / "linked.py").symlink_to(tmp_path / "other" / "server.py")
    os.mkfifo(tmp_path / "here" / "pipe.sh")
    with pytest.raises(PortFault, match=found):
        program_files(system(tmp_path / "here", word))


def test_a_program_starts_from_a_copy_of_what_is_sealed_and_of_nothing_else(tmp_path: Path) -> None:
    """A shell script may read anything, Python a stale file of bytecode: what is not sealed is not there."""
    put(tmp_path, "server.sh", "lib.sh", "data/words.txt", ".hidden/more.sh", "__pycache__/lib.pyc", "secret.txt")
    (tmp_path / "server.sh").chmod(0o755)
    made = system(tmp_path, "${HERE}/server.sh", env={"WORDS": "${HERE}/data"})
    sealed = program_files(made)
    put(tmp_path, "new.sh")
    assert copied_program(made, sealed, tmp_path / "copy") == sealed
    files = sorted(
        str(path.relative_to(tmp_path / "copy")) for path in (tmp_path / "copy").rglob("*") if path.is_file()
    )
    assert files == sorted(sealed) == ["data/words.txt", "lib.sh", "server.sh"]
    assert os.access(tmp_path / "copy" / "server.sh", os.X_OK)
    (tmp_path / "lib.sh").write_text("other")
    (tmp_path / "data" / "words.txt").unlink()
    found = copied_program(made, sealed, tmp_path / "again")
    assert list(file_changes(sealed, found)) == ["file data/words.txt is gone", "file lib.sh was changed"]


@pytest.mark.parametrize("name", ["../outside", "/etc/hostname", "a/../../outside"])
def test_a_sealed_name_that_leads_out_of_the_folder_is_neither_read_nor_written(tmp_path: Path, name: str) -> None:
    """The names come from a manifest, which may be a stranger's."""
    put(tmp_path, "outside", "here/server.py", "here/a/b")
    with pytest.raises(PortFault, match="expected a place below its folder"):
        copied_program(system(tmp_path / "here", *PYTHON), {name: "0" * 64}, tmp_path / "copy")
    assert not list((tmp_path / "copy").iterdir())


def test_a_link_on_the_way_to_a_sealed_file_is_not_followed(tmp_path: Path) -> None:
    put(tmp_path, "here/server.py", "here/pack/one.py", "elsewhere/one.py")
    made = system(tmp_path / "here", *PYTHON)
    sealed = program_files(made)
    (tmp_path / "here" / "pack").rename(tmp_path / "moved")
    (tmp_path / "here" / "pack").symlink_to(tmp_path / "moved")
    with pytest.raises(PortFault, match=r"Not a directory|symbolic links"):
        copied_program(made, sealed, tmp_path / "copy")


def test_what_comes_with_agzamov_or_is_installed_elsewhere_is_not_sealed(tmp_path: Path) -> None:
    assert program_files(system_of("recent")) == {}
    assert program_files(system_of("mem0")) == {}
    put(tmp_path, "server.py")
    assert program_files(system(tmp_path, "${INSTALLED}/server.py")) == {}


def test_a_linked_folder_and_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "server.py", "helper.py", "third.py")
    monkeypatch.setattr(sealed_files, "PROGRAM_FILES_MAX", 2)
    with pytest.raises(PortFault, match=r"expected at most 2 files, .* into a folder of their own"):
        program_files(system(tmp_path, *PYTHON))
    monkeypatch.undo()
    (tmp_path / "pack").symlink_to(tmp_path.parent)
    with pytest.raises(PortFault, match="pack: expected no link to a folder beside its program"):
        program_files(system(tmp_path, *PYTHON))


def test_every_difference_is_named() -> None:
    sealed, found = {"a": "0", "b": "0", "c": "0"}, {"a": "0", "b": "1", "d": "0"}
    assert list(file_changes(sealed, found)) == ["file b was changed", "file c is gone", "file d is new"]
    assert not list(file_changes(sealed, sealed))
