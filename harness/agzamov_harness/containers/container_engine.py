"""The door to a container engine: makes a topology's parts, hardened and labelled as ours, and removes them again.

Every exception of the `docker` library becomes NoEngine or PortFault here. Images are named by id and never pulled.
"""

import ipaddress
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import docker
import requests
from docker.errors import APIError, DockerException, ImageNotFound, NotFound
from docker.models.containers import Container
from docker.utils.socket import frames_iter

from agzamov_verify.plan.manifest import ImagePin

from ..foundation.container_spec import GID, UID, ContainerSpec, Machine
from ..ports import PortFault
from .container_options import PROFILE_SHA256, enforced_by, has_gpus, options_of
from .engine_socket import INSTEAD, NoEngine, engine_host

TIMEOUT_S = 60
SOCKET_VOLUME = {"type": "tmpfs", "device": "tmpfs", "o": "size=1m,mode=1777,nosuid,nodev,noexec"}
NO_GATEWAY = {"com.docker.network.bridge.inhibit_ipv4": "true"}
GONE, CONFLICT = 404, 409
BRIDGE = "bridge"
PAUSED, REMOVED = "paused", "removed"
NO_GPU_DRIVER = "could not select device driver"
NO_GPU = (
    "expected a container engine that can give a container a GPU (a seat names gpus), found none; install the NVIDIA"
    " container toolkit (nvidia-ctk runtime configure --runtime=docker) and start Docker again, or write gpus: 0"
)


class NoGpu(PortFault):
    """The engine cannot give a container a GPU; the message says what to do."""


class SeenContainer(NamedTuple):
    """A container as the engine shows it. `state` in its words: created, running, paused, exited, dead."""

    id: str
    name: str
    state: str


class ContainerEnding(NamedTuple):
    """State of a container, and its network mode in the engine's words ("host": no network isolation).

    An engine may report only after the container ended that a process was killed for lack of memory.
    """

    state: str
    exit_code: int
    oom_killed: bool
    pid: int
    network: str = ""

    @property
    def running(self) -> bool:
        return self.state in {"running", PAUSED}


@contextmanager
def faults(doing: str) -> Iterator[None]:
    """Turn the library's exceptions into a PortFault that names the operation."""
    try:
        yield
    except APIError as error:
        raise PortFault(f"{doing}: the container engine says: {error.explanation or error}") from error
    except (DockerException, requests.RequestException, OSError) as error:
        raise NoEngine(f"{doing}: the container engine has stopped answering; start it again") from error


class ContainerEngine:
    """A container engine on this machine. `labels` are on everything that it is asked to make."""

    def __init__(self, client: docker.DockerClient, host: str) -> None:
        self.client, self.host = client, host
        with faults("asking for its version"):
            self._info: Mapping[str, Any] = client.info()
        self.enforced = enforced_by(self._info)

    def close(self) -> None:
        self.client.close()

    def facts(self) -> dict[str, str]:
        """Facts that the engine reports about itself."""
        info = self._info
        return {
            "cgroup": f"v{info.get('CgroupVersion', '1')} {info.get('CgroupDriver', '')}",
            "kernel": str(info.get("KernelVersion", "")),
            "not_enforced": ", ".join(self.enforced.missing),
            "seccomp_profile_sha256": PROFILE_SHA256 if self.enforced.seccomp else "",
            "security": " ".join(sorted(map(str, info.get("SecurityOptions") or ()))),
            "storage": str(info.get("Driver", "")),
            "version": str(info.get("ServerVersion", "")),
        }

    def machine(self) -> Machine:
        """Cores and memory of the machine, and the user as which the harness can write into the caller's folder."""
        options = [str(option) for option in self._info.get("SecurityOptions") or ()]
        user = user_inside(options, os.getuid(), os.getgid())
        return Machine(int(self._info["NCPU"]), int(self._info["MemTotal"]), user)

    def host_address(self) -> str:
        """This machine's address as a container reaches it, by the default bridge. Raises PortFault.

        Engine 20.10 does not name the bridge's gateway before its first container; it is the first address then.
        """
        with faults("looking for this machine's address among the networks"):
            networks = self.client.api.networks(names=[BRIDGE])
        rows = [row for network in networks for row in (network.get("IPAM") or {}).get("Config") or ()]
        for row in rows:
            if row.get("Gateway"):
                return str(row["Gateway"]).partition("/")[0]
            if row.get("Subnet"):
                return str(ipaddress.ip_network(row["Subnet"])[1])
        raise PortFault(
            f"expected an address of the network {BRIDGE}, found none; write this machine's LAN address in base_url"
        )

    def require_gpus(self) -> None:
        """Raises NoGpu where the engine has no way to give a container a GPU."""
        if not has_gpus(self._info):
            raise NoGpu(NO_GPU)

    def image_id(self, part: str, pin: ImagePin) -> str | None:
        """The id of the pinned image, None if it is not there. Raises PortFault for another one under its name."""
        for digest in (pin.config_digest, pin.manifest_digest):
            with faults(f"looking for the image of {part}"):
                try:
                    attributes = self.client.images.get(f"sha256:{digest}").attrs
                except ImageNotFound:
                    continue
            layers = [layer.removeprefix("sha256:") for layer in attributes["RootFS"]["Layers"]]
            if layers != list(pin.diff_ids):
                raise PortFault(f"image of {part}: expected the sealed layers, found others under {attributes['Id']}")
            return str(attributes["Id"])
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

    def make_container(self, box: ContainerSpec, image: str, prefix: str, labels: Mapping[str, str]) -> str:
        """The id of a new container for a box, not yet started."""
        first_network, *other_networks = [f"{prefix}{network}" for network in box.networks] or ["none"]
        with faults(f"making the container {box.name}"):
            container: Container = self.client.containers.create(
                image,
                list(box.command) or None,
                name=f"{prefix}{box.name}",
                labels=dict(labels),
                network=first_network,
                **options_of(box, prefix, self.enforced),
            )
            for network in other_networks:
                self.client.networks.get(network).connect(container, aliases=[box.name])
        return str(container.id)

    def start(self, container: str) -> None:
        """Start a container. Raises NoGpu where the engine has none to give it."""
        with faults("starting a container"):
            try:
                self.client.api.start(container)
            except APIError as error:
                if NO_GPU_DRIVER in str(error.explanation):
                    raise NoGpu(NO_GPU) from error
                raise

    def attach(self, container: str, *, stdin: bool) -> "Attached":
        """The streams of a container that is about to start; nothing that it prints is lost from then on."""
        streams = {"stdin": int(stdin), "stdout": 1, "stderr": 1, "stream": 1}
        with faults("attaching to a container"):
            return Attached(self.client.api.attach_socket(container, streams))

    def seen(self, labels: Mapping[str, str]) -> list[SeenContainer]:
        """The containers with all of these labels, whatever their state."""
        with faults("looking at the containers"):
            rows = self.client.api.containers(all=True, filters=_with(labels))
        return [SeenContainer(row["Id"], row["Names"][0].lstrip("/"), row["State"]) for row in rows]

    def ending(self, container: str) -> ContainerEnding:
        """State of a container; REMOVED if it no longer exists, which somebody else must have caused."""
        with faults("looking at a container"):
            try:
                attributes = self.client.api.inspect_container(container)
            except NotFound:
                return ContainerEnding(REMOVED, 0, False, 0)
        state, network = attributes["State"], str(attributes["HostConfig"].get("NetworkMode", ""))
        return ContainerEnding(
            str(state["Status"]), int(state["ExitCode"]), bool(state["OOMKilled"]), int(state["Pid"]), network
        )

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
        """True if any container, network or volume with all of these labels still exists."""
        filters = _with(labels)
        with faults("looking for what is left"):
            api = self.client.api
            return bool(
                api.containers(all=True, filters=filters)
                or api.networks(filters=filters)
                or api.volumes(filters=filters)["Volumes"]
            )

    def remove_all(self, labels: Mapping[str, str]) -> None:
        """Remove every container, network and volume with all of these labels."""
        filters = _with(labels)
        with faults("removing containers"):
            for row in self.client.api.containers(all=True, filters=filters):
                with _already():
                    self.client.api.remove_container(row["Id"], force=True, v=True)
            for network in self.client.api.networks(filters=filters):
                with _already():
                    self.client.api.remove_network(network["Id"])
            for volume in self.client.api.volumes(filters=filters)["Volumes"] or ():
                with _already():
                    self.client.api.remove_volume(volume["Name"], force=True)

    def label_values(self, label: str) -> set[str]:
        """The values that a label has anywhere in the engine."""
        filters = {"label": [label]}
        with faults("looking for what earlier runs left"):
            rows = self.client.api.containers(all=True, filters=filters)
            rows += self.client.api.networks(filters=filters)
            rows += self.client.api.volumes(filters=filters)["Volumes"] or ()
        return {row["Labels"][label] for row in rows}


class Attached:
    """The streams of one container: its output and its standard input."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._socket: socket.socket = getattr(stream, "_sock", stream)

    def chunks(self) -> Iterator[tuple[int, bytes]]:
        """Yield the output as it comes: 1 for standard output, 2 for standard error. Ends with the container."""
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
    """User and group, "uid:gid", as which a container may write into the caller's folder, by the security options.

    Raises NoEngine where it cannot.
    """
    if any("name=userns" in option for option in options):
        raise NoEngine(
            f"the container engine maps users (userns-remap): no container can write the run's folder; {INSTEAD}"
        )
    if any("name=rootless" in option for option in options):
        return "0:0"  # which outside is the caller
    if uid == 0:
        return f"{UID}:{GID}"  # no container of ours is root; the folder is handed over
    return f"{uid}:{gid}"


def connect() -> ContainerEngine:
    """The engine that answers on this machine. Raises NoEngine."""
    host = engine_host()
    try:
        return ContainerEngine(docker.DockerClient(base_url=host, version="auto", timeout=TIMEOUT_S), host)
    except (DockerException, requests.RequestException) as error:
        raise NoEngine(f"the server at {host} is no known container engine ({error}); {INSTEAD}") from error


def _with(labels: Mapping[str, str]) -> dict[str, list[str]]:
    return {"label": [f"{name}={value}" for name, value in labels.items()]}


@contextmanager
def _already() -> Iterator[None]:
    """Ignore that something to be removed is gone already, or is being removed by somebody else."""
    try:
        yield
    except NotFound:
        return
    except APIError as error:
        if error.status_code not in {GONE, CONFLICT}:
            raise
