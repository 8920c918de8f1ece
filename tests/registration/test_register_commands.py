"""The commands that register a run, and those that keep a log: good use, and each wrong one in one line."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_verify.registration.log_entry import Aborted, read_entry
from agzamov_verify.transparency_log.signed_note import ED25519, parse_key
from registration.registered_run import LOG_NAME, ROUNDS, World, played


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


def test_no_end_is_written_that_a_log_would_not_take(world: World) -> None:
    key, end = ("--key", world.folder / "submitter.pem"), world.folder / "end.json"
    run = world.register(world.folder / "request.json")
    abort = ("register", "abort", run, "--request", end, *key, "--reason")
    assert "expected one line" in refused(*abort, "  ").splitlines()[-1]
    (run / "registration.json").unlink()
    assert "expected a run that asked to be registered" in refused(*abort, "why")
    of_a_run = refused("register", "end", run, "--request", end, *key)
    assert "this is the folder of a run, not a bundle" in of_a_run
    assert of_a_run.endswith(f"with: agzamov resume {run}")
    assert not end.exists()


@pytest.mark.slow
def test_the_end_of_another_keys_run_is_not_written(world: World) -> None:
    _, bundle = played(world.folder / "played")
    end = world.folder / "end.json"
    other = ("--key", world.folder / "submitter.pem")
    assert "expected the key that registered the run" in refused("register", "end", bundle, "--request", end, *other)
    (bundle / "attest" / "registration.json").write_bytes(b"{}")
    assert "registration in canonical JSON" in refused("register", "end", bundle, "--request", end, *other)
    (bundle / "attest" / "registration.json").unlink()
    done = CliRunner().invoke(main, ["register", "end", str(bundle), "--request", str(end), *map(str, other)])
    assert (done.exit_code, "warning: no attest/registration.json is in it" in done.stderr) == (0, True)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--margin", "bb/100=-3"), "expected a unit as bb/100 and a number as 0.05"),
        (("--margin", "bb/100=3", "--margin", "bb/100=5"), "bb/100 is given twice"),
        (("--margin", "chess=3"), "--margin chess: expected a unit of this plan: bb/100"),
        (("--seen-round", "99999999999"), "expected a round that was seen, so is out"),
        (("--request", "none/request.json"), "there is no folder none; make it first"),
    ],
)
def test_what_cannot_be_registered_is_refused_before_it_is_sealed(
    world: World, options: tuple[str, ...], told: str
) -> None:
    plan, request = world.folder / "plan.json", world.folder / "request.json"
    plan.write_text(json.dumps({**_plan(), "seed": {"origin": "beacon", "value": "quicknet/1000"}}))
    where = ("--runs", world.folder / "runs", "--key", world.folder / "submitter.pem", "--request", request)
    done = CliRunner().invoke(main, [*map(str, ("register", "plan", plan, *where)), *options])
    assert (done.exit_code, told in done.stderr) == (2, True), done.stderr
    assert not any((world.folder / "runs").glob("*"))


def test_a_request_does_not_take_the_place_of_a_file(world: World) -> None:
    victim = world.folder / "log.pem"
    before = victim.read_bytes()
    with pytest.raises(AssertionError, match="exists already; name another file by --request"):
        world.register(victim)
    run = world.register(world.folder / "request.json")
    key = ("--key", world.folder / "submitter.pem")
    told = refused("register", "abort", run, "--reason", "why", "--request", victim, *key)
    assert "exists already; name another file by --request" in told
    assert victim.read_bytes() == before


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
    (world.folder / "policy.json").write_text('{"format":"agz-policy-1"}')
    no_log = refused("verify", bundle, "--policy", world.folder / "policy.json", "--log", bundle)
    assert "expected a copy of a log, found no checkpoint in it" in no_log
    (world.folder / "policy.json").write_text("{}")
    assert "trust policy" in refused("verify", bundle, "--policy", world.folder / "policy.json")
