"""Serves one part of a run that is over, by the very image that it was sealed with, on a socket in a folder of ours.

As in a run, the container has no network, and a watcher takes it down if this process is killed.
"""

import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from agzamov_verify.manifest import Manifest

from ..ports import PortFault
from . import places
from .attending import image_in
from .engine import Engine, connect
from .owner import this_owner
from .ready import wait_for_socket
from .stage import OWNER_LABEL, RUN_LABEL, SITTING_LABEL, TOKEN_BYTES, sweep
from .topology import Box, Machine, Mount, engine_box
from .watcher import Watcher


@contextmanager
def engine_of(manifest: Manifest) -> Iterator[Path]:
    """The socket of the engine in the manifest's image. Raises PortFault."""

    def box(machine: Machine) -> Box:
        return engine_box(manifest.plan, machine, 1)._replace(user=machine.user)

    with served(manifest, places.ENGINE, box) as folder:
        socket = folder / places.ENGINE_SOCKET.name
        wait_for_socket(socket, time.sleep)
        yield socket


@contextmanager
def served(manifest: Manifest, part: str, box_on: Callable[[Machine], Box]) -> Iterator[Path]:
    """The folder that the box of `part` has in place of its volume, while it runs. Raises PortFault."""
    pin = manifest.images.get(part)
    if pin is None:
        raise PortFault(f"run {manifest.run_id}: expected a pinned image of {part}, found none")
    with closing(connect()) as engine, TemporaryDirectory(prefix="agz-") as name:
        sweep(engine)
        folder, image, machine = Path(name), image_in(engine, part, pin), engine.machine()
        _hand_over(folder, machine)
        with _running(engine, manifest.run_id, _meeting_in(box_on(machine), folder), image):
            yield folder


def _meeting_in(box: Box, folder: Path) -> Box:
    """The same box, with a folder of this machine where its socket goes, also by the name that it has here.

    So an engine that is asked to write its net beside its socket writes it where we look.
    """
    kept = tuple(mount for mount in box.mounts if mount.target != places.MEETING)
    ours = (Mount(folder, target, False) for target in (places.MEETING, PurePosixPath(folder)))
    return box._replace(mounts=(*kept, *ours))


def _hand_over(folder: Path, machine: Machine) -> None:
    """Let the container's user write there, who is another one where we are root."""
    if os.geteuid() == 0:
        uid, gid = map(int, machine.user.split(":"))
        os.chown(folder, uid, gid)


@contextmanager
def _running(engine: Engine, run: str, box: Box, image: str) -> Iterator[None]:
    token = secrets.token_hex(TOKEN_BYTES)
    labels = {OWNER_LABEL: this_owner(), RUN_LABEL: run, SITTING_LABEL: token}
    watcher = Watcher(engine.host, labels)
    try:
        engine.start(engine.make_container(box, image, f"agz-{run}-{token}-", labels))
        yield
    finally:
        engine.remove_all(labels)
        watcher.dismiss()
