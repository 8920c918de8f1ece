"""Serves a replayer's GGUF file by the very image that the run was sealed with, on a socket in a folder of his own.

As in a run, the container has no network, and a watcher takes it down if this process is killed.
"""

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from agzamov_verify.manifest import Manifest
from agzamov_verify.seats import GgufSeat

from ..containers import places
from ..containers.attending import image_in
from ..containers.engine import Engine, connect
from ..containers.owner import this_owner
from ..containers.ready import wait_for_model
from ..containers.stage import OWNER_LABEL, RUN_LABEL, SITTING_LABEL, TOKEN_BYTES, sweep
from ..containers.topology import Box, Machine, Mount, model_box
from ..containers.watcher import Watcher
from ..models.faults import ModelFault

SOCKET = "model.sock"


@contextmanager
def served_by_image(manifest: Manifest, name: str, seat: GgufSeat, weights: Path) -> Iterator[str]:
    """The path of a socket behind which the manifest's image serves `weights`. Raises ModelFault, PortFault."""
    pin = manifest.images.get(places.MODEL)
    if pin is None:
        raise ModelFault(f"{name}: the bundle pins no image of a model server; serve the weights and name --at")
    with closing(connect()) as engine, TemporaryDirectory(prefix="agz-") as folder:
        sweep(engine)
        image, machine = image_in(engine, places.MODEL, pin), engine.machine()
        _hand_over(Path(folder), machine)
        box = model_box(places.server_of(name), seat, weights.resolve(), machine)
        with _running(engine, manifest.run_id, _meeting_in(box, Path(folder)), image):
            wait_for_model(Path(folder) / SOCKET, time.sleep)
            yield str(Path(folder) / SOCKET)


def _meeting_in(box: Box, folder: Path) -> Box:
    """The same box, with a folder of this machine where its socket goes."""
    kept = tuple(mount for mount in box.mounts if mount.target != places.MEETING)
    return box._replace(mounts=(*kept, Mount(folder, places.MEETING, False)))


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
