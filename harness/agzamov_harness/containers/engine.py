"""The door to a container engine: makes what a topology asks for, hardened, labelled as ours, and takes it away again.

Every exception of the `docker` library becomes NoEngine or PortFault here. Images are named by id and never pulled.
"""

import errno
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import docker
import docker.context
import requests
from docker.errors import APIError, DockerException, ImageNotFound, NotFound
from docker.models.containers import Container
from docker.types import LogConfig, Mount, Ulimit
from docker.utils.socket import frames_iter

from agzamov_verify.manifest import ImagePin

from ..ports import PortFault
from . import places
from .topology import OUT_NET, Box, Machine
from .topology import Mount as Place

TIMEOUT_S, KNOCK_S_MAX = 60, 10
LOG_BYTES_MAX = 2**20
SCRATCH = "size=64m"
SOCKET_VOLUME = {"type": "tmpfs", "device": "tmpfs", "o": "size=1m,mode=1777,nosuid,nodev,noexec"}
NO_GATEWAY = {"com.docker.network.bridge.inhibit_ipv4": "true"}
GONE, CONFLICT = 404, 409
PAUSED = "paused"
DEFAULT_HOST = "unix:///var/run/docker.sock"
INSTEAD = "or write `isolation: process` in the plan"


class NoEngine(PortFault):
    """There is no container engine to be had; the message says what to do."""


class Seen(NamedTuple):
    """A container as the engine shows it. `state` in its words: created, running, paused, exited, dead."""

    id: str
    name: str
    state: str


class Ending(NamedTuple):
    """How a container stands or ended. An engine may say only at the end that a process was killed for its memory."""

    state: str
    exit_code: int
    oom_killed: bool
    pid: int

    @property
    def running(self) -> bool:
        return self.state in {"running", PAUSED}


@contextmanager
def faults(doing: str) -> Iterator[None]:
    """Turn what the library raises into a PortFault that says what was being done."""
    try:
        yield
    except APIError as error:
        raise PortFault(f"{doing}: the container engine says: {error.explanation or error}") from error
    except (DockerException, requests.RequestException, OSError) as error:
        raise NoEngine(f"{doing}: the container engine has stopped answering; start it again") from error


class Engine:
    """A container engine on this machine. `labels` are on everything that it is asked to make."""

    def __init__(self, client: docker.DockerClient, host: str) -> None:
        self.client, self.host = client, host
        with faults("asking for its version"):
            self._info: Mapping[str, Any] = client.info()

    def close(self) -> None:
        self.client.close()

    def facts(self) -> dict[str, str]:
        """What the engine says of itself."""
        told = self._info
        return {
            "cgroup": f"v{told.get('CgroupVersion', '1')} {told.get('CgroupDriver', '')}",
            "kernel": str(told.get("KernelVersion", "")),
            "security": " ".join(sorted(map(str, told.get("SecurityOptions") or ()))),
            "storage": str(told.get("Driver", "")),
            "version": str(told.get("ServerVersion", "")),
        }

    def machine(self) -> Machine:
        """Its cores and memory, and as whom the harness must run to write into the caller's folder."""
        options = [str(option) for option in self._info.get("SecurityOptions") or ()]
        user = user_inside(options, os.getuid(), os.getgid())
        return Machine(int(self._info["NCPU"]), int(self._info["MemTotal"]), user)

    def image_id(self, part: str, pin: ImagePin) -> str | None:
        """The id of the pinned image, None if it is not there. Raises PortFault for another one under its name."""
        for digest in (pin.config_digest, pin.manifest_digest):
            with faults(f"looking for the image of {part}"):
                try:
                    found = self.client.images.get(f"sha256:{digest}").attrs
                except ImageNotFound:
                    continue
            layers = [layer.removeprefix("sha256:") for layer in found["RootFS"]["Layers"]]
            if layers != list(pin.diff_ids):
                raise PortFault(f"image of {part}: expected the sealed layers, found others under {found['Id']}")
            return str(found["Id"])
        return None

    def make_volume(self, name: str, labels: Mapping[str, str]) -> None:
        """A volume in memory for one socket, open to every user: two containers with different users meet in it."""
        with faults(f"making the volume {name}"):
            self.client.volumes.create(name, driver="local", driver_opts=SOCKET_VOLUME, labels=dict(labels))

    def make_network(self, name: str, labels: Mapping[str, str], *, leads_out: bool) -> None:
        """A network. One that does not lead out has no gateway address, by which its members could reach the host."""
        with faults(f"making the network {name}"):
            self.client.networks.create(
                name,
                driver="bridge",
                internal=not leads_out,
                options=None if leads_out else NO_GATEWAY,
                labels=dict(labels),
                attachable=False,
            )

    def make_container(self, box: Box, image: str, prefix: str, labels: Mapping[str, str]) -> str:
        """The id of a new container for a box, not yet started."""
        first, *others = [f"{prefix}{network}" for network in box.networks] or ["none"]
        with faults(f"making the container {box.name}"):
            made: Container = self.client.containers.create(
                image,
                list(box.command) or None,
                name=f"{prefix}{box.name}",
                labels=dict(labels),
                network=first,
                **_options(box, prefix),
            )
            for network in others:
                self.client.networks.get(network).connect(made, aliases=[box.name])
        return str(made.id)

    def start(self, container: str) -> None:
        """Start a container."""
        with faults("starting a container"):
            self.client.api.start(container)

    def attach(self, container: str) -> "Attached":
        """The streams of a container that is about to start."""
        wanted = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
        with faults("attaching to a container"):
            return Attached(self.client.api.attach_socket(container, wanted))

    def seen(self, labels: Mapping[str, str]) -> list[Seen]:
        """The containers with all of these labels, whatever their state."""
        with faults("looking at the containers"):
            rows = self.client.api.containers(all=True, filters=_with(labels))
        return [Seen(row["Id"], row["Names"][0].lstrip("/"), row["State"]) for row in rows]

    def ending(self, container: str) -> Ending:
        """How a container stands or ended."""
        with faults("looking at a container"):
            state = self.client.api.inspect_container(container)["State"]
        return Ending(str(state["Status"]), int(state["ExitCode"]), bool(state["OOMKilled"]), int(state["Pid"]))

    def log(self, container: str, *, errors_only: bool) -> bytes:
        """The end of what a container has printed, or of its standard error alone; at most LOG_BYTES_MAX."""
        with faults("reading a container's log"):
            told = self.client.api.logs(container, stdout=not errors_only, stderr=True, timestamps=True)
        return bytes(told)[-LOG_BYTES_MAX:]

    def stop(self, container: str, seconds: int) -> None:
        """Ask a container to end, and end it after so many seconds."""
        with faults("stopping a container"), _already():
            self.client.api.stop(container, timeout=seconds)

    def signal(self, container: str, name: str) -> None:
        """Send a signal to a container; none to one that has ended."""
        with faults("stopping a container"), _already():
            self.client.api.kill(container, signal=name)

    def remove(self, container: str) -> None:
        """End and remove a container."""
        with faults("removing a container"), _already():
            self.client.api.remove_container(container, force=True, v=True)

    def any_left(self, labels: Mapping[str, str]) -> bool:
        """Whether anything with all of these labels is still there."""
        found = _with(labels)
        with faults("looking for what is left"):
            api = self.client.api
            return bool(
                api.containers(all=True, filters=found)
                or api.networks(filters=found)
                or api.volumes(filters=found)["Volumes"]
            )

    def remove_all(self, labels: Mapping[str, str]) -> None:
        """Remove every container, network and volume with all of these labels."""
        found = _with(labels)
        with faults("removing containers"):
            for row in self.client.api.containers(all=True, filters=found):
                with _already():
                    self.client.api.remove_container(row["Id"], force=True, v=True)
            for network in self.client.api.networks(filters=found):
                with _already():
                    self.client.api.remove_network(network["Id"])
            for volume in self.client.api.volumes(filters=found)["Volumes"] or ():
                with _already():
                    self.client.api.remove_volume(volume["Name"], force=True)

    def label_values(self, label: str) -> set[str]:
        """The values that a label has anywhere in the engine."""
        found = {"label": [label]}
        with faults("looking for what earlier runs left"):
            rows = self.client.api.containers(all=True, filters=found)
            rows += self.client.api.networks(filters=found)
            rows += self.client.api.volumes(filters=found)["Volumes"] or ()
        return {row["Labels"][label] for row in rows}


class Attached:
    """The streams of one container: what it prints, and its standard input."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._socket: socket.socket = getattr(stream, "_sock", stream)

    def chunks(self) -> Iterator[tuple[int, bytes]]:
        """What is printed, as it comes: 1 for standard output, 2 for standard error. Ends with the container."""
        try:
            yield from frames_iter(self._stream, tty=False)  # type: ignore[no-untyped-call]
        except (OSError, ValueError):  # the engine went away, or we closed the stream while reading
            return

    def send(self, data: bytes) -> None:
        """Write to standard input. Raises PortFault."""
        with faults("writing to a container"):
            self._socket.sendall(data)

    def close(self) -> None:
        """End the container's standard input, and hear no more."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._stream.close()


def user_inside(options: Sequence[str], uid: int, gid: int) -> str:
    """As whom a container of an engine with these security options writes into a folder of the caller's: "uid:gid".

    Raises NoEngine where it cannot.
    """
    if any("name=userns" in option for option in options):
        raise NoEngine(f"the container engine maps users (userns-remap), so the run's folder is nobody's; {INSTEAD}")
    if any("name=rootless" in option for option in options):
        return "0:0"  # which outside is the caller
    if uid == 0:
        return f"{places.UID}:{places.GID}"  # no container of ours is root; the folder is handed over
    return f"{uid}:{gid}"


def connect() -> Engine:
    """The engine that DOCKER_HOST or the current Docker context names. Raises NoEngine."""
    host = _host()
    _knock(host)
    try:
        return Engine(docker.DockerClient(base_url=host, version="auto", timeout=TIMEOUT_S), host)
    except (DockerException, requests.RequestException) as error:
        raise NoEngine(f"what answers at {host} is no container engine that we know ({error}); {INSTEAD}") from error


def _host() -> str:
    host = os.environ.get("DOCKER_HOST")
    if not host:
        context = docker.context.ContextAPI.get_current_context()
        host = str(context.Host) if context and context.Host else DEFAULT_HOST
    if not host.startswith("unix://"):
        raise NoEngine(f"expected a container engine on this machine (unix://…), found {host}; {INSTEAD}")
    return host


def _knock(host: str) -> None:
    """Ask once whether somebody is there, because why nobody is says what to do."""
    path = Path(host.removeprefix("unix://"))
    with socket.socket(socket.AF_UNIX) as knocking:
        knocking.settimeout(KNOCK_S_MAX)
        try:
            knocking.connect(str(path))
            knocking.sendall(b"GET /_ping HTTP/1.0\r\n\r\n")
            knocking.recv(1)
        except TimeoutError as error:
            raise NoEngine(f"the container engine at {path} has not answered in {KNOCK_S_MAX} s; {INSTEAD}") from error
        except OSError as error:
            match error.errno:
                case errno.EACCES | errno.EPERM:
                    advice = "add yourself to its group (sudo usermod -aG docker $USER) and log in again"
                case errno.ECONNREFUSED:
                    advice = "start it (sudo systemctl start docker)"
                case _:
                    advice = "install and start Docker (on Debian 12: apt-get install docker.io)"
            raise NoEngine(f"no container engine at {path}: {error.strerror}; {advice}, {INSTEAD}") from error


def _options(box: Box, prefix: str) -> dict[str, Any]:
    """Everything that hardens a container, spelled out."""
    networked = {} if OUT_NET in box.networks else {"dns": ["127.0.0.1"], "dns_opt": ["timeout:1", "attempts:1"]}
    return {
        "cap_drop": ["ALL"],
        "detach": not box.attended,
        "environment": dict(box.environment),
        "hostname": box.name.replace("_", "-"),
        "init": True,
        "ipc_mode": "private",
        "log_config": LogConfig(type="json-file", config={"max-file": "1", "max-size": str(LOG_BYTES_MAX)}),
        "mem_limit": box.limits.memory_bytes,
        "memswap_limit": box.limits.memory_bytes,
        "mounts": [_mount(place, prefix) for place in box.mounts],
        "nano_cpus": box.limits.cpus * 10**9,
        "pids_limit": box.limits.pids,
        "read_only": True,
        "security_opt": ["no-new-privileges:true"],
        "stdin_open": box.attended,
        "tmpfs": {"/tmp": f"rw,nosuid,nodev,noexec,{SCRATCH},mode=1777"},  # noqa: S108 - inside
        "ulimits": [Ulimit(name="core", soft=0, hard=0)],
        "user": box.user,
        **(networked if box.networks else {}),
    }


def _mount(place: Place, prefix: str) -> Mount:
    if place.is_volume:
        return Mount(str(place.target), f"{prefix}{place.source}", "volume", place.read_only, no_copy=True)
    return Mount(str(place.target), str(place.source), "bind", place.read_only)


def _with(labels: Mapping[str, str]) -> dict[str, list[str]]:
    return {"label": [f"{name}={value}" for name, value in labels.items()]}


@contextmanager
def _already() -> Iterator[None]:
    """Nothing is wrong with a removal of what has gone, or with one that somebody else has begun."""
    try:
        yield
    except NotFound:
        return
    except APIError as error:
        if error.status_code not in {GONE, CONFLICT}:
            raise
