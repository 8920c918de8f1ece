"""Checks of this machine for the appliance's needs, each with advice."""

import importlib.metadata
import os
import shutil
import sys
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.core.workers import cores
from agzamov_verify.engines.uci_engine import EngineFault, UciEngine, find_engine
from agzamov_verify.protocols import CURRENT
from agzamov_verify.protocols.norms import load_protocol

from ..containers import image_records
from ..containers.container_engine import ContainerEngine, connect
from ..containers.engine_socket import NoEngine
from ..containers.image_records import ImageFault
from ..containers.image_roles import BUILT_ON_REQUEST, IMAGE_OF, pin_of
from ..foundation.owner_folder import installed_folder
from ..memory.adapter_file import systems
from ..memory.launch import why_not_here
from ..models.gguf_process import WHEEL
from ..models.ollama_api import Inventory
from ..ports import ModelFault
from ..run.server_access import ADDRESS
from ..run.signing_keys import KeyFault, load, making

PYTHON_MIN = (3, 11)
FREE_GIB_MIN = 1
ENGINE_HASH_MIB = 1
OLLAMA_PORT, OLLAMA_S = 11434, 2.0


class Ability(msgspec.Struct, frozen=True):
    """One thing that the appliance needs or can use. `found`: its state here; `advice`: the remedy if `ok` is false.

    `is_optional`: only some plans need it.
    """

    name: str
    ok: bool
    found: str
    advice: str = ""
    is_optional: bool = False


def examine(key: Path, engine: str | None, installed: Path | None = None) -> list[Ability]:
    """Results of all checks. `installed`: the folder of installed memory servers, where it is not the usual one."""
    return [
        _python(),
        _cores(),
        _disk(),
        _engine(engine),
        _key(key),
        _llama(),
        _ollama(),
        _memories(installed or installed_folder()),
        *_docker(),
    ]


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
    norm = load_protocol(CURRENT).engine
    advice = f"adjudication and full verification need {norm.name}; on Debian 12: apt-get install stockfish"
    try:
        program = find_engine(path)
        with UciEngine(program, ENGINE_HASH_MIB) as engine:
            fits = engine.name == norm.name and engine.net_sha256() == norm.net_sha256
            return Ability("engine", fits, f"{engine.name} at {program}", "" if fits else advice)
    except EngineFault as error:
        return Ability("engine", False, str(error), advice)


def _key(path: Path) -> Ability:
    try:
        load(path)
    except KeyFault as error:
        advice = "name another file with --key" if path.exists() else making(path)
        return Ability("key", False, str(error).partition("; make one")[0], advice)
    return Ability("key", True, str(path))


def _memories(installed: Path) -> Ability:
    """The memory servers that can be started here; one from outside is needed only by plans that name it."""
    known = systems()
    outside = {name: system for name, system in known.items() if not system.adapter.systems}
    here = [name for name, system in outside.items() if not why_not_here(system, installed / name)]
    missing = why_not_here(known["full_text"], installed)
    description = missing or f"the built-in servers; from outside, in {installed}: {', '.join(here) or 'none'}"
    return Ability("memories", not missing, description, "install the distribution agzamov-servers beside this one")


def _llama() -> Ability:
    """The llama.cpp that serves GGUF files of a run in processes. Only such seats need it."""
    try:
        installed = importlib.metadata.version(WHEEL)
    except importlib.metadata.PackageNotFoundError:
        advice = "only seats of kind gguf without containers need it: make local-models"
        return Ability("llama.cpp", False, "not installed", advice, is_optional=True)
    return Ability("llama.cpp", True, f"{WHEEL} {installed}")


def _ollama() -> Ability:
    """The Ollama server of $OLLAMA_HOST, or of the default address. Only seats of its models need it."""
    try:
        url = ollama_url(os.environ.get("OLLAMA_HOST", ""))
        with Inventory(url, OLLAMA_S, OLLAMA_S) as server:
            version, count = server.version(), len(server.models())
    except (ModelFault, ValueError) as error:
        why = " ".join(printable(str(error)).split())
        return Ability("ollama", False, why, "only seats of kind ollama need it: ollama serve", is_optional=True)
    models = f"{count} model{'' if count == 1 else 's'}" if count else "no models yet: agzamov models pull NAME"
    return Ability("ollama", True, f"{printable(version)} at {url}, {models}")


def ollama_url(host: str) -> str:
    """URL of $OLLAMA_HOST, which may lack its scheme or its port. Raises ValueError."""
    host = host.strip().rstrip("/")
    parts = urlsplit(host if "://" in host else f"http://{host}")
    name = parts.hostname or "127.0.0.1"
    name = "127.0.0.1" if name in ("0.0.0.0", "::") else name  # noqa: S104 - where it listens, not where to ask
    name = f"[{name}]" if ":" in name else name
    default = {"http": 80, "https": 443}.get(parts.scheme, 0) if "://" in host else OLLAMA_PORT
    url = f"{parts.scheme}://{name}:{parts.port or default}{parts.path}"
    if "@" in host or not ADDRESS.fullmatch(url):
        raise ValueError("expected HOST:PORT in OLLAMA_HOST")
    return url


def _docker() -> list[Ability]:
    """The container engine, and which images of ours it holds."""
    try:
        engine = connect()
    except NoEngine as error:
        return [Ability("docker", False, "no container engine answers", str(error), is_optional=True)]
    with closing(engine):
        facts = engine.facts()
        description = f"{facts['version']} at {engine.host}, storage {facts['storage']}, cgroup {facts['cgroup']}"
        limits = Ability("limits", not engine.enforced.missing, *_limits(engine))
        return [Ability("docker", True, description), limits, _images(engine)]


def _limits(engine: ContainerEngine) -> tuple[str, str]:
    """Limits that the engine enforces or lacks, and advice; the advice is empty if it enforces all."""
    if not engine.enforced.missing:
        return "enforced: memory, processes, cores; system calls are filtered", ""
    advice = "for plans that you do not trust, use an engine that is not rootless, or control groups of version 2"
    return f"not enforced here: {', '.join(engine.enforced.missing)}", advice


def _images(engine: ContainerEngine) -> Ability:
    """The images of runs in containers: each that most runs need must be built here, and in the engine."""
    ours = {part: name for part, name in IMAGE_OF.items() if name not in BUILT_ON_REQUEST}
    not_built, not_loaded = [], []
    for part, name in ours.items():
        try:
            record = image_records.load(name)
        except ImageFault:
            not_built.append(name)
            continue
        if not engine.image_id(part, pin_of(record)):
            not_loaded.append(name)
    lacks = [("not built", not_built), ("not in the engine", not_loaded)]
    missing = "; ".join(f"{lack}: {', '.join(names)}" for lack, names in lacks if names)
    description = missing or f"{', '.join(sorted(ours.values()))} built here and in the engine"
    advice = "only runs in containers need them: agzamov images build --load"
    return Ability("images", not missing, description, advice, is_optional=True)
