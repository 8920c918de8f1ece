"""The signature over a sealed manifest: whoever can write to a run's folder cannot make another run of it."""

import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from agzamov_harness.run import run_folder, seal_signature, signing_keys
from agzamov_harness.run.seal_signature import BadSignature, require_signed, signed
from agzamov_verify.core.envelope import key_id
from agzamov_verify.plan.manifest import ManifestError
from bundles.bundle_factory import STRANGER, SUBMITTER
from harness.commands import Commands
from harness.sealed_runs import finish, resume, seal

pytestmark = pytest.mark.slow

PLAN = {
    "title": "Signed",
    "seats": {"agent": {"kind": "random"}, "dice": {"kind": "random"}},
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 4},
    "matches": [{"phase": 1, "game": "chess960", "a": "agent", "b": "agent", "games": 2, "block_games": 2}],
}
MANIFEST, ID = b'{"a":1}', key_id(SUBMITTER.public_key())


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    with Commands(tmp_path_factory.mktemp("printed")) as made:
        yield made


@pytest.fixture
def run(commands: Commands, tmp_path: Path) -> Path:
    return seal(commands, tmp_path, plan=PLAN)


def changed_together(run: Path, **changes: object) -> Path:
    """The folder with another manifest, the digest and the name that fit it, and the signature that was there."""
    sealed = (run / "manifest.json").read_bytes()
    manifest = sealed.replace(b'"title":"Signed"', b'"title":"Forged"')
    for name, value in changes.items():
        old = json.loads(sealed)[name]
        manifest = manifest.replace(json.dumps(old).encode(), json.dumps(value).encode())
    digest = hashlib.sha256(manifest).hexdigest()
    forged = run.parent / digest[:16]
    shutil.copytree(run, forged)
    (forged / "manifest.json").write_bytes(manifest)
    (forged / "manifest.sha256").write_text(digest)
    return forged


def test_a_signature_by_the_key_that_is_named_holds() -> None:
    require_signed(signed(MANIFEST, SUBMITTER), MANIFEST, ID)


@pytest.mark.parametrize(
    ("file", "told"),
    [
        (signed(b'{"a":2}', SUBMITTER), "expected a signature over this manifest, found one over another"),
        (signed(MANIFEST, STRANGER), "that the manifest names, found one by"),
        (signed(MANIFEST, SUBMITTER).replace(b'"signature":"', b'"signature":"*'), "found another file"),
        (b"{}", "found another file"),
        (b"", "found another file"),
    ],
    ids=["another manifest", "another key", "no base64", "no fields", "empty"],
)
def test_a_signature_with_a_defect_is_refused(file: bytes, told: str) -> None:
    with pytest.raises(BadSignature, match=told):
        require_signed(file, MANIFEST, ID)


def test_a_run_that_its_owner_sealed_is_played_and_packed(commands: Commands, run: Path) -> None:
    shared = commands.run("play", run, "--share", "0/1", "--signed-by", owner_of(run), "--quiet", cwd=run.parent)
    assert shared.code == 0, shared
    finish(commands, run)


def test_manifest_digest_and_name_that_were_changed_together_are_refused(commands: Commands, run: Path) -> None:
    forged = changed_together(run)
    key = ("--key", run.parents[1] / "key.pem")
    for command in (resume(forged), ("play", forged, "--share", "0/1"), ("pack", forged, *key)):
        ended = commands.run(*command, cwd=run.parents[1])
        assert (ended.code, len(ended.err.splitlines())) == (2, 1), ended
        assert ended.err.startswith(f"error: {forged}/manifest.sig: expected a signature over this manifest"), ended
        assert "was changed after it was sealed; undo the change" in ended.err
    assert not list((forged / "journal").iterdir())


def test_a_manifest_that_somebody_else_signed_is_refused_by_who_knows_the_owner(commands: Commands, run: Path) -> None:
    forged = changed_together(run, submitter_key_id=key_id(STRANGER.public_key()))
    (forged / "manifest.sig").write_bytes(signed((forged / "manifest.json").read_bytes(), STRANGER))
    assert run_folder.load(forged).manifest.plan.title == "Forged", "it is a whole run of somebody else's"
    folder = run.parents[1]
    without_key = commands.run("resume", forged, cwd=folder)
    assert (without_key.code, "give it by --key" in without_key.err) == (2, True), without_key
    for command in (resume(forged), ("pack", forged, "--key", folder / "key.pem")):
        ended = commands.run(*command, cwd=folder)
        assert (ended.code, "that sealed this run, found" in ended.err) == (2, True), ended
    shared = commands.run("play", forged, "--share", "0/1", "--signed-by", owner_of(run), cwd=folder)
    assert (shared.code, f"expected a run that the key {owner_of(run)} sealed" in shared.err) == (2, True), shared
    by_hand = commands.run("compose-env", forged, "--signed-by", owner_of(run), cwd=folder)
    assert (by_hand.code, f"expected a run that the key {owner_of(run)} sealed" in by_hand.err) == (2, True), by_hand
    pods = ("k8s", forged, "--shares", "2", "--image", "agzamov:1", "--claim", "runs")
    for key in ((), ("--key", folder / "key.pem")):
        job = commands.run(*pods, *key, cwd=folder)
        assert (job.code, job.out, "this run" in job.err) == (2, "", True), job


def test_a_run_without_its_signature_is_no_sealed_run(run: Path) -> None:
    (run / run_folder.SIGNATURE).unlink()
    with pytest.raises(ManifestError, match=r"expected the folder of a sealed run \(.*manifest.sig: No such file"):
        run_folder.load(run)


def test_the_file_holds_no_private_key(run: Path) -> None:
    key = signing_keys.load(run.parents[1] / "key.pem")
    assert seal_signature.public_pem(key).decode() == json.loads((run / "manifest.sig").read_bytes())["key"]
    assert "PRIVATE" not in (run / "manifest.sig").read_text()


def owner_of(run: Path) -> str:
    return key_id(signing_keys.load(run.parents[1] / "key.pem").public_key())
