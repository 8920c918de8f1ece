"""Serves a replayer's GGUF file by the very image that the run was sealed with."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agzamov_verify.manifest import Manifest
from agzamov_verify.seats import GgufSeat

from ..containers import places
from ..containers.ready import wait_for_model
from ..containers.serving import served
from ..containers.topology import model_box
from ..models.faults import ModelFault


@contextmanager
def served_by_image(manifest: Manifest, name: str, seat: GgufSeat, weights: Path) -> Iterator[str]:
    """The path of a socket behind which the manifest's image serves `weights`. Raises ModelFault, PortFault."""
    if places.MODEL not in manifest.images:
        raise ModelFault(f"{name}: the bundle pins no image of a model server; serve the weights and name --at")
    here = weights.resolve()
    with served(
        manifest, places.MODEL, lambda machine: model_box(places.server_of(name), seat, here, machine)
    ) as folder:
        socket = folder / places.model_socket(name).name
        wait_for_model(socket, time.sleep)
        yield str(socket)
