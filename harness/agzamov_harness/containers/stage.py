"""The containers of one sitting: set up side by side, and taken down whatever happens.

Three things take them down: this process when it is done; a watcher, a process of its own, when this one is killed;
and, where both were killed, the next run on the same engine, which sweeps up what has no owner any more.
"""

import secrets
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self, TypeVar

from .engine import Engine
from .owner import is_gone, this_owner
from .topology import OUT_NET, Box, Topology
from .watcher import Watcher

OWNER_LABEL, RUN_LABEL, SITTING_LABEL = "agz.owner", "agz.run", "agz.sitting"
TOKEN_BYTES = 4

T = TypeVar("T")


def sweep(engine: Engine) -> None:
    """Remove what processes that have ended have left in the engine; what belongs to living ones stays."""
    for owner in engine.label_values(OWNER_LABEL):
        if is_gone(owner):
            engine.remove_all({OWNER_LABEL: owner})


class Stage:
    """Everything that one sitting makes in an engine. The servers are started, the harness is made only.

    `ids` are the containers' by the name of their box; `images` the images' by part.
    """

    def __init__(self, engine: Engine, run: str, topology: Topology, images: Mapping[str, str]) -> None:
        self._engine, self._topology, self._images = engine, topology, images
        token = secrets.token_hex(TOKEN_BYTES)
        self.labels = {OWNER_LABEL: this_owner(), RUN_LABEL: run, SITTING_LABEL: token}
        self.ids: dict[str, str] = {}
        self._prefix = f"agz-{run}-{token}-"

    def __enter__(self) -> Self:
        self._watcher = Watcher(self._engine.host, self.labels)
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
        side_by_side(self._make, self._topology.boxes)

    def _make(self, box: Box) -> None:
        made = self._engine.make_container(box, self._images[box.part], self._prefix, self.labels)
        self.ids[box.name] = made
        if box is not self._topology.harness:
            self._engine.start(made)

    def _take_down(self) -> None:
        try:
            side_by_side(self._engine.remove, self.ids.values())
            self._engine.remove_all(self.labels)
        except BaseException:
            self._watcher.leave()
            raise
        self._watcher.dismiss()


def side_by_side(work: Callable[[T], object], items: Iterable[T]) -> None:
    """Do the work on all items at once; the first fault is raised when all have ended."""
    with ThreadPoolExecutor(thread_name_prefix="container") as pool:
        for future in [pool.submit(work, item) for item in items]:
            future.result()
