"""Waits for the servers beside the harness until each answers, and no longer than it may take."""

import http.client
import socket
import time
from collections.abc import Callable
from pathlib import Path

from ..ports import PortFault, Wait

LISTEN_S_MAX = 30.0
LOAD_S_MAX = 1800.0
LOOK_S = 0.02
CALL_S_MAX = 5.0
WELL = 200


def wait_for_socket(path: Path, wait: Wait, seconds_max: float = LISTEN_S_MAX) -> None:
    """Wait until a server listens at `path`. Raises PortFault after `seconds_max`."""
    _wait(lambda: _listens(socket.AF_UNIX, str(path)), f"nothing listens at {path}", wait, seconds_max)


def wait_for_address(host: str, port: int, wait: Wait, seconds_max: float = LISTEN_S_MAX) -> None:
    """Wait until a server listens at host and port. Raises PortFault after `seconds_max`."""
    _wait(lambda: _listens(socket.AF_INET, (host, port)), f"nothing listens at {host}:{port}", wait, seconds_max)


def wait_for_model(path: Path, wait: Wait, seconds_max: float = LOAD_S_MAX) -> None:
    """Wait until the model server at `path` has loaded its weights. Raises PortFault after `seconds_max`."""
    _wait(lambda: _is_well(path), f"no model is ready at {path}", wait, seconds_max)


def _wait(ready: Callable[[], bool], trouble: str, wait: Wait, seconds_max: float) -> None:
    deadline = time.monotonic() + seconds_max
    while not ready():
        if time.monotonic() > deadline:
            raise PortFault(f"{trouble} after {seconds_max:.0f} s; see its log")
        wait(LOOK_S)


def _listens(family: socket.AddressFamily, address: str | tuple[str, int]) -> bool:
    with socket.socket(family) as caller:
        caller.settimeout(CALL_S_MAX)
        try:
            caller.connect(address)
        except OSError:
            return False
        return True


def _is_well(path: Path) -> bool:
    """True if the server reports itself ready at /health; while it loads, it answers 503."""
    connection = _Local(path)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == WELL
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


class _Local(http.client.HTTPConnection):
    """An HTTP connection over a unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=CALL_S_MAX)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(CALL_S_MAX)
        self.sock.connect(str(self._path))
