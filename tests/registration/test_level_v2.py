"""Level V2: a registered run reaches it, and no run with exactly one defect in its registration does."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_harness.registry import log_writer
from agzamov_harness.run.registration import signed_entry
from agzamov_verify import bundle
from agzamov_verify.checks import registration_check
from agzamov_verify.checks.registration_check import Trust
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.core import canon
from agzamov_verify.registration.beacon import NoPairing
from agzamov_verify.registration.log_entry import Aborted, Finished, SignedEntry, read_entry
from agzamov_verify.registration.trust_policy import Revoked, parse_policy
from agzamov_verify.transparency_log.folder_log import FolderLog
from agzamov_verify.transparency_log.signed_note import COSIGNATURE, ED25519, BadNote
from registration.registered_case import Case
from registration.registered_run import EARLY_S, LOG_NAME, OUT_S, ROUND, WITNESS_NAME, World
from registration.test_signed_notes import PETER

Entry = dict[str, Any]


def test_a_run_that_was_registered_before_its_round_reaches_v2(case: Case) -> None:
    found = case.check()
    assert (found.findings, found.missing) == ([], [])
    assert found.registered_s == EARLY_S
    assert "1 registered: 1 finished, 0 stopped, 0 open, 0 missing" in found.account[1]


@pytest.mark.slow
def test_the_whole_verdict_says_v2_with_a_policy_and_v1_without(case: Case) -> None:
    options = Options(trust=Trust(case.policy, case.trust_log, OUT_S + 10**9))
    assert verify(case.bundle, options).level == "V2"
    assert verify(case.bundle, Options()).level == "V1"
    policy = case.world.folder / "policy.json"
    policy.write_bytes(msgspec.json.encode(case.policy))
    screen = case.world.call("verify", case.bundle, "--policy", policy, "--log", case.world.log)
    assert "level V2" in screen
    assert "every registration of its study is accounted for" in screen
    assert json.loads(case.world.call("verify", case.bundle, "--policy", policy, "--json", code=3))["level"] == "V1"
    assert "Registration" not in case.world.call("verify", case.bundle)


def test_a_real_round_is_checked_where_the_library_is(good: tuple[World, Path], tmp_path: Path) -> None:
    pytest.importorskip("agzamov_verify.registration.pairing")
    assert Case(*good, tmp_path).check().reached


def _replace(path: Path, old: bytes, new: bytes) -> None:
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new))


def _other_key() -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(bytes([7]) * 32)


def _resigned(case: Case, **changes: str) -> bytes:
    found = canon.loads_as(case.entry.read_bytes(), SignedEntry)
    return canon.dumps(msgspec.structs.replace(found, **changes))


def _forked(case: Case) -> None:
    """The reader's copy of the log has another first entry, under the same key."""
    first, *others = FolderLog(case.world.log).entries()
    proof, entry = case.proof.read_bytes(), case.entry.read_bytes()
    case.relog([case.another_run(), first, *others], ends=False)
    case.proof.write_bytes(proof)
    case.entry.write_bytes(entry)


def _stale(case: Case) -> None:
    """The reader's copy is older than the proof."""
    case.more(case.another_run(attempts=2))
    case.proof.write_bytes(log_writer.proof(case.world.log, 0))
    entries = [case.entry.read_bytes()]
    proof = case.proof.read_bytes()
    case.relog(entries)
    case.proof.write_bytes(proof)


def _reused(case: Case) -> None:
    """The proof of another run of the same key."""
    entry = case.entry.read_bytes()
    case.relog([case.another_run(), entry])
    case.entry.write_bytes(entry)


WRONG: dict[str, tuple[Callable[[Case], object], str]] = {
    "no registration beside its proof": (lambda case: case.entry.unlink(), bundle.REGISTRATION_FILE),
    "no proof beside the registration": (lambda case: case.proof.unlink(), bundle.PROOF_FILE),
    "registration not canonical": (lambda case: _replace(case.entry, b",", b", "), "canonical"),
    "registration cut": (lambda case: case.entry.write_bytes(case.entry.read_bytes()[:-9]), "canonical"),
    "registration with another field": (lambda case: _replace(case.entry, b'"attempt":1', b'"attemp":1'), "canonical"),
    "registration too large": (lambda case: case.entry.write_bytes(b"x" * 2**14), "8192"),
    "registration changed after it was signed": (
        lambda case: _replace(case.entry, b'"attempt":1', b'"attempt":2'),
        "does not fit",
    ),
    "signature in another spelling": (
        lambda case: case.entry.write_bytes(_resigned(case, signature="AA=A")),
        "signature",
    ),
    "signature that is no base64": (
        lambda case: case.entry.write_bytes(_resigned(case, signature="AA=é")),
        "signature",
    ),
    "key in another spelling": (
        lambda case: case.entry.write_bytes(
            _resigned(case, key=canon.loads_as(case.entry.read_bytes(), SignedEntry).key + "\n")
        ),
        "one spelling",
    ),
    "a run of the study without a real deadline": (
        lambda case: (
            case.register_again(attempts=2),
            case.more(case.another_run(attempt=2, attempts=2, deadline_s=2**50)),
        ),
        "begun and never reported",
    ),
    "no key in the registration": (lambda case: case.entry.write_bytes(_resigned(case, key="none")), "public key"),
    "registered by another key": (lambda case: case.register_again(_other_key()), "key"),
    "another manifest": (lambda case: case.register_again(manifest_sha256="12" * 32), "manifest_sha256"),
    "another study": (lambda case: case.register_again(study="12" * 32), "study"),
    "another secret": (lambda case: case.register_again(secret_commit="12" * 32), "secret_commit"),
    "another round": (lambda case: case.register_again(round=ROUND + 1), "round"),
    "another chain": (lambda case: case.register_again(chain="slownet"), "round"),
    "no round": (lambda case: case.register_again(round=0, chain=""), "round"),
    "an end instead of a registration": (lambda case: case.relog([case.end()], ends=False), "the end of one"),
    "a round seen that was not out": (lambda case: case.register_again(seen_round=ROUND + 10**6), "seen round"),
    "registered after its round": (lambda case: case.register_again(time_s=OUT_S + 1), "could have been known"),
    "registered less than the margin before": (lambda case: case.register_again(time_s=OUT_S - 119), "120 s before"),
    "a margin of two hours": (lambda case: case.change_policy(margin_s=7200), "7200 s before"),
    "proof of another run": (_reused, "something else"),
    "proof with another index": (lambda case: _replace(case.proof, b"index 0", b"index 1"), "something else"),
    "proof with a hash too many": (
        lambda case: _replace(case.proof, b"index 0\n", b"index 0\n" + b"A" * 43 + b"=\n"),
        "something else",
    ),
    "proof of another version": (lambda case: _replace(case.proof, b"proof@v1", b"proof@v2"), "begins with"),
    "proof without a checkpoint": (lambda case: case.proof.write_bytes(b"c2sp.org/tlog-proof@v1\nindex 0\n"), "begins"),
    "proof with a changed root": (lambda case: _replace(case.proof, b"\n1\n", b"\n2\n"), LOG_NAME),
    "proof without the witness": (
        lambda case: case.proof.write_bytes(case.proof.read_bytes().rpartition("— ".encode())[0]),
        "cosignatures of 1 witness",
    ),
    "two witnesses wanted": (lambda case: case.change_policy(quorum=2), "2 witnesses"),
    "a witness that nobody trusts": (lambda case: case.change_policy(witnesses=()), "cosignatures"),
    "a witness of the same name with another key": (
        lambda case: case.change_policy(
            witnesses=(str(log_writer.public_key(WITNESS_NAME, COSIGNATURE, _other_key())),)
        ),
        "cosignatures",
    ),
    "a witness under the submitter's key": (
        lambda case: case.change_policy(
            witnesses=(*case.policy.witnesses, str(log_writer.public_key("own.example/w1", COSIGNATURE, case.key)))
        ),
        "another key of own.example/w1 than the submitter's",
    ),
    "a log that nobody trusts": (lambda case: case.change_policy(logs=()), "a log that the policy names"),
    "a log of the same name with another key": (
        lambda case: case.change_policy(logs=(str(log_writer.public_key(LOG_NAME, ED25519, _other_key())),)),
        "signed by the log",
    ),
    "a revoked key": (
        lambda case: case.change_policy(revoked={case.opened().submitter: Revoked("stolen", EARLY_S)}),
        "stolen",
    ),
    "the log was forked": (_forked, "rewritten"),
    "the copy of the log is older than the proof": (_stale, "an old copy"),
    "an entry of the log was changed": (
        lambda case: _replace(next(case.world.log.glob("tile/entries/000.p/*2")), b'"attempt":1', b'"attempt":2'),
        "another root",
    ),
    "the log has no checkpoint": (lambda case: (case.world.log / "checkpoint").unlink(), "checkpoint"),
    "another bundle is logged as the result": (
        lambda case: case.relog([case.entry.read_bytes(), case.end(bundle_sha256="34" * 32)], ends=False),
        "the result",
    ),
    "the run is logged as stopped": (
        lambda case: case.relog(
            [
                case.entry.read_bytes(),
                signed_entry(Aborted(read_entry(case.entry.read_bytes()).entry.manifest_sha256, "bad luck"), case.key),
            ],
            ends=False,
        ),
        "bad luck",
    ),
    "another run of the study is missing": (
        lambda case: (case.register_again(attempts=2), case.more(case.another_run(attempt=2, deadline_s=5))),
        "begun and never reported",
    ),
    "one run more than promised": (
        lambda case: case.more(case.another_run(attempt=2, deadline_s=2**40)),
        "were promised",
    ),
    "another number of runs promised later": (
        lambda case: case.more(case.another_run(attempt=2, attempts=5, deadline_s=2**40)),
        "different numbers",
    ),
    "the same number twice": (
        lambda case: (case.register_again(attempts=2), case.more(case.another_run(deadline_s=2**40))),
        "registered twice",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_one_defect_is_one_finding_and_no_v2(case: Case, name: str) -> None:
    spoil, told = WRONG[name]
    spoil(case)
    found = case.check()
    assert not found.reached
    assert found.findings, found.missing
    words = " ".join(f"{one.place}: expected {one.expected}, found {one.found}" for one in found.findings)
    assert told in words
    assert {one.step for one in found.findings} == {registration_check.STEP}


def test_forty_defects_are_tried() -> None:
    assert len(WRONG) >= 40


def test_a_key_that_was_revoked_later_counts(case: Case) -> None:
    case.change_policy(revoked={case.opened().submitter: Revoked("retired", EARLY_S + 1)})
    assert case.check().reached


def _unregistered(case: Case) -> None:
    for path in (case.entry, case.proof):
        path.unlink()


def _no_log(case: Case) -> None:
    case.trust_log = None


def _open(case: Case) -> None:
    case.register_again(attempts=2)
    case.more(case.another_run(attempt=2, attempts=2, deadline_s=OUT_S + 10**6))


MISSING: dict[str, tuple[Callable[[Case], object], str]] = {
    "not registered": (
        lambda case: (case.relog([case.another_run()], ends=False), _unregistered(case)),
        "agzamov register",
    ),
    "its registration left out": (_unregistered, bundle.REGISTRATION_FILE),
    "another run of the study is still open": (_open, "no end yet"),
    "no copy of the log": (_no_log, "--log"),
    "its result is not logged": (
        lambda case: case.relog([case.entry.read_bytes()], ends=False),
        "agzamov register end",
    ),
}


@pytest.mark.parametrize("name", MISSING)
def test_what_is_missing_says_who_would_have_to_do_what(case: Case, name: str) -> None:
    spoil, told = MISSING[name]
    spoil(case)
    found = case.check()
    assert not found.findings
    assert [told in one for one in found.missing] == [True]


def test_a_log_of_the_policy_that_was_not_read_is_told(case: Case) -> None:
    """Runs of the study may be missing there."""
    told = "not read: other.example/log, which the policy names too"
    assert not any(told in line for line in case.check().account)
    other = str(log_writer.public_key("other.example/log", ED25519, _other_key()))
    case.change_policy(logs=(*case.policy.logs, other))
    found = case.check()
    assert found.reached
    assert any(told in line for line in found.account)


def test_without_the_library_for_rounds_v2_is_not_reached(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(found: object, chain: object) -> bool:
        raise NoPairing

    monkeypatch.setattr(registration_check, "is_of_chain", lacking)
    assert [one for one in case.check().missing if "py-ecc" in one]


def test_a_round_that_its_chain_did_not_sign_is_found(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registration_check, "is_of_chain", lambda found, chain: False)
    assert [one.found for one in case.check().findings] == ["another signature"]


def test_a_finished_entry_of_another_key_ends_nothing(case: Case) -> None:
    case.relog([case.entry.read_bytes()], ends=False)
    manifest = read_entry(case.entry.read_bytes()).entry.manifest_sha256
    case.more(signed_entry(Finished(case.opened().sha256, manifest), _other_key()))
    assert "its result is not logged" in case.check().missing[0]


GOOD_POLICY = {"format": "agz-policy-1", "logs": [], "quorum": 1}


@pytest.mark.parametrize(
    "changes",
    [
        {"format": "agz-policy-2"},
        {"quorum": 0},
        {"log": []},
        {"logs": ["example.com/log"]},
        {"witnesses": [PETER]},
        {"logs": [PETER, PETER]},
        {"revoked": {"ab": {"reason": "x"}}},
        {"beacons": {"other": {"genesis_s": 0, "period_s": 0, "public_key": "00"}}},
    ],
)
def test_policies_that_are_none_are_refused(changes: dict[str, object]) -> None:
    assert parse_policy(json.dumps(GOOD_POLICY).encode()).margin_s == 120
    with pytest.raises(BadNote):
        parse_policy(json.dumps(GOOD_POLICY | changes).encode())


def test_a_policy_with_two_fields_of_one_name_is_refused() -> None:
    text = json.dumps({"quorum": 1, **GOOD_POLICY})
    assert parse_policy(text.encode())
    with pytest.raises(BadNote, match="quorum is there twice"):
        parse_policy(text.replace('"quorum": 1', '"quorum": 9, "quorum": 1', 1).encode())
