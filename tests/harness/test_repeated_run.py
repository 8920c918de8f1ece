"""Two honest runs of one sealed deterministic manifest have the same journals, to the byte."""

import copy
import itertools
import json
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml

from agzamov_harness.reference_server import chat_server
from agzamov_harness.run import signing_keys
from agzamov_verify import bundle
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.core import canon
from agzamov_verify.core.envelope import JournalClaim, load_public_key, open_envelope
from agzamov_verify.scoring.call_records import CallTable, Served
from harness.commands import Commands

PLAN: dict[str, Any] = {
    "title": "Twice",
    "seats": {
        "model": {"kind": "openai", "model": "reference", "accepts": ["seed"], "concurrency": 4},
        "dice": {"kind": "random"},
    },
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 12},
    "holdem": {"session_hands": 2},
    "matches": [
        {"phase": 0, "game": "chess960", "a": "model", "b": "dice", "games": 4, "block_games": 2},
        {"phase": 0, "game": "holdem", "a": "model", "b": "dice", "hands": 8, "block_hands": 4},
    ],
}
CHESS = "p0-chess960-naked-model"


@pytest.fixture
def commands(tmp_path: Path) -> Iterator[Commands]:
    with Commands(tmp_path) as made:
        yield made


@contextmanager
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The reference server, with an id of its own for each call as real servers have, and two fingerprints in turn."""
    plain, calls = chat_server.completion, itertools.count()

    def named(body: object) -> dict[str, Any]:
        made = {"id": f"chatcmpl-{secrets.token_hex(16)}", "system_fingerprint": f"fp_{next(calls) % 2}"}
        return {**plain(body), **made}

    monkeypatch.setattr(chat_server, "completion", named)
    with chat_server.start("127.0.0.1", 0) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def sealed(commands: Commands, folder: Path, url: str) -> Path:
    plan = copy.deepcopy(PLAN)
    plan["seats"]["model"]["base_url"] = url
    signing_keys.generate(folder / "key.pem")
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan))
    ended = commands.run("seal", "plan.yaml", "--key", "key.pem", cwd=folder)
    assert ended.code == 0, ended
    return folder / ended.out.strip()


def played(commands: Commands, run: Path, folder: Path) -> tuple[Path, dict[str, bytes]]:
    """The bundle of a sealed run, and the bytes of its journal by file."""
    key, out = str(folder / "key.pem"), str(run.with_name("bundles"))
    ended = commands.run("resume", str(run), "--key", key, "--out", out, "--json", cwd=folder)
    assert ended.code == 0, ended
    journal = run / "journal"
    lines = {str(path.relative_to(journal)): path.read_bytes() for path in sorted(journal.glob("*/*.jsonl"))}
    return folder / json.loads(ended.out)["bundle"], lines


def journal_claim(made: Path) -> JournalClaim:
    key = load_public_key((made / bundle.KEY_FILE).read_bytes())
    return open_envelope((made / bundle.ENVELOPE_FILE).read_bytes(), key).predicate.journal


@pytest.mark.slow
def test_two_runs_of_one_sealed_manifest_have_the_same_journal_to_the_byte(
    commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(monkeypatch) as url:
        run = sealed(commands, tmp_path, url)
        again = tmp_path / "again" / run.name
        shutil.copytree(run, again)
        (one, lines), (other, lines_again) = (played(commands, path, tmp_path) for path in (run, again))
    assert one != other
    assert len(lines) == 4
    assert lines == lines_again
    assert journal_claim(one) == journal_claim(other)
    for name in (bundle.INDEX_FILE, bundle.RESULTS_FILE, bundle.ANALYSIS_FILE):
        assert (one / name).read_bytes() == (other / name).read_bytes(), name
    assert all(verify(path, Options()).level == "V1" for path in (one, other))


@pytest.mark.slow
def test_what_the_server_made_up_is_counted_beside_the_journal(
    commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(monkeypatch) as url:
        made, lines = played(commands, sealed(commands, tmp_path, url), tmp_path)
    assert not any(b"chatcmpl" in data or b"fp_" in data for data in lines.values())
    model = canon.loads_as((made / bundle.CALLS_FILE).read_bytes(), CallTable).matches[CHESS]["model"]
    assert model.answers == model.answers_with_id == model.ids > 0
    assert {(one.model, one.fingerprint) for one in model.served} == {("reference", "fp_0"), ("reference", "fp_1")}
    assert sum(one.answers for one in model.served) == model.answers
    dice = canon.loads_as((made / bundle.CALLS_FILE).read_bytes(), CallTable).matches[CHESS]["dice"]
    assert (dice.answers_with_id, dice.ids, dice.served) == (0, 0, (Served("random", "", dice.answers),))
