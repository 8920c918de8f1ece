"""Packing: the whole bundle or none, every file under a signed digest, and no secret in any of them."""

import base64
import gzip
import hashlib
import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from agzamov_harness.build_ports import open_world
from agzamov_harness.pipeline import pack as pack_module
from agzamov_harness.pipeline.pack import environment_of, pack
from agzamov_harness.reference_server import chat_server
from agzamov_harness.run import run_folder, signing_keys
from agzamov_harness.run.dispatch import Answering
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.progress import State
from agzamov_harness.run.run_folder import RunDirectory
from agzamov_harness.run.runner import Blocks, Runner
from agzamov_harness.run.seal import seal
from agzamov_harness.run.stop import Stop
from agzamov_verify import bundle
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.core.envelope import key_id
from agzamov_verify.core.journal import BrokenJournal
from agzamov_verify.core.questions import Answer, Chat, Question, Reply
from agzamov_verify.plan.manifest import ManifestError

KEY = signing_keys.Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"a key for tests").digest())
API_KEY = "sk-proj-4b1cd9e6f0a84c55-planted"
PLAN: dict[str, Any] = {
    "title": "Pack",
    "seats": {"agent": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "scripted"}},
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 4},
    "holdem": {"session_hands": 2},
    "matches": [
        {"phase": 1, "game": "chess960", "a": "agent", "b": "agent", "games": 4, "block_games": 2},
        {"phase": 1, "game": "holdem", "a": "agent", "b": "agent", "hands": 2, "block_hands": 2},
    ],
}
STREAMS = ["p1-chess960-naked-agent-b00000", "p1-chess960-naked-agent-b00001", "p1-holdem-naked-agent-b00000"]
PAWNS = ("a2a3", "a7a6", "b2b3", "b7b6")


def scripted(question: Question) -> Answer:
    assert isinstance(question, Chat)
    return Reply(text="ACTION: fold" if "holdem" in question.game else f"MOVE: {PAWNS[question.turn]}")


def sealed(folder: Path, wished: object = PLAN) -> RunDirectory:
    manifest, secret = seal(plan_from(wished), key_id(KEY.public_key()), None, bytes(range(32)))
    return run_folder.create(folder, msgspec.structs.replace(manifest, nonce="0" * 32), secret, KEY)


def played(directory: RunDirectory) -> Blocks:
    ticks, state = count(step=2_000_000), State(directory.manifest.plan, None)
    return Runner(directory, Answering(scripted), lambda: next(ticks), state, Stop(), 1).play()


@pytest.fixture
def finished(tmp_path: Path) -> tuple[RunDirectory, Blocks]:
    """A run that has been played and not packed."""
    directory = sealed(tmp_path / "runs")
    return directory, played(directory)


def files(path: Path) -> dict[str, bytes]:
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


# --- what a bundle holds -------------------------------------------------------------------------


def test_a_bundle_holds_these_files_and_no_others(finished: tuple[RunDirectory, Blocks], tmp_path: Path) -> None:
    made = pack(*finished, KEY, tmp_path / "bundles").bundle
    assert made == tmp_path / "bundles" / finished[0].manifest.run_id
    assert sorted(files(made)) == sorted(
        [
            "attest/run.dsse.json",
            "bag-info.txt",
            "bagit.txt",
            "data/environment.json",
            "data/executions.jsonl",
            "data/journal/index.json",
            *(f"data/journal/{stream}/000000.jsonl.gz" for stream in STREAMS),
            "data/manifest.json",
            "data/results/analysis.json",
            "data/results/results.json",
            "data/results/calls.json",
            "data/submitter.pem",
            *(f"data/calls/{stream}.jsonl.gz" for stream in STREAMS),
            "manifest-sha256.txt",
            "tagmanifest-sha256.txt",
        ]
    )
    assert list((tmp_path / "bundles").iterdir()) == [made]


def test_a_bundle_of_an_honest_run_reaches_v1(finished: tuple[RunDirectory, Blocks], tmp_path: Path) -> None:
    verdict = verify(pack(*finished, KEY, tmp_path / "bundles").bundle, Options())
    assert (verdict.level, verdict.findings) == ("V1", [])


def test_sha256sum_checks_a_bundle_without_our_code(finished: tuple[RunDirectory, Blocks], tmp_path: Path) -> None:
    made = pack(*finished, KEY, tmp_path / "bundles").bundle
    for listed in (bundle.PAYLOAD_FILE, bundle.TAGS_FILE):
        subprocess.run(["sha256sum", "--check", "--strict", "--quiet", listed], cwd=made, check=True, timeout=300)
    assert set(bundle.parse_checksums((made / bundle.PAYLOAD_FILE).read_bytes()) or ()) == {
        name for name in files(made) if name.startswith("data/")
    }


def test_packing_one_run_twice_gives_the_same_bytes(finished: tuple[RunDirectory, Blocks], tmp_path: Path) -> None:
    one, other = (pack(*finished, KEY, tmp_path / name).bundle for name in ("one", "other"))
    assert files(one) == files(other)


def test_packing_again_replaces_the_bundle(finished: tuple[RunDirectory, Blocks], tmp_path: Path) -> None:
    made = pack(*finished, KEY, tmp_path / "bundles").bundle
    good = files(made)
    (made / "data" / "stray.txt").write_text("left behind")
    assert files(pack(*finished, KEY, tmp_path / "bundles").bundle) == good


@pytest.mark.parametrize("kind", ["folder", "file", "link"])
def test_something_else_under_the_name_of_a_bundle_is_left_alone(
    kind: str, finished: tuple[RunDirectory, Blocks], tmp_path: Path
) -> None:
    place = tmp_path / "bundles" / finished[0].manifest.run_id
    place.parent.mkdir()
    own = tmp_path / "own"
    own.write_text("somebody's own")
    if kind == "folder":
        place.mkdir()
        own = own.rename(place / "own")
    elif kind == "file":
        own = own.rename(place)
    else:
        place.symlink_to(own)
    with pytest.raises(ManifestError, match="there is something else under the name of the run's bundle; move it away"):
        pack(*finished, KEY, tmp_path / "bundles")
    assert own.read_text() == "somebody's own"


def test_a_bundle_may_not_be_wanted_where_its_run_is(finished: tuple[RunDirectory, Blocks], tmp_path: Path) -> None:
    """It was found out after the last game."""
    directory, _ = finished
    run_folder.require_room(tmp_path / "bundles", directory.path.parent)
    with pytest.raises(ManifestError, match="expected another folder than that of the runs"):
        run_folder.require_room(directory.path.parent / ".", directory.path.parent)


def test_a_journal_that_was_changed_after_play_is_not_packed(
    finished: tuple[RunDirectory, Blocks], tmp_path: Path
) -> None:
    path = finished[0].journal / STREAMS[0] / "000000.jsonl"
    path.write_bytes(path.read_bytes().replace(b"a2a3", b"a2a4", 1))
    with pytest.raises(BrokenJournal, match=f"{STREAMS[0]} entry 1: expected prev "):
        pack(*finished, KEY, tmp_path / "bundles")
    assert not (tmp_path / "bundles" / finished[0].manifest.run_id).exists()


# --- a crash in the middle -----------------------------------------------------------------------


class Crash(Exception):
    """The power went out."""


def crash_at_write(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """From here on, the `number`-th file that is written, all by one process, ends it half-way through it."""
    monkeypatch.setattr(pack_module, "cores", lambda: 1)
    writes = count()
    write = Path.write_bytes

    def failing(path: Path, data: bytes) -> int:
        if next(writes) == number:
            write(path, data[: len(data) // 2])
            raise Crash
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", failing)


FILES_WRITTEN = 19


@pytest.mark.parametrize("number", range(FILES_WRITTEN))
def test_a_crash_while_packing_leaves_no_bundle_under_its_name_and_packing_again_works(
    finished: tuple[RunDirectory, Blocks], tmp_path: Path, number: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        crash_at_write(patch, number)
        with pytest.raises(Crash):
            pack(*finished, KEY, tmp_path / "bundles")
    run = finished[0].manifest.run_id
    assert [path.name for path in (tmp_path / "bundles").iterdir()] == [f".{run}.making"]
    made = pack(*finished, KEY, tmp_path / "bundles").bundle
    assert [path.name for path in (tmp_path / "bundles").iterdir()] == [run]
    assert verify(made, Options()).level == "V1"


def test_the_writes_of_a_bundle_are_as_many_as_its_files(
    finished: tuple[RunDirectory, Blocks], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash_at_write(monkeypatch, FILES_WRITTEN)
    assert len(files(pack(*finished, KEY, tmp_path / "bundles").bundle)) == FILES_WRITTEN


def test_a_crash_while_packing_again_keeps_the_bundle_that_was_there(
    finished: tuple[RunDirectory, Blocks], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = files(pack(*finished, KEY, tmp_path / "bundles").bundle)

    def no_signature(*_: object) -> bytes:
        raise Crash

    monkeypatch.setattr(pack_module, "sign", no_signature)
    with pytest.raises(Crash):
        pack(*finished, KEY, tmp_path / "bundles")
    assert files(tmp_path / "bundles" / finished[0].manifest.run_id) == good


# --- nothing secret ------------------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[str]:
    """The reference players behind HTTP; some calls fail, so that failed attempts are recorded too."""
    with chat_server.start("127.0.0.1", 0, 0.0, (chat_server.parse_fault("500@5"),)) as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}/v1"
        running.shutdown()


def readable(path: Path) -> Iterator[tuple[str, bytes]]:
    """Every file's name and bytes, and what is packed in it: gzip members, base64 payloads."""
    for name, data in files(path).items():
        yield name, name.encode() + data
        if name.endswith(".gz"):
            yield name, gzip.decompress(data)
        if name == bundle.ENVELOPE_FILE:
            yield name, base64.b64decode(json.loads(data)["payload"])


def test_neither_the_api_key_nor_the_submitters_key_is_in_a_bundle_or_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: str
) -> None:
    monkeypatch.setenv("PLANTED_API_KEY", API_KEY)
    seat = {"kind": "openai", "base_url": server, "model": "reference", "api_key_env": "PLANTED_API_KEY"}
    directory = sealed(tmp_path / "runs", {**PLAN, "seats": {"agent": seat}})
    with open_world(directory.manifest, None, lambda _: None) as world:
        state = State(directory.manifest.plan, None)
        blocks = Runner(directory, world, lambda: 0, state, Stop(), 2).play()
    made = pack(directory, blocks, KEY, tmp_path / "bundles").bundle
    raw = KEY.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
    der = KEY.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    secrets = [API_KEY.encode(), b"PRIVATE KEY", *(spelled for key in (raw, der) for spelled in spellings(key))]
    searched = [*readable(made), *readable(directory.path)]
    assert any(b'"attempts":[{' in data for _, data in searched), "a failed attempt was to be recorded"
    assert any(b"PLANTED_API_KEY" in data for _, data in searched), "the variable's name is no secret"
    assert [(name, secret) for name, data in searched for secret in secrets if secret in data] == []


def spellings(secret: bytes) -> Iterator[bytes]:
    yield secret
    yield secret.hex().encode()
    yield base64.b64encode(secret)


def test_the_environment_says_what_the_machine_is_and_not_whose(finished: tuple[RunDirectory, Blocks]) -> None:
    about_versions, about_machine = {"format", "harness", "verify", "python"}, {"system", "release", "machine"}
    found = environment_of(finished[0])
    assert found.keys() == about_versions | about_machine | {"cpu", "cores", "isolation", "packed_by", "sealed_by"}
    assert found["sealed_by"] == msgspec.to_builtins(finished[0].sealed_by)


def test_what_a_run_leaves_beside_its_journal_is_not_packed(
    finished: tuple[RunDirectory, Blocks], tmp_path: Path
) -> None:
    directory, blocks = finished
    (directory.path / "notes.txt").write_text("private")
    (directory.journal / "p1-chess960-naked-stranger-b00000").mkdir()
    shutil.copy(directory.path / "secret", directory.journal / STREAMS[0] / "secret")
    made = pack(directory, blocks, KEY, tmp_path / "bundles").bundle
    assert verify(made, Options()).level == "V1"
    assert not [name for name in files(made) if "notes" in name or "secret" in name or "stranger" in name]


def test_every_note_and_log_of_a_harness_is_a_known_file_of_a_bundle() -> None:
    notes = (*run_folder.KNOWN_NOTES - {run_folder.LOCK}, run_folder.WEIGHTS)
    names = [f"{bundle.NOTES_FOLDER}{name}" for name in notes]
    names += [f"{bundle.LOGS_FOLDER}{execution}/{part}.log" for execution in ("000", "1234") for part in PARTS]
    assert [name for name in names if not bundle.is_attested(name)] == []
    assert not bundle.is_attested(f"{bundle.LOGS_FOLDER}000/../../manifest.json")


PARTS = ("engine", "harness", "proxy", "servers", f"model-{'a' * 32}", "quality", "talk_0")
