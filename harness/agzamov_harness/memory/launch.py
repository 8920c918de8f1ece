"""Start of a server: its program, a fresh folder, a minimal environment, and a log of its standard error.

In a container the folder is the container's own /tmp, and whoever made the container started what listens on its
socket; here are its command and environment.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from agzamov_verify.manifest import MemoryPin

from ..mcp_servers.server_process import Process, bare_environment
from ..ports import PortFault
from .adapter import System
from .templates import filled

OPEN_S_MAX = 120.0
"""From the start of a server to its tool list: one in Python with large libraries takes 20 s on a busy machine."""
CALL_S_MAX = 60.0
SETTLE_S_MAX = 30.0
"""From the end of a game until all that was stored can be read."""
DATA_FOLDER, HOME_FOLDER = "data", "home"

IN_IMAGE: Mapping[str, str] = {
    "DATA": "/tmp",  # noqa: S108 - a container's own
    "HERE": "/opt/agz",
    "HOME": "/tmp",  # noqa: S108
    "INSTALLED": "/opt/memory",
    "PYTHON": "/usr/bin/python3.11",
}
"""What an adapter's variables are in the image of its system."""


class Folder(msgspec.Struct, frozen=True):
    """The folder of one server: `data` is empty when it starts, `home` stands for a home directory."""

    path: Path

    @property
    def data(self) -> Path:
        return self.path / DATA_FOLDER

    @property
    def home(self) -> Path:
        return self.path / HOME_FOLDER


@contextmanager
def fresh_folder(within: Path | None) -> Iterator[Folder]:
    """An empty folder that goes when its server has ended; within that of a run, else of this machine."""
    with tempfile.TemporaryDirectory(prefix="agzamov-memory-", dir=within, ignore_cleanup_errors=True) as path:
        folder = Folder(Path(path).absolute())  # the server works in a folder of its own
        folder.data.mkdir()
        folder.home.mkdir()
        yield folder


def _environment(folder: Folder, own: Mapping[str, str]) -> dict[str, str]:
    """Environment of a server: no key of ours, a home in its own folder, then what its adapter sets."""
    return {**bare_environment(folder.home), **own}


class Limits(msgspec.Struct, frozen=True):
    """Time limits of a server, in seconds: to open, for a call, and until what was stored can be read."""

    open_s: float = OPEN_S_MAX
    call_s: float = CALL_S_MAX
    settle_s: float = SETTLE_S_MAX


class Settings(msgspec.Struct, frozen=True):
    """Settings of a system in a plan; 0 is off."""

    half_life_games: int = 0
    noise_percent: int = 0


class Setup(msgspec.Struct, frozen=True):
    """A system as it is to be started. `installed`: the folder that its adapter calls ${INSTALLED}.

    `socket`: where its server listens, if it runs in a container; else `folders` has the folder of its server.
    `pin`: the server that was sealed. `is_native`: whether a model is offered the server's own tools. `tell_raw`: is
    told each call of a tool and its answer, as they were.
    """

    system: System
    settings: Settings = Settings()
    limits: Limits = Limits()
    installed: Path = Path()
    socket: Path | None = None
    folders: Path | None = None
    pin: MemoryPin | None = None
    is_native: bool = False
    tell_raw: Callable[[str], None] | None = None

    def process(self, folder: Folder) -> Process:
        """Program, arguments and environment of a server in a folder. Raises PortFault for a setting it has not."""
        values = {
            "HERE": str(self.system.here),
            "PYTHON": sys.executable,
            "SYSTEM": self.system.name,
            "DATA": str(folder.data),
            "HOME": str(folder.home),
            "INSTALLED": str(self.installed.absolute()),
        }
        command, *args = self._command(values)
        for place, target in filled(self.system.adapter.launch.links, values).items():
            link = folder.home / place
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(target)
        return Process(
            tuple(args), command, _environment(folder, self._own(values)), folder.home, self.system.adapter.mcp_mode
        )

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
