"""A stranger's check: docs/check-by-hand.sh, with none of our programs and no Python in reach."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from agzamov_harness.run import signing_keys
from agzamov_verify import bundle
from agzamov_verify.core.envelope import key_id
from bundles.bundle_factory import STRANGER, SUBMITTER, Draft, check, reseal
from bundles.hostile.refusals import TRICKS, is_plain
from bundles.tampered_bundles import containers, journals, promises

SCRIPT = Path(__file__).parents[2] / "docs" / "check-by-hand.sh"
TOOLS = ("jq", "openssl", "base64", "sha256sum", "find", "gzip")
POSIX = ("basename", "cat", "cmp", "cut", "dirname", "grep", "head", "mktemp", "rm", "sed", "sort", "tail", "tr", "wc")


@pytest.fixture(scope="module")
def path_of_tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with those tools and nothing else."""
    folder = tmp_path_factory.mktemp("tools")
    for tool in (*TOOLS, *POSIX):
        found = shutil.which(tool)
        if found is None:
            pytest.skip(f"no {tool} here; on Debian 12: apt-get install jq openssl coreutils findutils gzip")
        (folder / tool).symlink_to(found)
    return folder


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def by_hand(path_of_tools: Path, tmp_path: Path) -> Run:
    def run(root: Path, key: bytes = signing_keys.public_pem(SUBMITTER)) -> subprocess.CompletedProcess[str]:
        pem = tmp_path / "key.pem"
        pem.write_bytes(key)
        command = ["/bin/sh", str(SCRIPT), str(root), str(pem)]
        return subprocess.run(
            command, capture_output=True, text=True, check=False, env={"PATH": str(path_of_tools)}, timeout=300
        )

    return run


def test_a_good_bundle_passes_with_nothing_but_common_tools(by_hand: Run, small: Path) -> None:
    ran = by_hand(small)
    assert (ran.returncode, ran.stderr) == (0, "")
    done = [line.split()[1].rstrip(":") for line in ran.stdout.splitlines() if line.startswith("ok")]
    assert done == ["names", "payload", "signature", "statement", "seed", "journal"]
    assert "not checked here: the replay of the games" in ran.stdout


def test_it_says_the_same_run_key_and_entries_as_the_verifier(by_hand: Run, small: Path) -> None:
    verdict, said = check(small), by_hand(small).stdout
    assert f"run {verdict.run}, key {verdict.submitter}" in said
    assert f"journal: {Draft.of(small).predicate['journal']['entries']} entries" in said


def test_the_wrong_key_is_refused(by_hand: Run, small: Path) -> None:
    ran = by_hand(small, signing_keys.public_pem(STRANGER))
    assert (ran.returncode, "the signature is not by the key" in ran.stderr) == (1, True)


REFUSED = {
    containers.a_byte_of_the_results_is_changed: "has another digest",
    containers.a_byte_of_a_journal_is_changed: "has another digest",
    containers.a_payload_file_is_not_listed: "does not list exactly the files",
    containers.a_journal_segment_is_missing: "does not list exactly the files",
    containers.a_file_lies_beside_the_tag_files: "the top folder holds",
    containers.a_name_has_a_space: "a name that is not plain",
    containers.the_payload_manifest_names_a_file_outside: "a line of another form",
    containers.the_payload_manifest_lists_a_file_twice: "does not list exactly the files",
    containers.the_tag_manifest_is_wrong: "a tag file has another digest",
    containers.a_bit_of_the_signature_is_flipped: "the signature is not by the key",
    containers.a_claim_is_changed_under_the_old_signature: "the signature is not by the key",
    containers.a_stranger_signed_in_the_submitters_name: "the signature is not by the key",
    containers.results_and_digests_are_changed_by_somebody_without_the_key: "about another manifest-sha256.txt",
    containers.the_signature_is_from_another_bundle_of_the_same_key: "about another manifest-sha256.txt",
    containers.the_payload_is_of_another_type: "of another type",
    containers.there_are_two_signatures: "must hold one signature",
    containers.there_are_two_subjects: "has not one subject",
    promises.the_statement_is_about_another_manifest: "about another manifest.json",
    promises.the_statement_is_about_another_run: "about another run",
    promises.the_revealed_secret_is_not_the_committed_one: "not the committed one",
    journals.the_index_names_another_head: "ends in another head",
    journals.the_index_counts_one_entry_too_many: "entries",
    journals.the_index_names_a_segment_that_is_not_there: "which is not there",
    journals.the_statement_counts_one_entry_too_few: "counts another number of entries",
}


@pytest.mark.parametrize("forge", REFUSED, ids=[forge.__name__ for forge in REFUSED])
def test_a_bad_bundle_is_refused_with_the_reason(
    forge: Callable[[Draft], None], by_hand: Run, small: Path, tmp_path: Path
) -> None:
    draft = Draft.of(small)
    forge(draft)
    ran = by_hand(draft.write(tmp_path))
    assert ran.returncode == 1, ran.stdout
    assert REFUSED[forge] in ran.stderr.splitlines()[-1]


Change = Callable[[dict[str, bytes]], None]


def _changed(old: bytes, new: bytes) -> Change:
    def change(files: dict[str, bytes]) -> None:
        assert old in files[bundle.ENVELOPE_FILE]
        files[bundle.ENVELOPE_FILE] = files[bundle.ENVELOPE_FILE].replace(old, new, 1)

    return change


def _added(name: str) -> Change:
    return lambda files: files.update({name: b"x"})


KEY_ID = key_id(SUBMITTER.public_key()).encode()
REFUSED_BY_FORM: dict[str, tuple[Change, str]] = {
    "a file in attest/": (_added("attest/hello.txt"), "the top folder holds: attest/hello.txt"),
    "a folder in attest/": (_added("attest/run/x"), " attest/run/x "),
    "a name that only differs in case": (_added("data/Manifest.json"), "differ in case alone"),
    "a device": (_added("data/nul.txt"), "the name of a device"),
    "a line feed after the envelope": (
        lambda files: files.update({bundle.ENVELOPE_FILE: files[bundle.ENVELOPE_FILE] + b"\n"}),
        "spelled in another way",
    ),
    "a space in the envelope": (_changed(b'"payload":', b'"payload": '), "spelled in another way"),
    "a field in the envelope": (_changed(b'{"payload"', b'{"a":1,"payload"'), "has other fields"),
    "another key id": (_changed(KEY_ID, KEY_ID[::-1]), "names another key than the one that signed"),
    "no key id": (_changed(b'"keyid":"' + KEY_ID + b'",', b""), "has other fields"),
}


@pytest.mark.parametrize("defect", REFUSED_BY_FORM)
def test_what_the_verifier_refuses_by_its_form_is_refused_here(
    defect: str, by_hand: Run, small: Path, tmp_path: Path
) -> None:
    """An added file, a line feed and another key id passed here once."""
    change, words = REFUSED_BY_FORM[defect]
    draft = Draft.of(small)
    change(draft.files)
    root = draft.write(tmp_path)
    assert check(root).failed
    ran = by_hand(root)
    assert (ran.returncode, words in ran.stderr.splitlines()[-1]) == (1, True), ran.stderr


def test_a_hidden_folder_is_refused_and_a_proof_of_registration_is_not(
    by_hand: Run, small: Path, tmp_path: Path
) -> None:
    root = Draft.of(small).write(tmp_path)
    for kind in ("json", "tlog-proof", "tsq", "tsr"):
        (root / f"attest/registration.{kind}").write_bytes(b"x")
    assert by_hand(root).returncode == 0
    (root / "data/.hidden").mkdir()
    assert "a name that is not plain" in by_hand(root).stderr


@pytest.mark.parametrize(
    "forge", [journals.the_index_names_another_root, journals.the_statement_names_another_journal_root]
)
def test_what_is_not_checked_here_is_said(
    forge: Callable[[Draft], None], by_hand: Run, small: Path, tmp_path: Path
) -> None:
    draft = Draft.of(small)
    forge(draft)
    root = draft.write(tmp_path)
    ran = by_hand(root)
    assert check(root).failed
    assert (ran.returncode, "prev and root of the journal's lines" in ran.stdout) == (0, True)


def test_another_sealing_key_is_refused(by_hand: Run, small: Path, tmp_path: Path) -> None:
    draft = Draft.of(small)
    reseal(draft, STRANGER)
    ran = by_hand(draft.write(tmp_path), signing_keys.public_pem(STRANGER))
    assert (ran.returncode, "another key sealed the manifest" in ran.stderr) == (1, True)


def test_a_link_is_refused_before_it_is_followed(by_hand: Run, small: Path, tmp_path: Path) -> None:
    root = Draft.of(small).write(tmp_path)
    (root / bundle.RESULTS_FILE).unlink()
    (root / bundle.RESULTS_FILE).symlink_to("/etc/passwd")
    ran = by_hand(root)
    assert (ran.returncode, "is neither a file nor a folder" in ran.stderr) == (1, True)


@pytest.mark.parametrize("place", ["a link", "a stream", "a payload name", "a tag name", "words that jq repeats"])
def test_no_name_in_a_bundle_reaches_the_terminal_with_escapes(
    place: str, by_hand: Run, small: Path, tmp_path: Path
) -> None:
    draft = Draft.of(small)
    if place == "a stream":
        index = draft.json(bundle.INDEX_FILE)
        index["streams"][0].update(stream=TRICKS, segments=[TRICKS])
        draft.put_json(bundle.INDEX_FILE, index)
        reseal(draft)
    elif place == "words that jq repeats":
        draft.put_json(bundle.INDEX_FILE, {"streams": TRICKS})
        reseal(draft)
    elif place in ("a payload name", "a tag name"):
        name = bundle.PAYLOAD_FILE if place == "a payload name" else bundle.TAGS_FILE
        draft.files[name] += f"{'0' * 64}  {TRICKS}\n".encode()
    root = draft.write(tmp_path)
    if place == "a link":
        (root / f"link{TRICKS}").symlink_to("/etc/passwd")
    ran = by_hand(root)
    assert ran.returncode == 1
    assert "FAIL" in ran.stderr
    assert is_plain(ran.stdout + ran.stderr)


@pytest.mark.parametrize("sign", ["00", "80"])
def test_a_key_of_small_order_is_refused(sign: str, by_hand: Run, small: Path, tmp_path: Path) -> None:
    neutral = Ed25519PublicKey.from_public_bytes(bytes.fromhex("01" + "00" * 30 + sign))
    ran = by_hand(small, neutral.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    assert (ran.returncode, "the key is a point of small order" in ran.stderr) == (1, True)


def test_it_says_how_to_use_it(path_of_tools: Path) -> None:
    ran = subprocess.run(["/bin/sh", str(SCRIPT)], capture_output=True, text=True, check=False)
    assert (ran.returncode, "usage: sh check-by-hand.sh BUNDLE PUBLIC_KEY.pem" in ran.stderr) == (2, True)
