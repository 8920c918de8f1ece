"""A run whose server has moved since it was sealed goes on at the new address, which is noted."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from harness.contact import agzamov, plan_at, serves, users_folder
from harness.http_peer import Peer


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return users_folder(tmp_path, monkeypatch)


def test_an_address_is_mended_after_sealing_and_the_one_used_is_noted(home: Path) -> None:
    with Peer() as gone:
        url = gone.url
    code, output = CliRunner().invoke(main, ["seal", plan_at(home, url), "--key", "key.pem"]).exit_code, ""
    assert code == 0
    (run,) = (home / "runs").iterdir()
    code, output = agzamov("resume", run)
    assert (code, "Connection refused" in output) == (4, True), output
    sealed = (run / "manifest.json").read_bytes()
    with Peer(then=serves(("m",), "reference")) as peer:
        code, output = agzamov("resume", run, "--base-url", f"model={peer.url}")
    assert code == 0, output
    assert (run / "manifest.json").read_bytes() == sealed
    (bundle,) = (path for path in (home / "bundles").iterdir() if path.is_dir())
    noted = json.loads((bundle / "data/notes/addresses.json").read_bytes())
    assert noted == {"format": "agz-addresses-1", "executions": [{"model": peer.url}]}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("nobody=http://127.0.0.1:9/v1", "expected a seat with a model server"),
        ("model=http://user:secret@h/v1", "without user, query or fragment"),
        ("model=ftp://h", "expected http:// or https://"),
    ],
)
def test_an_address_that_is_none_is_refused(home: Path, given: str, words: str) -> None:
    assert CliRunner().invoke(main, ["seal", plan_at(home, "http://127.0.0.1:9/v1"), "--key", "key.pem"]).exit_code == 0
    (run,) = (home / "runs").iterdir()
    code, output = agzamov("resume", run, "--base-url", given)
    assert (code, bool(re.search(words, output))) == (2, True), output
