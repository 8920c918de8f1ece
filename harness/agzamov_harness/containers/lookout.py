"""Looks after the containers while the harness plays: who has ended, who stands still, who needs how much memory."""

import time
from collections.abc import Callable

from .engine import PAUSED, Engine
from .peak import peak_bytes
from .stage import Stage
from .topology import Topology

PAUSE_S_MAX = 10.0


class Lookout:
    """What was seen so far. Sound for one thread, except that `note_peaks` may be called from another."""

    def __init__(
        self, engine: Engine, stage: Stage, planned: Topology, clock_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._engine, self._stage, self._clock_s = engine, stage, clock_s
        self._names = {stage.ids[box.name]: box.name for box in planned.boxes}
        self._harness = planned.harness.name
        self._pids: dict[str, int] = {}
        self._paused_since_s: dict[str, float] = {}
        self.peaks_bytes: dict[str, int] = {}

    def look(self) -> str:
        """Why the run cannot go on, in words; empty while all is well. Raises PortFault."""
        seen = {row.id: row.state for row in self._engine.seen(self._stage.labels)}
        states = {name: seen.get(made, "removed") for made, name in self._names.items()}
        self.note_peaks()
        told = (self._trouble(name, state) for name, state in states.items())
        return next((trouble for trouble in told if trouble), "")

    def note_peaks(self) -> None:
        """Read every container's peak memory."""
        for made, name in self._names.items():
            if not self._pids.get(name):
                self._pids[name] = self._engine.ending(made).pid
            peak = peak_bytes(self._pids[name])
            self.peaks_bytes[name] = max(peak, self.peaks_bytes.get(name, 0))

    def _trouble(self, name: str, state: str) -> str:
        if state != PAUSED:
            self._paused_since_s.pop(name, None)
        else:
            since = self._paused_since_s.setdefault(name, self._clock_s())
            if self._clock_s() - since > PAUSE_S_MAX:
                return f"container {name} is paused"
        if name != self._harness and state not in {"running", PAUSED}:
            return f"container {name} has ended"
        return ""
