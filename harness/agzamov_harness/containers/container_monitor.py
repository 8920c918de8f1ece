"""Watches the containers while the harness plays; records their end: state, memory, error."""

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from signal import SIGKILL

from ..foundation.container_spec import MIB
from .container_engine import PAUSED, REMOVED, ContainerEnding, ContainerEngine
from .container_lifecycle import RunContainers
from .folder_transfer import FolderBounds
from .topology import Topology

PAUSE_S_MAX, FOLDER_EVERY_S = 10.0, 5.0
EXIT_STOPPED = 4
SIGNAL_BASE = 128
CGROUPS = Path("/sys/fs/cgroup")
PROC = Path("/proc")


class ContainerMonitor:
    """Monitor of a run's containers. For use by one thread, except that `note_peaks` may be called from another."""

    def __init__(
        self,
        engine: ContainerEngine,
        containers: RunContainers,
        planned: Topology,
        bounds: FolderBounds,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._engine, self._containers, self._bounds, self._clock_s = engine, containers, bounds, clock_s
        self._names = {containers.ids[box.name]: box.name for box in planned.boxes}
        self._harness = planned.harness.name
        self._pids: dict[str, int] = {}
        self._paused_since_s: dict[str, float] = {}
        self._looked_at_folder_s = float("-inf")
        self.peaks_bytes: dict[str, int] = {}

    def look(self) -> str:
        """Error message if the run cannot go on; else empty. Raises PortFault."""
        states_by_id = {row.id: row.state for row in self._engine.seen(self._containers.labels)}
        states = {name: states_by_id.get(container, REMOVED) for container, name in self._names.items()}
        self.note_peaks()
        troubles = (self._trouble(name, state) for name, state in states.items())
        return next((trouble for trouble in troubles if trouble), "") or self._folder_trouble()

    def note_peaks(self) -> None:
        """Read every container's peak memory."""
        for container, name in self._names.items():
            if not self._pids.get(name):
                self._pids[name] = self._engine.ending(container).pid
            peak = peak_bytes(self._pids[name], container)
            if peak is not None:
                self.peaks_bytes[name] = max(peak, self.peaks_bytes.get(name, 0))

    def _folder_trouble(self) -> str:
        if self._clock_s() - self._looked_at_folder_s < FOLDER_EVERY_S:
            return ""
        trouble = self._bounds.trouble()
        self._looked_at_folder_s = self._clock_s()
        return trouble

    def _trouble(self, name: str, state: str) -> str:
        if state != PAUSED:
            self._paused_since_s.pop(name, None)
        else:
            since = self._paused_since_s.setdefault(name, self._clock_s())
            if self._clock_s() - since > PAUSE_S_MAX:
                return f"container {name} is paused"
        if state == REMOVED:
            return f"container {name} was removed"
        if name != self._harness and state not in {"running", PAUSED}:
            return f"container {name} has ended"
        return ""


def outcome(
    planned: Topology,
    endings: Mapping[str, ContainerEnding],
    stopped: Mapping[str, ContainerEnding],
    trouble: str,
    complaint: str,
) -> str:
    """Error message of the execution, causes before their effects; empty if there was none.

    `endings` has the states of the containers when the harness had ended, `stopped` those of the ones stopped then.
    `trouble` is the reason for which the harness had to stop; its own error message, `complaint`, is ignored then. A
    process killed for lack of memory may leave an exit code of 0 and only the engine's mark: this is a failure too.
    """
    problems = [trouble, *_ends(planned, endings, stopped)]
    if endings[planned.harness.name].exit_code and not trouble:
        problems.append(complaint)
    return "; ".join(dict.fromkeys(line for line in problems if line))


def _ends(
    planned: Topology, endings: Mapping[str, ContainerEnding], stopped: Mapping[str, ContainerEnding]
) -> Iterator[str]:
    for box in planned.boxes:
        if stopped.get(box.name, endings[box.name]).oom_killed:
            yield f"container {box.name} ran out of its {box.limits.memory_bytes // MIB} MiB of memory"
    for box in planned.servers:
        ending = endings[box.name]
        if ending.state == PAUSED:
            yield f"container {box.name} is paused"
        elif ending.state == REMOVED:
            yield f"container {box.name} was removed"
        elif not ending.running:
            code = f"container {box.name} ended with exit code {ending.exit_code}"
            if ending.exit_code == SIGNAL_BASE + SIGKILL and not ending.oom_killed:
                code += f" (killed, perhaps out of its {box.limits.memory_bytes // MIB} MiB of memory)"
            yield code
    box, ending = planned.harness, endings[planned.harness.name]
    if ending.state == REMOVED:
        yield f"container {box.name} was removed"
    elif not ending.oom_killed and ending.exit_code > SIGNAL_BASE:
        yield f"container {box.name} was killed by signal {ending.exit_code - SIGNAL_BASE}"


def peak_bytes(pid: int, container: str, cgroups: Path = CGROUPS, proc: Path = PROC) -> int | None:
    """The peak of the container with this id, whose first process is `pid`, in bytes; None where it cannot be read.

    Version 2 counts it in memory.peak (Linux 5.19), version 1 in memory/…/memory.max_usage_in_bytes. A group whose path
    does not hold the container's id is another one's: an engine without groups leaves its containers in its own.
    """
    try:
        groups = [line.split(":", 2) for line in (proc / str(pid) / "cgroup").read_text().splitlines()]
        for _, controllers, path in groups:
            inside = path.lstrip("/")
            if not container or container not in inside:
                continue
            if "memory" in controllers.split(","):
                return int((cgroups / "memory" / inside / "memory.max_usage_in_bytes").read_text())
            if not controllers and (cgroups / inside / "memory.peak").exists():
                return int((cgroups / inside / "memory.peak").read_text())
    except (OSError, ValueError):
        return None
    return None
