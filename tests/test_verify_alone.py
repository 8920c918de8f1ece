"""The verifier alone: its wheel and its pinned requirements in a fresh environment check a bundle of the harness."""

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from agzamov_harness.run import signing_keys
from agzamov_verify.engines.uci_engine import EngineFault, find_engine

TRANSCRIPT = re.compile(r"```text\n.*?```", re.DOTALL)
ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
TIMEOUT_S = 600
OFFLINE = ("NewConnectionError", "Name or service not known", "Temporary failure in name resolution", "ProxyError")
HARNESS_ALONE = ("agzamov_harness", "openai", "yaml", "rich", "jsonschema")

TYPED = "--require-hashes -r agzamov-verify.txt"

PLAN = """\
title: Alone
seats:
  agent: {kind: random}
engine: {nodes: 50}
chess960: {adjudication: {policy: POLICY}, plies_max: 6}
holdem: {session_hands: 2}
matches:
  - {phase: 1, game: chess960, a: agent, b: agent, games: 2}
  - {phase: 1, game: holdem, a: agent, b: agent, hands: 2, block_hands: 2}
"""

pytestmark = pytest.mark.slow


def engine_is_here() -> bool:
    try:
        find_engine()
    except EngineFault:
        return False
    return True


def ran(*command: str | Path, cwd: Path, code: int = 0) -> str:
    """What a command printed, if it ended with this code. Skips the test where packages cannot be fetched."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    if done.returncode != code and any(sign in done.stderr for sign in OFFLINE):
        pytest.skip("no packages can be fetched here")
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `make wheels` makes of the tree as it is, outside of the clone."""
    folder = tmp_path_factory.mktemp("released")
    ran("sh", ROOT / "scripts" / "wheels", BIN, folder, cwd=ROOT)
    return folder


@pytest.fixture(scope="module")
def wheel(released: Path) -> Path:
    """The verifier's wheel."""
    (built,) = released.glob("agzamov_verify-*.whl")
    return built


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory, released: Path) -> Path:
    """The programs of an environment that holds the verifier, what it requires, and nothing else.

    It is made by the line of docs/check-a-result.md, where no clone is.
    """
    folder = tmp_path_factory.mktemp("alone")
    ran(sys.executable, "-m", "venv", "--without-pip", folder / "venv", cwd=folder)
    install = (BIN / "pip", "--python", folder / "venv", "install", "--quiet", "--no-compile", "--retries", "2")
    ran(*install, *TYPED.split(), cwd=released)
    return folder / "venv" / "bin"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small bundle, as the harness makes it; where there is an engine, one that needs it."""
    folder = tmp_path_factory.mktemp("made")
    policy = "stockfish" if engine_is_here() else "none"
    (folder / "plan.yaml").write_text(PLAN.replace("POLICY", policy))
    signing_keys.generate(folder / "key.pem")
    told = ran(BIN / "agzamov", "run", "plan.yaml", "--key", "key.pem", cwd=folder)
    return folder / told.splitlines()[-1].removeprefix("bundle: ")


def test_the_wheel_holds_the_verifier_its_protocols_and_its_licence(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    sources = {str(path.relative_to(ROOT / "verify")) for path in (ROOT / "verify" / "agzamov_verify").rglob("*.py")}
    assert sources <= set(names)
    protocols = ROOT / "verify" / "agzamov_verify" / "protocols"
    values = {str(path.relative_to(ROOT / "verify")) for path in protocols.rglob("*.json")}
    assert "agzamov_verify/protocols/agz_0_1/norms.json" in values
    assert values <= set(names)
    assert any(name.endswith("LICENSE") for name in names)
    assert not [name for name in names if {"agzamov_harness", "harness", "tests"} & set(Path(name).parts)]


def test_the_verifier_alone_checks_and_shows_a_bundle_and_needs_nothing_of_the_harness(
    alone: Path, bundle: Path, tmp_path: Path
) -> None:
    imports_nothing_of_the_harness(alone, tmp_path)
    checks(alone, bundle, tmp_path)
    names_the_step_of_a_broken(bundle, alone, tmp_path)
    game = "p1-holdem-naked-agent-h0000000"
    assert "== agent answers" in ran(
        alone / "agzamov-verify", "show", bundle, "--game", game, "--prompts", cwd=tmp_path
    )


def test_a_wheel_that_was_changed_is_not_installed(released: Path, wheel: Path, tmp_path: Path) -> None:
    changed = Path(shutil.copytree(released, tmp_path / "changed"))
    with zipfile.ZipFile(changed / wheel.name, "a") as file:
        file.writestr("agzamov_verify/extra.py", "")
    ran(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv", cwd=tmp_path)
    alone = f"./{wheel.name} --hash=sha256:"
    (pin,) = [line for line in (changed / "agzamov-verify.txt").read_text().splitlines() if line.startswith(alone)]
    (changed / "wheel-alone.txt").write_text(f"{pin}\n")
    install = (BIN / "pip", "--python", tmp_path / "venv", "install", "--no-deps", "--require-hashes")
    ran(*install, "-r", "wheel-alone.txt", cwd=changed, code=1)
    ran("sha256sum", "--check", "--quiet", "SHA256SUMS", cwd=released)


def test_the_page_for_a_third_party_names_what_is_typed_here() -> None:
    page = (ROOT / "docs" / "check-a-result.md").read_text()
    assert f"checker/bin/pip install {TYPED}\n" in page
    assert "apt-get install stockfish" in page
    assert len(TRANSCRIPT.sub("", page).splitlines()) < 60, "a screen, beside what the command prints"


def imports_nothing_of_the_harness(alone: Path, folder: Path) -> None:
    look = f"from importlib.util import find_spec; print([n for n in {HARNESS_ALONE!r} if find_spec(n)])"
    assert ran(alone / "python", "-I", "-c", look, cwd=folder) == "[]\n"
    assert ran(alone / "python", "-I", "-c", "import agzamov_verify.cli, agzamov_verify.checks", cwd=folder) == ""


def checks(alone: Path, bundle: Path, folder: Path) -> None:
    key = bundle.parents[1] / "key.pem.pub"
    told = ran(alone / "agzamov-verify", "check", bundle, "--key", key, "--sample", "1000", cwd=folder)
    assert "level V1" in told
    if engine_is_here():
        told = ran(
            alone / "agzamov-verify", "check", bundle, "--engine", "/no/such/engine", "--details", cwd=folder, code=3
        )
        assert " 9  engine     NOT CHECKED  (no engine at /no/such/engine" in told


def names_the_step_of_a_broken(bundle: Path, alone: Path, folder: Path) -> None:
    shutil.copytree(bundle, folder / "broken")
    results = folder / "broken" / "data" / "results" / "results.json"
    results.write_bytes(results.read_bytes().replace(b"0", b"1", 1))
    told = ran(alone / "agzamov-verify", "check", "broken", cwd=folder, code=1)
    assert "step 2 data/results/results.json: expected sha256 " in " ".join(told.split())


NOT_IN_A_BROWSER = ("cryptography", "fcntl", "numpy", "pkrbot", "resource")


def test_a_check_imports_nothing_that_a_browser_lacks() -> None:
    """The verify page runs the same modules; one import of numpy on their path and it never opens."""
    absent = "".join(f"sys.modules[{name!r}] = None; " for name in NOT_IN_A_BROWSER)
    code = f"import sys; {absent}import agzamov_verify.checks.steps, agzamov_verify.commands.check_command"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
