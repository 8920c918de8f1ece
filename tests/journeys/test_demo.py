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
REPORT_BYTES_MAX = 1_500_000
CAREERS = "hands: 3040, careers: 8"
PLAN = """\
title: Demo
seats:
  agent: {kind: reference}
chess960: {adjudication: {policy: none}, plies_max: 10}
matches:
  - {phase: 1, game: chess960, a: agent, b: agent, games: 20, block_games: 2}
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
    assert re.search(rf"^stopped by SIGINT.*; {advised}$", err, re.MULTILINE), err

    code, out, err = ended(started(tmp_path))
    assert (code, f"going on with runs/demo/{run.name}, which" in out) == (0, True), err
    assert "The record is consistent: level V1" in out
    assert [path.name for path in (tmp_path / "runs" / "demo").iterdir()] == [run.name]
    assert f"  sh docs/check-by-hand.sh bundles/{run.name} keys/demo.pem.pub\n" in out
    assert f"Next       open in a browser: file://{tmp_path}/report-{run.name}/index.html\n" in out
    assert (tmp_path / f"report-{run.name}" / "index.html").is_file()


@pytest.mark.slow
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
    while not any(path.stat().st_size for path in folder.glob("runs/demo/[!.]*/journal/*/*.jsonl")):
        assert time.monotonic() < end, "no move was recorded"
        time.sleep(0.05)


def bytes_of(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


@pytest.mark.slow
def test_a_career_of_the_demo_is_small_in_its_report(tmp_path: Path) -> None:
    """One of its eight careers: what the page, its games of chess and eight careers would have."""
    demo = (ROOT / "manifests" / "demo.yaml").read_text()
    assert demo.count(CAREERS) == 2
    (tmp_path / "plan.yaml").write_text(demo.replace(CAREERS, "hands: 380, careers: 1"))
    code, _, err = ended(started(tmp_path))
    assert code == 0, err
    (page,) = tmp_path.glob("report-*/index.html")
    career = sum(map(bytes_of, (page.parent / "data").glob("p2-holdem-*")))
    assert bytes_of(page.parent) + 7 * career <= REPORT_BYTES_MAX


@pytest.mark.exhaustive
def test_the_report_of_the_demo_is_small(tmp_path: Path) -> None:
    """The games lie beside the page in files that are read when one is opened."""
    (tmp_path / "plan.yaml").write_text((ROOT / "manifests" / "demo.yaml").read_text())
    code, out, err = ended(started(tmp_path))
    assert code == 0, err
    (page,) = tmp_path.glob("report-*/index.html")
    assert bytes_of(page.parent) <= REPORT_BYTES_MAX
    assert str(page) in out
