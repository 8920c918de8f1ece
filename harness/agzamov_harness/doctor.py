"""What this machine can and cannot do for the appliance, each with what to do about it."""

import shutil
import subprocess
import sys
from pathlib import Path

import msgspec

from agzamov_verify.protocol import KNOWN, load_protocol
from agzamov_verify.stockfish import EngineFault, UciEngine, find_engine
from agzamov_verify.workers import cores

from .keys import KeyFault, load

PYTHON_MIN = (3, 11)
FREE_GIB_MIN = 1
ENGINE_HASH_MIB = 1
PROBE_TIMEOUT_S = 10


class Ability(msgspec.Struct, frozen=True):
    """One thing that the appliance needs or can use. `needed_for` is empty where nothing lacks."""

    name: str
    ok: bool
    found: str
    advice: str = ""


def examine(key: Path, engine: str | None) -> list[Ability]:
    """Everything worth knowing before a run."""
    return [_python(), _cores(), _disk(), _engine(engine), _key(key), _docker()]


def _python() -> Ability:
    version = sys.version.split()[0]
    return Ability("python", sys.version_info >= PYTHON_MIN, version, "install Python 3.11 or newer")


def _cores() -> Ability:
    return Ability("cores", True, str(cores()))


def _disk() -> Ability:
    free = shutil.disk_usage(Path.cwd()).free / 2**30
    return Ability(
        "disk", free >= FREE_GIB_MIN, f"{free:.1f} GiB free here", "free some space: journals are kept whole"
    )


def _engine(path: str | None) -> Ability:
    norm = load_protocol(KNOWN[-1]).engine
    advice = f"adjudication and full verification need {norm.name}; on Debian 12: apt-get install stockfish"
    try:
        found = find_engine(path)
        with UciEngine(found, ENGINE_HASH_MIB) as engine:
            fits = engine.name == norm.name and engine.net_sha256() == norm.net_sha256
            return Ability("engine", fits, f"{engine.name} at {found}", "" if fits else advice)
    except EngineFault as error:
        return Ability("engine", False, str(error), advice)


def _key(path: Path) -> Ability:
    try:
        load(path)
    except KeyFault as error:
        return Ability("key", False, str(error), f"agzamov keygen {path}")
    return Ability("key", True, str(path))


def _docker() -> Ability:
    advice = "runs here are isolated as processes only; containers need a Docker engine"
    try:
        ran = subprocess.run(
            ["docker", "version", "--format", "{{.Server.Version}}"],
            capture_output=True,
            text=True,
            timeout=PROBE_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return Ability("docker", False, "no docker command that answers", advice)
    return Ability("docker", ran.returncode == 0, ran.stdout.strip() or "no engine answers", advice)
