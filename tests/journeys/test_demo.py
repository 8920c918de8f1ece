"""`make demo` beyond its good end: it is stopped and goes on, and it ends as what it started ends."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
TIMEOUT_S = 300
PLAN = """\
title: Demo
seats:
  agent: {kind: reference}
chess960: {adjudication: {policy: none}, plies_max: 20}
matches:
  - {phase: 1, game: chess960, a: agent, b: agent, games: 30, block_games: 2}
"""


def started(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        ["sh", ROOT / "scripts" / "demo", BIN, "plan.yaml"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def ended(demo: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = demo.communicate(timeout=TIMEOUT_S)
    return demo.returncode, out, err


@pytest.mark.slow
def test_a_demo_that_is_interrupted_goes_on_when_it_is_started_again(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(PLAN)
    demo = started(tmp_path)
    wait_for_a_move(tmp_path)
    os.killpg(demo.pid, signal.SIGINT)
    _, _, err = ended(demo)
    (run,) = (tmp_path / "runs" / "demo").iterdir()
    advised = re.escape(f"go on with: {BIN}/agzamov resume runs/demo/{run.name}")
    assert re.search(rf"^error: stopped by SIGINT.*; {advised}$", err, re.MULTILINE), err

    code, out, err = ended(started(tmp_path))
    assert (code, f"going on with runs/demo/{run.name}, which" in out) == (0, True), err
    assert "The record is consistent (level V1 of V0 to V4" in out
    assert [path.name for path in (tmp_path / "runs" / "demo").iterdir()] == [run.name]
    assert f"  sh docs/check-by-hand.sh bundles/{run.name} keys/demo.pem.pub\n" in out


def test_a_demo_that_fails_has_the_exit_code_of_what_failed(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text("title: no plan")
    code, out, err = ended(started(tmp_path))
    assert (code, "without our code" in out) == (2, False)
    assert err.splitlines()[-1].startswith("error: plan.yaml: ")


def test_the_demo_writes_to_no_terminals_device() -> None:
    """After `su -` the standard error that is inherited cannot be opened anew."""
    assert "/dev/std" not in (ROOT / "scripts" / "demo").read_text() + (ROOT / "Makefile").read_text()


def wait_for_a_move(folder: Path) -> None:
    end = time.monotonic() + TIMEOUT_S
    while not any(path.stat().st_size for path in folder.glob("runs/demo/*/journal/*/*.jsonl")):
        assert time.monotonic() < end, "no move was recorded"
        time.sleep(0.05)
