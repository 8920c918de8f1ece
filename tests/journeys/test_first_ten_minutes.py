"""The first ten minutes of somebody who has just cloned this: the commands of the README, as installed, in order."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agzamov_verify.engines.uci_engine import EngineFault, find_engine

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
TIMEOUT_S = 300
# What stands in the quickstart, and what stands here: less of everything, with the same shape.
SMALLER = {
    "nodes: 10000": "nodes: 1000",
    "hands: 3000": "hands: 200",
    "hands: 1000": "hands: 200",
    "games: 6}": "games: 2}",
    "games: 30": "games: 6",
}


def ran(*command: str | Path, cwd: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    """A command as a person types it; it must end with this code and without a traceback."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def agzamov(*arguments: str | Path, cwd: Path, code: int = 0) -> str:
    return ran(BIN / "agzamov", *arguments, cwd=cwd, code=code).stdout


def smaller_quickstart() -> str:
    """The quickstart, same in shape, with fewer games."""
    text = (ROOT / "manifests" / "quickstart.yaml").read_text()
    for size, fewer in SMALLER.items():
        assert text.count(size) == 1, f"manifests/quickstart.yaml: expected one {size!r}"
        text = text.replace(size, fewer)
    return text


@pytest.mark.slow
def test_the_first_ten_minutes(tmp_path: Path) -> None:
    try:
        find_engine()
    except EngineFault as error:
        pytest.skip(str(error))
    key = makes_a_key(tmp_path)
    bundle = runs_the_quickstart(tmp_path)
    verifies(bundle, key, tmp_path)
    looks_at_figures_and_a_game(bundle, tmp_path)
    verifies_the_tar(bundle, tmp_path)
    checks_by_hand(bundle, key, tmp_path)
    finds_a_changed_byte(bundle, tmp_path, "data/journal/p0-chess960-naked-reference-b00000/000000.jsonl.gz")
    finds_a_changed_byte(bundle, tmp_path, "data/results/results.json")


def makes_a_key(folder: Path) -> Path:
    assert re.search(r"key [0-9a-f]{64}$", agzamov("keygen", "key.pem", cwd=folder).strip())
    agzamov("keygen", "key.pem", cwd=folder, code=2)
    return folder / "key.pem"


def runs_the_quickstart(folder: Path) -> Path:
    (folder / "plan.yaml").write_text(smaller_quickstart())
    told = agzamov("run", "plan.yaml", "--key", "key.pem", cwd=folder).splitlines()
    bundle = folder / told[-1].removeprefix("bundle: ")
    assert bundle.is_dir()
    assert any(line.startswith("Phase 0, Chess960, ") for line in told)
    assert "Departs    from protocol agz-0.1 in " in "\n".join(told), "a small run must not look like a full one"
    assert list((folder / "runs").iterdir()) == [folder / "runs" / bundle.name]
    return bundle


def verifies(bundle: Path, key: Path, folder: Path) -> None:
    told = agzamov("verify", bundle, "--key", f"{key}.pub", "--details", cwd=folder)
    assert len(re.findall(r"^ *\d+  [a-z]+ +PASS", told, re.MULTILINE)) == 13
    assert "The record is consistent: level V1" in told
    assert shape(told) == shape(transcript()), "docs/check-a-result.md: put in what `verify` says now"
    verdict = json.loads(agzamov("verify", bundle, "--json", cwd=folder))
    assert (verdict["level"], verdict["run"]) == ("V1", bundle.name)
    light = ran(BIN / "agzamov-verify", "check", bundle, "--key", f"{key}.pub", cwd=folder).stdout
    assert light.splitlines()[:2] == told.splitlines()[:2]


def transcript() -> str:
    """What a page for checkers says that the check of the quickstart says."""
    found = re.search(r"```text\n(.*?)```", (ROOT / "docs/check-a-result.md").read_text(), re.DOTALL)
    assert found
    return found[1].partition("--key submitter.pem.pub\n")[2]


def shape(report: str) -> list[str]:
    """The labels of a report's first screen, and the head of its table; which matches are played, a gate may decide."""
    screen = report.partition("\nSeats")[0].splitlines()
    labels = [line.split("  ")[0] for line in screen if re.match(r"[A-Z][a-z]+( [a-z]+)? {2,}\S", line)]
    return [*labels, *(" ".join(line.split()) for line in screen if line.startswith("match "))]


def looks_at_figures_and_a_game(bundle: Path, folder: Path) -> None:
    told = agzamov("show", bundle, cwd=folder)
    game = "p0-chess960-naked-reference-g00000"
    assert game in told, "a game to look at next"
    assert agzamov("show", bundle, "--game", game, cwd=folder).count("Result: ") == 2
    shown = agzamov("show", bundle, "--game", game, "--prompts", cwd=folder)
    # The seed is new each time, and from some starts a game can be over after three plies.
    assert shown.count("== reference answers") >= 1
    assert shown.count("-- engine after ply ") >= 2
    hand = agzamov("show", bundle, "--game", "p0-holdem-naked-reference-h0000007", "--prompts", cwd=folder)
    assert "Hole cards: [" in hand


def verifies_the_tar(bundle: Path, folder: Path) -> None:
    ran("tar", "--format=ustar", "-cf", folder / "bundle.tar", bundle.name, cwd=bundle.parent)
    assert "level V1" in agzamov("verify", "bundle.tar", cwd=folder)


def checks_by_hand(bundle: Path, key: Path, folder: Path) -> None:
    if all(map(shutil.which, ("jq", "openssl", "sha256sum"))):
        ran("sh", ROOT / "docs" / "check-by-hand.sh", bundle, f"{key}.pub", cwd=folder)


def finds_a_changed_byte(bundle: Path, folder: Path, name: str) -> None:
    path = bundle / name
    with changed(path, lambda data: data[:20] + bytes([data[20] ^ 1]) + data[21:]):
        told = agzamov("verify", bundle, "--details", cwd=folder, code=1)
    assert " 2  payload    FAIL" in told
    assert f"step 2 {name}: expected sha256 " in " ".join(told.split())
    assert "Not to be believed (level V0)" in told


@contextmanager
def changed(path: Path, change: Callable[[bytes], bytes]) -> Iterator[None]:
    """A file with other bytes for a while."""
    good = path.read_bytes()
    path.write_bytes(change(good))
    yield
    path.write_bytes(good)


@pytest.mark.parametrize(
    "target", ["demo", "install", "builder", "test", "check", "setup", "lock", "bench", "schema", "clean"]
)
def test_make_knows_what_it_would_do(target: str) -> None:
    if not shutil.which("make"):
        pytest.skip("no make here")
    assert ran("make", "--dry-run", target, cwd=ROOT).stdout


def test_the_makefile_says_what_its_main_targets_are_for() -> None:
    text = (ROOT / "Makefile").read_text()
    phony = re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE)
    assert phony
    targets = set(re.findall(r"^([a-z-]+):", text, re.MULTILINE))
    assert targets == set(phony[1].split()), "a target that is no file is .PHONY"
    assert set(re.findall(r"^# make ([a-z-]+) +", text, re.MULTILINE)) <= targets
