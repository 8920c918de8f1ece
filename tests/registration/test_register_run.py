"""`agzamov register run`: one command from a plan to its logged end, stopped and gone on with anywhere."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_harness.commands import register_run_actions
from agzamov_harness.registry import log_writer, registered_run
from agzamov_harness.registry.request_admission import logged
from agzamov_harness.run import registration, signing_keys
from agzamov_verify.bundle import MANIFEST_FILE
from agzamov_verify.checks import registration_check
from agzamov_verify.commands.trust_options import now_s
from agzamov_verify.registration.beacon import QUICKNET
from agzamov_verify.registration.log_entry import Aborted, Finished, read_entry
from agzamov_verify.transparency_log.folder_log import FolderLog
from registration.begun_run import SMALL, begun, events, last_line, own_log, small_world, the_run, words_of
from registration.registered_run import EARLY_S, OUT_S, PLAN, World
from registration.replayed_run import policy_file

WAIT_S: Final = 60


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A submitter, a log and a witness, an hour before round 1000 comes out."""
    monkeypatch.setattr(register_run_actions, "now_s", lambda: EARLY_S)
    return small_world(tmp_path)


@pytest.mark.slow
def test_one_command_registers_plays_and_logs_the_result(world: World) -> None:
    done = begun(world, None, *own_log(world), "--round", world.beacon())
    bundle = Path(done.stdout.splitlines()[-1].removeprefix("bundle: "))
    entries = [read_entry(entry).entry for entry in FolderLog(world.log).entries()]
    assert isinstance(entries[1], Finished)
    assert events(world) == ["Registered", "Finished"]
    assert "no witness signed" in done.stderr
    again = begun(world, the_run(world), *own_log(world))
    assert last_line(again) == f"its end is logged already, as entry 1: result, bundle {entries[1].bundle_sha256[:16]}"
    assert (bundle / "attest").is_dir()


def test_plan_names_the_command_for_a_seed_that_waits_for_a_round(world: World) -> None:
    path, gate = world.folder / "plan.yaml", PLAN["matches"][0] | {"hands": 3_000}

    def told(plan: dict[str, Any]) -> str:
        path.write_text(json.dumps(plan | {"matches": [gate]}))
        return " ".join(world.call("plan", path).replace("\\", "").split())

    assert f" register run {path}" in told(PLAN)
    assert f" register run {path}" not in (without := told({name: PLAN[name] for name in PLAN if name != "seed"}))
    assert f" run {path}" in without


@pytest.mark.slow
def test_what_a_witness_signed_while_the_run_waited_takes_it_to_v2(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registration_check, "is_of_chain", lambda found, chain: True)
    waits = last_line(begun(world, None, *own_log(world), code=4))
    assert waits.startswith("stopped: the seed waits for round quicknet/1000, out at 2023-08-23 15:59 UTC: give it by")
    assert f"go on with: agzamov register run {the_run(world)}" in waits
    world.cosign(EARLY_S)
    done = begun(world, the_run(world), *own_log(world), "--round", world.beacon())
    assert "no witness" not in done.stderr
    world.cosign(OUT_S + 600)
    bundle = world.folder / "bundles" / the_run(world).name
    verified = world.call("verify", bundle, "--policy", policy_file(world, world.policy), "--log", world.log, "--json")
    assert json.loads(verified)["level"] == "V2"


def test_a_witness_who_came_late_does_not_replace_one_in_time(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(world, None, *own_log(world), code=4)
    world.cosign(EARLY_S)
    begun(world, the_run(world), *own_log(world), code=4)
    kept = (the_run(world) / "registration.tlog-proof").read_bytes()
    signing_keys.generate(world.folder / "second.pem")
    world.cosign(OUT_S - 1, "second.example.com", "second.pem")
    monkeypatch.setattr(register_run_actions, "now_s", lambda: OUT_S - 1)
    begun(world, the_run(world), *own_log(world), "--round", world.beacon())
    assert (the_run(world) / "registration.tlog-proof").read_bytes() == kept


def test_a_spoilt_proof_is_named_and_is_taken_again_once_it_is_removed(world: World) -> None:
    begun(world, None, *own_log(world), code=4)
    proof = the_run(world) / "registration.tlog-proof"
    kept = proof.read_bytes()
    proof.write_bytes(b"none")
    told = last_line(begun(world, the_run(world), *own_log(world), code=4))
    assert f"expected the proof that was kept in {proof} (remove the file" in told
    proof.unlink()
    begun(world, the_run(world), *own_log(world), code=4)
    assert proof.read_bytes() == kept


def test_a_log_of_somebody_else_gets_files_and_gives_a_proof(world: World) -> None:
    requests = ("--requests", world.folder / "sent")
    told = last_line(begun(world, None, *requests, code=4))
    request = world.folder / "sent" / f"{the_run(world).name}.json"
    assert told.startswith(
        f"stopped: send {request} to the keeper of the log, and put {request.name}.tlog-proof beside"
    )
    assert last_line(begun(world, the_run(world), *requests, code=4)) == told
    world.append(request)
    done = begun(world, the_run(world), *requests, "--round", world.beacon())
    end = request.with_name(f"{the_run(world).name}-end.json")
    assert f"send {end} to the keeper" in done.stderr
    world.append(end, time_s=OUT_S + 600)
    assert events(world) == ["Registered", "Finished"]


def test_a_copy_of_a_log_gives_the_proof_too(world: World) -> None:
    requests = ("--requests", world.folder / "sent")
    begun(world, None, *requests, code=4)
    world.append(world.folder / "sent" / f"{the_run(world).name}.json")
    (world.folder / "sent" / f"{the_run(world).name}.json.tlog-proof").unlink()
    done = begun(world, the_run(world), *requests, "--log", world.log, "--round", world.beacon())
    assert events(world) == ["Registered"]
    assert "to the keeper of the log: it says how this run ended" in done.stderr


def test_a_plan_that_is_registered_already_is_not_registered_again(world: World) -> None:
    begun(world, None, *own_log(world), code=4)
    told = last_line(begun(world, None, *own_log(world), code=2))
    assert told.startswith("error: run 1 of this plan is registered already: go on with agzamov register run")
    assert told.endswith("--attempt 2, of as many --attempts as were promised; nothing was sealed")
    run = the_run(world)
    shutil.rmtree(run)
    assert f"entry 0 of {world.log}" in last_line(begun(world, None, *own_log(world), code=2))
    assert not list((world.folder / "runs").glob("*"))


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ((), ("--attempts", 2), "--attempts 2: run 1 of this plan promised 1 in all: "),
        (("--attempts", 2), ("--attempts", 2, "--margin", "bb/100=5"), "of this plan, no --margin: "),
        (("--attempts", 2, "--margin", "bb/100=5"), ("--attempts", 2), "of this plan, --margin bb/100=5: "),
        (
            ("--attempts", 2),
            ("--attempts", 2, "--margin", "BB=5"),
            "--margin BB=5: expected a unit as bb/100 and a number",
        ),
        (("--attempts", 2), ("--attempts", 2), ""),
    ],
    ids=["more runs", "a new margin", "no margin", "no unit", "as promised"],
)
def test_a_second_run_keeps_the_promise_of_the_first_or_is_not_sealed(
    world: World, first: tuple[object, ...], second: tuple[object, ...], words: str
) -> None:
    begun(world, None, *own_log(world), *first, code=4)
    said = last_line(begun(world, None, *own_log(world), "--attempt", 2, *second, code=2 if words else 4))
    sealed = list((world.folder / "runs").glob("[!.]*"))
    if words:
        assert words in said
        assert said.endswith("; nothing was sealed")
    assert len(sealed) == (1 if words else 2)


def test_a_round_that_is_out_is_not_registered(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(register_run_actions, "now_s", lambda: OUT_S)
    told = last_line(begun(world, None, *own_log(world), code=2))
    assert f"in a day it will be {1000 + 28_800}" in told
    assert "round 1000, out since" in told
    assert not list((world.folder / "runs").glob("*"))


@pytest.mark.parametrize(
    ("left_s", "is_own", "words"),
    [
        (3_599, False, "round 1000 is out in 59 min 59 s"),
        (3_600, False, ""),
        (1, False, "round 1000 is out in 0 min 1 s"),
        (1, True, ""),
    ],
    ids=["less than an hour", "an hour", "a second", "our own log"],
)
def test_a_round_that_is_out_soon_is_warned_of_where_somebody_else_keeps_the_log(
    world: World, monkeypatch: pytest.MonkeyPatch, left_s: int, is_own: bool, words: str
) -> None:
    monkeypatch.setattr(register_run_actions, "now_s", lambda: OUT_S - left_s)
    said = begun(world, None, *(own_log(world) if is_own else ("--requests", world.folder / "sent")), code=4).stderr
    assert (words in said, "choose a later round" in said) == (True, bool(words))


def test_a_log_that_cannot_be_written_is_told_before_anything_is_sealed(world: World) -> None:
    key = last_line(begun(world, None, *own_log(world, "witness.pem"), code=2))
    assert "example.com/log" in key
    assert "another key than the one that signs" in last_line(
        begun(world, None, *own_log(world, "submitter.pem"), code=2)
    )
    with log_writer.locked(world.log):
        held = last_line(begun(world, None, *own_log(world), code=2))
    assert held == "error: expected a log that nobody else writes, found another process that does"
    assert "--log-key needs --log" in last_line(begun(world, None, "--log-key", world.folder / "log.pem", code=2))
    assert not (world.folder / "runs").exists()


def test_a_result_that_could_not_be_logged_is_logged_by_the_next_start(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_at_the_end(folder: Path, entry: bytes, key: Ed25519PrivateKey, now_s: int) -> int:
        if isinstance(read_entry(entry).entry, Finished):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))
        return logged(folder, entry, key, now_s)

    with monkeypatch.context() as patched:
        patched.setattr(registered_run, "logged", full_at_the_end)
        told = last_line(begun(world, None, *own_log(world), "--round", world.beacon(), code=4))
    bundle = world.folder / "bundles" / the_run(world).name
    assert told.startswith(f"error: the bundle {bundle} is whole, and its end is not logged: [Errno 28]")
    assert f"go on with: agzamov register run {the_run(world)}" in told
    before = (bundle / "manifest-sha256.txt").read_bytes()
    assert "logged as entry 1: result, bundle" in begun(world, the_run(world), *own_log(world)).stderr
    assert (bundle / "manifest-sha256.txt").read_bytes() == before


def test_a_damaged_log_and_another_bundle_are_told_in_one_line(world: World) -> None:
    begun(world, None, *own_log(world), code=4)
    run, entries = the_run(world), world.log / "tile" / "entries" / "000.p" / "1"
    other = world.folder / "bundles" / run.name
    other.mkdir(parents=True)
    (other / "data").mkdir()
    (other / MANIFEST_FILE).write_bytes(b"{}")
    found = last_line(begun(world, run, *own_log(world), "--round", world.beacon(), code=2))
    assert "expected the bundle of the run in" in found
    entries.write_bytes(b"damaged")
    assert last_line(begun(world, run, *own_log(world), code=2)).startswith("error: expected")


def test_an_aborted_run_is_logged_with_its_reason(world: World) -> None:
    begun(world, None, *own_log(world), code=4)
    done = begun(world, the_run(world), *own_log(world), "--abort", "the disk failed")
    assert last_line(done) == "logged as entry 1: no result, the disk failed"
    (_, end) = [read_entry(entry).entry for entry in FolderLog(world.log).entries()]
    assert isinstance(end, Aborted)
    assert "no result, the disk failed" in last_line(begun(world, the_run(world), *own_log(world)))
    again = last_line(begun(world, the_run(world), *own_log(world), "--abort", "another", code=2))
    assert "a second end of one run" in again
    needs = last_line(begun(world, None, *own_log(world), "--abort", "why", code=2))
    assert "the folder of a registered run" in needs


@pytest.mark.parametrize("reason", ["", "  ", "two\nlines", "x" * 201])
def test_a_reason_that_no_log_takes_neither_aborts_nor_plays(world: World, reason: str) -> None:
    """An empty one is a variable that was not set: the run was played, and its result logged for ever."""
    begun(world, None, *own_log(world), code=4)
    done = begun(world, the_run(world), *own_log(world), "--round", world.beacon(), "--abort", reason, code=2)
    assert "expected one line of 1 to 200 characters" in last_line(done)
    assert (FolderLog(world.log).size, list(world.folder.glob("bundles/*"))) == (1, [])


def test_a_run_that_was_begun_is_not_registered_afterwards(world: World) -> None:
    plan = world.folder / "season.yaml"
    plan.write_text(yaml.safe_dump({**PLAN, **SMALL, "seed": {"origin": "season", "value": "spring"}}))
    key = ("--key", world.folder / "submitter.pem")
    run = Path(world.call("seal", plan, *key, "--runs", world.folder / "runs").splitlines()[-1])
    (run / "journal" / "p0").mkdir()
    assert "begun before it was registered" in last_line(begun(world, run, *own_log(world), "--attempts", 1, code=2))
    (run / "journal" / "p0").rmdir()
    begun(world, run, *own_log(world), "--attempts", 1)
    assert events(world) == ["Registered", "Finished"]


@pytest.mark.slow
def test_ctrl_c_while_it_waits_is_one_line_and_loses_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registration, "is_of_chain", lambda found, chain: True)
    number = QUICKNET.round_after(now_s() + 86_400)
    plan = world.folder / "plan.yaml"
    plan.write_text(yaml.safe_dump({**PLAN, **SMALL, "seed": {"origin": "beacon", "value": f"quicknet/{number}"}}))
    told, file = world.folder / "told", world.folder / "later.json"
    words = words_of(world, plan, *own_log(world), "--round", file)
    with told.open("wb") as output:
        process = subprocess.Popen([sys.executable, "-m", "agzamov_harness", *words], stderr=output)
    try:
        until_s = time.monotonic() + WAIT_S
        while b"waiting for round" not in told.read_bytes() and time.monotonic() < until_s:
            time.sleep(0.05)
        held = last_line(begun(world, the_run(world), *own_log(world), code=2))
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(WAIT_S) == 4
    finally:
        process.kill()
    assert "another process is running this run" in held
    line = told.read_text().splitlines()[-1]
    assert line.startswith("stopped by SIGINT; nothing was played; go on with: ")
    assert f" register run {the_run(world)} " in line
    assert events(world) == ["Registered"]
    file.write_text(json.dumps({"round": number, "signature": "ab" * 48}))
    begun(world, the_run(world), *own_log(world), "--round", file)
    assert events(world) == ["Registered", "Finished"]
