"""What chooses the programs of a run is not in the run's folder: others may write there (a volume that pods share)."""

import hashlib
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import yaml
from click.testing import CliRunner, Result

from agzamov_harness.cli import main
from agzamov_harness.foundation.owner_folder import installed_folder
from agzamov_harness.run import run_folder, run_origin, signing_keys
from agzamov_verify.plan.manifest import ManifestError
from harness.commands import Commands
from harness.sealed_runs import finish, resume, seal
from harness.test_outside_memory import plan_of, put_notes

pytestmark = pytest.mark.slow

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
    assert (directory.plan_folder, directory.memory_servers) == (run.parents[1], installed_folder())
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
    run = seal(commands, tmp_path, "", "--installed", "memory-servers", plan=plan_of())
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


def test_a_home_that_cannot_be_written_remembers_nothing_and_the_printed_command_says_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read-only home, or one that is new with each container: a run went on nowhere."""
    put_notes(tmp_path)
    (tmp_path / "notes.yaml").write_text((tmp_path / "notes.yaml").read_text().replace("${HERE}", "${INSTALLED}"))
    put_notes(tmp_path / "servers" / "notes")
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(plan_of()))
    signing_keys.generate(tmp_path / "key.pem")
    (tmp_path / "home").write_text("no folder")
    monkeypatch.setattr(click, "get_app_dir", lambda _: str(tmp_path / "home" / "agzamov"))
    monkeypatch.chdir(tmp_path)
    sealed = typed("seal", "plan.yaml", "--key", "key.pem", "--start-programs", "--installed", "servers")
    assert sealed.exit_code == 0, sealed.output
    words = shlex.split(sealed.stderr.partition("play it with: ")[2])
    again = words[words.index("resume") :]
    paths = {again[n]: again[n + 1] for n, word in enumerate(again) if word.startswith("--")}
    wanted = {"--key": "key.pem", "--plan-folder": "", "--installed": "servers"}
    assert paths == {option: str(tmp_path / name) if name else str(tmp_path) for option, name in wanted.items()}
    played = typed(*again, "--start-programs", "--quiet")
    assert played.exit_code == 0, played.output


def test_a_protocol_goes_on_where_nothing_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in (tmp_path / "mine" / "adapter", tmp_path / "home" / "agzamov" / "memory-servers" / "notes"):
        put_notes(folder)
    adapter = tmp_path / "mine" / "adapter" / "notes.yaml"
    adapter.write_text(adapter.read_text().replace("${HERE}", "${INSTALLED}"))
    (tmp_path / "mine" / "plan.yaml").write_text(yaml.safe_dump(plan_of("adapter/notes.yaml")))
    signing_keys.generate(tmp_path / "key.pem")
    monkeypatch.setattr(click, "get_app_dir", lambda _: str(tmp_path / "home" / "agzamov"))
    monkeypatch.setattr(run_origin, "remembered", lambda *_: None)
    monkeypatch.chdir(tmp_path)
    played = typed("protocol", "run", "mine", "--key", "key.pem", "--start-programs", "--json")
    assert "expected" not in played.stderr, played.output
    assert list((tmp_path / "mine" / "bundles").iterdir()), played.output


def test_a_key_that_cannot_be_written_is_an_error_of_one_line(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("no folder")
    made = typed("keygen", tmp_path / "home" / "submitter.pem")
    assert (made.exit_code, len(made.stderr.splitlines())) == (2, 1), made.output
    assert f"error: {tmp_path / 'home'}: " in made.stderr


def test_installed_servers_are_never_looked_for_in_the_present_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attack: a downloaded folder with `memory-servers`, from which a shipped adapter was started unasked."""
    program = tmp_path / "memory-servers" / "brainops" / "bin" / "brainops-memory"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\ntouch {tmp_path / 'RUN'}\n")
    program.chmod(0o755)
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(plan_of("brainops")))
    signing_keys.generate(tmp_path / "key.pem")
    monkeypatch.setattr(click, "get_app_dir", lambda _: str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    for command in (("seal", "plan.yaml", "--key", "key.pem"), ("memory", "try", "brainops", "--store", "a")):
        refused = typed(*command)
        assert "no program" in refused.output, refused.output
        assert str(tmp_path / "home" / "memory-servers" / "brainops") in refused.output
    assert not (tmp_path / "RUN").exists()
    allowed = typed("memory", "try", "brainops", "--store", "a", "--installed", "memory-servers")
    assert (tmp_path / "RUN").exists(), allowed.output


def typed(*words: object) -> Result:
    return CliRunner().invoke(main, [*map(str, words)])
