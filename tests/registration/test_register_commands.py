"""The commands that register a run, and those that keep a log: good use, and each wrong one in one line."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_verify.registration.log_entry import Aborted, read_entry
from agzamov_verify.transparency_log.signed_note import ED25519, parse_key
from registration.registered_run import LOG_NAME, ROUNDS, World


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.create()
    return world


def refused(*words: object) -> str:
    """The one line of a command that is used wrongly."""
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == 2, done.output
    line, *more = done.stderr.splitlines()
    assert not more
    return line


def test_a_registered_run_is_not_played_without_its_proof_nor_without_its_round(world: World) -> None:
    request = world.folder / "request.json"
    run = world.register(request)
    assert "register proof" in refused("resume", run)
    world.append(request)
    world.call("register", "proof", run, world.folder / "request.json.tlog-proof")
    assert "register beacon" in refused("resume", run)


def test_the_proof_of_another_run_is_refused(world: World) -> None:
    first, second = world.folder / "first.json", world.folder / "second.json"
    run = world.register(first)
    world.register(second)
    world.append(first, second)
    assert "found another" in refused("register", "proof", run, world.folder / "second.json.tlog-proof")
    assert "expected a proof" in refused("register", "proof", run, first)
    world.call("register", "proof", run, world.folder / "first.json.tlog-proof")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"round": 1001, "signature": ROUNDS[1001]}, "expected the round quicknet/1000"),
        ({"round": 1000, "signature": "zz"}, "as a drand server answers it"),
        ({"round": 1000, "signature": ROUNDS[1000], "randomness": "00"}, "SHA-256 of the signature"),
        ([], "as a drand server answers it"),
    ],
)
def test_another_round_is_refused(world: World, answer: object, told: str) -> None:
    run = world.register(world.folder / "request.json")
    (world.folder / "round.json").write_text(json.dumps(answer))
    assert told in refused("register", "beacon", run, world.folder / "round.json")


def round_of(world: World, number: int, signature: str) -> Path:
    file = world.folder / "round.json"
    file.write_text(json.dumps({"round": number, "signature": signature}))
    return file


def test_another_rounds_signature_is_refused_and_nothing_is_kept(world: World) -> None:
    pytest.importorskip("agzamov_verify.registration.pairing")
    run = world.register(world.folder / "request.json")
    told = refused("register", "beacon", run, round_of(world, 1000, ROUNDS[1001]))
    assert "expected the signature of round quicknet/1000, found another" in told
    assert not (run / "beacon.json").exists()
    world.call("register", "beacon", run, world.beacon())


def test_a_round_that_cannot_be_checked_is_said_to_be_unchecked(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """And one that was wrong goes for the right one, unless something was played by it."""
    pytest.importorskip("agzamov_verify.registration.pairing")
    run = world.register(world.folder / "request.json")
    wrong = round_of(world, 1000, ROUNDS[1001])
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "agzamov_verify.registration.pairing", None)
        done = CliRunner().invoke(main, ["register", "beacon", str(run), str(wrong)])
        (line,) = done.stderr.splitlines()
        assert (done.exit_code, line.startswith("warning: the signature of round quicknet/1000 was not checked")) == (
            0,
            True,
        )
        assert "the first was kept" in refused("register", "beacon", run, world.beacon())
    (run / "journal" / "p0").mkdir()
    assert "the first was kept" in refused("register", "beacon", run, world.beacon())
    (run / "journal" / "p0").rmdir()
    world.call("register", "beacon", run, world.beacon())
    assert ROUNDS[1000] in (run / "beacon.json").read_text()


def test_a_round_that_a_crash_left_empty_is_taken_again(world: World) -> None:
    run = world.register(world.folder / "request.json")
    (run / "beacon.json").write_bytes(b"")
    world.call("register", "beacon", run, world.beacon())
    assert ROUNDS[1000] in (run / "beacon.json").read_text()


@pytest.mark.parametrize(
    ("seed", "told"),
    [
        ({"origin": "beacon", "value": "quicknet"}, "expected a chain and a round"),
        ({"origin": "beacon"}, "expected a value"),
        ({"origin": "beacon", "value": "quicknet/0"}, "expected a chain and a round"),
    ],
)
def test_a_plan_names_a_chain_and_a_round(world: World, seed: dict[str, str], told: str) -> None:
    plan = world.folder / "plan.json"
    plan.write_text(json.dumps({**_plan(), "seed": seed}))
    assert told in refused("seal", plan, "--key", world.folder / "submitter.pem", "--runs", world.folder / "runs")


def _plan() -> dict[str, object]:
    return {
        "title": "A plan",
        "seats": {"agent": {"kind": "reference"}, "dice": {"kind": "random"}},
        "matches": [{"phase": 0, "game": "holdem", "a": "agent", "b": "dice", "hands": 200}],
    }


def test_an_abandoned_run_is_logged_with_its_reason(world: World) -> None:
    request, end = world.folder / "request.json", world.folder / "end.json"
    run = world.register(request)
    key = ("--key", world.folder / "submitter.pem")
    world.call("register", "abort", run, "--reason", "the disk failed", "--request", end, *key)
    assert isinstance(read_entry(end.read_bytes()).entry, Aborted)
    world.append(request, end)
    assert "1 stopped" in world.call("registrations", world.log)


def test_a_keeper_appends_only_what_was_signed_and_only_once(world: World) -> None:
    request, bad = world.folder / "request.json", world.folder / "bad.json"
    world.register(request)
    bad.write_bytes(request.read_bytes().replace(b'"attempt":1', b'"attempt":2'))
    key = ("--log-key", world.folder / "log.pem")
    assert "does not fit" in refused("log", "append", world.log, bad, *key)
    assert "found one that is not" in refused("log", "prove", world.log, request)
    world.call("log", "append", world.log, request, *key)
    assert "not in the log yet" in refused("log", "append", world.log, request, *key)
    assert "it was kept" in refused("log", "create", world.log, "--origin", LOG_NAME, *key)
    assert "without spaces" in refused("log", "create", world.folder / "new", "--origin", "a b", *key)
    assert "agzamov log create" in refused("log", "append", world.folder / "none", request, *key)


def test_a_new_log_prints_its_key_for_policies(world: World) -> None:
    printed = world.call(
        "log", "create", world.folder / "new", "--origin", LOG_NAME, "--log-key", world.folder / "log.pem"
    )
    assert parse_key(printed, ED25519).name == LOG_NAME


def test_a_log_without_a_policy_is_wrong_use(world: World) -> None:
    bundle = world.folder / "bundle"
    bundle.mkdir()
    (bundle / "bagit.txt").write_text("")
    assert "--policy" in refused("verify", bundle, "--log", world.log)
    (world.folder / "policy.json").write_text("{}")
    assert "trust policy" in refused("verify", bundle, "--policy", world.folder / "policy.json")
