"""Level V3: a run that somebody else replayed reaches it, and no attestation with exactly one defect does."""

import base64
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from agzamov_harness.cli import main
from agzamov_harness.registry import log_writer
from agzamov_harness.reproduce.other_seats import other_seats
from agzamov_harness.run import signing_keys
from agzamov_verify.attestations.replay_statement import Counts, ReplayedMemory
from agzamov_verify.attestations.signed_statement import ATTESTATION_BYTES_MAX
from agzamov_verify.checks import replay_check
from agzamov_verify.checks.registration_check import Trust
from agzamov_verify.checks.replay_check import ReplayVerdict
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.core.envelope import key_id, sign_payload
from agzamov_verify.registration.beacon import QUICKNET, NoPairing
from agzamov_verify.registration.trust_policy import Revoked
from registration.registered_run import OUT_S, World, played
from registration.replayed_run import (
    GAMES_MIN,
    LATER_ROUND,
    Replay,
    Spoil,
    any_round_is_signed,
    policy_file,
    replayed,
    round_file,
)

END_S = OUT_S + 600


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, Path]:
    with pytest.MonkeyPatch.context() as patch:
        any_round_is_signed(patch)
        world, bundle = played(tmp_path_factory.mktemp("good"))
        replayed(world, bundle)
    return world, bundle


@pytest.fixture
def case(good: tuple[World, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Replay:
    any_round_is_signed(monkeypatch)
    return Replay(*good, tmp_path)


def test_a_replayed_run_reaches_v3_and_says_what_the_sample_can_miss(case: Replay) -> None:
    found = case.judged()
    assert (found.findings, found.missing) == ([], [])
    words = "\n".join(found.account)
    assert f"Example Lab asked again {GAMES_MIN} of 200 games, drawn by round quicknet/{LATER_ROUND}" in words
    # scipy.stats.hypergeom.pmf(0, 200, 2, 12), and of 10 and 20 forged games
    assert "88.3 % if 1 % are forged, 53.1 % if 5 % are forged, 27.2 % if 10 % are forged" in words


@pytest.mark.slow
def test_the_screen_the_json_and_the_exit_code_say_v3(case: Replay) -> None:
    options = ("--policy", policy_file(case.world, case.policy), "--log", case.world.log)
    given = (*options, "--attestation", case.attestation)
    screen = case.world.call("verify", case.bundle, *given)
    assert "(level V3 of V0 to V4)" in " ".join(screen.split())
    assert "Replayed by others" in screen
    document = json.loads(case.world.call("verify", case.bundle, *given, "--json"))
    assert (document["level"], document["replays"]["findings"]) == ("V3", [])
    assert json.loads(case.world.call("verify", case.bundle, *options, "--json"))["level"] == "V2"
    case.world.call("verify", case.bundle, "--attestation", case.attestation, code=2)
    case.sign(run="0" * 16)
    assert "not V3" in case.world.call("verify", case.bundle, *given, code=1)


@pytest.mark.slow
def test_a_leaderboard_takes_the_attestations_of_people_it_knows_and_no_others(case: Replay) -> None:
    world = case.world
    folder, out = world.folder / "attestations", world.folder / "site"
    folder.mkdir()
    shutil.copy(case.attestation, folder / "good.json")
    case.sign(key=Ed25519PrivateKey.generate())
    shutil.copy(case.attestation, folder / "of-a-stranger.json")
    (folder / "none.json").write_bytes(b"none")
    policy = world.folder / "board.yaml"
    keys = {"ada": key_id(case.key.public_key())}
    rules = {"title": "Board", "keys": keys, "departures": True, "level": "V3"}
    policy.write_text(json.dumps({**rules, "trust": msgspec.to_builtins(case.policy)}))
    build = ("leaderboard", "build", case.bundle.parent, "--policy", policy, "--out", out, "--jobs", 1)
    given = ("--log", world.log, "--attestations", folder)
    assert world.call(*build, *given).endswith("1 accepted")
    report = (out / case.bundle.name / "index.html").read_text("utf-8")
    assert "level V3 of V0 to V4" in report
    assert report.count("--attestation ATTESTATION.json") == 1
    told = world.call(*build, "--log", world.log, code=1)
    assert "level V2, V3 required" in told


@pytest.mark.slow
def test_without_a_sample_the_policy_says_how_many_games(case: Replay) -> None:
    case.change_policy(replayed_games_min=7)
    given = ("--policy", policy_file(case.world, case.policy), "--log", case.world.log)
    again = ("--attest", case.world.folder / "replayer.pem", "--round", round_file(case.world.folder))
    margin = ("--margin", "0.000001")
    case.attestation.unlink()
    case.world.call("replay", case.bundle, *given, *again, *margin, "--attestation", case.attestation)
    assert (len(case.replayed.games), case.replayed.margin_nats) == (7, "0.000001")
    assert case.judged().reached


def test_without_v2_there_is_no_v3(case: Replay) -> None:
    case.proof.write_bytes(b"")
    trust = Trust(case.policy, case.trust_log, OUT_S + 10**9, (case.attestation,))
    assert verify(case.bundle, Options(trust=trust)).level == "V1"


def _tampered(case: Replay) -> None:
    envelope = json.loads(case.attestation.read_bytes())
    payload = base64.b64decode(envelope["payload"]).replace(b'"sample":12', b'"sample":11')
    envelope["payload"] = base64.b64encode(payload).decode()
    case.attestation.write_bytes(msgspec.json.encode(envelope, order="sorted"))


def _payload(case: Replay, change: Callable[[Any], object]) -> None:
    """Another payload, signed by the replayer."""
    document = json.loads(base64.b64decode(json.loads(case.attestation.read_bytes())["payload"]))
    change(document)
    case.attestation.write_bytes(sign_payload(msgspec.json.encode(document, order="sorted"), case.replayer))


def _revoked(case: Replay) -> None:
    case.change_policy(revoked={key_id(case.replayer.public_key()): Revoked("stolen", 10**10)})


def _round(case: Replay, number: int) -> None:
    case.sign(beacon=replace(case.replayed.beacon, round=number, signature=f"{number:096x}"))


def _game(case: Replay, change: Callable[[Counts], Counts], *, of_seat: bool = False) -> None:
    """Other counts of the first game, and of a seat too if the sums shall agree."""
    found = case.replayed
    name, counts = next((name, counts) for name, counts in found.games.items() if counts.same)
    seats = {key: replace(seat, counts=change(seat.counts)) for key, seat in list(found.seats.items())[:1]}
    case.sign(games=found.games | {name: change(counts)}, seats=found.seats | (seats if of_seat else {}))


def _seat(case: Replay, change: Callable[[Counts], Counts]) -> None:
    found = case.replayed
    name, seat = next(iter(found.seats.items()))
    case.sign(seats=found.seats | {name: replace(seat, counts=change(seat.counts))})


def _more(counts: Counts) -> Counts:
    return replace(counts, same=counts.same + 1)


def _differs(counts: Counts) -> Counts:
    return replace(counts, same=counts.same - 1, different=1)


def _not_drawn(case: Replay, *, instead: bool) -> None:
    games = dict(case.replayed.games)
    other = next(name for n in range(200) if (name := f"p0-holdem-naked-agent-h{n:07d}") not in games)
    games[other] = games.popitem()[1] if instead else Counts(0, 0, 0, 0)
    case.sign(games=games)


def _left_out(case: Replay) -> None:
    games = dict(case.replayed.games)
    games.popitem()
    case.sign(games=games)


def _named_seat(case: Replay) -> None:
    seats = case.replayed.seats
    case.sign(seats=seats | {"nobody": replace(seats["agent"], counts=Counts(0, 0, 0, 0))})


def _stale_log(case: Replay) -> None:
    """The attestation's proof is of a log that is longer than the reader's copy."""
    entries = [case.entry.read_bytes()]
    case.more(case.another_run(deadline_s=2**40))
    case.sign(end_proof=log_writer.proof(case.world.log, 1).decode())
    case.relog([*entries])


def _unwitnessed(case: Replay) -> None:
    case.sign(end_proof=case.replayed.end_proof.rpartition("— ")[0])


WRONG: dict[str, tuple[Spoil, str]] = {
    "the replayer is the submitter": (lambda case: case.sign(key=case.key), "who is not the submitter"),
    "the replayer is the submitter with another key": (
        lambda case: case.change_policy(submitters={key_id(case.key.public_key()): "Example Lab"}),
        "another key of Example Lab",
    ),
    "a replayer whom nobody knows": (lambda case: case.sign(key=Ed25519PrivateKey.generate()), "the policy names"),
    "a policy without replayers": (lambda case: case.change_policy(replayers={}), "the policy names"),
    "a replayer whose key is revoked": (_revoked, "stolen"),
    "about another bundle": (lambda case: case.sign(bundle_sha256="ab" * 32), "bundle abab"),
    "about another run": (lambda case: case.sign(run="0" * 16), "run"),
    "about two bundles": (lambda case: _payload(case, lambda one: one["subject"].append(one["subject"][0])), "length"),
    "about another sort of subject": (
        lambda case: _payload(case, lambda one: one["subject"][0].update(name="x")),
        "subjects of name",
    ),
    "changed after it was signed": (_tampered, "valid Ed25519 signature"),
    "no JSON": (lambda case: case.attestation.write_bytes(b"none"), "DSSE"),
    "too large": (lambda case: case.attestation.write_bytes(b" " * (ATTESTATION_BYTES_MAX + 1)), "bytes"),
    "no key": (lambda case: _payload(case, lambda one: one["predicate"].update(key="")), "public key"),
    "a key in another spelling": (
        lambda case: _payload(case, lambda one: one["predicate"].update(key=one["predicate"]["key"] + "\n")),
        "one spelling",
    ),
    "another statement": (lambda case: _payload(case, lambda one: one.update(predicateType="urn:x")), "urn:x"),
    "a payload that is no ASCII": (
        lambda case: case.attestation.write_bytes('{"payload":"é","payloadType":"x","signatures":[]}'.encode()),
        "DSSE",
    ),
    "an unknown field": (lambda case: _payload(case, lambda one: one["predicate"].update(more=1)), "more"),
    "a missing field": (lambda case: _payload(case, lambda one: one["predicate"].pop("games")), "games"),
    "a round that was out before the result was logged": (
        lambda case: _round(case, QUICKNET.round_after(END_S - 60)),
        "could have been known",
    ),
    "a round within the margin": (lambda case: _round(case, QUICKNET.round_after(END_S + 110)), "could have been"),
    "a beacon that nobody knows": (
        lambda case: case.sign(beacon=replace(case.replayed.beacon, chain="slownet")),
        "a beacon that the policy knows",
    ),
    "games of another round": (lambda case: _round(case, LATER_ROUND + 1), "which the round draws"),
    "a game that was not drawn instead of one that was": (
        lambda case: _not_drawn(case, instead=True),
        "which the round draws",
    ),
    "one game more than was drawn": (lambda case: _not_drawn(case, instead=False), "no game that the round does not"),
    "a drawn game left out": (_left_out, "which the round draws"),
    "fewer games than the policy wants": (
        lambda case: case.change_policy(replayed_games_min=GAMES_MIN + 1),
        "at least 13 games",
    ),
    "another number of games in the bundle": (lambda case: case.sign(games_in_bundle=20), "games_in_bundle"),
    "more answers in a game than the bundle holds": (lambda case: _game(case, _more), "answers"),
    "more answers of a seat than the bundle holds": (lambda case: _seat(case, _more), "answers"),
    "a difference that stands in the games alone": (lambda case: _game(case, _differs), "as in the games"),
    "a difference that stands in the seats alone": (lambda case: _seat(case, _differs), "as in the games"),
    "an answer that differs": (lambda case: _game(case, _differs, of_seat=True), "other answers in 1 of 12 games"),
    "a wider margin than the policy allows": (lambda case: case.sign(margin_nats="0.06"), "at most 0.05"),
    "a seat that does not play": (_named_seat, "nobody"),
    "a memory that is not there": (
        lambda case: case.sign(memories={"p0 memory_a": ReplayedMemory(1, 0, 0)}),
        "memories.p0 memory_a",
    ),
    "no proof that the result was logged": (lambda case: case.sign(end_proof=""), "end_proof"),
    "the proof of the registration": (
        lambda case: case.sign(end_proof=log_writer.proof(case.world.log, 0).decode()),
        "result none",
    ),
    "a proof without the witness": (_unwitnessed, "cosignatures"),
    "a policy that wants two witnesses": (lambda case: case.change_policy(quorum=2), "cosignatures of 2"),
    "a copy of the log that is older than the proof": (_stale_log, "end_proof"),
    "a log that nobody trusts": (lambda case: case.change_policy(logs=()), "a log that the policy names"),
    "a log of another bundle's result": (
        lambda case: case.relog([case.entry.read_bytes(), case.end(bundle_sha256="34" * 32)], ends=False),
        "end_proof",
    ),
}


def told(found: ReplayVerdict) -> str:
    return " ".join(f"{one.place}: expected {one.expected}, found {one.found}" for one in found.findings)


@pytest.mark.parametrize("name", WRONG)
def test_one_defect_is_a_finding_and_no_v3(case: Replay, name: str) -> None:
    spoil, words = WRONG[name]
    spoil(case)
    found = case.judged()
    assert found.findings
    assert words in told(found)
    assert {one.step for one in found.findings} == {replay_check.ReplayVerdict.step}


def test_a_round_that_its_chain_did_not_sign_is_found(case: Replay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_check, "is_of_chain", lambda found, chain: False)
    assert "another signature" in told(case.judged())


def test_a_seat_that_was_not_asked_is_missing_and_named(case: Replay) -> None:
    world = case.world
    run = (
        "replay",
        case.bundle,
        "--policy",
        policy_file(world, case.policy),
        "--log",
        world.log,
        "--sample",
        GAMES_MIN,
    )
    again = ("--attest", world.folder / "replayer.pem", "--round", round_file(world.folder))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "agzamov_harness.commands.attest_options.other_seats",
            lambda manifest, engine, programs: (
                _only_agent(manifest, engine, programs),
                {"dice": "a person played it"},
            ),
        )
        case.attestation.unlink()
        world.call(*run, *again, "--attestation", case.attestation)
    found = case.judged()
    assert (found.findings, found.missing) == ([], ["dice was not asked again: a person played it"])


def _only_agent(*given: Any) -> dict[str, Any]:
    return {"agent": other_seats(*given)[0]["agent"]}


def test_what_is_missing_says_who_would_have_to_do_what(case: Replay, monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(found: object, chain: object) -> bool:
        raise NoPairing

    case.trust_log = None
    assert ["--log" in one for one in case.judged().missing] == [True]
    monkeypatch.setattr(replay_check, "is_of_chain", lacking)
    assert any("py-ecc" in one for one in case.judged().missing)


@pytest.mark.slow
def test_one_good_attestation_suffices_and_one_that_differs_does_not_go_away(case: Replay) -> None:
    second = case.attestation.with_name("second.json")
    second.write_bytes(case.attestation.read_bytes())
    _game(case, _differs, of_seat=True)
    trust = Trust(case.policy, case.trust_log, OUT_S + 10**9, (second, case.attestation))
    found = verify(case.bundle, Options(trust=trust))
    assert (found.level, found.replays and len(found.replays.findings)) == ("V2", 1)
    assert verify(case.bundle, Options(trust=replace(trust, attestations=(second,)))).level == "V3"
    case.change_policy(different_games_max=1)
    assert case.judged().reached


def test_a_real_round_draws_where_the_library_is(good: tuple[World, Path], tmp_path: Path) -> None:
    pytest.importorskip("agzamov_verify.registration.pairing")
    case = Replay(*good, tmp_path)
    assert [one.found for one in case.judged().findings] == ["another signature"], "a made-up one is refused"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--policy", "policy.json", "--log", "log"), "needs --attest KEY"),
        (("--attest", "replayer.pem"), "--attest needs --policy FILE and --log FOLDER"),
        (("--attest", "replayer.pem", "--policy", "policy.json", "--log", "log", "--seed", "s"), "--seed cannot be"),
        (("--attest", "submitter.pem", "--policy", "policy.json", "--log", "log"), "found the submitter's"),
        (("--attest", "nobody.pem", "--policy", "policy.json", "--log", "log"), "no key is there"),
        (
            ("--attest", "replayer.pem", "--policy", "policy.json", "--log", "log"),
            "curl -o round.json https://api.drand",
        ),
        (
            ("--attest", "replayer.pem", "--policy", "policy.json", "--log", "log", "--round", "round-1000.json"),
            "or later, after the result was logged, found 1000",
        ),
    ],
)
def test_wrong_use_is_one_line_that_says_what_to_do(case: Replay, options: tuple[str, ...], words: str) -> None:
    policy_file(case.world, case.policy)
    case.world.beacon()
    paths = [case.world.folder / one if (case.world.folder / one).exists() or "." in one else one for one in options]
    result = _invoked(case, paths)
    assert (result[0], words in result[1], result[1].count("\n")) == (2, True, 1), result


def _invoked(case: Replay, paths: list[Any]) -> tuple[int, str]:

    done = CliRunner().invoke(main, ["replay", str(case.bundle), *map(str, paths)])
    return done.exit_code, done.stderr


def test_a_result_that_is_not_logged_cannot_be_replayed(case: Replay) -> None:
    case.relog([case.entry.read_bytes()], ends=False)
    key = signing_keys.DEFAULT_KEY.with_name("replayer.pem").name
    options = ("--policy", policy_file(case.world, case.policy), "--log", case.world.log)
    code, words = _invoked(case, ["--attest", case.world.folder / key, *options])
    assert (code, "agzamov register end" in words) == (2, True)
