"""The containers of one execution, or one that serves a part of a run that is over: set up, and taken down in any case.

Three things take them down: this process when it is done; the reaper, a process of its own, when this one is killed;
and, where both were killed, the next run on the same engine, which removes what has no owner any more. A label names
the owner, a process with its start time, because process ids are used again: "<boot id>:<pid namespace>:<pid>:<start in
ticks>". A process in another namespace of the same boot cannot be seen from here, and counts as running.
"""

import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self, TypeVar

from agzamov_verify.plan.manifest import ImagePin, Manifest

from ..foundation.container_spec import ContainerSpec, Machine, Mount
from ..ports import PortFault
from ..servers.server_readiness import wait_for_socket
from . import container_paths, image_records
from .container_engine import ContainerEngine, connect
from .container_logs import ContainerLogs
from .image_loading import ensure_loaded
from .image_records import ImageFault
from .image_roles import IMAGE_OF
from .reaper import Reaper
from .topology import OUT_NET, Topology, engine_box

OWNER_LABEL, RUN_LABEL, EXECUTION_LABEL = "agz.owner", "agz.run", "agz.execution"
TOKEN_BYTES = 4
PROC = Path("/proc")
STARTTIME = 19  # field 22 of proc(5), counted from the one after the command's name

T = TypeVar("T")


def remove_orphans(engine: ContainerEngine) -> None:
    """Remove containers, networks and volumes of ended processes from the engine; those of living ones stay."""
    for owner in engine.label_values(OWNER_LABEL):
        if is_gone(owner):
            engine.remove_all({OWNER_LABEL: owner})


def image_in(engine: ContainerEngine, part: str, pin: ImagePin) -> str:
    """The id of the image that plays a part, loaded from its build if need be. Raises PortFault."""
    image_id = engine.image_id(part, pin)
    if image_id:
        return image_id
    name = IMAGE_OF[part]
    missing = f"image of {part}: sha256:{pin.config_digest} is not in the container engine"
    try:
        record = image_records.load(name)
        if record.config_digest != pin.config_digest:
            built = f"the last build here is sha256:{record.config_digest}"
            raise PortFault(f"{missing}, and {built}; check out the version that sealed the run, and build it")
        return ensure_loaded(engine.client, record).image_id
    except ImageFault as error:
        raise PortFault(f"{missing}; run `agzamov images build {name} --load` ({error})") from error


class RunContainers:
    """Containers, networks and volumes of one execution. The servers are started; the harness is only made.

    `logs` follow what every server prints from its start. `ids` are the containers' by the name of their box, `images`
    the images' by part.
    """

    def __init__(
        self, engine: ContainerEngine, run: str, topology: Topology, images: Mapping[str, str], logs: ContainerLogs
    ) -> None:
        self._engine, self._topology, self._images, self.logs = engine, topology, images, logs
        token = secrets.token_hex(TOKEN_BYTES)
        self.labels = {OWNER_LABEL: this_owner(), RUN_LABEL: run, EXECUTION_LABEL: token}
        self.ids: dict[str, str] = {}
        self._prefix = f"agz-{run}-{token}-"

    def __enter__(self) -> Self:
        self._reaper = Reaper(self._engine.host, self.labels)
        try:
            self._set_up()
        except BaseException:
            self._take_down()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._take_down()

    def _set_up(self) -> None:
        for volume in self._topology.volumes:
            self._engine.make_volume(self._prefix + volume, self.labels)
        for network in self._topology.networks:
            self._engine.make_network(self._prefix + network, self.labels, leads_out=network == OUT_NET)
        in_parallel(self._make, self._topology.boxes)

    def _make(self, box: ContainerSpec) -> None:
        container = self._engine.make_container(box, self._images[box.part], self._prefix, self.labels)
        self.ids[box.name] = container
        if box is not self._topology.harness:
            self.logs.follow(box.name, self._engine.attach(container, stdin=False))
            self._engine.start(container)

    def _take_down(self) -> None:
        try:
            in_parallel(self._engine.remove, self.ids.values())
            self._engine.remove_all(self.labels)
            self.logs.close()
        except BaseException:
            self._reaper.leave()
            raise
        self._reaper.dismiss()


def in_parallel(work: Callable[[T], object], items: Iterable[T]) -> None:
    """Do the work on all items at once; the first fault is raised when all have ended."""
    with ThreadPoolExecutor(thread_name_prefix="container") as pool:
        for future in [pool.submit(work, item) for item in items]:
            future.result()


@contextmanager
def engine_of(manifest: Manifest) -> Iterator[Path]:
    """The socket of the engine in the manifest's image. Raises PortFault."""

    def box(machine: Machine) -> ContainerSpec:
        return engine_box(manifest.plan, machine, 1)._replace(user=machine.user)

    with served(manifest, container_paths.ENGINE, box) as folder:
        socket = folder / container_paths.ENGINE_SOCKET.name
        wait_for_socket(socket, time.sleep)
        yield socket


@contextmanager
def served(manifest: Manifest, part: str, box_on: Callable[[Machine], ContainerSpec]) -> Iterator[Path]:
    """The folder that the box of `part` has in place of its volume, while it runs. Raises PortFault."""
    pin = manifest.images.get(part)
    if pin is None:
        raise PortFault(f"run {manifest.run_id}: expected a pinned image of {part}, found none")
    with closing(connect()) as engine, TemporaryDirectory(prefix="agz-") as name:
        remove_orphans(engine)
        folder, image, machine = Path(name), image_in(engine, part, pin), engine.machine()
        _hand_over(folder, machine)
        with _running(engine, manifest.run_id, _with_socket_folder(box_on(machine), folder), image):
            yield folder


def _with_socket_folder(box: ContainerSpec, folder: Path) -> ContainerSpec:
    """The same box, with a folder of this machine where its socket goes; an engine has it also by the name it has here.

    So an engine that is asked to write its net beside its socket writes it where we look. A memory must not have it:
    the folder may lie in /tmp, which is a memory's empty folder.
    """
    kept = tuple(mount for mount in box.mounts if mount.target != container_paths.SOCKET_DIR)
    here = (PurePosixPath(folder),) if box.part == container_paths.ENGINE else ()
    ours = (Mount(folder, target, False) for target in (container_paths.SOCKET_DIR, *here))
    return box._replace(mounts=(*kept, *ours))


def _hand_over(folder: Path, machine: Machine) -> None:
    """Let the container's user write there, who is another one where we are root."""
    if os.geteuid() == 0:
        uid, gid = map(int, machine.user.split(":"))
        os.chown(folder, uid, gid)


@contextmanager
def _running(engine: ContainerEngine, run: str, box: ContainerSpec, image: str) -> Iterator[None]:
    token = secrets.token_hex(TOKEN_BYTES)
    labels = {OWNER_LABEL: this_owner(), RUN_LABEL: run, EXECUTION_LABEL: token}
    reaper = Reaper(engine.host, labels)
    try:
        engine.start(engine.make_container(box, image, f"agz-{run}-{token}-", labels))
        yield
    finally:
        engine.remove_all(labels)
        reaper.dismiss()


def this_owner() -> str:
    """The owner that this process is."""
    return f"{_place()}:{os.getpid()}:{_start_ticks(os.getpid())}"


def is_gone(owner: str) -> bool:
    """True if the process that an owner names has ended. False for labels of another form: they are not ours."""
    boot, _, rest = owner.partition(":")
    namespace, _, process = rest.partition(":")
    pid, _, ticks = process.partition(":")
    if not (boot and pid.isdecimal() and ticks.isdecimal()):
        return False
    here_boot, _, here_namespace = _place().partition(":")
    if boot != here_boot:
        return True
    return namespace == here_namespace and _start_ticks(int(pid)) != int(ticks)


def _place() -> str:
    """The boot and the pid namespace of this process; where the system names neither, its host's name."""
    try:
        boot = (PROC / "sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}:{(PROC / 'self/ns/pid').stat().st_ino}"
    except OSError:
        return f"{os.uname().nodename}:0"


def _start_ticks(pid: int) -> int:
    """Start of a process in clock ticks since the boot; 0 if it does not run (a zombie included)."""
    try:
        fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
        return 0 if fields[0] == "Z" else int(fields[STARTTIME])
    except (OSError, IndexError, ValueError):
        return 0
