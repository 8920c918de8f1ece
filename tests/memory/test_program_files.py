"""Which files of a memory server from outside are sealed, and what of them is told when they are others."""

from pathlib import Path

import msgspec
import pytest

from agzamov_harness.memory import program_files as sealed_files
from agzamov_harness.memory.adapter_file import DeclaredSystem, system_of
from agzamov_harness.memory.program_files import file_changes, program_files
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
    assert sorted(files) == ["fast.so", "helper.py", "pack/__init__.py", "pack/__pycache__/old.pyc", "server.py"]
    assert files == program_files(system(tmp_path, *PYTHON))


def test_a_file_in_a_variable_and_a_whole_folder_are_sealed(tmp_path: Path) -> None:
    put(tmp_path, "server", "data/one.txt", "data/deep/two.txt", "settings.toml", "other.txt")
    made = system(tmp_path, "${HERE}/server", "--data=${HERE}/data", env={"CONFIG": "${HERE}/settings.toml"})
    assert sorted(program_files(made)) == ["data/deep/two.txt", "data/one.txt", "server", "settings.toml"]


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
