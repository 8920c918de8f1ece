"""What chooses the programs of a run is not in the run's folder: others may write there (a volume that pods share)."""

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from agzamov_harness.run import run_folder, run_origin
from agzamov_verify.plan.manifest import ManifestError
from harness.commands import Commands
from harness.sealed_runs import finish, resume, seal
from harness.test_outside_memory import plan_of, put_notes

SHARE = ("--share", "0/1", "--quiet")


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    with Commands(tmp_path_factory.mktemp("printed")) as made:
        yield made


@pytest.fixture
def run(commands: Commands, tmp_path: Path) -> Path:
    """A sealed run with a memory server whose adapter and program lie beside the plan."""
    put_notes(tmp_path)
    return seal(commands, tmp_path, plan=plan_of())


def origin_of(run: Path) -> Path:
    return run_origin.origin_file(hashlib.sha256((run / "manifest.json").read_bytes()).hexdigest())


def test_no_file_of_a_run_names_a_folder_and_the_owners_file_does(run: Path) -> None:
    files = [path for path in run.rglob("*") if path.is_file()]
    assert not [path for path in files if str(run.parents[1]).encode() in path.read_bytes()]
    directory = run_folder.load(run)
    assert (directory.plan_folder, directory.memory_servers) == (run.parents[1], run.parents[1] / "memory-servers")
    assert directory.origin.key_file == str(run.parents[1] / "key.pem")


def test_a_path_that_somebody_writes_into_the_folder_chooses_nothing(
    commands: Commands, run: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The attack: another folder, whose program of the same name ran as the owner, beside the signing key."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "notes_server.py").write_text(f"open({str(elsewhere / 'RUN')!r}, 'w')")
    for name in ("plan_folder", "memory_servers"):
        (run / name).write_text(str(elsewhere))
    finish(commands, run)
    assert not (elsewhere / "RUN").exists()


def test_a_machine_that_does_not_know_a_run_asks_for_its_folder(commands: Commands, run: Path, tmp_path: Path) -> None:
    origin_of(run).unlink()
    unsigned = commands.run("resume", run, cwd=tmp_path)
    assert (unsigned.code, unsigned.err) == (
        2,
        f"error: {run}: this machine does not know the key that sealed this run; give it by --key\n",
    )
    for command in (resume(run), ("play", str(run), *SHARE)):
        ended = commands.run(*command, cwd=tmp_path)
        assert (ended.code, len(ended.err.splitlines())) == (2, 1), ended
        assert "does not know the folder of its plan" in ended.err
        assert "name the folder by --plan-folder" in ended.err
    moved = tmp_path / "moved"
    moved.mkdir()
    for program in tmp_path.glob("*.py"):
        shutil.move(program, moved)
    shared = commands.run("play", run, *SHARE, "--plan-folder", moved, "--start-programs", cwd=tmp_path)
    assert shared.code == 0, shared
    ended = commands.run(*resume(run), "--plan-folder", moved, cwd=tmp_path)
    assert ended.code == 0, ended


def test_a_run_that_starts_nothing_from_outside_needs_no_folder(commands: Commands, tmp_path: Path) -> None:
    run = seal(commands, tmp_path, plan=plan_of("recent"))
    origin_of(run).unlink()
    finish(commands, run)


def test_the_folder_of_installed_servers_is_asked_for_where_an_adapter_uses_it(
    commands: Commands, tmp_path: Path
) -> None:
    put_notes(tmp_path)
    (tmp_path / "notes.yaml").write_text((tmp_path / "notes.yaml").read_text().replace("${HERE}", "${INSTALLED}"))
    put_notes(tmp_path / "memory-servers" / "notes")
    run = seal(commands, tmp_path, plan=plan_of())
    origin_of(run).unlink()
    ended = commands.run(*resume(run), "--plan-folder", tmp_path, cwd=tmp_path)
    assert (ended.code, "name the folder by --installed" in ended.err) == (2, True), ended


def test_an_owners_file_that_is_another_is_named(run: Path) -> None:
    origin_of(run).write_text("{}")
    with pytest.raises(ManifestError, match="expected the origin of a run; remove the file"):
        run_folder.load(run)


def test_the_pods_of_a_job_get_the_folders_by_their_command(commands: Commands, run: Path, tmp_path: Path) -> None:
    job = ("k8s", run, "--shares", 2, "--image", "agzamov:1", "--claim", "runs", "--key", tmp_path / "key.pem")
    made = commands.run(*job, cwd=tmp_path)
    assert made.code == 0, made
    assert f"--plan-folder\n          - {tmp_path}\n" in made.out.replace("        - ", "          - ")
