"""What this machine can and cannot do for the appliance, each with what to do about it."""

import shutil
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from agzamov_verify.protocol import KNOWN, load_protocol
from agzamov_verify.stockfish import EngineFault, UciEngine, find_engine
from agzamov_verify.workers import cores

from .containers.places import OLLAMA
from .images import records
from .images.faults import ImageFault
from .keys import KeyFault, load
from .pinning import IMAGE_OF, pin_of

if TYPE_CHECKING:
    from .containers.engine import Engine

PYTHON_MIN = (3, 11)
FREE_GIB_MIN = 1
ENGINE_HASH_MIB = 1


class Ability(msgspec.Struct, frozen=True):
    """One thing that the appliance needs or can use. `needed_for` is empty where nothing lacks."""

    name: str
    ok: bool
    found: str
    advice: str = ""


def examine(key: Path, engine: str | None) -> list[Ability]:
    """Everything worth knowing before a run."""
    return [_python(), _cores(), _disk(), _engine(engine), _key(key), *_docker()]


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


def _docker() -> list[Ability]:
    """The container engine, and which images of ours it holds."""
    from .containers.engine import NoEngine, connect  # noqa: PLC0415 - the engine's client takes its time to import

    try:
        engine = connect()
    except NoEngine as error:
        return [Ability("docker", False, "no container engine answers", str(error))]
    with closing(engine):
        told = engine.facts()
        found = f"{told['version']} at {engine.host}, storage {told['storage']}, cgroup {told['cgroup']}"
        return [Ability("docker", True, found), _images(engine)]


def _images(engine: "Engine") -> Ability:
    """The images that runs are pinned to: each must be built here, and in the engine."""
    missing = []
    ours = {part: name for part, name in IMAGE_OF.items() if part != OLLAMA}
    for part, name in ours.items():
        try:
            record = records.load(name)
        except ImageFault:
            missing.append(f"{name} is not built")
            continue
        if not engine.image_id(part, pin_of(record)):
            missing.append(f"{name} is not in the engine")
    found = ", ".join(missing) or f"{', '.join(sorted(ours.values()))} built here and in the engine"
    return Ability("images", not missing, found, "agzamov images build --load")
