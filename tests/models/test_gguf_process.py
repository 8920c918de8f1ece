"""A GGUF file in a run in processes: this machine serves it, and no server is left whatever ends."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from shutil import copy

import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.models import gguf_process
from agzamov_verify.checks.steps import Options, verify
from models.conftest import Babbler

PATIENCE_S = 600
AGZAMOV = Path(sys.executable).with_name("agzamov")
PLAN = """
title: A file, served here
chess960: {{plies_max: {plies}, adjudication: {{policy: none}}}}
seats:
  model: {{kind: gguf, weights: {weights}, tokens_max: 8, concurrency: 2}}
  random: {{kind: random}}
matches:
  - {{phase: 0, game: chess960, a: model, b: random, games: 4}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    assert CliRunner().invoke(main, ["keygen", str(tmp_path / "key.pem")]).exit_code == 0
    return tmp_path


def plan_in(folder: Path, weights: Path, plies: int = 4) -> Path:
    path = folder / "plan.yaml"
    path.write_text(PLAN.format(weights=weights, plies=plies))
    return path


def command(folder: Path, *words: object) -> list[str]:
    options = ["--key", folder / "key.pem", "--out", folder / "bundles", "--json"]
    options += ["--runs", folder / "runs"] if words[0] == "run" else []
    return list(map(str, [*words, *options]))


def servers(weights: Path) -> set[int]:
    """The processes that serve a file now."""
    wanted = f"AGZ_MODEL_PATH={weights}\0".encode()
    found = set()
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if wanted in path.read_bytes():
                found.add(int(path.parent.name))
        except OSError:
            continue  # it has just ended, or is somebody else's
    return found


@pytest.fixture
def weights(babbler: Babbler, folder: Path) -> Path:
    """A copy that no other test serves."""
    return Path(copy(babbler.gguf, folder / "own.gguf"))


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def only(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


def lines(folder: Path) -> int:
    files = [path for path in (folder / "runs").glob("[!.]*/journal/**/*") if path.is_file()]
    return sum(path.read_bytes().count(b"\n") for path in files)


@pytest.mark.slow
def test_a_run_is_played_verified_and_replayed_without_a_container(weights: Path, folder: Path) -> None:
    ran = CliRunner().invoke(main, command(folder, "run", plan_in(folder, weights)))
    assert ran.exit_code == 0, ran.output
    bundle = only(folder / "bundles")
    assert verify(bundle, Options(engine=None)).level == "V1"
    first, second = json.loads((bundle / "data/notes/preflight.json").read_bytes())["executions"]
    assert first["seats"]["model"]["rounds"]
    assert not second["seats"]["model"]["rounds"], "a start after the preflight is asked once more, all at once"
    assert first["seats"]["model"]["server"]["version"].startswith("xllamacpp ")
    replayed = CliRunner().invoke(main, ["replay", str(bundle), "--sample", "4", "--weights", f"model={weights}"])
    assert replayed.exit_code == 0, replayed.output
    assert "answers the same to the last byte" in replayed.output
    assert not servers(weights)


@pytest.mark.slow
def test_a_killed_server_is_named_and_a_killed_run_leaves_none_and_both_times_it_goes_on(
    weights: Path, folder: Path
) -> None:
    with subprocess.Popen(
        [AGZAMOV, *command(folder, "run", plan_in(folder, weights, plies=30))],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    ) as run:
        until(lambda: lines(folder) > 4)
        os.kill(max(servers(weights)), signal.SIGKILL)
        assert run.stderr
        said = run.stderr.read()
    assert run.returncode == 4, said
    assert re.search(r"seat model: its model server ended with exit code (137|-9)\b", said), "a slot of it, or all"
    assert "go on with: " in said
    until(lambda: not servers(weights))
    resume, recorded = command(folder, "resume", only(folder / "runs")), lines(folder)
    with subprocess.Popen([AGZAMOV, *resume], stdout=subprocess.DEVNULL) as run:
        until(lambda: lines(folder) > recorded + 4)
        run.kill()
    until(lambda: not servers(weights))
    resumed = CliRunner().invoke(main, resume)
    assert resumed.exit_code == 0, resumed.output


def test_without_llama_cpp_nothing_is_sealed(weights: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gguf_process, "find_spec", lambda _: None)
    ran = CliRunner().invoke(main, command(folder, "run", plan_in(folder, weights)))
    assert (ran.exit_code, "type: make local-models (in a clone)" in ran.output) == (2, True), ran.output
    assert not (folder / "runs").exists()


def test_a_file_that_llama_cpp_cannot_read_is_named(folder: Path) -> None:
    broken = folder / "broken.gguf"
    broken.write_bytes(b"GGUF" + b"\xff" * 1000)
    ran = CliRunner().invoke(main, command(folder, "run", plan_in(folder, broken)))
    assert ran.exit_code == 2, ran.output
    assert re.search(
        r"seat model: (its model server ended with exit code|llama\.cpp cannot load the weights)", ran.output
    )
    assert not list(folder.glob("runs/*"))


@pytest.mark.slow
def test_weights_that_were_cut_are_called_that(weights: Path, folder: Path) -> None:
    """What was said was Python's last line: check the input params."""
    whole = weights.read_bytes()
    weights.write_bytes(whole[: len(whole) // 2])
    ran = CliRunner().invoke(main, command(folder, "run", plan_in(folder, weights)))
    assert ran.exit_code == 2
    assert re.search(r"llama\.cpp cannot load the weights: .*(corrupted|incomplete|bounds).*fetch it again", ran.output)
    assert "Traceback" not in ran.output


def test_a_digest_in_capitals_is_told_what_it_must_be(weights: Path, folder: Path) -> None:
    """As PowerShell prints one; there was a traceback."""
    plan = plan_in(folder, weights)
    plan.write_text(plan.read_text().replace("weights:", f"weights_sha256: {'AB' * 32}, weights:"))
    ran = CliRunner().invoke(main, command(folder, "run", plan))
    assert (ran.exit_code, "expected a SHA-256: 64 digits of 0-9 and small a-f" in ran.output) == (2, True), ran.output
