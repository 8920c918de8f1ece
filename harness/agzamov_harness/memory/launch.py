"""How a server is started: its program, a fresh folder, a minimal environment, and a log of its standard error.

In a container the folder is the container's own /tmp, and whoever made the container started what listens on its
socket; here is said what its command and environment are.
"""

import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import msgspec

from agzamov_verify.manifest import MemoryPin

from ..ports import PortFault
from .adapter import System
from .templates import filled

OPEN_S_MAX = 120.0
"""From the start of a server to its tool list: one in Python with large libraries takes 20 s on a busy machine."""
CALL_S_MAX = 60.0
SETTLE_S_MAX = 30.0
"""From the end of a game until all that was stored can be read."""
LOG_BYTES_MAX = 2**20
"""Of one server's log; what it prints beyond is not kept."""
LAST_LINE_BYTES_MAX = 400
LAST_LINE_S_MAX = 1.0
CUT = b"\n[agzamov: cut here; the log is full]\n"
DATA_FOLDER, HOME_FOLDER = "data", "home"
READ_BYTES = 2**16

# So that a server is told nothing of who started it.
ENVIRONMENT: Mapping[str, str] = {
    "LANG": "C.UTF-8",
    "LOGNAME": "memory",
    "PATH": os.defpath,
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",
    "SHELL": "/bin/sh",
    "TERM": "dumb",
    "TZ": "UTC",
    "USER": "memory",
}


IN_IMAGE: Mapping[str, str] = {
    "DATA": "/tmp",  # noqa: S108 - a container's own
    "HERE": "/opt/agz",
    "HOME": "/tmp",  # noqa: S108
    "INSTALLED": "/opt/memory",
    "PYTHON": "/usr/bin/python3.11",
}
"""What an adapter's variables are in the image of its system."""


class Process(msgspec.Struct, frozen=True):
    """A server to start: everything is spelled out. `mcp_mode`: how the protocol's version is settled."""

    args: tuple[str, ...]
    command: str
    env: dict[str, str]
    folder: Path
    mcp_mode: str


class Socket(msgspec.Struct, frozen=True):
    """A unix socket behind which a server starts when it is connected to, and ends with the connection."""

    path: Path
    mcp_mode: str


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
def log_folder() -> Iterator[Path]:
    """A folder for the logs of servers, which goes when all went well: what an error names must be there to be read."""
    folder = Path(tempfile.mkdtemp(prefix="agzamov-memory-logs-"))
    is_kept = False
    try:
        yield folder
    except (Exception, SystemExit) as error:
        is_kept = not isinstance(error, SystemExit) or bool(error.code)
        raise
    finally:
        if not is_kept:
            shutil.rmtree(folder, ignore_errors=True)


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
    path = os.environ.get("PATH", os.defpath)
    return {**ENVIRONMENT, "PATH": path, "HOME": str(folder.home), "TMPDIR": str(folder.home), **own}


class Limits(msgspec.Struct, frozen=True):
    """How long a server may take, in seconds: to open, for a call, and until what was stored can be read."""

    open_s: float = OPEN_S_MAX
    call_s: float = CALL_S_MAX
    settle_s: float = SETTLE_S_MAX


class Settings(msgspec.Struct, frozen=True):
    """What a plan sets of a system; 0 is off."""

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


class StderrLog:
    """What a server prints on stderr, copied into a file of bounded size while it runs."""

    def __init__(self, path: Path) -> None:
        self._last = b""
        read, write = os.pipe()
        self.file: TextIO = os.fdopen(write, "w")
        self._thread = threading.Thread(target=self._copy, args=(read, path), name=f"log {path.name}", daemon=True)
        self._thread.start()

    def last_line(self) -> str:
        """The last line that was printed; to be asked once the server has ended."""
        self.close()
        self._thread.join(LAST_LINE_S_MAX)
        lines = self._last.decode(errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def close(self) -> None:
        """Close our end: the log ends when the server does."""
        if not self.file.closed:
            self.file.close()

    def _copy(self, read: int, path: Path) -> None:
        with path.open("ab", buffering=0) as file:
            left = LOG_BYTES_MAX - file.tell()
            while data := os.read(read, READ_BYTES):
                self._last = (self._last + data)[-LAST_LINE_BYTES_MAX:]
                if left >= 0:
                    file.write(data if len(data) <= left else data[:left] + CUT)
                    left -= len(data)
        os.close(read)
