"""What stops `agzamov register run` in the middle: the same command goes on, and nothing of a logged run is lost."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_harness.commands import register_run_actions
from agzamov_harness.foundation import append_only
from agzamov_harness.registry import log_writer
from agzamov_harness.registry.registered_run import LogPlace, RegisteredRun
from agzamov_harness.run import run_folder, signing_keys
from agzamov_harness.run.registration import signed_entry
from agzamov_harness.run.stop import Stop
from agzamov_verify.registration.log_entry import Registered, read_entry
from agzamov_verify.transparency_log.folder_log import FolderLog
from agzamov_verify.transparency_log.signed_note import BadNote
from registration.begun_run import begun, events, last_line, own_log, small_world, the_run
from registration.registered_run import EARLY_S, OUT_S, ROUNDS, World
from registration.stamping import Tsa


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A submitter, a log and a witness, an hour before round 1000 comes out."""
    monkeypatch.setattr(register_run_actions, "now_s", lambda: EARLY_S)
    return small_world(tmp_path)


def full_disk(patch: pytest.MonkeyPatch, is_full: Callable[[Path], bool]) -> None:
    """The disk is full for some files: each is opened, and emptied, and takes not one byte."""

    def opened(path: str, flags: int) -> int:
        file = os.open(path, flags | os.O_NOFOLLOW, 0o666)
        if is_full(Path(path)):
            full = os.open("/dev/full", os.O_WRONLY)
            os.dup2(full, file)
            os.close(full)
        return file

    patch.setattr(append_only, "no_link", opened)


@pytest.mark.slow
def test_after_a_full_disk_the_same_command_goes_on(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    words = (*own_log(world), "--round", world.beacon(), "--attempts", 1)
    run = None
    for name in ("registration.json", "registration.tlog-proof", "beacon.json"):
        with monkeypatch.context() as patched:
            full_disk(patched, lambda path, name=name: path.name.startswith(name))  # type: ignore[misc]
            assert "No space left" in last_line(begun(world, run, *words, code=2))
        run = the_run(world)
        assert not [path for path in run.iterdir() if path.name.startswith(name)]
    begun(world, run, *words)
    assert events(world) == ["Registered", "Finished"]


def test_after_a_full_disk_requests_are_written_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = world.folder / "sent"
    words = ("--requests", sent, "--round", world.beacon())
    with monkeypatch.context() as patched:
        full_disk(patched, lambda path: path.parent == sent)
        assert "No space left" in last_line(begun(world, None, *words, code=2))
    assert not list(sent.iterdir())
    run = the_run(world)
    request, end = sent / f"{run.name}.json", sent / f"{run.name}-end.json"
    request.write_bytes(b"")  # as an earlier version left it
    begun(world, run, *words, code=4)
    world.append(request)
    with monkeypatch.context() as patched:
        full_disk(patched, lambda path: path.name.startswith(end.name))
        assert "its end is not logged: [Errno 28]" in last_line(begun(world, run, *words, code=4))
    end.write_bytes(b"")
    begun(world, run, *words)
    world.append(end, time_s=OUT_S + 600)
    assert events(world) == ["Registered", "Finished"]
    request.write_bytes(b"another")
    (run / "registration.tlog-proof").unlink()
    request.with_name(f"{request.name}.tlog-proof").unlink()
    assert "found another, which was kept" in last_line(begun(world, run, *words, code=2))


def test_files_that_an_earlier_version_left_empty_are_as_if_they_were_not_there(world: World) -> None:
    key = ("--key", world.folder / "submitter.pem")
    run = Path(world.call("seal", world.folder / "plan.yaml", *key, "--runs", world.folder / "runs").splitlines()[-1])
    (run / "registration.json").write_bytes(b"")
    assert "found one that is not" in last_line(begun(world, run, *own_log(world), "--abort", "why", code=2))
    world.call("resume", run, *key, code=2)
    begun(world, run, *own_log(world), "--attempts", 1, code=4)
    for name in ("registration.tlog-proof", "registration.tsq", "registration.tsr", "beacon.json"):
        (run / name).write_bytes(b"")
        (run / f"{name}.making").write_bytes(b"half")
    world.call("resume", run, *key, code=2)
    begun(world, run, *own_log(world), "--round", world.beacon())
    assert events(world) == ["Registered", "Finished"]


def warnings(world: World, run: Path) -> list[str]:
    """What is told when the round comes; in a copy of the run's folder."""
    copy, told = world.folder / "copy", list[str]()
    shutil.copytree(run, copy)
    key, place = signing_keys.load(world.folder / "submitter.pem"), LogPlace(None, None, world.folder / "requests")
    waits = RegisteredRun(run_folder.load(copy), key, place, lambda: "", lambda: EARLY_S, told.append)
    waits.await_round(world.beacon(), Stop())
    shutil.rmtree(copy)
    return [line for line in told if line.startswith("warning")]


def test_a_proof_that_would_make_a_time_stamp_worthless_is_not_taken(world: World) -> None:
    begun(world, None, *own_log(world), code=4)
    run, query, reply = the_run(world), world.folder / "q.tsq", world.folder / "r.tsr"
    world.call("register", "stamp-query", run, query)
    reply.write_bytes(Tsa(world.folder / "tsa").reply(query.read_bytes()))
    world.call("register", "stamp", run, reply)
    assert warnings(world, run) == []
    (run / "registration.tsr").rename(world.folder / "kept.tsr")
    assert ["no witness signed" in one for one in warnings(world, run)] == [True]
    (world.folder / "kept.tsr").rename(run / "registration.tsr")
    world.cosign(EARLY_S)
    begun(world, run, *own_log(world), code=4)
    kept = (run / "registration.tlog-proof").read_bytes()
    assert b"witness.example.com" in kept
    other = Registered(1, 1, "", EARLY_S + 9999, "ab" * 32, 0, "cd" * 32, 0, "ef" * 32, "Somebody else's")
    entry = signed_entry(other, Ed25519PrivateKey.generate())
    log_writer.append(world.log, [entry], signing_keys.load(world.folder / "log.pem"))
    signing_keys.generate(world.folder / "second.pem")
    world.cosign(EARLY_S)
    world.cosign(EARLY_S, "second.example.com", "second.pem")
    assert "the seed waits" in last_line(begun(world, run, *own_log(world), code=4))
    assert (run / "registration.tlog-proof").read_bytes() == kept


def test_another_rounds_signature_is_refused_before_anything_is_played(world: World) -> None:
    pytest.importorskip("agzamov_verify.registration.pairing")
    good = world.beacon()
    wrong = world.folder / "wrong.json"
    wrong.write_text(good.read_text().replace(ROUNDS[1000], ROUNDS[1001]))
    told = last_line(begun(world, None, *own_log(world), "--round", wrong, code=2))
    assert f"{wrong}: expected the signature of round quicknet/1000, found another" in told
    assert not list((the_run(world) / "journal").iterdir())
    assert not (the_run(world) / "beacon.json").exists()


def test_a_sealed_run_is_not_registered_under_a_promise_that_nobody_typed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between sealing and registering, and typed with its folder alone, it was logged as attempt 1 of 1."""
    promised = ("--attempts", "3", "--margin", "bb/100=5000")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(RegisteredRun, "register", killed)
        begun(world, None, *own_log(world), *promised, code=130)
    assert "type again what it promised" in last_line(begun(world, the_run(world), *own_log(world), code=2))
    assert events(world) == []
    begun(world, the_run(world), *own_log(world), *promised, code=4)  # it waits for its round
    entry = read_entry(FolderLog(world.log).entry(0)).entry
    assert isinstance(entry, Registered)
    assert (entry.attempts, entry.margins) == (3, {"bb/100": "5000"})


def test_nothing_of_a_logged_run_is_deleted(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(folder: Path, index: int) -> bytes:
        raise BadNote(f"a tile of {folder}", f"none for {index}")

    with monkeypatch.context() as patched:
        patched.setattr(log_writer, "proof", damaged)
        told = last_line(begun(world, None, *own_log(world), code=4))
    assert told.startswith("error: its registration cannot be proved: expected a tile")
    assert (the_run(world) / "registration.json").is_file()
    begun(world, the_run(world), *own_log(world), code=4)
    assert (the_run(world) / "registration.tlog-proof").is_file()
    assert events(world) == ["Registered"]
