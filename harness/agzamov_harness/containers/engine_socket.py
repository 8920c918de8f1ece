"""Finds the container engine of this machine: the address that answers, or why none does, with advice.

In this order: DOCKER_HOST alone, where it is set; the current Docker context, or the system's socket; the engine that
scripts/engine started, in its state folder. The last needs no variable to be exported.
"""

import errno
import os
import shutil
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path

import docker.context

from ..ports import PortFault

ANSWER_S_MAX = 10
DEFAULT_HOST = "unix:///var/run/docker.sock"
STATE_VARIABLE, STATE = "AGZ_ENGINE_STATE", "/var/lib/agzamov-engine"
PROGRAMS = ("dockerd", "docker")
INSTEAD = "or write `isolation: process` in the plan"
OURS = "sudo sh scripts/engine start"


class NoEngine(PortFault):
    """No container engine answers; the message says what to do."""


def engine_host() -> str:
    """The address of an engine that answers. Raises NoEngine; of two reasons it names the first."""
    faults = []
    for host in candidates(os.environ):
        path = Path(host.removeprefix("unix://"))
        try:
            require_answer(path)
        except TimeoutError:
            faults.append(f"the container engine at {path} has not answered in {ANSWER_S_MAX} s; {INSTEAD}")
        except OSError as error:
            faults.append(unreachable(path, error, installed=is_installed()))
        else:
            return host
    raise NoEngine(faults[0])


def candidates(environment: Mapping[str, str]) -> Iterator[str]:
    """The addresses to try in order. Raises NoEngine for one that is not on this machine."""
    docker_host = environment.get("DOCKER_HOST")
    host = docker_host or _of_context()
    if not host.startswith("unix://"):
        raise NoEngine(f"expected a container engine on this machine (unix://…), found {host}; {INSTEAD}")
    yield host
    own_socket = Path(environment.get(STATE_VARIABLE) or STATE) / "docker.sock"
    if not docker_host and _is_there(own_socket):
        yield f"unix://{own_socket}"


def unreachable(path: Path, error: OSError, *, installed: bool) -> str:
    """Error message for a socket at which no engine answers, with advice: permission, not started, or not installed."""
    match error.errno:
        case errno.EACCES | errno.EPERM:
            reason = "you have no permission to use it"
            advice = "add yourself to its group (sudo usermod -aG docker $USER) and log in again"
        case errno.ECONNREFUSED | errno.ENOENT if installed:
            reason = "Docker is installed but not running"
            advice = f"start it (sudo systemctl start docker; where there is no systemd: {OURS})"
        case errno.ECONNREFUSED | errno.ENOENT:
            reason = "Docker is not installed"
            advice = f"install it (on Debian 12: sudo apt-get install docker.io, or {OURS})"
        case _:
            reason, advice = str(error.strerror), "start Docker again"
    return f"no container engine at {path}: {reason}; {advice}, {INSTEAD}"


def is_installed() -> bool:
    """True if Docker is installed, so that it could be started. Folders that are usually only in root's PATH count."""
    path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))
    return any(shutil.which(program, path=path) for program in PROGRAMS)


def require_answer(path: Path) -> None:
    """Ask once whether an engine is there. Raises OSError, TimeoutError among them."""
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(ANSWER_S_MAX)
        asking.connect(str(path))
        asking.sendall(b"GET /_ping HTTP/1.0\r\n\r\n")
        asking.recv(1)


def _of_context() -> str:
    context = docker.context.ContextAPI.get_current_context()
    return str(context.Host) if context and context.Host else DEFAULT_HOST


def _is_there(path: Path) -> bool:
    try:
        return path.is_socket()
    except OSError:
        return False
