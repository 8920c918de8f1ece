"""A time-stamp (RFC 3161) of the log's checkpoint is a witness: one good case, and cases with exactly one defect."""

import base64
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_verify import bundle
from agzamov_verify.checks import registration_check, stamp_check
from agzamov_verify.checks.registration_check import RegistrationVerdict, Trust, check_registration
from agzamov_verify.registration import time_stamp
from agzamov_verify.registration.beacon import QUICKNET, Chain
from agzamov_verify.registration.time_stamp import NoReader, asked, query, roots_beside, stamped_bytes
from agzamov_verify.registration.trust_policy import Authority, TrustPolicy, parse_policy
from agzamov_verify.transparency_log.checkpoint import Checkpoint, parse_checkpoint
from agzamov_verify.transparency_log.signed_note import BadNote, Note
from agzamov_verify.transparency_log.tlog_proof import parse_proof
from registration.registered_case import Case
from registration.registered_run import OUT_S, ROUND, World
from registration.stamping import NOW, OID, Tsa

pytest.importorskip("rfc3161_client")
NOW_S = int(NOW.timestamp())
WEEK_S = 7 * 86_400
SOON = Chain(NOW_S + WEEK_S - 3 * (ROUND - 1), 3, QUICKNET.public_key)
"""A chain whose round of the plan comes out in a week: an authority's clock is that of this machine."""
NAME = "Example TSA"
RANDOM = bytes(range(8))


@pytest.fixture(scope="module")
def tsa(tmp_path_factory: pytest.TempPathFactory) -> Tsa:
    return Tsa(tmp_path_factory.mktemp("tsa"))


class Stamped:
    """A case whose only witness is a time-stamp; a test spoils one thing."""

    def __init__(self, case: Case, tsa: Tsa) -> None:
        self.case, self.tsa, self.chain, self.roots = case, tsa, SOON, {NAME: tsa.root}
        self.authority = tsa.authority
        self.query_file = case.bundle / bundle.QUERY_FILE
        self.reply_file = case.bundle / bundle.STAMP_FILE
        self.quorum, self.witnesses = 1, tuple[str, ...]()
        self.stamp()

    @property
    def checkpoint(self) -> Checkpoint:
        return parse_checkpoint(parse_proof(self.case.proof.read_bytes()).checkpoint)

    def stamp(self, by: Tsa | None = None, asking: bytes = b"") -> None:
        self.query_file.write_bytes(query(self.checkpoint, RANDOM))
        self.reply_file.write_bytes((by or self.tsa).reply(asking or self.query_file.read_bytes()))

    @property
    def policy(self) -> TrustPolicy:
        return msgspec.structs.replace(
            self.case.policy,
            witnesses=self.witnesses,
            quorum=self.quorum,
            beacons={"quicknet": self.chain},
            timestampers={NAME: self.authority},
        )

    def check(self) -> RegistrationVerdict:
        opened = self.case.opened()
        trust = Trust(self.policy, self.case.trust_log, OUT_S, (), self.roots)
        return check_registration(opened, trust, opened.beacon)


@pytest.fixture
def stamped(case: Case, tsa: Tsa) -> Stamped:
    return Stamped(case, tsa)


def test_a_run_whose_only_witness_is_a_time_stamp_reaches_v2(stamped: Stamped) -> None:
    found = stamped.check()
    assert (found.findings, found.missing) == ([], [])
    assert found.registered_s is not None
    assert NOW_S <= found.registered_s - 2 <= NOW_S + WEEK_S  # one second of accuracy, and one as it is cut
    assert "time-stamp by Example TSA" in found.account[-1]


def test_without_an_authority_in_the_policy_all_is_as_without_a_stamp(stamped: Stamped) -> None:
    assert stamped.case.check().reached
    stamped.case.change_policy(witnesses=())
    (wrong,) = stamped.case.check().findings
    assert wrong.expected == "the cosignatures of 1 witness of the policy"
    assert "timestampers" in wrong.found


def test_a_stamp_and_a_witness_make_two(stamped: Stamped) -> None:
    stamped.quorum, stamped.witnesses = 2, stamped.case.policy.witnesses
    assert stamped.check().reached
    stamped.reply_file.unlink()
    stamped.query_file.unlink()
    assert "the time-stamp of 2 witnesses" in stamped.check().findings[0].expected


def test_a_stamp_by_nobody_of_the_policy_harms_no_run_with_a_witness(stamped: Stamped, tmp_path: Path) -> None:
    stamped.witnesses = stamped.case.policy.witnesses
    stamped.stamp(Tsa(tmp_path / "unknown"))
    found = stamped.check()
    assert found.reached
    assert "does not count" in found.account[-1]


def _altered(stamped: Stamped) -> None:
    """The authority's time, by a second: the token's signature is over another one."""
    data = stamped.reply_file.read_bytes()
    last = data.index(b"\x18\x0f20") + 15
    stamped.reply_file.write_bytes(data[:last] + bytes([data[last] ^ 1]) + data[last + 1 :])


def _text_alone(stamped: Stamped) -> None:
    """A stamp of what anybody can compute beforehand: the checkpoint without its log's signature."""
    note = stamped.checkpoint.note
    stamped.stamp(asking=query(stamped.checkpoint._replace(note=Note(note.text, ())), RANDOM))


def _twice(stamped: Stamped) -> None:
    stamped.reply_file.write_bytes(stamped.reply_file.read_bytes() * 2)


def _other_nonce(stamped: Stamped) -> None:
    stamped.query_file.write_bytes(query(stamped.checkpoint, RANDOM[::-1]))


def _purpose(stamped: Stamped, folder: Path) -> None:
    other = Tsa(folder / "purpose", purpose="codeSigning")
    stamped.roots, stamped.authority = {NAME: other.root}, other.authority
    stamped.reply_file.write_bytes(other.signed_again(stamped.reply_file.read_bytes()))


def _issued_by_anybody(stamped: Stamped, folder: Path) -> None:
    """Whoever has a certificate under the root cannot make a time-stamp authority of it."""
    other = Tsa(folder / "anybody")
    other.of_no_authority()
    stamped.roots, stamped.authority = {NAME: other.root}, other.authority
    stamped.reply_file.write_bytes(other.signed_again(stamped.reply_file.read_bytes()))


def _dated(days: tuple[int, int]) -> Callable[[Stamped, Path], None]:
    def spoil(stamped: Stamped, folder: Path) -> None:
        other = Tsa(folder / "dated", days)
        stamped.roots, stamped.authority = {NAME: other.root}, other.authority
        stamped.stamp(other)

    return spoil


def _not_asked(stamped: Stamped) -> None:
    stamped.query_file.write_bytes(stamped.query_file.read_bytes()[:-1] + b"\x00")


def _chain(seconds: int) -> Callable[[Stamped, Path], None]:
    def spoil(stamped: Stamped, _: Path) -> None:
        stamped.chain = Chain(SOON.genesis_s - WEEK_S + seconds, 3, SOON.public_key)

    return spoil


WRONG: dict[str, tuple[Callable[[Stamped, Path], object], str]] = {
    "another digest": (lambda s, _: _text_alone(s), "a time-stamp of SHA-256"),
    "another authority of the same name": (lambda s, path: s.stamp(Tsa(path / s.tsa.folder.name)), "root vouches for"),
    "a certificate that had expired": (_dated((-10, -1)), "expired"),
    "a certificate that was not valid yet": (_dated((1, 10)), "not yet valid"),
    "a certificate that is for something else": (_purpose, "purpose"),
    "a certificate by one that may issue none": (_issued_by_anybody, "invalid CA certificate"),
    "an altered time": (lambda s, _: _altered(s), "digest failure"),
    "another nonce": (lambda s, _: _other_nonce(s), "the nonce"),
    "two tokens": (lambda s, _: _twice(s), "one reply"),
    "no reply": (lambda s, _: s.reply_file.unlink(), bundle.STAMP_FILE),
    "no query": (lambda s, _: s.query_file.unlink(), bundle.QUERY_FILE),
    "a query in another spelling": (lambda s, _: _not_asked(s), "stamp-query writes it"),
    "a reply too large": (lambda s, _: s.reply_file.write_bytes(b"x" * 2**17), "65536"),
    "a refusal": (lambda s, _: s.reply_file.write_bytes(bytes.fromhex("30053003020102")), "grants a time-stamp"),
    "other bytes": (lambda s, _: s.reply_file.write_bytes(b"no"), "in DER"),
    "stamped after the round": (_chain(-5), "could have been known"),
    "stamped less than the margin before": (_chain(60), "120 s before"),
    "under another policy": (
        lambda s, _: setattr(s, "authority", _under(s, "1.2.3.4.2")),
        "under the policy 1.2.3.4.2",
    ),
    "no root": (lambda s, _: setattr(s, "roots", {}), "a root certificate in PEM"),
}


def _under(stamped: Stamped, policy: str) -> Authority:
    return msgspec.structs.replace(stamped.authority, policy=policy)


@pytest.mark.parametrize("name", WRONG)
def test_one_defect_is_one_finding_and_no_v2(stamped: Stamped, tmp_path: Path, name: str) -> None:
    spoil, told = WRONG[name]
    spoil(stamped, tmp_path)
    found = stamped.check()
    assert (len(found.findings), found.missing) == (1, [])
    (one,) = found.findings
    assert told in f"{one.place}: expected {one.expected}, found {one.found}"
    assert one.step == registration_check.STEP == stamp_check.STEP


def test_the_policy_of_the_authority_is_compared(stamped: Stamped) -> None:
    stamped.authority = _under(stamped, OID)
    assert stamped.check().reached


def test_a_proof_with_more_witnesses_keeps_its_stamp(stamped: Stamped) -> None:
    proof = stamped.case.proof
    proof.write_bytes(proof.read_bytes() + f"— example.com/w9 {base64.b64encode(bytes(76)).decode()}\n".encode())
    assert stamped.check().reached


def test_without_the_library_what_is_missing_is_said(stamped: Stamped, monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(*_: object) -> int:
        raise NoReader

    monkeypatch.setattr(stamp_check, "stamped_s", lacking)
    found = stamped.check()
    assert not found.findings
    assert ["pip install rfc3161-client" in one for one in found.missing] == [True]


def test_the_import_of_a_missing_library_is_no_reader(monkeypatch: pytest.MonkeyPatch, stamped: Stamped) -> None:
    def lacking(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(time_stamp, "import_module", lacking)
    with pytest.raises(NoReader):
        time_stamp.answered(b"", asked(stamped.query_file.read_bytes(), stamped.checkpoint))


def test_openssl_reads_the_query_and_finds_the_stamp_good(stamped: Stamped) -> None:
    folder = stamped.tsa.folder
    (folder / "data").write_bytes(stamped_bytes(stamped.checkpoint))
    words = ("-data", "data", "-in", stamped.reply_file, "-CAfile", "root.pem")
    subprocess.run(["openssl", "ts", "-verify", *words], cwd=folder, check=True, capture_output=True, timeout=60)


def test_a_root_is_a_file_beside_the_policy_with_its_digest(tsa: Tsa, case: Case, tmp_path: Path) -> None:
    policy = tmp_path / "policy.json"
    fields = {"root": "tsa-root.pem", "root_sha256": tsa.authority.root_sha256}
    policy.write_text(json.dumps({"format": "agz-policy-1", "timestampers": {NAME: fields}}))
    words = ["verify", str(case.bundle), "--policy", str(policy)]
    for content, told in ((None, "No such file"), (b"another", f"with SHA-256 {fields['root_sha256']}")):
        if content:
            (tmp_path / "tsa-root.pem").write_bytes(content)
        done = CliRunner().invoke(main, words)
        assert (done.exit_code, len(done.stderr.splitlines()), told in done.stderr) == (2, 1, True), done.stderr
    (tmp_path / "tsa-root.pem").write_bytes(tsa.root)
    assert roots_beside(parse_policy(policy.read_bytes()), tmp_path) == {NAME: tsa.root}


@pytest.mark.parametrize("changes", [{"root": "../root.pem"}, {"root_sha256": "00"}, {"policy": "1"}, {"url": "x"}])
def test_an_authority_that_is_none_is_refused(changes: dict[str, str]) -> None:
    fields = {"root": "root.pem", "root_sha256": "00" * 32, "policy": "1.2"}

    def read(**more: str) -> TrustPolicy:
        return parse_policy(json.dumps({"format": "agz-policy-1", "timestampers": {NAME: {**fields, **more}}}).encode())

    assert read().timestampers[NAME].policy == "1.2"
    with pytest.raises(BadNote):
        read(**changes)


def refused(*words: object) -> str:
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1), done.stderr
    return done.stderr


@pytest.mark.slow
def test_a_stamp_is_asked_for_kept_and_packed_by_commands(tmp_path: Path, tsa: Tsa) -> None:
    world = World(tmp_path)
    world.create()
    request, asking, reply = (tmp_path / name for name in ("request.json", "request.tsq", "reply.tsr"))
    run = world.register(request)
    assert "register proof" in refused("register", "stamp-query", run, asking)
    world.append(request)
    world.call("register", "proof", run, tmp_path / "request.json.tlog-proof")
    assert "stamp-query" in refused("register", "stamp", run, request)
    assert "application/timestamp-query" in world.call("register", "stamp-query", run, asking)
    first = asking.read_bytes()
    world.call("register", "stamp-query", run, asking)
    assert asking.read_bytes() == first
    reply.write_bytes(tsa.reply(first[:-4] + b"\x00" + first[-3:]))
    assert "the nonce" in refused("register", "stamp", run, reply)
    reply.write_bytes(tsa.reply(first))
    world.call("register", "stamp", run, reply)
    world.cosign(OUT_S - 1800)
    world.call("log", "prove", world.log, request)
    world.call("register", "proof", run, tmp_path / "request.json.tlog-proof")
    another = world.register(tmp_path / "another.json", title="Another")
    assert another != run
    world.append(tmp_path / "another.json")
    world.call("log", "prove", world.log, request)
    assert "was time-stamped" in refused("register", "proof", run, tmp_path / "request.json.tlog-proof")
    world.call("register", "beacon", run, world.beacon())
    packed = world.play(run)
    assert (packed / bundle.QUERY_FILE).read_bytes() == first
    assert (packed / bundle.STAMP_FILE).read_bytes() == reply.read_bytes()
    assert "level V1" in world.call("verify", packed)
